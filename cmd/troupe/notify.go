package main

import (
	"net"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// notifier tells systemd what the server does: a datagram to the socket that
// NOTIFY_SOCKET names (sd_notify(3)). Where nobody asks, it does nothing.
type notifier struct{ socket string }

func newNotifier(environ []string) notifier {
	for _, entry := range environ {
		if path, found := strings.CutPrefix(entry, "NOTIFY_SOCKET="); found {
			return notifier{path}
		}
	}
	return notifier{}
}

// tell sends a state such as READY=1. That it did not arrive is logged:
// systemd will say it too, by ending a server of which it has not heard.
func (n notifier) tell(log hclog.Logger, state string) {
	if n.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(state))
		conn.Close()
	}
	if err != nil {
		log.Warn("systemd was not told", "state", state, "error", err)
	}
}
