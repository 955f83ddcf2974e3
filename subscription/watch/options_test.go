package watch

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// Who asks for every state gets it: of each command of a batch, once of a
// transaction, and none twice, whoever writes.
func TestEveryStateIsTold(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		w := newWorld(t, shards)
		e := w.watchBy(w.loop(0), Options{Every: true}, "GET", "k")
		f := func(want string) {
			t.Helper()
			if got := text(e.next(t)); got != want {
				t.Errorf("%d shards: %s, want %s", shards, got, want)
			}
		}
		f("state _ 0")
		w.do(false, []string{"SET", "k", "1"}, []string{"SET", "other", "1"}, []string{"SET", "k", "2"}, []string{"SET", "k", "2"}, []string{"INCR", "k"})
		f(`state "1" 1`)
		f(`state "2" 1`)
		f(`state "3" 2`)
		w.do(true, []string{"INCR", "k"}, []string{"INCR", "k"}, []string{"SET", "other", "2"})
		f(`state "5" 1`)
		w.Unwatch(&e.Watcher)
		w.wantNothingLeft()
	}
}

// Many writers at once, and watchers that come in between: each gets every number
// once, in order, with rising versions.
func TestEveryStateUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	first := w.watchBy(w.loop(0), Options{Every: true}, "GET", "k")
	const writers, rounds, batch = 4, 40, 5
	var busy sync.WaitGroup
	for range writers {
		busy.Go(func() {
			for range rounds {
				var commands [][]string
				for range batch {
					commands = append(commands, []string{"INCR", "k"}, []string{"INCR", "other"})
				}
				w.do(false, commands...)
			}
		})
	}
	late := w.watchBy(w.loop(1), Options{Every: true}, "GET", "k")
	busy.Wait()
	for _, e := range []*ear{first, late} {
		at, version := 0, uint64(0)
		for at < writers*rounds*batch {
			f := e.next(t)
			n, _ := strconv.Atoi(f.Result.Str())
			if version > 0 && (n != at+1 || f.Covered != 1 || f.Kind != Current || f.Version <= version) {
				t.Fatalf("%s at version %d after %d at %d", text(f), f.Version, at, version)
			}
			at, version = n, f.Version
		}
	}
}

// Who falls behind by more than is kept hears that there is a gap, and then the
// newest state; the numbers covered add up.
func TestEveryStateHasABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.History.Entries.Store(4)
	e := w.watchBy(w.loop(0), Options{Every: true}, "GET", "k")
	e.next(t)
	var commands [][]string
	for range 100 {
		commands = append(commands, []string{"INCR", "k"})
	}
	w.do(false, commands...)
	covered, resets, last := int64(0), 0, ""
	for covered < 100 {
		f := e.next(t)
		covered += f.Covered
		if f.Kind == Reset {
			resets++
		}
		last = f.Result.Str()
	}
	if covered != 100 || resets == 0 || last != "100" {
		t.Errorf("%d changes covered with %d resets, the last state is %s", covered, resets, last)
	}
	w.do(false, []string{"INCR", "k"})
	if got := text(e.next(t)); got != `state "101" 1` {
		t.Errorf("after the gap: %s", got)
	}
}

// Every state of a query over several shards, or of long work, can't be had.
func TestEveryStateIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	f := func(o Options, want string, words ...string) {
		t.Helper()
		e := &ear{loop: w.loop(0), heard: make(chan Frame, 1)}
		_, err := w.Watch(w.query(words...), o, &e.Watcher, e)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", words, err)
		}
	}
	f(Options{Every: true}, "all of one shard", "MGET", "a", "b", "c", "d", "e", "f", "g")
	f(Options{Every: true, Delta: true}, "neither DELTA nor MAXRATE", "GET", "a")
	f(Options{Rate: time.Microsecond}, "apart", "GET", "a")
	f(Options{Progress: time.Millisecond}, "apart", "GET", "a")
	f(Options{Resume: "nonsense"}, "invalid resume token", "GET", "a")
	f(Options{Resume: "0000000000000001.1.-1"}, "invalid resume token", "GET", "a")
	f(Options{Resume: "8000000000000000.1.0"}, "invalid resume token", "GET", "a")
	w.wantNothingLeft()
}

