package stream

import (
	"bytes"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XREAD", Arity: -4, Complexity: "O(n) for n entries of the answer",
		Syntax:  "[COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]",
		Summary: "Returns the entries of streams behind the IDs given, $ being the last one now, or waits for one.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly | command.Blocking,
		Keys: []command.Keys{{First: 1, Keyword: "STREAMS", Last: -1, Step: 1, Limit: 2, Flags: command.RO | command.Access}},
		Examples: "> XADD s 1-1 f a\n\"1-1\"\n" +
			"> XADD s 2-1 f b\n\"2-1\"\n" +
			"> XREAD STREAMS s nokey 1 0\n%{\"s\": [[\"1-1\", [\"f\", \"a\"]], [\"2-1\", [\"f\", \"b\"]]]}\n" +
			"> XREAD COUNT 1 STREAMS s 1-1\n%{\"s\": [[\"2-1\", [\"f\", \"b\"]]]}\n" +
			"> XREAD STREAMS s $\n_\n" +
			"> XREAD STREAMS s nokey 0\n-ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return read(tx, a, false) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XREADGROUP", Arity: -7, Complexity: "O(n) for n entries of the answer",
		Syntax:  "GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...] id [id ...]",
		Summary: "Returns entries that no consumer of a group has got (>), or waits for one; or those that this consumer got and has not acknowledged.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.Blocking,
		Keys: []command.Keys{{First: 4, Keyword: "STREAMS", Last: -1, Step: 1, Limit: 2, Flags: command.RO | command.Access}},
		Examples: "> XADD s 1-1 f a\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"a\"]]]}\n" +
			"> XREADGROUP GROUP g grace STREAMS s >\n_\n" +
			"> XREADGROUP GROUP g ada STREAMS s 0\n%{\"s\": [[\"1-1\", [\"f\", \"a\"]]]}\n" +
			"> XREADGROUP GROUP other ada STREAMS s >\n-NOGROUP No such key 's' or consumer group 'other' in XREADGROUP with GROUP option\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return read(tx, a, true) },
})

// The mistakes of XREAD and XREADGROUP.
var (
	errUnbalanced   = resp.Error("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.")
	errGroupOption  = resp.Error("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.")
	errNoAckOption  = resp.Error("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.")
	errGroupMissing = resp.Error("ERR Missing GROUP option for XREADGROUP")
	errNewForRead   = resp.Error("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.")
	errLastForGroup = resp.Error("ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.")
	errTimeout      = resp.Error("ERR timeout is not an integer or out of range")
	errNegativeTime = resp.Error("ERR timeout is negative")
	errKeyGone      = resp.Error("UNBLOCKED the stream key no longer exists")
	errGroupGone    = resp.Error("NOGROUP the consumer group this client was blocked on no longer exists")
)

// noWait is the time to wait of a command that does not wait.
const noWait = -1

// newEntries stands for >, as an ID.
var newEntries = maxID

// reading is an XREAD or XREADGROUP.
type reading struct {
	grouped  bool
	scripted bool // called by a script, so that it can't wait
	group    []byte
	consumer []byte
	count    int64
	millis   int64
	noAck    bool
	first    int // the place of the first key among the words
	keys     [][]byte
	words    [][]byte // of the IDs
	ids      []ID
	room     [4]ID
}

// read reads the words up to the IDs.
func (r *reading) read(a *command.Args) {
	r.millis = noWait
	for a.More() && r.first == 0 {
		switch {
		case a.OptionWith("BLOCK", 1):
			if r.scripted {
				a.Fail(resp.Error("ERR " + string(a.Argv()[0]) + " command is not allowed with BLOCK option from scripts"))
			}
			r.millis = readMillis(a, r.millis)
		case a.OptionWith("COUNT", 1):
			r.count = max(a.Int(), 0)
		case a.OptionWith("STREAMS", 1):
			r.readStreams(a)
		case a.OptionWith("GROUP", 2):
			if r.group, r.consumer = a.Bytes(), a.Bytes(); !r.grouped {
				a.Fail(errGroupOption)
			}
		case a.Option("NOACK"):
			if r.noAck = true; !r.grouped {
				a.Fail(errNoAckOption)
			}
		default:
			a.Syntax()
		}
	}
	switch {
	case r.first == 0:
		a.Syntax()
	case r.grouped && r.group == nil:
		a.Fail(errGroupMissing)
	}
}

