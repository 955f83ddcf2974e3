package transport

import (
	"net"
	"time"
)

// greet does the handshake of TLS, outside of the turn.
func (k *turnLink) greet() {
	secure := &k.owner.config.Secure
	if !secure.Knock(k.RemoteAddr()) {
		k.greeted(net.ErrClosed)
		return
	}
	if patience := secure.Patience(); patience > 0 {
		k.conn.SetDeadline(time.Now().Add(patience))
	}
	if err := k.greeted(k.secure.Handshake()); err != nil {
		secure.Left(k.RemoteAddr(), err)
	}
}

// greeted ends the link, or goes on over TLS. It returns why it ends.
func (k *turnLink) greeted(err error) error {
	k.loop.turn.Lock()
	defer k.loop.turn.Unlock()
	k.greeting = false
	switch {
	case err != nil:
		k.finish(err)
	case k.closed:
		return net.ErrClosed
	default:
		k.conn.SetDeadline(time.Time{})
		k.conn = k.secure
	}
	return err
}