// A watch goes on where one before has stopped, or says that it can't.
func TestResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.Limits.Linger.Store(time.Hour.Milliseconds())
	defer w.Close()
	l := w.loop(0)
	stop := func(e *ear) { w.Unwatch(&e.Watcher) }
	last := func(e *ear) string {
		f := e.next(t)
		stop(e)
		return f.Token()
	}
	f := func(o Options, want ...string) (token string) {
		t.Helper()
		e := w.watchBy(l, o, "GET", "k")
		for _, one := range want {
			got := e.next(t)
			token = got.Token()
			if text(got) != one {
				t.Errorf("%s: %s, want %s", o.Resume, text(got), one)
			}
		}
		stop(e)
		return token
	}
	token := last(w.watch(l, "GET", "k"))
	token = f(Options{Resume: token}, "progress _ 0")
	w.do(false, []string{"SET", "k", "1"}, []string{"SET", "k", "2"})
	f(Options{Resume: token}, `state "2" 2`)
	f(Options{Resume: token}, `state "2" 2`)
	f(Options{Resume: last(w.watch(l, "GET", "other"))}, `reset "2" 0`)
	f(Options{Resume: "0000000000000001.1.0"}, `reset "2" 0`)

	every := Options{Every: true}
	every.Resume = last(w.watchBy(l, every, "GET", "k"))
	w.do(false, []string{"SET", "k", "3"}, []string{"SET", "k", "4"})
	f(every, `state "3" 1`, `state "4" 1`)
	w.do(false, []string{"SET", "k", "5"})
	mid := f(every, `state "3" 1`)
	every.Resume = mid
	f(every, `state "4" 1`, `state "5" 1`)

	future := strings.Split(token, ".")
	future[2] = "ffff"
	f(Options{Resume: strings.Join(future, ".")}, "end -ERR the resume token is of a state that has not been reached 0")
	future[0], future[2] = "000000000000ffff", "0"
	f(Options{Resume: strings.Join(future, ".")}, "end -ERR the resume token is of a state that has not been reached 0")
	if w.Len() != 0 || w.Kept() != 3 {
		t.Errorf("%d queries are watched, %d kept", w.Len(), w.Kept())
	}
	w.Close()
	w.wantNothingLeft()
	if used := w.History.Used.Load(); used != 0 {
		t.Errorf("%d bytes of histories are left", used)
	}
	f(Options{Resume: token}, `reset "5" 0`)
}

// Frames are apart by what was asked for, and the last state comes.
func TestRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	const rate = 20 * time.Millisecond
	e := w.watchBy(w.loop(0), Options{Rate: rate}, "GET", "k")
	e.next(t)
	const writes = 500
	for range writes {
		w.do(false, []string{"INCR", "k"})
	}
	for covered := int64(0); covered < writes; {
		f := e.next(t)
		covered += f.Covered
		if covered == writes && f.Result.Str() != strconv.Itoa(writes) {
			t.Errorf("the last state is %s", text(f))
		}
	}
	if least := time.Duration(e.least.Load()); least < rate {
		t.Errorf("two frames are %v apart", least)
	}
}

