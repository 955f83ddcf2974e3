package watch

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// Who walks over all queries keeps nobody from watching, or from ending a watch: here
// that is done in the middle of each kind of walk, by the goroutine itself that walks.
func TestWalksHoldUpNobody(t *testing.T) {
	t.Parallel()
	walks := map[string]func(*Registry) int{
		"list":   func(r *Registry) int { return len(r.List()) },
		"actors": func(r *Registry) (n int) { r.Actors(func(uint64, int) { n++ }); return n },
		"actor":  func(r *Registry) int { r.Actor(1 << 40); return -1 },
		"end": func(r *Registry) int {
			return r.EndIf(func(q *Query) bool { return string(q.Argv[1]) != "stays" }, resp.Error("ERR ended"))
		},
	}
	for name, walk := range walks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			l := w.loop(0)
			const queries = 3 * stepRooms
			var ears []*ear
			for i := range queries {
				ears = append(ears, w.watch(l, "GET", strconv.Itoa(i)))
			}
			stays := w.watch(l, "GET", "stays")
			stays.want(t, "state _ 0")
			steps := 0
			w.stage.pause = func() {
				steps++
				one := w.watch(l, "GET", "stays")
				one.next(t)
				w.do(false, []string{"SET", "stays", strconv.Itoa(steps)})
				stays.want(t, fmt.Sprintf(`state "%d" 1`, steps))
				if _, n, watches := w.Stats(); n > queries+1 || watches > queries+2 {
					t.Errorf("%d queries, %d watches", n, watches)
				}
				w.Unwatch(&one.Watcher)
			}
			if n := walk(w.Registry); n != -1 && n != queries && n != queries+1 {
				t.Errorf("%d queries are seen of %d", n, queries+1)
			}
			if steps != 3 {
				t.Errorf("%d steps", steps)
			}
			for _, e := range append(ears, stays) {
				w.Unwatch(&e.Watcher)
			}
			w.stage.pause = func() {}
			w.wantNothingLeft()
		})
	}
}

// All counts together are what watchers were told, whoever came, left, was ended or
// did not read, and never fall; those of the queries are a part of them.
func TestCountsAreWhatIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	const queries, rounds, loops = 20, 60, 3
	var deaf []*deafEar
	for i := range queries {
		d := &deafEar{loop: w.loop(loops), told: make(chan bool, 1)}
		if _, err := w.Watch(w.query("GET", strconv.Itoa(i)), Options{}, &d.Watcher, d); err != nil {
			t.Fatal(err)
		}
		<-d.told
		deaf = append(deaf, d)
	}
	stop := w.pollCounts()
	var pushes, covered atomic.Int64
	var group sync.WaitGroup
	for n := range loops {
		l := w.loop(n)
		group.Go(func() {
			for round := range rounds {
				one := w.watch(l, "GET", strconv.Itoa(round%queries))
				one.next(t)
				w.do(false, []string{"INCR", strconv.Itoa(round % queries)})
				f := one.next(t)
				w.Unwatch(&one.Watcher)
				one.settle()
				pushes.Add(1)
				covered.Add(f.Covered)
				for len(one.heard) > 0 {
					f := <-one.heard
					pushes.Add(1)
					covered.Add(f.Covered)
				}
			}
		})
	}
	group.Wait()
	stop()
	totals, _, watches := w.Stats()
	if totals.Pushes != pushes.Load() || totals.Covered != covered.Load() {
		t.Errorf("%+v, but %d pushes that stand for %d were told", totals, pushes.Load(), covered.Load())
	}
	if totals.Evaluations == 0 || totals.Nanos == 0 || watches != queries {
		t.Errorf("%+v, %d watches", totals, watches)
	}
	var listed Totals
	for _, one := range w.List() {
		listed.add(one.Totals)
	}
	if listed != totals { // each query has been there all the time
		t.Errorf("the queries' counts come to %+v, all to %+v", listed, totals)
	}
	w.checkBehindAndReset(deaf)
}

// pollCounts reads the counts all the time, which may not fall, until stop is called.
func (w *world) pollCounts() (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var before Totals
		for {
			select {
			case <-over:
				return
			default:
			}
			now, _, _ := w.Stats()
			if now.Pushes < before.Pushes || now.Covered < before.Covered || now.Evaluations < before.Evaluations || now.Nanos < before.Nanos {
				w.t.Errorf("the counts fall from %+v to %+v", before, now)
			}
			if n := w.Behind(); n < 0 {
				w.t.Errorf("%d are behind", n)
			}
			before = now
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// checkBehindAndReset ends the watches, of which none has taken anything, and resets
// the counts.
func (w *world) checkBehindAndReset(deaf []*deafEar) {
	w.t.Helper()
	for i, d := range deaf {
		if n := w.Behind(); n != int64(len(deaf)-i) {
			w.t.Errorf("%d are behind, want %d", n, len(deaf)-i)
		}
		w.Unwatch(&d.Watcher)
	}
	w.wantNothingLeft()
	w.ResetStats()
	if totals, queries, _ := w.Stats(); totals != (Totals{}) || queries != 0 || w.Behind() != 0 {
		w.t.Errorf("%+v, %d queries, %d behind", totals, queries, w.Behind())
	}
}

// settle waits until the loop has run what was posted before.
func (e *ear) settle() {
	done := make(chan struct{})
	e.loop.post(func() { close(done) })
	<-done
}

// deafEar is an outlet that never takes what it is told of.
type deafEar struct {
	Watcher
	loop *loop
	told chan bool
	once sync.Once
}

func (d *deafEar) Loop() int        { return d.loop.number }
func (d *deafEar) Post(task func()) { d.loop.post(task) }
func (d *deafEar) News(w *Watcher) {
	w.Hold()
	d.once.Do(func() { d.told <- true })
}
