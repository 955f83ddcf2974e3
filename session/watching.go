package session

import (
	"bytes"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/subscription/watch"
)

// watching is a link's live queries.
type watching struct {
	byFingerprint map[string]*watched
	order         []*watched // in the order they began
}

// watched is one live query of a link.
type watched struct {
	watcher *watch.Watcher
	query   *watch.Query
	as      watchedAs
}

// watchedAs is how a link watches, which decides how its frames look.
type watchedAs uint8

const (
	asCommand watchedAs = iota // CMD.WATCH: the first frame is a reply
	asObserve                  // OBSERVE: the first frame is a push already
	asChannel                  // SUBSCRIBE: every frame is a message
)

// WatchCommand runs CMD.WATCH: it answers with the first state, and pushes
// follow.
func WatchCommand(s *Session, row *Command, a *command.Args) resp.Reply {
	return s.watch(row, a.Rest(), asCommand, "")
}

// Observe is OBSERVE: the words after it are a command and its arguments.
func (s *Session) Observe(argv [][]byte) resp.Reply {
	row, err := s.observable(argv)
	if row == nil {
		return err
	}
	return s.watch(row, argv[row.Words():], asObserve, "")
}

// observable finds the command that the words ask to watch.
func (s *Session) observable(argv [][]byte) (row *Command, err resp.Reply) {
	row = s.server.Catalogue.Lookup(argv)
	switch {
	case row == nil:
		return nil, unknownCommand(argv)
	case !row.Watchable():
		return nil, resp.Error("ERR OBSERVE not supported for '" + strings.ToUpper(strings.ReplaceAll(row.Name, "|", " ")) + "'")
	case !row.ArityOK(len(argv)):
		return nil, resp.ErrArity(row.Name)
	}
	return row, resp.Nothing
}

// watch begins a live query. One that the link has already begins anew, under
// its fingerprint.
func (s *Session) watch(row *Command, rest [][]byte, as watchedAs, channel string) resp.Reply {
	q := watch.NewQuery(row.Data, rest, s.db, *s.User.Load())
	one := &watched{watcher: &watch.Watcher{Channel: channel}, query: q, as: as}
	fingerprint, same := s.fingerprint(q, channel)
	if same != nil {
		s.endWatch(same)
	}
	one.watcher.Fingerprint = fingerprint
	if s.watching.byFingerprint == nil {
		s.watching.byFingerprint = map[string]*watched{}
	}
	s.watching.byFingerprint[fingerprint] = one
	s.watching.order = append(s.watching.order, one)
	if err := s.server.Watches.Watch(q, one.watcher, outlet{s, one}); err != nil {
		s.forgetWatch(one)
		return resp.Error("ERR " + err.Error())
	}
	s.countWatches()
	if as == asChannel {
		return resp.Nothing
	}
	return s.Later()
}

// fingerprint names a query on this link: two different ones never share a
// name. same is the watch of an equal query by an equal means.
func (s *Session) fingerprint(q *watch.Query, channel string) (name string, same *watched) {
	identity := q.Identity()
	for n := 0; ; n++ {
		name = q.Fingerprint(n)
		have := s.watching.byFingerprint[name]
		switch {
		case have == nil:
			return name, nil
		case have.query.Identity() == identity && have.watcher.Channel == channel:
			return name, have
		}
	}
}

// Unobserve ends live queries by their fingerprints, and returns how many.
func (s *Session) Unobserve(fingerprints ...[]byte) (ended int) {
	for _, name := range fingerprints {
		if one := s.watching.byFingerprint[string(bytes.ToLower(name))]; one != nil {
			s.endWatch(one)
			ended++
		}
	}
	return ended
}

// endWatch ends a live query. Frames of it that are on their way are dropped.
func (s *Session) endWatch(one *watched) {
	s.server.Watches.Unwatch(one.watcher)
	s.forgetWatch(one)
}

func (s *Session) forgetWatch(one *watched) {
	delete(s.watching.byFingerprint, one.watcher.Fingerprint)
	for i, have := range s.watching.order {
		if have == one {
			s.watching.order = append(s.watching.order[:i], s.watching.order[i+1:]...)
			break
		}
	}
	s.countWatches()
}

// endWatches ends them all.
func (s *Session) endWatches() {
	for len(s.watching.order) > 0 {
		s.endWatch(s.watching.order[0])
	}
}

// countWatches shows how many there are; a RESP2 link that has any may only
// say what such links may.
func (s *Session) countWatches() {
	n, channels := len(s.watching.order), 0
	for _, one := range s.watching.order {
		if one.as == asChannel {
			channels++
		}
	}
	s.Watching.Store(int32(n))
	s.Channels.Store(int32(channels))
	s.SetFlag(FlagPubSub, n > 0)
}

// watchFrame is a message of a Subscription to one of this session's watches.
// begins or refused is set in the answer that begins or refuses it.
type watchFrame struct {
	one     *watched
	frame   watch.Frame
	begins  bool
	refused resp.Reply
}

// outlet is the session as a Subscription sees it.
type outlet struct {
	session *Session
	one     *watched
}

// Begun is called by the Subscription.
func (o outlet) Begun(_ *watch.Watcher, f watch.Frame) {
	o.session.send(&watchFrame{one: o.one, frame: f, begins: true})
}

// Refused is called by the Subscription.
func (o outlet) Refused(_ *watch.Watcher, err resp.Reply) {
	o.session.send(&watchFrame{one: o.one, refused: err})
}

// Push is called by the Subscription.
func (o outlet) Push(_ *watch.Watcher, f watch.Frame) {
	o.session.send(&watchFrame{one: o.one, frame: f})
}

// framed takes a frame, unless its watch has ended meanwhile.
func (s *Session) framed(m *watchFrame) {
	one := m.one
	if s.closing || s.watching.byFingerprint[one.watcher.Fingerprint] != one {
		return
	}
	switch {
	case m.refused.IsError():
		s.endWatch(one)
		s.refuseWatch(one, m.refused)
	case m.begins && one.as == asCommand:
		s.answered(resp.Array(m.frame.Items(one.watcher.Fingerprint)...))
	case m.begins && one.as == asObserve:
		s.answered(resp.Push(m.frame.Items(one.watcher.Fingerprint)...))
	case m.begins: // a message without flight: the next may follow at once
		s.push(s.encoder.Append(nil, one.message(&m.frame)), nil)
	default:
		s.push(s.encoder.Append(nil, one.message(&m.frame)), one.watcher)
	}
	if m.frame.Kind == watch.End {
		s.forgetWatch(one)
	}
}

// refuseWatch answers that the query's first evaluation failed.
func (s *Session) refuseWatch(one *watched, err resp.Reply) {
	if one.as != asChannel {
		s.answered(err)
		return
	}
	f := watch.Frame{Result: err, Kind: watch.End}
	s.push(s.encoder.Append(nil, one.message(&f)), nil)
}

// message is a frame as the link gets it out of band.
func (one *watched) message(f *watch.Frame) resp.Reply {
	if one.as != asChannel {
		return resp.Push(f.Items(one.watcher.Fingerprint)...)
	}
	return resp.Push(resp.BulkString("message"), resp.BulkString(one.watcher.Channel),
		resp.Bulk(f.JSON(one.query.Text(), one.watcher.Fingerprint)))
}
