package script

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription"
	lua "github.com/yuin/gopher-lua"
)

// call is redis.call: an error ends the script, unless that catches it.
func (m *machine) call(l *lua.LState) int {
	if reply := m.command(l); reply.IsError() {
		t := failure(l, reply.Str())
		located(l, t)
		l.Error(t, 1)
	} else {
		l.Push(m.value(l, reply))
	}
	return 1
}

// pcall is redis.pcall: an error is a table.
func (m *machine) pcall(l *lua.LState) int {
	reply := m.command(l)
	if m.stop != nil {
		raisef(l, "%s", m.stop.Error())
	}
	l.Push(m.value(l, reply))
	return 1
}

// words are the arguments of redis.call, in a buffer of the machine's.
func (m *machine) words(l *lua.LState) (argv [][]byte, mistake string) {
	n := l.GetTop()
	if n == 0 {
		return nil, "Please specify at least one argument for this redis lib call"
	}
	buf, ends := m.bytes[:0], m.ends[:0]
	for i := 1; i <= n; i++ {
		switch v := l.Get(i).(type) {
		case lua.LString:
			buf = append(buf, v...)
		case lua.LNumber:
			buf = appendArgument(buf, float64(v))
		default:
			return nil, "Lua redis lib command arguments must be strings or integers"
		}
		ends = append(ends, len(buf))
	}
	argv = m.argv[:0]
	start := 0
	for _, end := range ends {
		argv = append(argv, buf[start:end:end])
		start = end
	}
	if cap(buf) <= keepMax {
		m.bytes = buf
	}
	m.ends, m.argv = ends, argv
	return argv, ""
}

// keepMax is the longest buffer, in bytes, that a machine keeps.
const keepMax = 64 << 10

// appendArgument writes a number as Redis passes it on: "%.17g".
func appendArgument(dst []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && !(f == 0 && math.Signbit(f)) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return append(dst, formatG(f, 17)...)
}

var (
	errUnknownCommand = resp.Error("ERR Unknown Redis command called from script")
	errCommandArity   = resp.Error("ERR Wrong number of args calling Redis command from script")
	errNotFromScript  = resp.Error("ERR This Redis command is not allowed from script")
	errReadOnly       = resp.Error("ERR Write commands are not allowed from read-only scripts.")
	errNoScriptRuns   = resp.Error("ERR redis.call/pcall can only be called inside a script invocation")
)

// command runs the command that is on the stack.
func (m *machine) command(l *lua.LState) resp.Reply {
	argv, mistake := m.words(l)
	if mistake != "" {
		return resp.Error("ERR " + mistake)
	}
	r := m.run
	if r == nil || r.tx == nil {
		return errNoScriptRuns
	}
	row := m.rowOf(l, argv)
	switch {
	case row == nil, row.Subs != nil && len(argv) > 1 && row.IsContainer(len(argv)):
		return errUnknownCommand
	case !row.ArityOK(len(argv)):
		return errCommandArity
	case row.Flags.Has(command.NoScript), row.Watches != nil:
		return errNotFromScript
	}
	if refusal := r.denied(row, argv); refusal.Kind() != resp.None {
		return refusal
	}
	switch {
	case r.readOnly && row.Flags.Has(command.Write):
		return errReadOnly
	case row.Data != nil:
		return r.data(row, argv)
	}
	return r.bridge(row, argv)
}

// site is a command's name as it stands in some script, by its place in memory,
// which the site keeps from being used for anything else.
type site struct {
	name *byte
	len  int
	row  *session.Command
}

// sitesMax is how many names a machine knows by their place.
const sitesMax = 32

// rowOf is the command that is called, nil if there is none.
func (m *machine) rowOf(l *lua.LState, argv [][]byte) *session.Command {
	name, _ := l.Get(1).(lua.LString)
	at := unsafe.StringData(string(name))
	s := &m.sites[uintptr(unsafe.Pointer(at))>>3%sitesMax]
	if s.name == at && s.len == len(name) && at != nil {
		return s.row
	}
	row := m.engine.catalogue.Lookup(argv)
	if row != nil && row.Subs == nil && row.Words() == 1 {
		*s = site{at, len(name), row}
	}
	return row
}

