// Package shardtest runs commands against shards that a test holds in its
// hand: no actor, no socket, and a clock that moves when it is told to. It
// routes as a session does, and compares with a real redis-server.
package shardtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Family is a table of commands that work on the keyspace.
type Family = *command.Table[*keyspace.Tx]

// Kinds are the types of value that new Worlds know. The tests of a package may
// set them before any of them runs.
var Kinds keyspace.Kinds

// databases is how many a World has, Redis's default.
const databases = 16

// World is a keyspace of one or more shards and one client of it.
type World struct {
	// Now is the clock, Unix milliseconds.
	Now int64
	// Settings holds the settings in force. Events are on.
	Settings *keyspace.Settings
	// DB is the database that the client has selected.
	DB int
	// Events are what the last command made known, in order.
	Events []keyspace.Event
	// Version is that of the last change.
	Version uint64
	// Shards by number.
	Shards []*keyspace.Shard
	// Seed is that of the last turn's chance; the next one's is one more.
	Seed uint64

	tb       testing.TB
	commands map[string]*command.Spec[*keyspace.Tx]
}

// New makes an empty World that knows the commands of the families. Its
// memory goes when the test ends.
func New(tb testing.TB, shards int, families ...Family) *World {
	set := keyspace.DefaultSettings()
	set.Events, set.Kinds = true, Kinds
	w := &World{Now: 1_700_000_000_000, Settings: set, tb: tb, commands: map[string]*command.Spec[*keyspace.Tx]{}}
	for _, family := range families {
		for _, spec := range family.Specs() {
			w.commands[spec.Name] = spec
		}
	}
	for i := range shards {
		w.Shards = append(w.Shards, keyspace.NewShard(i, databases, 1))
	}
	tb.Cleanup(func() {
		for _, sh := range w.Shards {
			sh.Close()
		}
	})
	return w
}

// Do runs a command line and returns the reply in the notation of transcripts.
func (w *World) Do(line string) string {
	w.tb.Helper()
	argv, ok := resp.SplitLine([]byte(line))
	if !ok || len(argv) == 0 {
		w.tb.Fatalf("not a command line: %s", line)
	}
	return resp.Format(w.Run(argv))
}

// Run runs a command and returns what its reply in RESP3 says.
func (w *World) Run(argv [][]byte) resp.Reply {
	w.tb.Helper()
	return w.decode(w.Exchange(argv, resp.V3))
}

func (w *World) decode(b []byte) resp.Reply {
	w.tb.Helper()
	r, n, err := resp.Decode(b)
	if err != nil || n != len(b) {
		w.tb.Fatalf("the reply %.200q is no reply: %v", b, err)
	}
	return r
}

// Exchange runs a command and returns the bytes of its reply.
func (w *World) Exchange(argv [][]byte, encoder resp.Encoder) []byte {
	w.tb.Helper()
	w.Events = nil
	if command.EqualFold(argv[0], "SELECT") && len(argv) == 2 {
		n, _ := command.ParseInt(argv[1])
		w.DB = int(n)
		return encoder.Append(nil, resp.OK)
	}
	spec, refusal := w.find(argv)
	if spec == nil {
		return encoder.Append(nil, refusal)
	}
	x := &keyspace.Execute{Encoder: encoder, Requests: []keyspace.Request{{Spec: spec, Argv: argv, DB: w.DB}}}
	w.Execute(x, w.route(spec, argv))
	if spec.Flags.Has(command.ReadOnly) && len(w.Events) > 0 && !allExpired(w.Events) {
		w.tb.Errorf("%q, which only reads, made known %v", argv, w.Events)
	}
	return x.Out
}

// allExpired reports whether events are those of what was past its deadline: a
// key, or fields, with the last of which the key goes.
func allExpired(events []keyspace.Event) bool {
	for i, e := range events {
		if e.Name != "expired" && e.Name != "hexpired" && !(e.Name == "del" && i > 0 && events[i-1].Name == "hexpired") {
			return false
		}
	}
	return true
}

// Transaction runs commands as one change over all shards.
func (w *World) Transaction(lines ...string) string {
	w.tb.Helper()
	x := &keyspace.Execute{Encoder: resp.V3, Atomic: true}
	for _, line := range lines {
		argv, _ := resp.SplitLine([]byte(line))
		spec, refusal := w.find(argv)
		if spec == nil {
			w.tb.Fatalf("%s: %s", line, resp.Format(refusal))
		}
		x.Requests = append(x.Requests, keyspace.Request{Spec: spec, Argv: argv, DB: w.DB})
	}
	w.Execute(x, w.all())
	var replies []string
	for i := range x.Requests {
		replies = append(replies, resp.Format(w.decode(x.Reply(i))))
	}
	return strings.Join(replies, " ")
}

