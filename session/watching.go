package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/subscription/watch"
)

// watching is a link's live queries.
type watching struct {
	byFingerprint map[watch.Fingerprint]*watched
	byChannel     map[string]*watched
}

// watched is one live query of a link: the outlet of its Watcher, and what
// tells its news.
type watched struct {
	watch.Watcher
	session *Session
	message *messageHead // of frames that go as messages
	as      watchedAs
	begun   bool
	queued  bool // is in the session's news
}

// messageHead is how the messages of a live query begin.
type messageHead struct {
	channel string
	json    []byte
}

// channel is the name by which a watch by SUBSCRIBE was asked for, "" of others.
func (one *watched) channel() string {
	if one.as != asChannel {
		return ""
	}
	return one.message.channel
}

// watchedAs is how a link watches, which decides how its frames look.
type watchedAs uint8

const (
	asCommand watchedAs = iota // CMD.WATCH: the first frame is a reply
	asObserve                  // OBSERVE: the first frame is a push already
	asChannel                  // SUBSCRIBE: every frame is a message
)

// watchedBy is how a live query was asked for.
type watchedBy struct {
	as      watchedAs
	channel string // of a watch by SUBSCRIBE
	options watch.Options
}

// WatchCommand runs CMD.WATCH: it answers with the first state, and pushes
// follow.
func WatchCommand(s *Session, row *Command, a *command.Args) resp.Reply {
	rest := a.Rest()
	if row.waits(rest) {
		return errWaits
	}
	return s.watch(row, rest, watchedBy{as: asCommand})
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
	case row.waits(argv[row.Words():]):
		return nil, errWaits
	}
	return row, resp.Nothing
}

// waits reports whether a command that reads would wait for something to read, by
// these words behind its name: XREAD does with BLOCK, which stands before the
// streams.
func (c *Command) waits(rest [][]byte) bool {
	if !c.Flags.Has(command.Blocking) {
		return false
	}
	isWord := func(want string) func([]byte) bool {
		return func(word []byte) bool { return strings.EqualFold(string(word), want) }
	}
	block := slices.IndexFunc(rest, isWord("BLOCK"))
	streams := slices.IndexFunc(rest, isWord("STREAMS"))
	return block >= 0 && (streams < 0 || block < streams)
}

var errWaits = resp.Error("ERR OBSERVE not supported for 'XREAD' with BLOCK")

// mayWatch refuses n more watches of the link if they would be too many. Those
// of all links are counted by the Registry.
func (s *Session) mayWatch(n int) resp.Reply {
	if most := s.server.Watches.Limits.Client.Load(); int64(s.Watching.Load())+int64(n) > most {
		return resp.Error(fmt.Sprintf("ERR max number of watches of one client reached (maxwatches-per-client %d)", most))
	}
	return resp.Nothing
}

// watch begins a live query. One that the link has already begins anew, under
// its fingerprint.
func (s *Session) watch(row *Command, rest [][]byte, by watchedBy) resp.Reply {
	q := watch.NewQuery(row.Data, rest, s.db, *s.User.Load())
	fingerprint, same := s.fingerprint(q, by.channel)
	if same != nil {
		s.endWatch(same)
	} else if refusal := s.mayWatch(1); refusal.IsError() {
		return refusal
	}
	one := &watched{session: s, as: by.as}
	one.Fingerprint = fingerprint
	switch {
	case by.as == asChannel:
		one.message = &messageHead{by.channel, watch.JSONHead(q.Argv, fingerprint)}
	case s.visits:
		one.message = &messageHead{fingerprint.String(), watch.JSONHead(q.Argv, fingerprint)}
	}
	kept, err := s.server.Watches.Watch(q, by.options, &one.Watcher, one)
	if err != nil {
		return resp.Error("ERR " + err.Error())
	}
	s.keepWatch(one)
	if !maySee(s.holder.Load().Now(), kept) { // since the command was let in: see Server.enforce
		s.endWatch(one)
		return errRightTaken
	}
	if by.as == asChannel {
		return resp.Nothing
	}
	return s.Later()
}

// fingerprint names a query on this link: two different ones never share a
// name. same is the watch of an equal query by an equal means.
func (s *Session) fingerprint(q *watch.Query, channel string) (name watch.Fingerprint, same *watched) {
	for n := 0; ; n++ {
		name = q.Fingerprint(n)
		have := s.watching.byFingerprint[name]
		switch {
		case have == nil:
			return name, nil
		case have.channel() == channel && have.Query().Equal(q):
			return name, have
		}
	}
}

// Unobserve ends live queries by their fingerprints, and returns how many.
func (s *Session) Unobserve(fingerprints ...[]byte) (ended int) {
	for _, text := range fingerprints {
		name, ok := watch.ParseFingerprint(text)
		if one := s.watching.byFingerprint[name]; ok && one != nil {
			s.endWatch(one)
			ended++
		}
	}
	return ended
}

