package watch

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

func (e *ear) want(t *testing.T, want string) {
	t.Helper()
	if got := text(e.next(t)); got != want {
		t.Errorf("the frame is %s, want %s", got, want)
	}
}

// A query follows the keys that it really reads, wherever they are.
func TestFollowsWhatIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	l := w.loop(0)
	e := w.watch(l, "FOLLOW", "sign")
	e.want(t, `state _ 0`)
	if n := w.watchedKeys(); n != 1 {
		t.Errorf("%d keys are watched, want 1", n)
	}
	w.do(false, []string{"SET", "sign", "a"})
	e.want(t, `state "none at a" 1`)
	w.do(false, []string{"SET", "a", "1"})
	e.want(t, `state "1" 1`)
	w.do(false, []string{"SET", "sign", "b"})
	e.want(t, `state "none at b" 1`)
	w.do(false, []string{"SET", "b", "3"})
	e.want(t, `state "3" 1`)
	if n := w.watchedKeys(); n != 2 {
		t.Errorf("%d keys are watched, want 2", n)
	}
	w.Unwatch(&e.Watcher)
	w.wantNothingLeft()
}

// Keys that an evaluation finds past their deadlines go in its turn; that
// change has its version, and counts, like any other.
func TestExpiryFoundByEvaluation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	quiet := *keyspace.DefaultSettings()
	quiet.ActiveExpire = false
	w.node.SetSettings(&quiet)
	l := w.loop(0)
	w.do(false, []string{"SET", "a", "1", "PX", "1000"}, []string{"SET", "b", "1"})
	e := w.watch(l, "MGET", "a", "b")
	e.want(t, `state ["1", "1"] 0`)
	w.node.Advance(1000)
	w.do(false, []string{"SET", "b", "2"})
	first := e.next(t)
	if text(first) != `state [_, "2"] 2` {
		t.Errorf("the frame is %s", text(first))
	}
	// A key that is not followed yet, and that nobody else tells of.
	w.do(false, []string{"SET", "x", "1", "PX", "1000"}, []string{"SET", "sign", "y"})
	e = w.watch(l, "FOLLOW", "sign")
	e.want(t, `state "none at y" 0`)
	w.node.Advance(1000)
	w.do(false, []string{"SET", "sign", "x"})
	e.want(t, `state "none at x" 1`)
}

// What depends on the clock is pushed for changes only; but who begins to watch
// is told how it is now.
func TestClockIsNoChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	l := w.loop(0)
	w.do(false, []string{"SET", "k", "v", "PX", "100000"})
	one := w.watch(l, "LEFT", "k")
	before := one.next(t)
	w.node.Advance(50_000)
	two := w.watch(l, "LEFT", "k")
	after := two.next(t)
	if gone := before.Result.Int() - after.Result.Int(); gone < 50_000 || after.Version != before.Version {
		t.Errorf("%s at %d, then %s at %d", text(before), before.Version, text(after), after.Version)
	}
	w.do(false, []string{"SET", "k", "v", "PX", "7000"})
	for _, e := range []*ear{one, two} {
		if f := e.next(t); f.Result.Int() > 7000 || f.Covered != 1 {
			t.Errorf("after a change: %s", text(f))
		}
	}
}

// Equal queries are one, and only those are.
func TestIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	l := w.loop(0)
	queries := [][]string{{"GETRANGE", "a 1", "2", "3"}, {"GETRANGE", "a", "1 2", "3"}, {"GET", "a"}, {"GET", "a"}, {"GET", "A"}}
	var ears []*ear
	for _, words := range queries {
		e := &ear{loop: l, heard: make(chan Frame, 100)}
		if _, err := w.Watch(w.query(words...), Options{}, &e.Watcher, e); err != nil {
			t.Fatal(err)
		}
		ears = append(ears, e)
	}
	if w.Len() != 4 {
		t.Errorf("%d queries, want 4", w.Len())
	}
	if list := w.List(); len(list) != 4 || list[2].Watches != 2 || list[2].Text() != "GET a" {
		t.Errorf("the list is %v", list)
	}
	for _, e := range ears {
		e.next(t)
		w.Unwatch(&e.Watcher)
	}
	w.wantNothingLeft()
}

// Limits refuse with words that name them, and leave nothing behind.
func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	l := w.loop(0)
	w.Limits.Watches.Store(2)
	one, two := w.watch(l, "GET", "a"), w.watch(l, "GET", "a")
	f := func(want string, words ...string) {
		t.Helper()
		e := &ear{loop: l}
		if _, err := w.Watch(w.query(words...), Options{}, &e.Watcher, e); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", words, err, want)
		}
	}
	f("max number of watches reached (maxwatches 2)", "GET", "a")
	f("max number of watches reached (maxwatches 2)", "GET", "b")
	w.Unwatch(&two.Watcher)
	f("the query is longer than one that is watched may be (65536 bytes)", "GET", strings.Repeat("x", 70_000))
	w.watch(l, "GET", "a").want(t, "state _ 0")
	w.Limits.Result.Store(10)
	w.do(false, []string{"SET", "a", "1234567890"})
	one.want(t, "state _ 0")
	one.want(t, "error -ERR the result is longer than a live query's may be (watch-max-result, 10 bytes) 1")
}

