package session

import (
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// dispatch takes one command: it is refused, queued, run here or sent on its
// way. It reports false when no further command may be taken for now. The
// guards stand in the order of Redis's.
func (s *Session) dispatch(argv [][]byte) bool {
	if s.plain && s.server.condition.Load() == nil && s.isLast(argv[0]) && s.lastRow.ArityOK(len(argv)) {
		s.askFor(s.single(s.server.Node.ShardOf(argv[s.lastKey])), s.lastRow, argv)
		return true
	}
	defer s.setPlain()
	s.endSkip()
	row := s.find(argv)
	s.beginTracked()
	defer s.endTracked(row)
	if refusal := s.refusal(row, argv); refusal.Kind() != resp.None {
		s.server.refused(row, refusal)
		return s.answerHere(row, s.abortMulti(row, refusal))
	}
	if s.mustPause(row) {
		s.park(argv)
		return false
	}
	if s.multi != nil && !row.Flags.Has(command.AtOnce) {
		s.queue(row, argv)
		return s.answerHere(row, resp.Queued)
	}
	if row.Here != nil {
		return s.runHere(row, argv)
	}
	return s.route(row, argv)
}

// endSkip moves CLIENT REPLY SKIP on by one command.
func (s *Session) endSkip() {
	switch s.reply {
	case replySkipNext:
		s.reply = replySkip
	case replySkip:
		s.reply = replyOn
	}
}

// find is the catalogue's Lookup with a memory for the last name.
func (s *Session) find(argv [][]byte) *Command {
	if s.lastKey > 0 && s.isLast(argv[0]) {
		return s.lastRow
	}
	row := s.catalogue.Lookup(argv)
	s.lastKey = 0
	if row != nil && len(argv[0]) <= nameMax {
		s.lastRow, s.lastLen = row, copy(s.lastName[:], argv[0])
		if row.Words() == 1 && row.GoesToShards() {
			s.lastKey = row.SingleKey()
		}
	}
	return row
}

func (s *Session) isLast(name []byte) bool {
	return string(name) == string(s.lastName[:s.lastLen])
}

// setPlain notes whether further commands like the last, on a single key, need
// none of the guards: so it is for nearly all commands of a pipeline.
func (s *Session) setPlain() {
	s.plain = s.lastKey > 0 && s.tracking.tracker == nil && s.authenticated && s.mayAll() && s.multi == nil && s.reply == replyOn &&
		s.Flags.Load()&FlagPubSub == 0 && s.server.unguarded()
}

func metaOf(row *Command) *command.Meta {
	if row == nil {
		return nil
	}
	return row.Meta
}

// refusal is the answer to a command that may not run; of no kind if it may.
func (s *Session) refusal(row *Command, argv [][]byte) resp.Reply {
	// Does it exist, and is it complete?
	if row == nil {
		return unknownCommand(argv)
	}
	if row.IsContainer(len(argv)) {
		if len(argv) < 2 {
			return resp.ErrArity(row.Name)
		}
		return UnknownSubcommand(row.Name, argv[1])
	}
	if !row.ArityOK(len(argv)) {
		return resp.ErrArity(row.Name)
	}
	// May this client?
	if row.Guard != nil {
		if refusal := row.Guard(s); refusal.Kind() != resp.None {
			return refusal
		}
	}
	if !row.Flags.Has(command.NoAuth) && !s.LoggedIn() {
		return resp.ErrNoAuth
	}
	now := s.server.condition.Load()
	if refusal := now.refuseWrite(s, row); refusal.Kind() != resp.None {
		return refusal
	}
	// Does the link's state allow it?
	if s.multi != nil && (row.Flags.Has(command.NoMulti) || row.Flags.Has(command.BareInMulti) && len(argv) > row.Words()) {
		return resp.Error("ERR Command not allowed inside a transaction")
	}
	if refusal := s.denied(row, argv); refusal.Kind() != resp.None {
		return refusal
	}
	if s.multi != nil || row.Here != nil {
		if refusal := s.outOfMemory(row); refusal.Kind() != resp.None {
			return refusal
		}
	}
	if s.encoder.Proto() == 2 && s.Flags.Load()&FlagPubSub != 0 && !row.Flags.Has(command.Subscribed) {
		return resp.Error("ERR Can't execute '" + row.Lower() + "': only " + s.allowedBeside() + " are allowed in this context")
	}
	if s.Flags.Load()&FlagMonitor != 0 && row.Flags&(command.ReadOnly|command.Write|command.MayReplicate) != 0 {
		return resp.Error("ERR Replica can't interact with the keyspace") // to Redis a monitor is one
	}
	return now.refuseNow(row)
}

// outOfMemory is the answer to a command when there is no memory, if it may need
// some: in a transaction each may that is queued. Those that go to shards outside
// of one are refused there, as what runs before them counts.
func (s *Session) outOfMemory(row *Command) resp.Reply {
	queues := s.multi != nil && !row.Flags.Has(command.AtOnce)
	needs := row.Flags.Has(command.DenyOOM) || row.Flags.Has(command.Executes) && s.multi.needsMemory()
	if (queues || needs) && s.server.Node.OutOfMemory() {
		return keyspace.ErrOOM
	}
	return resp.Nothing
}

// argsShown bounds, in bytes, how much of an unknown command its error repeats.
const argsShown = 128

func unknownCommand(argv [][]byte) resp.Reply {
	var b strings.Builder
	b.WriteString("ERR unknown command '")
	b.Write(argv[0][:min(len(argv[0]), argsShown)])
	b.WriteString("', with args beginning with: ")
	shown := 0
	for _, arg := range argv[1:] {
		if shown >= argsShown {
			break
		}
		part := arg[:min(len(arg), argsShown-shown)]
		b.WriteString("'")
		b.Write(part)
		b.WriteString("' ")
		shown += len(part) + 3
	}
	return resp.Error(b.String())
}

// UnknownSubcommand is the answer to a word that is no subcommand of the
// container.
func UnknownSubcommand(container string, sub []byte) resp.Reply {
	return resp.Error("ERR unknown subcommand '" + string(sub[:min(len(sub), argsShown)]) + "'. Try " + container + " HELP.")
}

// WrongSubcommand is the answer to a subcommand with more words than it takes,
// where Redis looks at that only in the handler.
func WrongSubcommand(a *command.Args) resp.Reply {
	container, _ := a.Meta().Container()
	sub := a.Argv()[1]
	return resp.Error("ERR unknown subcommand or wrong number of arguments for '" + string(sub[:min(len(sub), argsShown)]) +
		"'. Try " + container + " HELP.")
}

// answerHere adds a known reply to the batch.
func (s *Session) answerHere(row *Command, reply resp.Reply) bool {
	s.answer(row, reply)
	return true
}

// runHere runs a command in the session, after all that came before it.
func (s *Session) runHere(row *Command, argv [][]byte) bool {
	if !s.settle() {
		s.held = argv
		return false
	}
	return s.runNow(row, argv)
}

func (s *Session) runNow(row *Command, argv [][]byte) bool {
	s.args.Reset(row.Meta, argv)
	start := s.server.Nanos()
	reply := row.Here(s, &s.args)
	s.count(row, argv, s.server.Nanos()-start, reply)
	s.server.feedMonitors(s, row, argv)
	if s.later == pendingLater {
		s.later = row
		return false
	}
	if reply.Kind() != resp.None {
		s.answer(row, reply)
	}
	if s.batch != nil && len(s.batch.execs) > 0 {
		return s.settle() && !s.closing // what it asks the shards is a step of its own
	}
	return !s.closing
}

func failureOf(reply resp.Reply) string {
	if !reply.IsError() {
		return ""
	}
	code, _, _ := strings.Cut(reply.Str(), " ")
	return code
}

// route sends a command to the shards of its keys. If it has to wait for what
// is before it, it is held as it came.
func (s *Session) route(row *Command, argv [][]byte) bool {
	words := argv
	if row.Translate != nil {
		var refusal resp.Reply
		if words, refusal = row.Translate(argv, s.now); refusal.IsError() {
			s.server.refused(row, refusal)
			return s.answerHere(nil, refusal)
		}
	}
	blocking := row.Flags.Has(command.Blocking) // is alone in its batch
	if blocking && !s.settle() {
		s.held = argv
		return false
	}
	x := s.destination(row, words)
	if x == nil {
		s.held = argv
		return false
	}
	s.server.feedMonitors(s, row, argv)
	s.askFor(x, row, words)
	return !blocking || s.settle() && s.later == nil
}

// askFor adds a command to an Execute that visits its shards.
func (s *Session) askFor(x *keyspace.Execute, row *Command, argv [][]byte) {
	s.ask(x, row, keyspace.Request{Spec: row.Data, Argv: argv, DB: s.db, Encoder: row.Encoder})
}

// destination is the part of the batch that a command belongs to; nil if what
// is before it must be done first, which takes time.
func (s *Session) destination(row *Command, argv [][]byte) *keyspace.Execute {
	node := s.server.Node
	if pos := row.SingleKey(); pos > 0 {
		return s.single(node.ShardOf(argv[pos]))
	}
	switch {
	case node.Len() > 1 && row.NeedsAll(argv):
		return s.gather(0, node.Len())
	case row.Flags.Has(command.ByCursor):
		return s.fromCursor(argv[1])
	case row.Keyless() || node.Len() == 1:
		return s.single(0)
	case s.collectsAll(): // with all shards at hand there is nothing to work out
		return s.batch.collect
	}
	var few [16]command.KeyAt
	keys, ok := row.AppendKeys(few[:0], argv)
	if row.Flags.Has(command.Strays) { // is to come after what is before it, for any key
		return s.ofKeys(argv, keys)
	}
	if len(keys) == 0 || !ok {
		return s.single(0)
	}
	first := node.ShardOf(argv[keys[0].Pos])
	for _, key := range keys[1:] {
		if node.ShardOf(argv[key.Pos]) != first {
			return s.ofKeys(argv, keys)
		}
	}
	return s.single(first)
}

// fromCursor visits the shard at which a SCAN cursor stands and those after
// it: SCAN fills its COUNT from them, so that a small database is shown by one
// call, as people expect who never look at the cursor. A cursor that is no
// number goes to any shard, whose answer is the error.
func (s *Session) fromCursor(word []byte) *keyspace.Execute {
	first, shards := 0, s.server.Node.Len()
	if cursor, ok := keyspace.ParseCursor(word); ok {
		first = keyspace.CursorShard(cursor, shards)
	}
	if first == shards-1 {
		return s.single(first)
	}
	return s.gather(first, shards)
}

// ofKeys collects the shards of the keys.
func (s *Session) ofKeys(argv [][]byte, keys []command.KeyAt) *keyspace.Execute {
	x := s.gather(0, 0)
	for i := 0; x != nil && i < len(keys) && len(x.Shards) < s.server.Node.Len(); i++ {
		x.Visit(s.server.Node.ShardOf(argv[keys[i].Pos]))
	}
	if x != nil && len(x.Shards) == 0 {
		x.Visit(0)
	}
	return x
}

// gather is the batch's collection, once nothing for single shards is before
// it, made to visit the shards from first up to, and without, end. It is nil
// if that takes time.
func (s *Session) gather(first, end int) *keyspace.Execute {
	if (s.batch == nil || s.batch.collect == nil) && !s.settle() {
		return nil
	}
	x := s.collected()
	for shard := first; shard < end; shard++ {
		x.Visit(shard)
	}
	return x
}

// collectsAll reports whether the batch collects every shard already.
func (s *Session) collectsAll() bool {
	return s.batch.collect != nil && len(s.batch.collect.Shards) == s.server.Node.Len()
}
