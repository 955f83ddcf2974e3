package watch

import (
	"strconv"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// rig is a Subscription without actors: the test is its shard, its mailbox and
// its loops, and says when each has its turn.
type rig struct {
	*Subscription
	t testing.TB

	value   string   // of the query's one key
	version uint64   // of the newest change of any key
	changes []uint64 // versions of the changes of that key
	void    bool     // the next reading makes the key expire

	mailbox  []any
	underway bool      // an evaluation was asked for
	found    []reading // it has been done and is on its way back
	told     []*Watcher
	rounds   int // of telling
	scratch  []byte
	reads    int
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t, Subscription: &Subscription{registry: &Registry{}, query: *get("k"), number: 1}}
	r.tap.of = r.Subscription
	r.registry.Limits.Result.Store(1000)
	r.registry.History.Entries.Store(1000)
	r.registry.History.Bytes.Store(1 << 20)
	r.registry.stage.spread = func(news []*Watcher) {
		r.rounds++
		r.told = append(r.told, news...)
	}
	r.registry.stage.post = func(_ *Subscription, message any) { r.mailbox = append(r.mailbox, message) }
	return r
}

// get is the query GET key, which nobody runs.
func get(key string) *Query {
	return NewQuery(&command.Spec[*keyspace.Tx]{Meta: command.Meta{Name: "GET"}}, [][]byte{[]byte(key)}, 0, "default")
}

// elsewhere is a change of another key of the shard.
func (r *rig) elsewhere() { r.version++ }

// change is a turn of the shard that changes the key.
func (r *rig) change(value string) {
	r.version++
	r.value = value
	r.changes = append(r.changes, r.version)
	if r.reads > 0 { // it is followed from the first reading on
		r.tap.Touched(r.version, 1)
	}
}

// attach is a new watcher, whose message is in the mailbox.
func (r *rig) attach() *Watcher {
	w := &Watcher{sub: r.Subscription, place: nowhere, outlet: anywhere{}}
	r.mailbox = append(r.mailbox, &Attach{w})
	return w
}

// anywhere is an outlet of which nothing is asked but where it is.
type anywhere struct{ Outlet }

func (anywhere) Loop() int { return 0 }

// detach ends a watch as the Registry does.
func (r *rig) detach(w *Watcher) {
	w.end()
	r.mailbox = append(r.mailbox, &Detach{w})
}

// receive has the Subscription receive one message, as its actor does.
func (r *rig) receive() {
	m := r.mailbox[0]
	r.mailbox = r.mailbox[1:]
	evaluate := false
	switch m := m.(type) {
	case *Attach:
		evaluate = r.Attach(m.Watcher)
	case *Detach:
		r.Detach(m.Watcher)
	case *Changed:
		evaluate = r.Changed()
	case *Ready:
		evaluate = r.Ready()
	case *Evaluated:
		found := r.found[0]
		r.found = r.found[1:]
		evaluate = r.Evaluated(found)
	}
	if evaluate {
		if r.underway || len(r.found) > 0 {
			r.t.Fatal("two evaluations are under way")
		}
		r.underway = true
	}
}

// read is the turn of the shard that evaluates the query.
func (r *rig) read() {
	r.underway = false
	r.reads++
	var f reading
	f.newest = r.version
	f.covered, f.version = r.tap.read()
	if f.void, r.void = r.void, false; f.void {
		r.change("gone" + strconv.Itoa(r.reads)) // told at the turn's end
	} else {
		r.scratch = r.record(&f, reply(r.value), r.scratch[:0])
	}
	r.found = append(r.found, f)
	r.mailbox = append(r.mailbox, &Evaluated{})
}

func reply(value string) resp.Reply {
	if value == "wrong" {
		return resp.ErrWrongType
	}
	return resp.BulkString(value)
}

// settle has everybody do what there is to do, but for the loops.
func (r *rig) settle() {
	for len(r.mailbox) > 0 || r.underway {
		if len(r.mailbox) > 0 {
			r.receive()
		} else {
			r.read()
		}
	}
}

// news is who has been told since it was asked last.
func (r *rig) news() (who []*Watcher) {
	who, r.told = r.told, nil
	return who
}

// take has the watcher take, and compares: "value version covered", "-" for
// nothing.
func (r *rig) take(w *Watcher, want string) {
	r.t.Helper()
	got := "-"
	if f, ok := w.Take(); ok {
		got = f.Result.Str() + " " + strconv.FormatUint(f.Version, 10) + " " + strconv.FormatInt(f.Covered, 10)
		if f.Kind != Current {
			got = string(f.Kind) + " " + got
		}
	}
	if got != want {
		r.t.Errorf("%s is taken, want %s", got, want)
	}
}

// wantReads compares the number of evaluations so far.
func (r *rig) wantReads(n int) {
	r.t.Helper()
	if r.reads != n {
		r.t.Errorf("%d evaluations, want %d", r.reads, n)
	}
}

func (r *rig) wantTold(want ...*Watcher) {
	r.t.Helper()
	got := r.news()
	if len(got) != len(want) {
		r.t.Errorf("%d watchers are told, want %d", len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			r.t.Errorf("the wrong watcher is told, number %d", i)
		}
	}
}
