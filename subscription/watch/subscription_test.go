package watch

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// The first state is at a version; what comes after it is told, once, with the
// number of changes that it stands for.
func TestStartsConsistent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.change("old")
	r.elsewhere()
	w := r.attach()
	r.settle()
	r.wantTold(w)
	r.change("a") // before the first state is taken
	r.change("b")
	r.settle()
	r.wantTold() // once told it need not be told again
	r.take(w, "old 2 0")
	r.settle()
	r.wantTold(w)
	r.take(w, "b 4 2")
	r.take(w, "-")
	r.settle()
	r.wantTold()
	r.wantReads(2)
}

// Whatever a watcher wrote before it asked is in its first state, also if an
// evaluation from before that was under way.
func TestFirstStateIsNoOlderThanTheWish(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one := r.attach()
	r.settle()
	r.take(one, " 0 0")
	r.change("a")
	r.receive() // Changed
	r.read()
	r.change("b") // its writer watches after it
	two, three := r.attach(), r.attach()
	r.mailbox[0], r.mailbox[2] = r.mailbox[2], r.mailbox[0] // before Evaluated is heard
	for range 4 {
		r.receive()
	}
	r.take(two, "-")
	r.settle()
	r.take(two, "b 2 0")
	r.take(three, "b 2 0")
	r.take(one, "b 2 2")
}

// Who comes while an evaluation is under way that nothing has overtaken gets
// what it finds.
func TestOneEvaluationServesAllWhoCome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one := r.attach()
	r.receive()
	two := r.attach()
	r.receive()
	r.settle()
	three := r.attach()
	r.settle()
	r.wantReads(1)
	for _, w := range []*Watcher{one, two, three} {
		r.take(w, " 0 0")
	}
}

// A state that is equal to the one before is not told; its changes count into
// the next.
func TestEqualStateIsNotTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.change("a")
	w := r.attach()
	r.settle()
	r.take(w, "a 1 0")
	r.news()
	r.change("a")
	r.settle()
	r.change("a")
	r.settle()
	r.wantTold()
	r.wantReads(3)
	late := r.attach()
	r.settle()
	r.take(late, "a 1 0")
	r.change("b")
	r.settle()
	r.take(w, "b 4 3")
	r.take(late, "b 4 3") // its watch began with the state of version 1
}

// While nobody can take, nothing is evaluated, whatever is written; then one
// evaluation brings the newest state.
func TestNothingIsEvaluatedForNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, two := r.attach(), r.attach()
	r.settle()
	r.take(one, " 0 0")
	r.take(two, " 0 0")
	r.change("a")
	r.settle()
	r.wantReads(2)
	f := func(value string) {
		t.Helper()
		r.change(value)
		r.settle()
		r.wantReads(2)
	}
	f("b") // their loops are at work
	one.Hold()
	f("c") // one of the loops is
	two.Hold()
	for range 100 {
		f("d") // both links are behind
	}
	r.wantTold(one, two, one, two)
	r.take(one, "a 1 1") // what is known by now; the newest follows
	r.settle()
	r.wantReads(3)
	r.wantTold(one)
	r.take(one, "d 103 102")
	r.take(two, "d 103 103")
	r.settle()
	r.wantReads(3)
}

// Watchers whose links are behind keep nobody else from being told.
func TestSlowWatcherHoldsUpNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	slow, fast := r.attach(), r.attach()
	r.settle()
	r.take(slow, " 0 0")
	r.take(fast, " 0 0")
	r.change("1")
	r.settle()
	slow.Hold()
	r.take(fast, "1 1 1")
	r.news()
	for _, value := range []string{"2", "3", "4"} {
		r.change(value)
		r.settle()
		r.wantTold(fast)
		r.take(fast, value+" "+value+" 1")
	}
	r.take(slow, "4 4 4")
}

