package keyspace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands that wait for strings: PUT key text · TAKE key [key …], the text of
// the first key that has one, which goes · PASS from to, makes it the text of
// another key.
var (
	waitTable command.Table[*Tx]
	putSpec   = waitTable.Add(command.Spec[*Tx]{
		Meta: command.Meta{Name: "PUT", Group: "test", Summary: "A test.", Since: "0", Examples: "> PUT\n-ERR\n", Arity: 3, Flags: command.Write, Keys: command.OneKey(command.RW)},
		Run: func(tx *Tx, a *command.Args) resp.Reply {
			tx.PutText(a.Key(), a.Bytes(), NoDeadline, "set")
			return resp.OK
		},
	})
	takeSpec = waitTable.Add(command.Spec[*Tx]{
		Meta: command.Meta{Name: "TAKE", Group: "test", Summary: "A test.", Since: "0", Examples: "> TAKE\n-ERR\n", Arity: -2, Flags: command.Write | command.Blocking,
			Keys: []command.Keys{{First: 1, Last: -1, Step: 1, Flags: command.RW}}},
		Run: func(tx *Tx, a *command.Args) resp.Reply {
			var places []int
			for i, key := range a.Rest() {
				if tx.Find(key).Is(String) {
					return take(tx, a, key)
				}
				places = append(places, i+1)
			}
			return tx.Block(Wait{Type: String, Keys: places, TimedOut: resp.Nil, Serve: take})
		},
	})
	passSpec = waitTable.Add(command.Spec[*Tx]{
		Meta: command.Meta{Name: "PASS", Group: "test", Summary: "A test.", Since: "0", Examples: "> PASS\n-ERR\n", Arity: 3, Flags: command.Write | command.Blocking,
			Keys: []command.Keys{{First: 1, Last: 2, Step: 1, Flags: command.RW}}},
		Run: func(tx *Tx, a *command.Args) resp.Reply {
			if from := a.Argv()[1]; tx.Find(from).Is(String) {
				return pass(tx, a, from)
			}
			return tx.Block(Wait{Type: String, Keys: []int{1}, Also: 2, TimedOut: resp.Nil, Serve: pass})
		},
	})
)

func take(tx *Tx, _ *command.Args, key []byte) resp.Reply {
	text := string(tx.Text(tx.Find(key)))
	tx.Delete(key, "del")
	return resp.BulkString(string(key) + "=" + text)
}

func pass(tx *Tx, a *command.Args, from []byte) resp.Reply {
	a.Key()
	to, text := a.Key(), strings.Clone(string(tx.Text(tx.Find(from))))
	if tx.Find(to).Is(Hash) {
		return resp.ErrWrongType
	}
	tx.Delete(from, "del")
	tx.PutText(to, []byte(text), NoDeadline, "set")
	return resp.BulkString(text)
}

// inbox notes what those who wait have got.
type inbox struct {
	mu   sync.Mutex
	got  map[*Waiter]string
	list []string
}

func (in *inbox) Served(w *Waiter, reply []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if _, twice := in.got[w]; twice {
		panic("a waiter is served twice")
	}
	in.got[w] = string(reply)
	in.list = append(in.list, fmt.Sprintf("%s: %s", w.argv[0], strings.Join(strings.Split(string(reply), "\r\n"), " ")))
}

func newInbox() *inbox { return &inbox{got: map[*Waiter]string{}} }

// waits runs commands of a batch over all shards of a rig, and returns what
// each answered, "-" for one that waits.
func (r *rig) waits(in *inbox, atomic bool, db int, lines ...string) (x *Execute) {
	r.t.Helper()
	t := r.turn()
	x = waitBatch(in, db, lines...)
	x.Atomic = atomic
	tx := Begin(t, r.shards, len(r.shards))
	tx.Run(t, x)
	if x.Broken != nil {
		r.t.Fatalf("panic: %v\n%s", x.Broken.Reason, x.Broken.Stack)
	}
	r.end(t, tx)
	return x
}

func waitBatch(in *inbox, db int, lines ...string) *Execute {
	x := &Execute{Encoder: resp.V3, Waiting: in}
	specs := map[string]*command.Spec[*Tx]{"PUT": putSpec, "TAKE": takeSpec, "PASS": passSpec}
	for _, line := range lines {
		argv, _ := resp.SplitLine([]byte(line))
		x.Requests = append(x.Requests, Request{Spec: specs[string(argv[0])], Argv: argv, DB: db})
	}
	return x
}

