package session

import (
	"bytes"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
	"github.com/troupedb/troupe/subscription/watch"
)

// diceWatch is a live query of a client of DiceDB's protocols. It begins with a
// reply on the link that asked, and ends with that link; its pushes go to the
// client's target. While there is no target, the latest state is kept for it. A
// link that takes another's place is told again what was told last: nobody
// knows how much of it has arrived.
type diceWatch struct {
	client      *diceClient
	owner       *Session
	name        string // "GET.WATCH"
	query       *watch.Query
	fingerprint uint64
	watcher     *watch.Watcher

	// Guarded by the client's lock.
	begun bool
	over  bool
	news  bool         // there is something to take
	kept  *watch.Frame // taken while there was nobody to tell it to
	told  *watch.Frame // the last, after the reply
}

// diceWatch runs a live form: the reply comes when the query is evaluated. One
// that the link has already begins anew.
func (s *Session) diceWatch(row *Command, a *command.Args) resp.Reply {
	d := s.front.(*diceLink)
	rest, words := a.Rest(), a.Argv()
	if row.Translate != nil {
		var refusal resp.Reply
		if words, refusal = row.Translate(words, s.now); refusal.IsError() {
			return refusal
		}
	}
	q := watch.NewQuery(row.Data, words[1:], s.db, *s.User.Load())
	text := append([]byte(a.Meta().Name+" "), bytes.Join(rest, []byte(" "))...)
	w := &diceWatch{
		client: d.join(), owner: s, name: a.Meta().Name, query: q,
		fingerprint: d.protocol.Fingerprint(string(text)), watcher: &watch.Watcher{},
	}
	for _, same := range w.client.ownedBy(s) {
		if same.query.Equal(q) && same.fingerprint == w.fingerprint {
			same.end()
		}
	}
	if refusal := s.mayWatch(1); refusal.IsError() {
		return refusal
	}
	w.client.add(w)
	s.Watching.Add(1)
	if _, err := s.server.Watches.Watch(q, watch.Options{}, w.watcher, w); err != nil {
		w.client.remove(w)
		s.Watching.Add(-1)
		return resp.Error("ERR " + err.Error())
	}
	if !maySee(s.holder.Load().Now(), q) { // since the command was let in: see Server.enforce
		w.end()
		return errRightTaken
	}
	return s.Later()
}

// end ends the watch. Any of the client's links may do so.
func (w *diceWatch) end() {
	if w.client.remove(w) {
		w.owner.Watching.Add(-1)
		w.owner.server.Watches.Unwatch(w.watcher)
	}
}

// Loop, Post and News implement watch.Outlet by the owner's link.
func (w *diceWatch) Loop() int        { return w.owner.link.Loop() }
func (w *diceWatch) Post(task func()) { w.owner.link.Post(task) }
func (w *diceWatch) News(*watch.Watcher) {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	if !w.begun {
		w.owner.send(&diceBegun{w})
		return
	}
	w.news = true
	w.route(w.client.target())
}

// diceBegun is the message to its owner that a watch has its first state.
type diceBegun struct{ watch *diceWatch }

func (m *diceBegun) take(s *Session) {
	w := m.watch
	if s.closing {
		w.watcher.Hold()
		return
	}
	f, ok := w.watcher.Take()
	switch {
	case !ok:
	case f.Kind != watch.Current:
		w.end()
		s.answered(f.Result)
	default:
		w.client.mu.Lock()
		w.begun = true
		w.client.mu.Unlock()
		s.answered(dice.Watched(w.fingerprint, f.Result))
	}
}

// route sends word of what is not told yet to a target. Without one it is taken
// and kept, until there is something newer. The caller holds the client's lock.
func (w *diceWatch) route(target *Session) {
	switch {
	case target == nil && w.news:
		w.take()
	case target != nil && (w.news || w.kept != nil):
		target.send(&dicePush{w})
	}
}

// take takes the newest state.
func (w *diceWatch) take() {
	w.news = false
	if f, ok := w.watcher.Take(); ok {
		w.kept = &f
	}
}

