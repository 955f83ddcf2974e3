package keyspace

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupedb/troupe/resp"
)

// patience is how long anything may take that takes a moment.
const patience = time.Minute

// nodeRig is shards as actors, and what they have reported.
type nodeRig struct {
	t *testing.T
	*Node
	broken chan *Broken
}

func startNode(t *testing.T, shards int) *nodeRig {
	t.Helper()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	stopping := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	r := &nodeRig{t: t, broken: make(chan *Broken, 10)}
	workers := NewWorkers(shards + 2)
	var err error
	r.Node, err = NewNode(Config{
		Shards: shards, Databases: 2, Settings: DefaultSettings(), Workers: workers, Version: new(atomic.Uint64),
		Broken: func(b *Broken) { r.broken <- b },
		Spawn: func(props *actor.Props, name string) (*actor.PID, error) {
			return system.Root.SpawnNamed(props.Configure(actor.WithGuardian(stopping)), name)
		},
		Root: system.Root,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		workers.Close()
		r.Close()
	})
	return r
}

// asker is a session that waits for its batches.
type asker chan *Execute

func (a asker) Executed(x *Execute) { a <- x }

// batch is one of commands that run do, on the shards of the keys.
func (r *nodeRig) batch(do func(*Tx) resp.Reply, keys ...string) *Execute {
	x := &Execute{Encoder: resp.V2, Requests: []Request{{Do: do}}}
	for _, key := range keys {
		x.Visit(r.ShardOf([]byte(key)))
	}
	return x
}

// ask posts a batch and waits for its replies.
func (r *nodeRig) ask(x *Execute) string {
	r.t.Helper()
	a := make(asker, 1)
	if !r.Post(x, a) {
		a.wait(r.t)
	}
	return string(x.Out)
}

func (a asker) wait(t *testing.T) {
	t.Helper()
	select {
	case <-a:
	case <-time.After(patience):
		t.Fatal("a batch is never done")
	}
}

func number(tx *Tx, key string) int64 {
	v := tx.Find([]byte(key))
	if v.Missing() {
		return 0
	}
	return v.Int()
}

func add(tx *Tx, key string, n int64) {
	tx.PutInt([]byte(key), number(tx, key)+n, KeepDeadline, "incrby")
}

// keysOf finds a key of each shard.
func (r *nodeRig) keysOf() (keys []string) {
	for shard := range r.Len() {
		for i := 0; ; i++ {
			if key := fmt.Sprint("key:", i); r.ShardOf([]byte(key)) == shard {
				keys = append(keys, key)
				break
			}
		}
	}
	return keys
}

// Batches for one shard and for several come from many sides at once: what
// goes from key to key is never seen half, and is never lost.
func TestCollectIsOneTurn(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	const shards, askers, each = 4, 6, 400
	r := startNode(t, shards)
	keys := r.keysOf()
	var added atomic.Int64
	var all sync.WaitGroup
	for n := range askers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(*seedFlag, uint64(n)))
			for range each {
				from, to := keys[rng.IntN(shards)], keys[rng.IntN(shards)]
				switch rng.IntN(3) {
				case 0:
					added.Add(1)
					r.ask(r.batch(func(tx *Tx) resp.Reply { add(tx, from, 1); return resp.OK }, from))
				case 1:
					x := r.batch(func(tx *Tx) resp.Reply { add(tx, from, -1); add(tx, to, 1); return resp.OK }, from, to)
					x.Heavy = rng.IntN(2) == 0
					r.ask(x)
				case 2:
					r.ask(r.batch(func(tx *Tx) resp.Reply {
						sum := int64(0)
						for _, key := range keys {
							sum += number(tx, key)
						}
						if sum < 0 || sum > added.Load() {
							t.Errorf("the sum is %d, %d were added", sum, added.Load())
						}
						return resp.OK
					}, keys...))
				}
			}
		})
	}
	all.Wait()
	sum := int64(0)
	r.ask(r.batch(func(tx *Tx) resp.Reply {
		for _, key := range keys {
			sum += number(tx, key)
		}
		return resp.OK
	}, keys...))
	if sum != added.Load() {
		t.Errorf("the sum is %d, %d were added", sum, added.Load())
	}
	for shard := range shards {
		if n := r.Waiting(shard); n != 0 {
			t.Errorf("%d messages wait for shard %d", n, shard)
		}
	}
}

// A batch for an idle shard is done when Post returns, unless it is heavy: that
// runs elsewhere, and whoever posts to other shards meanwhile is not held up.
func TestHeavyBatchesKeepOff(t *testing.T) {
	t.Parallel()
	r := startNode(t, 2)
	keys := r.keysOf()
	begun, end := make(chan bool), make(chan bool)
	heavy := r.batch(func(*Tx) resp.Reply {
		begun <- true
		<-end
		return resp.OK
	}, keys[0])
	heavy.Heavy = true
	a := make(asker, 2)
	if r.Post(heavy, a) {
		t.Fatal("a heavy batch was done by its poster")
	}
	<-begun
	behind := r.batch(func(*Tx) resp.Reply { return resp.OK }, keys[0])
	if r.Post(behind, a) {
		t.Fatal("a batch went before the one that is under way")
	}
	other := r.batch(func(*Tx) resp.Reply { return resp.OK }, keys[1])
	if !r.Post(other, a) {
		t.Error("another shard's batch was not done when Post returned")
	}
	end <- true
	a.wait(t)
	a.wait(t)
	for _, x := range []*Execute{heavy, behind, other} {
		if string(x.Out) != "+OK\r\n" {
			t.Errorf("%q", x.Out)
		}
	}
}

