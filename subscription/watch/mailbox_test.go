package watch

import (
	"slices"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/resp"
)

// Messages without content are kept once, the others in their order; at rest
// nothing is kept.
func TestMailbox(t *testing.T) {
	t.Parallel()
	var b mailbox
	if b.next() != nil {
		t.Error("there is a message in an empty mailbox")
	}
	one, two := &Leave{}, &Finish{resp.Nil}
	for i, message := range []any{theChanged, one, theReady, theChanged, two, theEvaluated, theReady} {
		if start := b.put(message); start != (i == 0) {
			t.Errorf("message %d: start is %v", i, start)
		}
	}
	if n := b.waiting(); n != 5 {
		t.Errorf("%d messages wait", n)
	}
	var got []any
	for m := b.next(); m != nil; m = b.next() {
		got = append(got, m)
	}
	if want := []any{theEvaluated, one, two, theReady, theChanged}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if b.letters != nil || b.running || b.waiting() != 0 || !b.put(theReady) {
		t.Error("the mailbox is not at rest")
	}
}

// A Subscription is an actor for protoactor, which is told of its end by the
// watchers leaving.
func TestProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	e := w.watch(w.loop(0), "GET", "a")
	e.want(t, "state _ 0")
	if n, ok := w.Actor(1); n != 0 || !ok {
		t.Errorf("%d messages, %v", n, ok)
	}
	if _, ok := w.Actor(2); ok {
		t.Error("there is another actor")
	}
	w.root.Stop(actor.NewPID(Address, "1"))
	e.want(t, "end -ERR the live query was stopped 0")
	w.Unwatch(&e.Watcher)
	w.wantNothingLeft()
	w.eventually("the actor is gone", func() bool { _, ok := w.Actor(1); return !ok })
}

// Queries of one hash are told apart, and leave in any order: the hash knows of a
// database its last eight bits only.
func TestQueriesOfOneHash(t *testing.T) {
	t.Parallel()
	in := func(db int) *Query {
		q := get("k")
		q.DB = db
		return q
	}
	for first := range 3 {
		r := NewRegistry(nil, nil)
		var rooms []*Subscription
		for i := range 3 {
			rooms = append(rooms, r.enter(in(i<<8), false))
		}
		if len(r.rooms) != 1 || r.enter(in(1<<8), false) != rooms[1] || r.Len() != 3 {
			t.Fatalf("%d hashes, %d queries", len(r.rooms), r.Len())
		}
		r.forget(rooms[first])
		for i, room := range rooms {
			if found := r.enter(in(i<<8), false) == room; found == (i == first) {
				t.Errorf("without query %d, query %d is found: %v", first, i, found)
			}
		}
		if r.Len() != 3 {
			t.Errorf("%d queries", r.Len())
		}
	}
	if in(0).Equal(in(1<<8)) || !in(1).Equal(in(1)) || get("k").Equal(get("kk")) {
		t.Error("queries are taken for equal, or not, that are not, or are")
	}
}
