package watch

import (
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// world is a registry over real shards and actors, with event loops of its own.
type world struct {
	*Registry
	t    *testing.T
	node *keyspace.Node
	root *actor.RootContext
}

const patience = 30 * time.Second

func newWorld(t *testing.T, shards int) *world {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	stopping := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	spawn := func(props *actor.Props, name string) (*actor.PID, error) {
		return system.Root.SpawnNamed(props.Configure(actor.WithGuardian(stopping)), name)
	}
	workers := keyspace.NewWorkers(3)
	var version atomic.Uint64
	node, err := keyspace.NewNode(keyspace.Config{
		Shards: shards, Databases: 2, Settings: keyspace.DefaultSettings(), Workers: workers, Version: &version,
		Broken: func(b *keyspace.Broken) { t.Errorf("%v\n%s", b.Reason, b.Stack) }, Spawn: spawn, Root: system.Root,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		workers.Close()
		node.Close()
	})
	w := &world{NewRegistry(node, workers), t, node, system.Root}
	system.ProcessRegistry.RegisterAddressResolver(w.Resolve)
	return w
}

// loop is an event loop: it runs tasks, one at a time. What is posted after its end
// is dropped.
type loop struct {
	number int
	tasks  chan func()
	over   chan struct{}
}

func (w *world) loop(number int) *loop {
	l := &loop{number, make(chan func(), 10_000), make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case task := <-l.tasks:
				task()
			case <-l.over:
				return
			}
		}
	}()
	w.t.Cleanup(func() {
		close(l.over)
		<-ended
	})
	return l
}

func (l *loop) post(task func()) {
	select {
	case l.tasks <- task:
	case <-l.over:
	}
}

// ear is an outlet that takes all it is told of.
type ear struct {
	Watcher
	loop  *loop
	heard chan Frame

	told  time.Time    // when the last frame was taken; belongs to the loop
	least atomic.Int64 // nanoseconds between two frames
}

func (e *ear) Loop() int        { return e.loop.number }
func (e *ear) Post(task func()) { e.loop.post(task) }
func (e *ear) News(w *Watcher) {
	for {
		f, ok := w.Take()
		if ok {
			e.note()
			e.heard <- f
		}
		if !f.More {
			return
		}
	}
}

func (e *ear) note() {
	now := time.Now()
	if least := e.least.Load(); !e.told.IsZero() && (least == 0 || int64(now.Sub(e.told)) < least) {
		e.least.Store(int64(now.Sub(e.told)))
	}
	e.told = now
}

// next is the next frame, which must come.
func (e *ear) next(t *testing.T) Frame {
	t.Helper()
	select {
	case f := <-e.heard:
		return f
	case <-time.After(patience):
		t.Fatal("no frame comes")
		return Frame{}
	}
}

func (w *world) watch(l *loop, words ...string) *ear {
	w.t.Helper()
	return w.watchBy(l, Options{}, words...)
}

func (w *world) watchBy(l *loop, o Options, words ...string) *ear {
	w.t.Helper()
	e := &ear{loop: l, heard: make(chan Frame, 10_000)}
	if _, err := w.Watch(w.query(words...), o, &e.Watcher, e); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) query(words ...string) *Query {
	var rest [][]byte
	for _, word := range words[1:] {
		rest = append(rest, []byte(word))
	}
	return NewQuery(w.spec(words[0]), rest, 0, "default")
}

func (w *world) spec(name string) *command.Spec[*keyspace.Tx] {
	w.t.Helper()
	for _, table := range []*command.Table[*keyspace.Tx]{&str.Commands, &ours} {
		for _, spec := range table.Specs() {
			if spec.Name == name {
				return spec
			}
		}
	}
	w.t.Fatalf("no command %s", name)
	return nil
}

// ours are commands that are hard to watch.
var ours command.Table[*keyspace.Tx]

var _ = ours.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{Name: "FOLLOW", Arity: 2, Summary: "Reads the key whose name a key holds.", Group: "string",
		Since: "0.1.0", Keys: command.OneKey(command.RO)},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		v := tx.Lookup(a.Key())
		if v.Missing() {
			return resp.Nil
		}
		name := append([]byte(nil), tx.Text(v)...)
		if v = tx.Lookup(name); v.Missing() {
			return resp.BulkString("none at " + string(name))
		}
		return resp.Bulk(tx.Text(v))
	},
})

var _ = ours.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{Name: "LEFT", Arity: 2, Summary: "Tells how long a key has left to live.", Group: "string",
		Since: "0.1.0", Keys: command.OneKey(command.RO)},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		v := tx.Lookup(a.Key())
		if v.Missing() {
			return resp.Int(-2)
		}
		return resp.Int(tx.Deadline(v) - tx.Now())
	},
})

// do runs commands on all shards in one turn, each a change of its own unless
// atomic.
func (w *world) do(atomic bool, commands ...[]string) {
	w.t.Helper()
	x := &keyspace.Execute{Encoder: resp.V3, Atomic: atomic}
	for _, words := range commands {
		argv := [][]byte{}
		for _, word := range words {
			argv = append(argv, []byte(word))
		}
		x.Requests = append(x.Requests, keyspace.Request{Spec: w.spec(words[0]), Argv: argv})
	}
	w.node.VisitAll(x)
	w.post(x)
}

// in runs f on all shards.
func (w *world) in(f func(*keyspace.Tx)) {
	w.t.Helper()
	x := &keyspace.Execute{Encoder: resp.V3, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		f(tx)
		return resp.OK
	}}}}
	w.node.VisitAll(x)
	w.post(x)
}

func (w *world) post(x *keyspace.Execute) {
	w.t.Helper()
	done := make(chan struct{})
	if !w.node.Post(x, owner(done)) {
		<-done
	}
	for i := range x.Requests {
		if x.Requests[i].Failure != "" {
			w.t.Errorf("%q failed: %s", x.Requests[i].Argv, x.Reply(i))
		}
	}
}

type owner chan struct{}

func (o owner) Executed(*keyspace.Execute) { close(o) }

// wantNothingLeft waits until no query is registered, no actor lives and no key
// is watched.
func (w *world) wantNothingLeft() {
	w.t.Helper()
	w.eventually("nothing is left of live queries", func() bool { return w.Len() == 0 && w.watchedKeys() == 0 })
	if _, _, watches := w.Stats(); watches != 0 {
		w.t.Errorf("%d watches are left", watches)
	}
}

func (w *world) watchedKeys() (n int) {
	w.in(func(tx *keyspace.Tx) { tx.EachShard(func(sh *keyspace.Shard) { n += sh.WatchedKeys() }) })
	return n
}

func (w *world) eventually(what string, isTrue func() bool) {
	w.t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !isTrue() {
		select {
		case <-ticker.C:
		case <-deadline:
			w.t.Fatalf("it does not come about that %s", what)
		}
	}
}

func text(f Frame) string { return fmt.Sprintf("%s %s %d", f.Kind, resp.Format(f.Result), f.Covered) }