// An idle watch hears that nothing has happened, and its marks don't go back.
func TestProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	e := w.watchBy(w.loop(0), Options{Progress: ProgressMin}, "GET", "k")
	defer w.Unwatch(&e.Watcher)
	version := e.next(t).Version
	w.do(false, []string{"SET", "other", "1"})
	for marks := 0; marks < 3; {
		f := e.next(t)
		if f.Kind != Progress || !f.Result.IsNull() || f.Covered != 0 || f.Version < version {
			t.Fatalf("%s at version %d after %d", text(f), f.Version, version)
		}
		if version = f.Version; version > 0 { // knows of the other key's change
			marks++
		}
	}
	w.do(false, []string{"SET", "k", "1"})
	f := e.next(t)
	for f.Kind == Progress {
		f = e.next(t)
	}
	if text(f) != `state "1" 1` || f.Version <= version {
		t.Errorf("%s at version %d after %d", text(f), f.Version, version)
	}
	w.do(false, []string{"SET", "other", "2"})
	for marked := f; f.Version <= marked.Version || f.Kind != Progress; {
		f = e.next(t)
	}
	again := w.watchBy(w.loop(1), Options{Resume: f.Token()}, "GET", "k") // a mark above the state is no future
	defer w.Unwatch(&again.Watcher)
	if g := again.next(t); text(g) != "progress _ 0" || g.Version < f.Version {
		t.Errorf("behind a mark at %d: %s at %d", f.Version, text(g), g.Version)
	}
}

// Deltas are between what a watcher was told and what it is told next; without
// the state before, or if it is no longer, the state is told.
func TestDeltasAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	many := []string{"MGET"}
	for i := range 30 {
		many = append(many, "key:"+strconv.Itoa(i))
	}
	e := w.watchBy(w.loop(0), Options{Delta: true}, many...)
	known := e.next(t).Result
	var version uint64
	deltas := 0
	for i := range 200 {
		w.do(false, []string{"SET", many[1+i%30], strings.Repeat("x", 1+i%7)})
		f := e.next(t)
		if f.Version <= version {
			t.Fatalf("version %d after %d", f.Version, version)
		}
		version = f.Version
		switch f.Kind {
		case Current:
			known = f.Result
		case Delta:
			deltas++
			known = apply(known, f.Reply())
		default:
			t.Fatalf("a %s", f.Kind)
		}
	}
	if got, want := resp.Format(known), resp.Format(e.sub.state.Load().Result); got != want {
		t.Errorf("the deltas make %s, want %s", got, want)
	}
	if deltas < 100 {
		t.Errorf("%d of 200 frames were deltas", deltas)
	}
}

// To go on is not refused because there is an error by then, or was one in between.
func TestResumeOverAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.Limits.Linger.Store(time.Hour.Milliseconds())
	defer w.Close()
	l := w.loop(0)
	const tooLong = "error -ERR the result is longer than a live query's may be (watch-max-result, 10 bytes) 1"
	w.Limits.Result.Store(10)
	w.do(false, []string{"SET", "k", "1"})
	newest, every := w.watch(l, "GET", "k"), w.watchBy(l, Options{Every: true}, "GET", "k")
	from := []string{newest.next(t).Token(), every.next(t).Token()}
	w.Unwatch(&newest.Watcher)
	w.Unwatch(&every.Watcher)
	w.do(false, []string{"SET", "k", "1234567890"})
	newest = w.watchBy(l, Options{Resume: from[0]}, "GET", "k")
	first := newest.next(t)
	if text(first) != tooLong || first.Refuses() {
		t.Errorf("the newest state is %s, refused: %v", text(first), first.Refuses())
	}
	w.do(false, []string{"SET", "k", "2"})
	newest.want(t, `state "2" 1`)
	every = w.watchBy(l, Options{Every: true, Resume: from[1]}, "GET", "k")
	every.want(t, tooLong)
	every.want(t, `state "2" 1`)
	w.Unwatch(&newest.Watcher)
	w.Unwatch(&every.Watcher)
	w.do(false, []string{"SET", "k", "1234567890"})
	anew := w.watch(l, "GET", "k")
	if f := anew.next(t); !f.Refuses() {
		t.Errorf("a watch that begins with %s is not refused", text(f))
	}
	w.Unwatch(&anew.Watcher)
}