// bell is a Watcher that rings.
type bell chan uint64

func (b bell) Touched(version uint64, _ int) { b <- version }

// A watched key goes soon after its deadline, though nobody looks at it and
// very many others are due too. (On a machine at rest it takes a tick, 20 ms.)
func TestExpiryUnasked(t *testing.T) {
	t.Parallel()
	const others, hour = 100_000, 3600_000
	r := startNode(t, 1)
	heard := make(bell, 10)
	r.ask(r.batch(func(tx *Tx) resp.Reply {
		for i := range others {
			tx.PutText(fmt.Append(nil, i), []byte("v"), tx.Now()+hour-1, "set")
		}
		tx.Watch([]byte("k"), heard)
		tx.PutText([]byte("k"), []byte("v"), tx.Now()+hour, "set")
		return resp.OK
	}, "k"))
	<-heard // it was made
	begin := time.Now()
	r.Advance(hour + 1)
	select {
	case <-heard:
	case <-time.After(patience):
		t.Fatal("the key does not go")
	}
	t.Logf("gone %v after its deadline", time.Since(begin))
	for left, end := 1, time.Now().Add(patience); left > 0; {
		r.ask(r.batch(func(tx *Tx) resp.Reply { left = tx.Len(); return resp.OK }, "k"))
		if time.Now().After(end) {
			t.Fatalf("%d keys do not go", left)
		}
	}
}

// A handler that panics is answered for, and reported; the requests before it
// have their replies. Its shards are loading until they are put together anew;
// the others serve.
func TestHandlerPanics(t *testing.T) {
	t.Parallel()
	r := startNode(t, 2)
	keys := r.keysOf()
	f := func(shards []int, keys ...string) {
		t.Helper()
		x := r.batch(func(*Tx) resp.Reply { return resp.OK }, keys...)
		x.Requests = append(x.Requests, Request{Do: func(*Tx) resp.Reply { panic("oh") }}, Request{})
		if got := r.ask(x); got != "+OK\r\n"+strings.Repeat("-"+resp.ErrInternal.Str()+"\r\n", 2) {
			t.Errorf("%q", got)
		}
		if b := <-r.broken; b.Reason != "oh" || !strings.Contains(string(b.Stack), "TestHandlerPanics") {
			t.Errorf("%v at %s", b.Reason, b.Stack)
		} else if !slices.Equal(b.Shards, shards) {
			t.Errorf("%v are not trusted, want %v", b.Shards, shards)
		}
	}
	ask := func(want string, keys ...string) {
		t.Helper()
		if got := r.ask(r.batch(func(*Tx) resp.Reply { return resp.OK }, keys...)); got != want {
			t.Errorf("%q answer %q, want %q", keys, got, want)
		}
	}
	loading := "-" + resp.ErrLoading.Str() + "\r\n"
	f([]int{0}, keys[0])
	ask(loading, keys[0])
	ask("+OK\r\n", keys[1])
	ask(loading, keys...)
	if broken := r.Visit([]int{0}, func(*Tx) {}); broken == nil {
		t.Error("a shard that is not trusted is visited")
	}
	fresh := r.Shadow()
	defer fresh.Close()
	if broken := fresh.Visit([]int{0}, func(tx *Tx) { tx.PutText([]byte(keys[0]), []byte("anew"), NoDeadline, "") }); broken != nil {
		t.Fatal(broken.Reason)
	}
	r.Adopt(fresh, 0)
	ask("+OK\r\n", keys...)
	x := r.batch(func(tx *Tx) resp.Reply { return resp.BulkString(string(tx.Text(tx.Peek([]byte(keys[0]))))) }, keys[0])
	if got := r.ask(x); got != "$4\r\nanew\r\n" {
		t.Errorf("the key holds %q", got)
	}
	f([]int{0, 1}, keys...)
	ask(loading, keys[1])
}

// A shard that panics itself is reported, and no batch that waits for it is
// left without an answer, nor any shard held for one.
func TestShardPanics(t *testing.T) {
	t.Parallel()
	r := startNode(t, 2)
	keys := r.keysOf()
	begun, end := make(chan bool), make(chan bool)
	a := make(asker, 3)
	first := r.batch(func(*Tx) resp.Reply {
		begun <- true
		<-end
		return resp.OK
	}, keys[1])
	first.Heavy = true
	r.Post(first, a)
	<-begun
	r.root.Send(r.shards[1].pid, "what no shard knows")
	alone := r.batch(func(*Tx) resp.Reply { return resp.OK }, keys[1])
	both := r.batch(func(*Tx) resp.Reply { return resp.OK }, keys...)
	if r.Post(alone, a) || r.Post(both, a) {
		t.Fatal("done while the shard is busy")
	}
	end <- true
	for range 3 {
		a.wait(t)
	}
	if b := <-r.broken; b.Command != "string" {
		t.Errorf("broken by %s", b.Command)
	}
	if string(first.Out) != "+OK\r\n" {
		t.Errorf("the batch before: %q", first.Out)
	}
	for _, x := range []*Execute{alone, both} {
		if got := string(x.Out); got != "-"+resp.ErrInternal.Str()+"\r\n" {
			t.Errorf("lost, and answered with %q", got)
		}
	}
	if got := r.ask(r.batch(func(*Tx) resp.Reply { return resp.OK }, keys[0])); got != "+OK\r\n" {
		t.Errorf("the other shard: %q", got)
	}
}