// Execute runs a batch in one turn over the shards named.
func (w *World) Execute(x *keyspace.Execute, shards []int) {
	w.tb.Helper()
	t := w.turn()
	var held []*keyspace.Shard
	for _, i := range shards {
		held = append(held, w.Shards[i])
	}
	tx := keyspace.Begin(t, held, len(w.Shards))
	tx.Run(t, x)
	w.Events = append([]keyspace.Event(nil), tx.Events()...)
	tx.End(t)
	if x.Broken != nil {
		w.tb.Fatalf("%s panicked: %v\n%s", x.Broken.Command, x.Broken.Reason, x.Broken.Stack)
	}
}

func (w *World) turn() *keyspace.Turn {
	w.Seed++
	return &keyspace.Turn{
		Now: w.Now, Seed: w.Seed, Settings: w.Settings,
		Nanos:    func() int64 { return 0 },
		Versions: func(n int) uint64 { w.Version += uint64(n); return w.Version - uint64(n) },
	}
}

// Advance moves the clock. No key is looked at: see ExpireDue.
func (w *World) Advance(ms int64) { w.Now += ms }

// ExpireDue removes what is past its deadline, as the shards' ticks do.
func (w *World) ExpireDue() {
	w.Events = nil
	for _, sh := range w.Shards {
		for more := true; more; {
			t := w.turn()
			tx := keyspace.Begin(t, []*keyspace.Shard{sh}, len(w.Shards))
			more = tx.ExpireDue()
			w.Events = append(w.Events, tx.Events()...)
			tx.End(t)
		}
	}
}

// Sweep frees all garbage.
func (w *World) Sweep() {
	for _, sh := range w.Shards {
		for sh.Sweep() {
		}
	}
}

// Compact does a slice of the compaction of a shard, or begins a pass.
func (w *World) Compact(shard int) {
	sh := w.Shards[shard]
	if !sh.Compacting() {
		sh.AskCompaction()
	}
	sh.Compact(&w.Settings.Compaction)
}

// Held is the slab memory of all shards that is in use, in bytes.
func (w *World) Held() int64 { return w.Memory().Held }

// Memory is what the slabs of all shards hold.
func (w *World) Memory() (sum slab.Stats) {
	for _, sh := range w.Shards {
		s := sh.Mem().Stats()
		sum.Used, sum.Held, sum.Gaps = sum.Used+s.Used, sum.Held+s.Held, sum.Gaps+s.Gaps
		sum.Spare, sum.Resident, sum.Mapped = sum.Spare+s.Spare, sum.Resident+s.Resident, sum.Mapped+s.Mapped
	}
	return sum
}

// find is the command and, if it may not run, the answer to it.
func (w *World) find(argv [][]byte) (*command.Spec[*keyspace.Tx], resp.Reply) {
	name := strings.ToUpper(string(argv[0]))
	spec := w.commands[name]
	if spec == nil {
		return nil, resp.Error(fmt.Sprintf("ERR unknown command '%s'", argv[0]))
	}
	if spec.Run == nil && len(argv) > 1 {
		if spec = w.commands[name+"|"+strings.ToUpper(string(argv[1]))]; spec == nil {
			return nil, resp.Error(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", argv[1], name))
		}
	}
	if spec.Run == nil || !spec.ArityOK(len(argv)) {
		return nil, resp.ErrArity(spec.Name)
	}
	return spec, resp.Nothing
}

// route is the shards that a command goes to.
func (w *World) route(spec *command.Spec[*keyspace.Tx], argv [][]byte) []int {
	n := len(w.Shards)
	if spec.NeedsAll(argv) {
		return w.all()
	}
	if spec.Flags.Has(command.ByCursor) {
		cursor, _ := keyspace.ParseCursor(argv[1])
		return w.all()[keyspace.CursorShard(cursor, n):]
	}
	x := &keyspace.Execute{}
	keys, _ := spec.AppendKeys(nil, argv)
	for _, key := range keys {
		x.Visit(keyspace.ShardOf(argv[key.Pos], n))
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
	return x.Shards
}

func (w *World) all() (shards []int) {
	for i := range w.Shards {
		shards = append(shards, i)
	}
	return shards
}