// A crash ends the watches and leaves nothing behind; who watches next begins
// anew.
func TestCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	l := w.loop(0)
	one := w.watch(l, "GET", "a")
	one.want(t, "state _ 0")
	one.sub.send("what no live query knows")
	one.want(t, "end -ERR the live query failed: live query: unknown message string 0")
	two := w.watch(l, "GET", "a")
	two.want(t, "state _ 0")
	w.do(false, []string{"SET", "a", "1"})
	two.want(t, `state "1" 1`)
	w.Unwatch(&one.Watcher)
	w.Unwatch(&two.Watcher)
	w.wantNothingLeft()
}

func TestKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	l := w.loop(0)
	one, two, other := w.watch(l, "GET", "a"), w.watch(l, "GET", "a"), w.watch(l, "GET", "b")
	for _, e := range []*ear{one, two, other} {
		e.want(t, "state _ 0")
	}
	if n := w.Kill(w.query("GET", "a").Fingerprint(0), resp.Error("ERR killed")); n != 2 || w.Len() != 1 {
		t.Errorf("%d watches are killed, %d queries left", n, w.Len())
	}
	one.want(t, "end -ERR killed 0")
	two.want(t, "end -ERR killed 0")
	w.Unwatch(&one.Watcher)
	w.do(false, []string{"SET", "a", "1"}, []string{"SET", "b", "1"})
	other.want(t, `state "1" 1`)
	w.Unwatch(&two.Watcher)
	w.Unwatch(&other.Watcher)
	w.wantNothingLeft()
}

// Many write, many watch, on loops of their own: each sees the counters rise by
// the changes that it is told of, and in the end what they come to.
func TestCountersUnderLoad(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		t.Run(strconv.Itoa(shards), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, shards)
			const writers, writes = 4, 300
			var ears []*ear
			for n := range 3 {
				l := w.loop(n)
				for range 5 {
					ears = append(ears, w.watch(l, "GET", "n"), w.watch(l, "MGET", "n", "m"))
				}
			}
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					for range writes {
						w.do(true, []string{"INCR", "n"}, []string{"INCR", "m"})
					}
				})
			}
			group.Wait()
			for i, e := range ears {
				e.checkCounter(t, i, writers*writes)
				w.Unwatch(&e.Watcher)
			}
			w.wantNothingLeft()
		})
	}
}

// checkCounter reads frames until the counter stands at its end. A state is one
// number, or the same twice.
func (e *ear) checkCounter(t *testing.T, i, end int) {
	t.Helper()
	version, count, first := uint64(0), 0, true
	for count < end {
		f := e.next(t)
		now := 0
		if items := f.Result.Items(); len(items) == 2 {
			if items[0].Str() != items[1].Str() {
				t.Fatalf("watcher %d sees half of a transaction: %s", i, text(f))
			}
			now, _ = strconv.Atoi(items[0].Str())
		} else {
			now, _ = strconv.Atoi(f.Result.Str())
		}
		if !first && (f.Version <= version || now != count+int(f.Covered)) {
			t.Fatalf("watcher %d: from %d at %d to %d at %d, covering %d", i, count, version, now, f.Version, f.Covered)
		}
		version, count, first = f.Version, now, false
	}
	if count != end {
		t.Errorf("watcher %d is left with %d, want %d", i, count, end)
	}
}

// A watcher that has moved to another loop since it was told is told there.
func TestFanFollowsMovedOutlets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	here, there := w.loop(0), w.loop(1)
	var watchers []*Watcher
	news := make(chan string, 1000)
	for i := range fanPart + 10 {
		m := &mover{home: here, news: news, name: fmt.Sprint(i)}
		m.outlet = m
		watchers = append(watchers, &m.Watcher)
	}
	moved := watchers[3].outlet.(*mover)
	moved.away = there
	var n fanner
	n.spread(watchers)
	seen := map[string]bool{}
	for range watchers {
		seen[<-news] = true
	}
	if len(seen) != len(watchers) || !seen["3 on 1"] || !seen["265 on 0"] {
		t.Errorf("told: %v", seen)
	}
}

// mover is an outlet that is at home when it is first asked where it is, and
// away afterwards.
type mover struct {
	Watcher
	home, away *loop
	asked      bool
	name       string
	news       chan string
}

func (m *mover) Loop() int {
	if m.asked && m.away != nil {
		return m.away.number
	}
	m.asked = true
	return m.home.number
}

func (m *mover) Post(task func()) {
	if m.asked && m.away != nil {
		m.away.post(task)
		return
	}
	m.home.post(task)
}

func (m *mover) News(*Watcher) { m.news <- m.name + " on " + strconv.Itoa(m.Loop()) }
