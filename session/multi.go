package session

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session/acl"
)

// Multi is a transaction being queued.
type Multi struct {
	queued  []queuedCommand
	bytes   int          // of the queued words
	aborted bool         // a command was refused, so EXEC will be
	exec    command.Args // the EXEC that runs it
}

type queuedCommand struct {
	row  *Command
	argv [][]byte
	// denial is why a command is not run that may not run any more.
	denial acl.Denial
}

// Lock is the optimistic lock of WATCH: it notes whether any of its keys has
// changed. Shards tell it so in their turns.
type Lock struct {
	dirty atomic.Bool
	keys  []lockedKey
}

type lockedKey struct {
	db  int
	key []byte
}

// add adds a key, unless it is there.
func (l *Lock) add(db int, key []byte) {
	for _, have := range l.keys {
		if have.db == db && bytes.Equal(have.key, key) {
			return
		}
	}
	l.keys = append(l.keys, lockedKey{db, bytes.Clone(key)})
}

// Touched is called by a shard when a key has changed.
func (l *Lock) Touched(uint64, int) { l.dirty.Store(true) }

// StartMulti begins a transaction.
func (s *Session) StartMulti() resp.Reply {
	if s.multi != nil {
		return resp.ErrNestedMulti
	}
	s.multi = &Multi{}
	s.Queued.Store(0)
	s.SetFlag(FlagMulti, true)
	return resp.OK
}

// InMulti reports whether a transaction is being queued.
func (s *Session) InMulti() bool { return s.multi != nil }

// InExec reports whether the present command is one of a transaction that is
// being run: it must answer at once, as Later and Wait have no meaning there.
func (s *Session) InExec() bool { return s.inExec }

// queue copies a command into the transaction.
func (s *Session) queue(row *Command, argv [][]byte) {
	m := s.multi
	m.queued = append(m.queued, queuedCommand{row: row, argv: cloneArgv(argv)})
	m.bytes += queuedBytes
	for _, arg := range argv {
		m.bytes += len(arg) + wordBytes
	}
	if m.bytes > s.limits().QueryMax {
		s.server.Log.Warn("link closed: its transaction is longer than client-query-buffer-limit", "session", s.id, "bytes", m.bytes)
		s.server.Stats.QueryCut.Add(1)
		s.closing = true
		s.link.Close()
	}
	s.Queued.Store(int32(len(s.multi.queued)))
	s.QueuedBytes.Store(int64(m.bytes))
}

// wordBytes is what a queued word takes beside its bytes, queuedBytes what a command
// takes beside its words, when it is queued and when it runs.
const (
	wordBytes   = 24
	queuedBytes = 256
)

// cloneArgv copies words out of a link's buffer, in one piece.
func cloneArgv(argv [][]byte) [][]byte {
	size := 0
	for _, arg := range argv {
		size += len(arg)
	}
	buf := make([]byte, 0, size)
	words := make([][]byte, len(argv))
	for i, arg := range argv {
		start := len(buf)
		buf = append(buf, arg...)
		words[i] = buf[start:len(buf):len(buf)]
	}
	return words
}

// abortMulti marks the transaction as one that EXEC will refuse, because a
// command was refused, and returns the answer to that. An EXEC that is itself
// refused ends the transaction at once, as in Redis.
func (s *Session) abortMulti(row *Command, refusal resp.Reply) resp.Reply {
	if row != nil && row.Flags.Has(command.Executes) {
		s.endMulti()
		s.dropLock()
		return abortedBy(refusal)
	}
	if s.multi != nil {
		s.multi.aborted = true
		s.SetFlag(FlagDirty, true)
	}
	return refusal
}