// reroute is route for a target that has just become it.
func (w *diceWatch) reroute(target *Session) {
	if w.kept == nil {
		w.kept, w.told = w.told, nil
	}
	w.route(target)
}

// next is what is to be told to the target, if that is what s is; nil: nothing.
func (w *diceWatch) next(s *Session) *watch.Frame {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	if w.over || w.client.target() != s {
		return nil
	}
	w.take()
	f := w.kept
	if w.kept = nil; f != nil {
		w.told = f
	}
	return f
}

// tell appends the newest state for the target, if that is what s is.
func (w *diceWatch) tell(s *Session, dst []byte) []byte {
	f := w.next(s)
	if f == nil {
		return dst
	}
	if f.Kind == watch.End {
		w.end()
	}
	protocol, before := s.front.(*diceLink).protocol, len(dst)
	dst = protocol.Encoder(w.name).Append(dst, dice.Watched(w.fingerprint, f.Result))
	s.Told.Add(int64(len(dst) - before))
	return dst
}

// dicePush is the message that a watch has something for its target, and what
// tells it there.
type dicePush struct{ watch *diceWatch }

func (m *dicePush) take(s *Session) {
	d := s.front.(*diceLink)
	switch {
	case s.closing:
		m.wait()
	case d.paced != nil:
		d.enqueue(m.watch)
	default:
		s.announce(m)
	}
}

func (m *dicePush) tell(s *Session, dst []byte) []byte { return m.watch.tell(s, dst) }
func (m *dicePush) wait()                              { m.watch.watcher.Hold() }

// rawPushGap is how far behind all else pushes to a raw link come. Its client
// takes all that has come for one message, in which later fields replace
// earlier ones: of two that are read at once one would be lost.
const rawPushGap = 5 * time.Millisecond

// pacedLink is a raw link that knows when it was last written to, if pushes go
// over it.
type pacedLink struct {
	Link
	session *Session
	target  bool
	written int64 // Server.Nanos
}

// Write implements Link.
func (k *pacedLink) Write(p []byte) {
	k.Link.Write(p)
	k.note()
}

// Give implements Link.
func (k *pacedLink) Give(large *slab.Buffer, p []byte) {
	k.Link.Give(large, p)
	k.note()
}

func (k *pacedLink) note() {
	if k.target {
		k.written = k.session.server.Nanos()
	}
}

// gap is how long nothing may be pushed yet.
func (k *pacedLink) gap() time.Duration {
	return rawPushGap - time.Duration(k.session.server.Nanos()-k.written)
}

// enqueue has a raw link push one thing at a time.
func (d *diceLink) enqueue(w *diceWatch) {
	d.line = append(d.line, w)
	if len(d.line) > 1 {
		w.watcher.Hold()
		return
	}
	d.step()
}

// step has the first in the line told when the gap has passed.
func (d *diceLink) step() {
	gap := d.paced.gap()
	if gap <= 0 {
		d.session.announce(d)
		return
	}
	d.wait()
	time.AfterFunc(gap, func() { d.session.send(&dicePaced{}) })
}

// dicePaced is the message that a raw link may be pushed to by now.
type dicePaced struct{}

func (*dicePaced) take(s *Session) { s.front.(*diceLink).step() }

// tell appends the next push of a raw link; the one after it waits for its turn.
func (d *diceLink) tell(s *Session, dst []byte) []byte {
	if d.paced.gap() > 0 { // a reply has come in between
		d.step()
		return dst
	}
	before := len(dst)
	for len(d.line) > 0 && len(dst) == before {
		dst = d.line[0].tell(s, dst)
		d.line[0] = nil
		d.line = d.line[1:]
	}
	if len(d.line) > 0 {
		time.AfterFunc(rawPushGap, func() { s.send(&dicePaced{}) })
	}
	return dst
}

// wait says that the line does not move for some time.
func (d *diceLink) wait() {
	for _, w := range d.line {
		w.watcher.Hold()
	}
}