// readMillis reads a time to wait.
func readMillis(a *command.Args, other int64) int64 {
	millis := a.IntOr(errTimeout)
	if !a.Bad() && millis < 0 {
		a.Fail(errNegativeTime)
	}
	if a.Bad() {
		return other
	}
	return millis
}

// readStreams reads the keys and their IDs, as words.
func (r *reading) readStreams(a *command.Args) {
	n := a.Len()
	r.first = len(a.Argv()) - n
	if n%2 != 0 {
		a.Fail(errUnbalanced) // in XREADGROUP too
		return
	}
	words := a.Rest()
	r.keys, r.words = words[:n/2], words[n/2:]
}

func errNoGroupToRead(key, group []byte) resp.Reply {
	return resp.Error("NOGROUP No such key '" + string(untilZero(key)) + "' or consumer group '" + string(untilZero(group)) + "' in XREADGROUP with GROUP option")
}

// resolve reads the IDs, which may depend on what the streams hold.
func (r *reading) resolve(tx *keyspace.Tx) (mistake resp.Reply) {
	r.ids = r.room[:0]
	for i, key := range r.keys {
		s, ok := lookup(tx, key)
		switch {
		case !ok:
			return resp.ErrWrongType
		case r.grouped && (s == nil || s.group(r.group) == nil):
			return errNoGroupToRead(key, r.group)
		}
		id, mistake := r.resolveID(s, r.words[i])
		if mistake.IsError() {
			return mistake
		}
		r.ids = append(r.ids, id)
	}
	return resp.Nothing
}

// resolveID reads the ID for a stream.
func (r *reading) resolveID(s *stream, word []byte) (id ID, mistake resp.Reply) {
	switch {
	case isWord(word, '$') && r.grouped:
		return id, errLastForGroup
	case isWord(word, '$') && s == nil:
		return id, resp.Nothing
	case isWord(word, '$'):
		return s.last, resp.Nothing
	case isWord(word, '>') && !r.grouped:
		return id, errNewForRead
	case isWord(word, '>'):
		return newEntries, resp.Nothing
	}
	id, ok := parseID(word, 0)
	if !ok {
		return id, errID
	}
	return id, resp.Nothing
}

func read(tx *keyspace.Tx, a *command.Args, grouped bool) resp.Reply {
	r := reading{grouped: grouped, scripted: tx.Scripted}
	r.read(a)
	if a.Bad() {
		return a.Err()
	}
	if mistake := r.resolve(tx); mistake.IsError() {
		return mistake
	}
	var items []resp.Reply
	buf := tx.Scratch()
	for i, key := range r.keys {
		if entries, used, ok := r.serve(tx, key, r.ids[i], buf); ok {
			buf = used
			items = append(items, resp.Bulk(key), entries)
		}
	}
	tx.KeepScratch(buf)
	switch {
	case items != nil && r.grouped && r.millis != noWait:
		r.effect(tx, r.keys, r.words)
		return resp.Named(items...)
	case items != nil:
		return resp.Named(items...)
	case r.millis == noWait:
		return resp.NilArray
	}
	return tx.Block(r.wait())
}

// serve is what a stream has behind an ID. ok is false if that is nothing.
func (r *reading) serve(tx *keyspace.Tx, key []byte, after ID, buf []byte) (entries resp.Reply, used []byte, ok bool) {
	var e edit
	if !e.open(tx, key) || e.stream == nil {
		return resp.Nothing, buf, false
	}
	if r.grouped {
		return r.serveGroup(&e, after, buf)
	}
	if !e.has(after) {
		return resp.Nothing, buf, false
	}
	w := e.walk(after.after())
	entries, used = w.entries(buf, r.count, nil)
	return entries, used, true
}

// has reports whether there is an entry behind an ID.
func (s *stream) has(after ID) bool {
	return s.length > 0 && after.less(s.end)
}

// after is the interval of all that comes behind an ID.
func (id ID) after() interval {
	from, ok := id.next()
	if !ok {
		return interval{maxID, ID{}}
	}
	return interval{from, maxID}
}