// abortedBy is the answer to an EXEC that does nothing.
func abortedBy(refusal resp.Reply) resp.Reply {
	return resp.Error("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(refusal.Str(), "ERR "))
}

// needsMemory reports whether a command of the transaction may need memory.
func (m *Multi) needsMemory() bool {
	return m != nil && slices.ContainsFunc(m.queued, func(q queuedCommand) bool { return q.row.Flags.Has(command.DenyOOM) })
}

func (s *Session) endMulti() {
	s.multi = nil
	s.Queued.Store(-1)
	s.QueuedBytes.Store(0)
	s.SetFlag(FlagMulti|FlagDirty, false)
}

// DiscardMulti ends the transaction without running it, and the lock.
func (s *Session) DiscardMulti() resp.Reply {
	if s.multi == nil {
		return resp.ErrDiscard
	}
	s.endMulti()
	s.dropLock()
	return resp.OK
}

// ExecMulti runs the transaction: its commands are the requests of one
// Execute, which visits all shards that they and the lock concern, and does
// nothing if the lock is dirty. Commands that run in the session have their
// turn, in order, when the replies are put together. The words are EXEC's own.
func (s *Session) ExecMulti(a *command.Args) resp.Reply {
	m := s.multi
	if m == nil {
		return resp.ErrNoMulti
	}
	s.endMulti()
	if m.aborted {
		s.dropLock()
		return resp.ErrExecAbort
	}
	x := s.collected()
	x.Atomic = true
	b := s.batch
	b.following, m.exec = m, *a
	b.slots = append(b.slots, slot{kind: exec, x: x, n: len(m.queued), mute: s.muted()})
	s.guard(x)
	db := s.db
	for i := range m.queued {
		s.enqueue(x, i, &db)
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
	s.forgetLock()
	return resp.Nothing
}

// guard makes the transaction depend on the lock, which it ends.
func (s *Session) guard(x *keyspace.Execute) {
	if s.lock != nil {
		s.lock.guard(x, s.server.Node)
	}
}

// guard makes an Execute run only if none of the lock's keys has changed. The
// lock ends when it runs.
func (l *Lock) guard(x *keyspace.Execute, node *keyspace.Node) {
	l.visit(x, node)
	x.Guard = func(tx *keyspace.Tx) bool {
		l.release(tx)
		return !l.dirty.Load()
	}
}

// visit makes an Execute visit the shards of the lock's keys.
func (l *Lock) visit(x *keyspace.Execute, node *keyspace.Node) {
	for _, k := range l.keys {
		x.Visit(node.ShardOf(k.key))
	}
}

// release ends the watching of the lock's keys. Keys found past their
// deadline are changed keys, even if nobody has noticed before.
func (l *Lock) release(tx *keyspace.Tx) {
	for _, k := range l.keys {
		tx.DB = k.db
		if tx.Overdue(k.key) {
			l.dirty.Store(true)
		}
		tx.Unwatch(k.key, l)
	}
}

// enqueue adds the ith command of the transaction to its Execute.
func (s *Session) enqueue(x *keyspace.Execute, i int, db *int) {
	q := &s.batch.following.queued[i]
	if q.row.Data != nil {
		q.denial = s.Denial(q.row, q.argv)
	}
	if q.row.Here != nil || q.denial.Denies() {
		s.batch.slots = append(s.batch.slots, slot{row: q.row, kind: here, n: i, mute: s.muted()})
		if q.row.Flags.Has(command.Selects) {
			*db = selected(q.argv[1], *db, s.server.Databases)
		}
		return
	}
	s.visitKeys(x, q.row, q.argv)
	s.ask(x, q.row, keyspace.Request{Spec: q.row.Data, Argv: q.argv, DB: *db})
}

// selected is the database that SELECT will choose: the one before if its
// argument is wrong.
func selected(arg []byte, before, databases int) int {
	if n, ok := command.ParseInt(arg); ok && n >= 0 && n < int64(databases) {
		return int(n)
	}
	return before
}

// visitKeys makes an Execute visit every shard that a command concerns.
func (s *Session) visitKeys(x *keyspace.Execute, row *Command, argv [][]byte) {
	node := s.server.Node
	if row.NeedsAll(argv) || row.Flags&(command.ByCursor|command.Strays) != 0 {
		node.VisitAll(x)
		return
	}
	var few [8]command.KeyAt
	keys, _ := row.AppendKeys(few[:0], argv)
	for _, key := range keys {
		x.Visit(node.ShardOf(argv[key.Pos]))
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
}

// emitExec begins the replies of a transaction. One that was refused has no
// others.
func (s *Session) emitExec(sl *slot) {
	b := s.batch
	s.server.feedTransaction(s, b.following, sl.x.Refused)
	if sl.x.Refused {
		b.written += sl.n
		answer := resp.NilArray
		if sl.x.Suspect {
			answer = abortedBy(resp.ErrLoading)
		}
		s.emit(sl, s.encoder.Append(nil, answer))
		return
	}
	s.emit(sl, resp.AppendHeader(nil, '*', sl.n))
}

// runQueued runs a command of a transaction that runs in the session.
func (s *Session) runQueued(sl *slot) {
	q := &s.batch.following.queued[sl.n]
	start := s.server.Nanos()
	s.inExec = true
	reply := s.runOne(q)
	s.inExec = false
	s.count(q.row, q.argv, s.server.Nanos()-start, reply)
	s.emit(sl, s.encoder.Append(nil, reply))
}

// runOne runs a command of a transaction in the session, unless it may not run
// any more: one that would have run in shards is known not to.
func (s *Session) runOne(q *queuedCommand) resp.Reply {
	if q.row.Here != nil {
		q.denial = s.Denial(q.row, q.argv)
	}
	if q.denial.Denies() {
		s.NoteDenial(&q.denial, acl.InMulti, s.batch.following.exec.Meta())
		return q.denial.AtExec()
	}
	s.args.Reset(q.row.Meta, q.argv)
	return q.row.Here(s, &s.args)
}

// WatchKeys adds keys to the session's optimistic lock.
func (s *Session) WatchKeys(keys [][]byte) resp.Reply {
	if s.lock == nil {
		s.lock = &Lock{}
	}
	x := s.collected()
	s.ask(x, s.server.Catalogue.Named("WATCH"), s.lock.watch(x, s, keys))
	s.Locks.Store(int32(len(s.lock.keys)))
	return resp.Nothing
}

// watch adds keys to the lock: an Execute that visits their shards is to run the
// request which it returns.
func (l *Lock) watch(x *keyspace.Execute, s *Session, keys [][]byte) keyspace.Request {
	before := len(l.keys)
	for _, key := range keys {
		x.Visit(s.server.Node.ShardOf(key))
		l.add(s.db, key)
	}
	fresh := l.keys[before:]
	return keyspace.Request{DB: s.db, Do: func(tx *keyspace.Tx) resp.Reply {
		for _, k := range fresh {
			tx.Outline(k.key) // one that is past its deadline goes before it is watched
			tx.Watch(k.key, l)
		}
		return resp.OK
	}}
}

// dropLock ends the lock in the shards; nobody waits for that.
func (s *Session) dropLock() {
	lock := s.lock
	if lock == nil {
		return
	}
	s.forgetLock()
	lock.drop(s.server.Node)
}

// drop ends the lock in the shards; nobody waits for that.
func (l *Lock) drop(node *keyspace.Node) {
	x := &keyspace.Execute{Encoder: resp.V2}
	l.visit(x, node)
	if len(x.Shards) == 0 {
		return
	}
	x.Requests = []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		l.release(tx)
		return resp.OK
	}}}
	node.Post(x, keyspace.Nobody{})
}

// DropLock is UNWATCH.
func (s *Session) DropLock() { s.dropLock() }

func (s *Session) forgetLock() {
	s.lock = nil
	s.Locks.Store(0)
}