func (s *Session) keepWatch(one *watched) {
	w := &s.watching
	if w.byFingerprint == nil {
		w.byFingerprint = map[watch.Fingerprint]*watched{}
	}
	w.byFingerprint[one.Fingerprint] = one
	if one.as == asChannel {
		if w.byChannel == nil {
			w.byChannel = map[string]*watched{}
		}
		w.byChannel[one.message.channel] = one
	}
	s.countWatches()
}

// endWatch ends a live query. News of it that is on its way is dropped.
func (s *Session) endWatch(one *watched) {
	s.server.Watches.Unwatch(&one.Watcher)
	s.dropNews(one)
	w := &s.watching
	delete(w.byFingerprint, one.Fingerprint)
	if one.as == asChannel {
		delete(w.byChannel, one.message.channel)
	}
	s.countWatches()
}

// endWatches ends them all.
func (s *Session) endWatches() {
	if len(s.watching.byFingerprint) == 0 {
		return
	}
	s.news = slices.DeleteFunc(s.news, func(t teller) bool { _, watch := t.(*watched); return watch })
	for _, one := range s.watching.byFingerprint {
		one.queued = false
		s.endWatch(one)
	}
	s.watching = watching{}
}

// takeLeave closes the link behind what is written. If the server stops, the last
// frame of each live query says so, with the token to go on from at the next one.
// (What visits the server has its own way to say so; DiceDB's protocol has none.)
func (s *Session) takeLeave() {
	if s.stopping && !s.visits {
		var frames []byte
		all := s.watching.byFingerprint
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if one := all[name]; one.begun {
				frames = one.append(frames, one.Ending(errStopping), watch.Push)
			}
		}
		if len(frames) > 0 {
			s.writePush(frames)
		}
	}
	s.link.CloseAfterWrites()
}

var errStopping = resp.Error("ERR the server is stopping")

// countWatches shows how many there are; a RESP2 link that has any may only
// say what such links may.
func (s *Session) countWatches() {
	w := &s.watching
	s.Watching.Store(int32(len(w.byFingerprint)))
	s.countChannels()
}

// allowedBeside is what a RESP2 link may say that gets messages, or pushes: in
// Redis's words if it gets messages only.
func (s *Session) allowedBeside() string {
	if w := &s.watching; len(w.byFingerprint) > len(w.byChannel) {
		return ".WATCH / OBSERVE / SUBSCRIBE / UNWATCH / UNOBSERVE / UNSUBSCRIBE / PING / QUIT / RESET"
	}
	return "(P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET"
}

// Loop implements watch.Outlet.
func (one *watched) Loop() int { return one.session.link.Loop() }

// Post implements watch.Outlet.
func (one *watched) Post(task func()) { one.session.link.Post(task) }

// News implements watch.Outlet: the explicit call, from the loop itself, that
// may run the session inline.
func (one *watched) News(*watch.Watcher) { one.session.mailbox.Deliver(one) }

// take has the first state of a command answered at once, and all else told
// when the link can carry it.
func (one *watched) take(s *Session) {
	switch {
	case s.closing:
		one.Hold()
	case !one.begun && one.as != asChannel:
		s.beginWatch(one)
	case !one.queued:
		one.queued = true
		s.announce(one)
	}
}

// beginWatch answers the request to watch. An error ends the watch before it
// has begun.
func (s *Session) beginWatch(one *watched) {
	f, ok := one.Take()
	if !ok {
		return
	}
	first := watch.Answer
	if one.as == asObserve && !s.visits {
		first = watch.Push
	}
	if f.Refuses() {
		s.endWatch(one)
		s.answered(f.Result)
		return
	}
	one.begun = true
	s.answeredBytes(func(dst []byte) []byte { return one.append(dst, f, first) })
	if f.More {
		one.take(s)
	}
}

// tell appends the newest state, if the link does not know it yet. It is
// called by the session when it can be sent.
func (one *watched) tell(s *Session, dst []byte) []byte {
	one.queued = false
	f, ok := one.Take()
	if !ok {
		return dst
	}
	if !one.begun && f.Kind != watch.Current { // by SUBSCRIBE, which is confirmed already
		f = f.Refused()
	}
	one.begun = true
	switch {
	case f.Kind == watch.End:
		s.endWatch(one)
	case f.More:
		one.take(s)
	}
	return one.append(dst, f, watch.Push)
}

// append appends a frame in the form that the link wants.
func (one *watched) append(dst []byte, f watch.Frame, first byte) []byte {
	s, before := one.session, len(dst)
	switch proto := s.encoder.Proto(); {
	case one.message == nil:
		dst = f.Append(dst, proto, first, one.Fingerprint)
	case proto == 2 && !s.visits:
		dst = f.AppendMessage(dst, watch.Answer, one.message.channel, one.message.json)
	default:
		dst = f.AppendMessage(dst, first, one.message.channel, one.message.json)
	}
	s.Told.Add(int64(len(dst) - before))
	return dst
}

// wait says that the link cannot carry the news for some time.
func (one *watched) wait() { one.Hold() }