// serveGroup is serve for a consumer of a group.
func (r *reading) serveGroup(e *edit, after ID, buf []byte) (entries resp.Reply, used []byte, ok bool) {
	g := e.group(r.group)
	if after == newEntries && !e.has(g.last) {
		return resp.Nothing, buf, false
	}
	now := e.tx.Now()
	c := e.consumer(g, r.consumer, now)
	c.seen = now
	e.changed("")
	if after != newEntries {
		return e.history(g, c, after, r.count), buf, true
	}
	w := e.walk(g.last.after())
	w.goOn(&g.come, g.last)
	entries, used = w.entries(buf, r.count, func(id ID) {
		e.advance(g, id)
		if !r.noAck {
			g.deliver(id, c, now)
		}
	})
	g.come = w.mark(g.last)
	return entries, used, true
}

// consumer is the group's consumer of a name, which is made if there is none.
func (e *edit) consumer(g *group, name []byte, now int64) *consumer {
	c, added := g.addConsumer(name, now)
	if added {
		e.changed("xgroup-createconsumer")
	}
	return c
}

// history are the entries behind an ID that a consumer has got and not
// acknowledged; those that are deleted without their fields.
func (e *edit) history(g *group, c *consumer, after ID, count int64) resp.Reply {
	from, ok := after.next()
	if !ok {
		from = ID{}
	}
	var items []resp.Reply
	c.pending.from(from, func(id *ID) bool {
		if entry, _, found := e.lookup(*id); found {
			items = append(items, entry.reply())
			d := g.pending.edit(*id)
			d.when = e.tx.Now()
			d.count++
		} else {
			items = append(items, resp.Array(id.reply(), resp.NilArray))
		}
		return count == 0 || int64(len(items)) < count
	})
	return resp.Array(items...)
}

// wait says what the command waits for.
func (r *reading) wait() keyspace.Wait {
	kept := *r // what it points to are words of the request
	kept.group, kept.consumer = bytes.Clone(r.group), bytes.Clone(r.consumer)
	kept.ids = append([]ID(nil), r.ids...)
	kept.keys, kept.words = make([][]byte, len(r.keys)), nil
	wait := keyspace.Wait{Type: keyspace.Stream, Millis: r.millis, TimedOut: resp.NilArray}
	for i, key := range r.keys {
		kept.keys[i] = bytes.Clone(key)
		wait.Keys = append(wait.Keys, r.first+i)
	}
	wait.Ready = kept.ready
	wait.Serve = kept.answer
	return wait
}

// effect records what the consumer of a group was given, of the streams named and
// behind these IDs, as a command that does not wait.
func (r *reading) effect(tx *keyspace.Tx, keys, ids [][]byte) {
	words := [][]byte{[]byte("XREADGROUP"), []byte("GROUP"), r.group, r.consumer}
	if r.count > 0 {
		words = append(words, []byte("COUNT"), strconv.AppendInt(nil, r.count, 10))
	}
	if r.noAck {
		words = append(words, []byte("NOACK"))
	}
	words = append(append(append(words, []byte("STREAMS")), keys...), ids...)
	tx.Effect(words...)
}

// after is the ID behind which the entries of a key are waited for.
func (r *reading) after(key []byte) ID {
	for i := range r.keys {
		if bytes.Equal(r.keys[i], key) {
			return r.ids[i]
		}
	}
	return maxID
}

// ready reports whether there is something to answer of a key: an entry, or
// for a group that it is no more.
func (r *reading) ready(tx *keyspace.Tx, key []byte) bool {
	s, ok := streamOf(tx.Peek(key))
	if s == nil || !ok {
		return r.grouped
	}
	if !r.grouped {
		return s.has(r.after(key))
	}
	g := s.group(r.group)
	return g == nil || s.has(g.last)
}

// answer answers what has waited.
func (r *reading) answer(tx *keyspace.Tx, _ *command.Args, key []byte) resp.Reply {
	s, ok := streamOf(tx.Peek(key))
	switch {
	case s == nil || !ok:
		return errKeyGone
	case r.grouped && s.group(r.group) == nil:
		return errGroupGone
	}
	entries, buf, _ := r.serve(tx, key, r.after(key), tx.Scratch())
	tx.KeepScratch(buf)
	if r.grouped {
		r.effect(tx, [][]byte{key}, [][]byte{[]byte(">")})
	}
	return resp.Named(resp.Bulk(key), entries)
}
