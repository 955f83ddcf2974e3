package actors

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/draw"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// What random commands have come to is made again from what was recorded: on other
// shards, with other hashes and another chance; at the times of the records, each
// shard for itself as far as it can, and at a time before all of them, when nothing
// ends but by what was recorded.
func TestEffectsAreTheChange(t *testing.T) {
	t.Parallel()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			trial := newTrial(t, rng, 1_700_000_000_000)
			for range 30 {
				trial.go1(100)
				trial.compare()
			}
		})
	}
}

// before is a time before all records.
const before = 1

// trial is a keyspace that lives, and two that are made of what it has recorded.
type trial struct {
	*plain
	rng     *rand.Rand
	draw    draw.Source
	now     int64
	ledger  *ledger
	redone  int // records
	waiting []*keyspace.Waiter
	history []string // commands since the last comparison
	twin    *plain   // is asked whatever this one is asked beside that

	exact, early *plain
}

func newTrial(tb testing.TB, rng *rand.Rand, now int64) *trial {
	shards := []int{1, 2, 3, 16}
	pick := func() *plain { return newPlain(tb, shards[rng.IntN(len(shards))], rng.Uint64()) }
	r := &trial{plain: pick(), rng: rng, now: now, ledger: &ledger{}, draw: draw.Source{Rand: rng}, exact: pick(), early: pick()}
	r.log = r.ledger
	return r
}

// Served implements keyspace.Waiting.
func (r *trial) Served(w *keyspace.Waiter, _ []byte) {
	r.waiting = slices.DeleteFunc(r.waiting, func(other *keyspace.Waiter) bool { return other == w })
}

// go1 lets some things happen.
func (r *trial) go1(steps int) {
	for range steps {
		switch r.rng.IntN(12) {
		case 0, 1:
			r.now += int64(r.rng.IntN(400))
		case 2:
			r.expire(r.now)
		case 3:
			r.giveUpWaiting()
		case 4, 5:
			r.batch(true, 1+r.rng.IntN(6))
		case 6, 7:
			r.script()
		default:
			r.batch(false, 1+r.rng.IntN(3))
		}
	}
}

// command draws a command that can be called, as words.
func (r *trial) command() (argv [][]byte) {
	for {
		r.draw.Now = r.now
		argv = argvOf(r.draw.AtWill())
		if r.draw.OneIn(40) {
			argv = r.restore()
		}
		if row := r.row(argv); row != nil && !row.Flags.Has(command.ByCursor) {
			return argv
		}
	}
}

func argvOf(texts []string) (argv [][]byte) {
	for _, text := range texts {
		argv = append(argv, []byte(text))
	}
	return argv
}

// restore makes a RESTORE of something that is there.
func (r *trial) restore() [][]byte {
	from, to := r.draw.Key(), r.draw.Key()
	dump := argvOf([]string{"DUMP", from})
	payload := r.ask(r.now, 0, dump)
	if r.twin != nil { // a key may be past its deadline, and goes then
		r.twin.ask(r.now, 0, dump)
	}
	if payload.Kind() != resp.Text {
		return argvOf([]string{"DEL", from, to})
	}
	ttl, options := strconv.Itoa(r.rng.IntN(3000)), []string{"REPLACE"}
	if r.draw.OneIn(3) {
		ttl, options = strconv.FormatInt(r.now+int64(r.rng.IntN(3000))-500, 10), []string{"ABSTTL", "REPLACE", "IDLETIME", "7"}
	}
	if r.draw.OneIn(3) {
		ttl = "0"
	}
	return argvOf(append([]string{"RESTORE", to, ttl, payload.Str()}, options...))
}

func (r *trial) note(db int, argv [][]byte) {
	r.history = append(r.history, fmt.Sprintf("%.300s", effectLine(keyspace.Effect{DB: db, Words: argv})))
}