func (in *inbox) want(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(in.list, ", "); got != strings.Join(want, ", ") {
		t.Errorf("served %s, want %s", got, strings.Join(want, ", "))
	}
	in.list = nil
}

func (r *rig) wantNobodyWaits() {
	r.t.Helper()
	for _, sh := range r.shards {
		if n := sh.WaitedKeys(); n != 0 || sh.passing != 0 {
			r.t.Errorf("shard %d has %d keys that somebody waits for, %d that pass on, want none", sh.id, n, sh.passing)
		}
	}
}

func TestWaitersInOrder(t *testing.T) {
	t.Parallel()
	r, in := newRig(t, 4, 2), newInbox()
	for range 2 {
		if x := r.waits(in, false, 0, "TAKE k l"); x.Blocked == nil || len(x.Out) != 0 {
			t.Fatal("the command does not wait")
		}
	}
	r.waits(in, false, 0, "PASS k m")
	r.waits(in, false, 1, "PUT k other")
	in.want(t)
	r.waits(in, false, 0, "PUT k 1", "PUT k 2", "PUT k 3")
	in.want(t, "TAKE: $3 k=1 ", "TAKE: $3 k=2 ", "PASS: $1 3 ")
	r.wantNobodyWaits()
	r.on(0, func(tx *Tx) {
		if got := string(tx.Text(tx.Peek([]byte("m")))); got != "3" {
			t.Errorf("passed on %s, want 3", got)
		}
	}, "m")
}

// Those who wait see what a transaction leaves, not what it passes through.
func TestWaitersAfterTransaction(t *testing.T) {
	t.Parallel()
	r, in := newRig(t, 2, 1), newInbox()
	r.waits(in, false, 0, "TAKE k")
	r.waits(in, true, 0, "PUT k 1", "TAKE k")
	in.want(t)
	r.waits(in, true, 0, "PUT k 1", "PUT k 2")
	in.want(t, "TAKE: $3 k=2 ")
	if x := r.waits(in, true, 0, "TAKE k"); x.Blocked != nil || string(x.Out) != "_\r\n" {
		t.Errorf("in a transaction TAKE answers %q", x.Out)
	}
	r.wantNobodyWaits()
}

// What one waiter passes on feeds the next, and a waiter's mistake is its own.
func TestWaitersFeedEachOther(t *testing.T) {
	t.Parallel()
	r, in := newRig(t, 4, 1), newInbox()
	r.waits(in, false, 0, "PASS b c")
	r.waits(in, false, 0, "PASS a b")
	r.waits(in, false, 0, "TAKE x c y")
	r.waits(in, false, 0, "PUT a 1")
	in.want(t, "PASS: $1 1 ", "PASS: $1 1 ", "TAKE: $3 c=1 ")
	r.waits(in, false, 0, "PASS a h")
	r.waits(in, false, 0, "TAKE a")
	r.on(0, func(tx *Tx) {
		tx.PutPacked([]byte("h"), Packed{Type: Hash, Encoding: Listpack, Bytes: []byte{1}}, NoDeadline, "hset")
	}, "h")
	r.waits(in, false, 0, "PUT a 2")
	in.want(t, "PASS: -WRONGTYPE Operation against a key holding the wrong kind of value ", "TAKE: $3 a=2 ")
	r.wantNobodyWaits()
}

// Whatever makes a key what somebody waits for serves him.
func TestWaitersOfOtherWays(t *testing.T) {
	t.Parallel()
	r, in := newRig(t, 2, 2), newInbox()
	f := func(what string, do func(tx *Tx)) {
		t.Helper()
		r.waits(in, false, 0, "TAKE k")
		r.all(0, do)
		if len(in.list) != 1 {
			t.Errorf("%s has not served", what)
		}
		in.want(t, "TAKE: $3 k=1 ")
		r.wantNobodyWaits()
	}
	put := func(tx *Tx, key string, db int) {
		tx.DB = db
		tx.PutText([]byte(key), []byte("1"), NoDeadline, "set")
		tx.DB = 0
	}
	f("RENAME", func(tx *Tx) { put(tx, "other", 0); tx.Rename([]byte("other"), []byte("k"), 0, Transfer{}) })
	f("MOVE", func(tx *Tx) { put(tx, "k", 1); tx.DB = 1; tx.Rename([]byte("k"), []byte("k"), 0, Transfer{}) })
	f("COPY", func(tx *Tx) { put(tx, "other", 0); tx.Copy(tx.Peek([]byte("other")), []byte("k"), 0, "copy") })
	f("SWAPDB", func(tx *Tx) { put(tx, "k", 1); tx.SwapDB(0, 1) })
	f("a change of type", func(tx *Tx) {
		tx.PutPacked([]byte("k"), Packed{Type: Hash, Encoding: Listpack, Bytes: []byte{1}}, NoDeadline, "hset")
		tx.endCommand()
		in.want(t)
		put(tx, "k", 0)
	})
}