// An evaluation waits until the round before has reached all loops, so that it
// serves all of them.
func TestRoundsDoNotOverlap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, two := r.attach(), r.attach()
	r.settle()
	r.take(one, " 0 0")
	r.take(two, " 0 0")
	r.change("1")
	r.settle()
	r.news()
	r.take(one, "1 1 1")
	r.change("2")
	r.settle()
	r.wantReads(2)
	r.wantTold()
	r.take(two, "1 1 1")
	r.settle()
	r.wantReads(3)
	r.wantTold(one, two)
}

// An error ends a watch that has not begun; in one that goes on it is told like
// a state, and so is what comes after it.
func TestErrorStates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.change("wrong")
	w := r.attach()
	r.settle()
	r.take(w, "error "+resp.ErrWrongType.Str()+" 1 0")
	r.detach(w)
	r.settle()
	r.change("a")
	w = r.attach()
	r.settle()
	r.take(w, "a 2 0")
	r.change("wrong")
	r.settle()
	r.take(w, "error "+resp.ErrWrongType.Str()+" 3 1")
	r.change("b")
	r.settle()
	r.take(w, "b 4 1")
}

// Instead of a result that is too long there is an error.
func TestLongResult(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.change(strings.Repeat("x", 900))
	w := r.attach()
	r.settle()
	r.take(w, r.value+" 1 0")
	r.change(strings.Repeat("x", 1001))
	r.settle()
	r.take(w, "error ERR the result is longer than a live query's may be (watch-max-result, 1000 bytes) 2 1")
	r.change("short")
	r.settle()
	r.take(w, "short 3 1")
}

// An evaluation that makes a key expire has seen a change without a version; it
// is done again.
func TestExpiryWithinAnEvaluation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.void = true
	w := r.attach()
	r.settle()
	r.wantReads(2)
	r.take(w, "gone1 1 0")
	r.change("a")
	r.void = true
	r.settle()
	r.wantReads(4)
	r.take(w, "gone3 3 2")
}

// Who leaves hears nothing more, and nobody waits for it.
func TestDetach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, two, three := r.attach(), r.attach(), r.attach()
	r.receive()
	r.detach(two) // while the first evaluation is under way
	r.settle()
	r.take(one, " 0 0")
	r.take(two, "-")
	r.take(three, " 0 0")
	r.change("a")
	r.settle()
	r.news()
	r.detach(one) // told, and its loop has not come to it
	r.take(three, "a 1 1")
	r.change("b")
	r.settle()
	r.wantTold(three)
	three.Hold()
	r.detach(three) // while its link is behind
	r.change("c")
	r.settle()
	r.wantReads(3)
	if n := len(r.watchers); n != 0 || r.crowd.held.Load() != 0 || r.crowd.notified.Load() != 0 {
		t.Errorf("%d watchers, %d held, %d notified at the end", n, r.crowd.held.Load(), r.crowd.notified.Load())
	}
}

// The end is told to all, those who have not begun and those behind included.
func TestEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, two := r.attach(), r.attach()
	r.settle()
	r.take(one, " 0 0")
	r.take(two, " 0 0")
	r.change("a")
	r.settle()
	two.Hold()
	r.take(one, "a 1 1")
	r.change("b")
	r.receive() // Changed: an evaluation is under way
	three := r.attach()
	r.receive()
	r.End(resp.Error("ERR over"))
	want := map[*Watcher]int64{one: 0, two: 1} // what it has not been told of is counted
	for _, w := range []*Watcher{one, two} {
		f, ok := w.Take()
		if !ok || f.Kind != End || f.Result.Str() != "ERR over" || f.Covered != want[w] {
			t.Errorf("the end is %v, %v", f, ok)
		}
	}
	r.take(three, "end ERR over 1 0")
	r.settle()
	r.change("c")
	r.settle()
	r.wantReads(3)
}

// Nothing is taken twice: not without word of it, and not if the word came
// after the state was taken.
func TestTakenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w := r.attach()
	r.settle()
	r.take(w, " 0 0")
	r.take(w, "-")
	r.tell([]*Watcher{w})
	r.take(w, "-")
}