// batch runs commands in one turn, as a transaction or one after the other; the last
// one may come to wait.
func (r *trial) batch(atomic bool, n int) {
	x := &keyspace.Execute{Encoder: resp.V3, Atomic: atomic}
	for range n {
		argv, db := r.command(), r.rng.IntN(3)*r.rng.IntN(2)
		row := r.row(argv)
		x.Requests = append(x.Requests, keyspace.Request{Spec: row.Data, Argv: argv, DB: db})
		r.visit(x, row, argv)
		r.note(db, argv)
		if !atomic && row.Flags.Has(command.Blocking) {
			x.Waiting = r
			break
		}
	}
	done := len(r.ledger.records)
	r.post(r.now, x)
	if x.Blocked != nil {
		r.waiting = append(r.waiting, x.Blocked)
	}
	if !atomic && n == 1 && len(r.waiting) == 0 {
		r.mustBeNothing(x, done)
	}
}

// ending is what is recorded of something that has ended.
var ending = regexp.MustCompile(`^(\d+> )?(DEL|HDEL) `)

// mustBeNothing checks that a command which was refused has left no effects, but that
// something has ended.
func (r *trial) mustBeNothing(x *keyspace.Execute, done int) {
	for _, rec := range r.ledger.records[done:] {
		text := rec.String()
		if reply, _, _ := resp.Decode(x.Out); reply.IsError() && text != "" && !ending.MatchString(text) {
			r.tb.Errorf("%q is refused and leaves %s", x.Requests[0].Argv, text)
		}
	}
}

// runner is a script that runs the commands which its arguments are, each behind
// the number of its words.
const runner = `local at = 1
while at <= #ARGV do
	local n = tonumber(ARGV[at])
	redis.pcall(unpack(ARGV, at + 1, at + n))
	at = at + n + 1
end`

// script runs commands by a script. It names the keys of the first one only, so that
// it is now and then undone and run again.
func (r *trial) script() {
	argv := argvOf([]string{"EVAL", runner, "0"})
	var args [][]byte
	for i := range 1 + r.rng.IntN(4) {
		inner := r.command()
		if len(inner) > 200 { // more than Lua unpacks
			continue
		}
		if keys, _ := r.row(inner).AppendKeys(nil, inner); i == 0 && len(keys) > 0 {
			argv[2] = []byte("1")
			argv = append(argv, inner[keys[0].Pos])
		}
		args = append(append(args, []byte(strconv.Itoa(len(inner)))), inner...)
	}
	if r.draw.OneIn(2) { // or each is a script of its own
		argv[1] = fmt.Appendf(nil, "--%d\n%s", r.rng.Uint64(), runner)
	}
	argv = append(argv, args...)
	r.note(0, argv)
	if reply := r.ask(r.now, 0, argv); reply.IsError() {
		r.tb.Fatalf("%q is answered %s", argv, reply.Str())
	}
}

// giveUpWaiting ends the waiting of somebody.
func (r *trial) giveUpWaiting() {
	if len(r.waiting) == 0 {
		return
	}
	w := r.waiting[r.rng.IntN(len(r.waiting))]
	w.Claim()
	r.turn(r.now, r.all(), func(_ *keyspace.Turn, tx *keyspace.Tx) { w.Leave(tx) })
	r.Served(w, nil)
}

// compare makes the changes again that were recorded since, and compares.
func (r *trial) compare() {
	r.expire(r.now)
	records := r.ledger.records[r.redone:]
	r.redone += len(records)
	r.exact.redoApart(records, r.rng)
	for i := range records {
		r.early.redo(r.early.all(), records[i].effects(r.tb, before))
	}
	if diff := different(r.content(true), r.exact.content(true)); diff != "" {
		r.tb.Fatalf("at the times of the records, %s\nafter\n%s", diff, r.told())
	}
	if diff := different(r.content(false), r.early.content(false)); diff != "" {
		r.tb.Fatalf("at a time before all records, %s\nafter\n%s", diff, r.told())
	}
	r.history = r.history[:0]
}

// told is what has happened since the last comparison, and what was recorded.
func (r *trial) told() string { return strings.Join(r.history, "\n") }
