package session

import (
	"bytes"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
	"github.com/troupedb/troupe/subscription/watch"
)

// diceWatch is a live query of a client of DiceDB's protocols. It begins with a
// reply on the link that asked, and ends with that link; its pushes go to the
// client's target. At most one is on its way; while there is no target, the
// latest waits.
type diceWatch struct {
	client      *diceClient
	owner       *Session
	name        string // "GET.WATCH"
	identity    string
	fingerprint uint64
	watcher     *watch.Watcher

	// Guarded by the client's lock.
	begun  bool
	over   bool
	broken bool         // the Subscription has ended it
	latest *watch.Frame // not delivered yet
	flying bool         // the watcher is to be told when it is
}

// diceWatch runs a live form: the reply comes when the query is evaluated. One
// that the link has already begins anew.
func (s *Session) diceWatch(row *Command, a *command.Args) resp.Reply {
	d := s.front.(*diceLink)
	rest := a.Rest()
	q := watch.NewQuery(row.Data, rest, s.db, *s.User.Load())
	text := append([]byte(a.Meta().Name+" "), bytes.Join(rest, []byte(" "))...)
	w := &diceWatch{
		client: d.join(), owner: s, name: a.Meta().Name, identity: q.Identity(),
		fingerprint: d.protocol.Fingerprint(string(text)), watcher: &watch.Watcher{},
	}
	for _, same := range w.client.ownedBy(s) {
		if same.identity == w.identity {
			same.end()
		}
	}
	w.client.add(w)
	s.Watching.Add(1)
	if err := s.server.Watches.Watch(q, w.watcher, w); err != nil {
		w.client.remove(w)
		s.Watching.Add(-1)
		return resp.Error("ERR " + err.Error())
	}
	return s.Later()
}

// end ends the watch. Any of the client's links may do so.
func (w *diceWatch) end() {
	removed, alive := w.client.remove(w)
	if removed {
		w.owner.Watching.Add(-1)
	}
	if removed && alive {
		w.owner.server.Watches.Unwatch(w.watcher)
	}
}

// diceAnswer is the reply to a request to watch.
type diceAnswer struct{ reply resp.Reply }

func (m *diceAnswer) take(s *Session) {
	if !s.closing {
		s.answered(m.reply)
	}
}

// Begun is called by the Subscription.
func (w *diceWatch) Begun(_ *watch.Watcher, f watch.Frame) {
	w.client.mu.Lock()
	w.begun = true
	w.client.mu.Unlock()
	w.owner.send(&diceAnswer{dice.Watched(w.fingerprint, f.Result)})
}

// Refused is called by the Subscription.
func (w *diceWatch) Refused(_ *watch.Watcher, err resp.Reply) {
	w.end()
	w.owner.send(&diceAnswer{err})
}

// Push is called by the Subscription.
func (w *diceWatch) Push(_ *watch.Watcher, f watch.Frame) {
	w.client.mu.Lock()
	w.latest, w.flying = &f, true
	w.broken = w.broken || f.Kind == watch.End
	waits := w.route(w.client.target())
	w.client.mu.Unlock()
	if waits {
		w.watcher.Taken()
	}
}

// route sends what is not delivered on its way to a target. Without one it
// waits, and so that it is the latest, more is asked for: it reports that the
// watcher is to be told so. The caller holds the client's lock.
func (w *diceWatch) route(target *Session) (waits bool) {
	switch {
	case w.latest == nil:
	case target != nil:
		w.flying = true
		target.send(&dicePush{w})
	case w.flying:
		w.flying = false
		return true
	}
	return false
}

// undelivered is what is to be sent to the target that s is, or nil.
func (w *diceWatch) undelivered(s *Session) *watch.Frame {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	if w.over || w.client.target() != s {
		return nil
	}
	return w.latest
}

// diceDelivery is a frame in the hands of a link.
type diceDelivery struct {
	watch *diceWatch
	frame *watch.Frame
}

// Taken tells that it has left the server.
func (m *diceDelivery) Taken() {
	w := m.watch
	w.client.mu.Lock()
	if w.latest == m.frame {
		w.latest = nil
	}
	wasFlying := w.flying
	w.flying = false
	w.client.mu.Unlock()
	if wasFlying {
		w.watcher.Taken()
	}
}

// rawPushGap is how far behind all else pushes to a raw link come. Its client
// takes all that has come for one message, in which later fields replace
// earlier ones: of two that are read at once one would be lost.
const rawPushGap = 5 * time.Millisecond

// pacedLink is a raw link that knows when it was last written to.
type pacedLink struct {
	Link
	session *Session
	written int64 // Server.Nanos
}

// Write implements Link.
func (k *pacedLink) Write(p []byte) {
	k.Link.Write(p)
	k.written = k.session.server.Nanos()
}

// gap is how long nothing may be pushed yet.
func (k *pacedLink) gap() time.Duration {
	return rawPushGap - time.Duration(k.session.server.Nanos()-k.written)
}

// dicePush is the message that a watch has something for its target.
type dicePush struct{ watch *diceWatch }

func (m *dicePush) take(s *Session) {
	d := s.front.(*diceLink)
	if d.paced == nil {
		d.deliver(m.watch)
		return
	}
	d.line = append(d.line, m.watch)
	if len(d.line) == 1 {
		d.pushInLine()
	}
}

// deliver writes what the watch has for this link, if it still has.
func (d *diceLink) deliver(w *diceWatch) {
	s := d.session
	frame := w.undelivered(s)
	if frame == nil || s.closing {
		return
	}
	reply := dice.Watched(w.fingerprint, frame.Result)
	s.push(d.protocol.Encoder(w.name).Append(nil, reply), &diceDelivery{w, frame})
}

// dicePaced is the message that a raw link may be pushed to by now.
type dicePaced struct{}

func (*dicePaced) take(s *Session) { s.front.(*diceLink).pushInLine() }

// pushInLine pushes what waits, one after the other.
func (d *diceLink) pushInLine() {
	for len(d.line) > 0 {
		wait := d.paced.gap()
		if d.session.busy() {
			wait = rawPushGap // behind the reply
		}
		if wait > 0 {
			time.AfterFunc(wait, func() { d.session.send(&dicePaced{}) })
			return
		}
		d.deliver(d.line[0])
		d.line[0] = nil
		d.line = d.line[1:]
	}
}