// data runs a command on the keyspace.
func (r *run) data(row *session.Command, argv [][]byte) resp.Reply {
	writes := row.Flags.Has(command.Write)
	if writes && r.server != nil && !r.wrote.Load() { // else half of it would stay, as below
		if refusal := r.server.Condition().Writes; refusal.Kind() != resp.None {
			return refusal
		}
	}
	if row.Flags.Has(command.DenyOOM) && r.outOfMemory() {
		return keyspace.ErrOOM
	}
	if !r.machine.toil(callSteps + wordSteps*len(argv)) {
		return r.stopped(errLong)
	}
	if r.checks {
		if why := r.admit(row, argv, writes); why != nil {
			return r.stopped(why)
		}
	}
	if writes {
		r.wrote.Store(true)
	}
	r.tx.DB, r.tx.Scripted = r.db, true
	r.inside = true
	reply, ok := resp.Nothing, true
	if r.light {
		reply, ok = r.tx.TryCall(row.Data, argv)
	} else {
		reply = r.tx.Call(row.Data, argv)
	}
	r.inside, r.tx.Scripted = false, false
	if !ok {
		return r.stopped(errLong)
	}
	return reply
}

// outOfMemory reports whether the run, which was begun when there was no memory,
// may not use any. One that has written something already is not stopped in the
// middle of it, as in Redis.
func (r *run) outOfMemory() bool { return r.tx.OutOfMemory() && !r.allowsOOM && !r.wrote.Load() }

// stopped stops the script before a command.
func (r *run) stopped(why error) resp.Reply {
	r.machine.halt(why)
	return resp.Error("ERR " + why.Error())
}

// bridge runs a command that is no business of the keyspace.
func (r *run) bridge(row *session.Command, argv [][]byte) resp.Reply {
	switch row.Name {
	case "PING":
		if len(argv) > 1 {
			return resp.Bulk(argv[1])
		}
		return resp.Pong
	case "ECHO":
		return resp.Bulk(argv[1])
	case "TIME":
		micros := r.tx.Now() * 1000
		if r.server != nil {
			micros = r.server.Micros()
		}
		return resp.Strings(strconv.FormatInt(micros/1e6, 10), strconv.FormatInt(micros%1e6, 10))
	case "SELECT":
		return r.selectDB(argv[1])
	case "PUBLISH":
		return r.publish(subscription.Channel, argv)
	case "SPUBLISH":
		return r.publish(subscription.ShardChannel, argv)
	}
	return errNotFromScript
}

// selectDB selects a database for the rest of the script.
func (r *run) selectDB(word []byte) resp.Reply {
	n, ok := command.ParseInt(word)
	switch {
	case !ok || n != int64(int32(n)):
		return resp.ErrNotInteger
	case n < 0 || n >= int64(r.tx.Databases()):
		return resp.ErrDBIndex
	}
	r.db = int(n)
	return resp.OK
}

// publish sends a message. That can't be undone, so all shards must be at hand.
func (r *run) publish(sort subscription.Sort, argv [][]byte) resp.Reply {
	switch {
	case !r.tx.HoldsAll():
		return r.stopped(errWide)
	case r.light:
		return r.stopped(errLong)
	}
	r.strayed = r.total > 1
	caller, ok := r.caller.(*session.Session)
	if !ok {
		return errNotFromScript
	}
	return caller.Publish(sort, argv[1], argv[2])
}

// admit readies a command to be undone, or says why it may not run: it does not
// find its shards at hand, or can't be undone. With all shards at hand it notes
// whether the script keeps to those of its keys.
func (r *run) admit(row *session.Command, argv [][]byte, writes bool) (why error) {
	if r.light && row.Flags.Has(command.Heavy) || writes && leavesDatabase(row) {
		return r.cannotUndo()
	}
	if at := row.SingleKey(); at > 0 && row.Reaches == nil && row.Flags&(command.AllShards|command.ByCursor) == 0 {
		return r.admitKey(argv[at], writes)
	}
	if row.NeedsAll(argv) || row.Flags.Has(command.ByCursor) {
		switch r.strayed = true; {
		case r.narrow:
			return errWide
		case writes:
			return r.cannotUndo()
		}
		return nil
	}
	keys, _ := row.AppendKeys(r.machine.keys[:0], argv)
	r.machine.keys = keys[:0]
	for _, k := range keys {
		if why := r.admitKey(argv[k.Pos], writes); why != nil {
			return why
		}
	}
	return nil
}

func (r *run) admitKey(key []byte, writes bool) (why error) {
	switch {
	case r.declared != nil:
		r.strayed = r.strayed || !r.declared[keyspace.ShardOf(key, r.total)]
	case r.narrow && !r.tx.Holds(key):
		return errWide
	}
	if !writes || !r.anew() {
		return nil
	}
	r.tx.DB = r.db
	if !r.undo.Keep(r.tx, key) || r.light && r.undo.Weight() > undoMax {
		return r.cannotUndo()
	}
	return nil
}

// cannotUndo is where a script goes that is to do what can't be undone; nil if
// it may stay.
func (r *run) cannotUndo() (why error) {
	switch {
	case r.light:
		return errLong
	case r.narrow:
		return errWide
	}
	return nil
}