// Who is answered from outside is not served, and leaves nothing behind.
func TestWaitersLeave(t *testing.T) {
	t.Parallel()
	r, in := newRig(t, 4, 1), newInbox()
	first := r.waits(in, false, 0, "TAKE a b c d e f").Blocked
	r.waits(in, false, 0, "PASS a z")
	if !first.Claim() || first.Claim() {
		t.Fatal("a waiter is claimed once")
	}
	r.waits(in, false, 0, "PUT a 1", "PUT b 1")
	in.want(t, "PASS: $1 1 ")
	r.all(0, first.Leave)
	r.wantNobodyWaits()
}

// Elements go from line to line over shards while takers come and go: each is
// taken once, none is lost, and no line is left. A put's batch visits the
// shards that waiters lead it to, so its elements are gone when it is done.
func TestWaitersOverShards(t *testing.T) {
	t.Parallel()
	const puts, senders = 300, 4
	r, in := startNode(t, 4), newInbox()
	keys := r.keysOf()
	var sent, left sync.WaitGroup
	first := waitBatch(in, 0, fmt.Sprintf("TAKE %s %s", keys[1], keys[3]))
	first.Visit(r.ShardOf([]byte(keys[1])))
	first.Visit(r.ShardOf([]byte(keys[3])))
	r.ask(first)
	passes := func(from, to string) {
		x := waitBatch(in, 0, "PASS "+from+" "+to)
		x.Visit(r.ShardOf([]byte(from)))
		x.Visit(r.ShardOf([]byte(to)))
		r.ask(x)
	}
	for s := range senders {
		sent.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(s), 1))
			for i := range puts {
				passes(keys[0], keys[2])
				passes(keys[2], keys[1])
				x := waitBatch(in, 0, fmt.Sprintf("TAKE %s %s", keys[1], keys[3]))
				x.Visit(r.ShardOf([]byte(keys[1])))
				x.Visit(r.ShardOf([]byte(keys[3])))
				r.ask(x)
				if w := x.Blocked; w != nil && rng.IntN(4) == 0 && w.Claim() {
					left.Go(func() {
						leave := r.batch(func(tx *Tx) resp.Reply { w.Leave(tx); return resp.OK }, keys[1], keys[3])
						r.ask(leave)
					})
				}
				put := waitBatch(in, 0, fmt.Sprintf("PUT %s %d-%d", keys[0], s, i))
				put.Visit(r.ShardOf([]byte(keys[0])))
				r.ask(put)
			}
		})
	}
	done := make(chan struct{})
	go func() { sent.Wait(); left.Wait(); close(done) }()
	select {
	case <-done:
	case b := <-r.broken:
		t.Fatalf("%s: %v\n%s", b.Command, b.Reason, b.Stack)
	case <-time.After(patience):
		t.Fatal("commands that wait keep each other waiting")
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.got[first.Blocked] == "" {
		t.Error("who has waited longest was not served")
	}
	seen := map[string]bool{}
	for w, reply := range in.got {
		if string(w.argv[0]) != "TAKE" {
			continue
		}
		if seen[reply] {
			t.Errorf("%q was taken twice", reply)
		}
		seen[reply] = true
	}
	everything := r.batch(func(tx *Tx) resp.Reply {
		tx.Each(func(v Value) bool {
			if r.ShardOf(v.Key()) != v.sh.id {
				t.Errorf("%s has been passed on into shard %d, want %d", v.Key(), v.sh.id, r.ShardOf(v.Key()))
			}
			return true
		})
		return resp.OK
	})
	r.VisitAll(everything)
	r.ask(everything)
}
