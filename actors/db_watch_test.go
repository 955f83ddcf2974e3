package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/subscription/watch"
)

// next is the next state, which must come.
func next(t *testing.T, states <-chan State) State {
	t.Helper()
	select {
	case st, open := <-states:
		if !open {
			t.Fatal("the channel is closed")
		}
		return st
	case <-time.After(patience):
		t.Fatal("no state comes")
		return State{}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	do(t, db, "ZADD", "board", 1, "ann")
	states := must(db.Watch(ctx, "ZRANGE", "board", 0, 1))(t)
	first := next(t, states)
	if first.Result.String() != `["ann"]` || first.Covered != 0 || first.Kind != watch.Current || first.Token == "" {
		t.Errorf("first: %+v", first)
	}
	do(t, db, "ZADD", "board", 2, "bob")
	second := next(t, states)
	if second.Result.String() != `["ann", "bob"]` || second.Covered != 1 || second.Version <= first.Version {
		t.Errorf("second: %+v after %+v", second, first)
	}
	do(t, db, "SET", "board", "a text")
	if third := next(t, states); third.Kind != watch.Failed || third.Result.Err() == nil {
		t.Errorf("of another type: %+v", third)
	}
	do(t, db, "DEL", "board")
	if st := next(t, states); st.Result.String() != `[]` {
		t.Errorf("without the key: %+v", st)
	}
	cancel()
	for range states {
	}
	soon(t, "nothing is watched", func() bool { return db.system.Server.Watches.Len() == 0 })
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	db := open(t)
	do(t, db, "SET", "k", "v")
	f := func(want string, command string, args ...any) {
		t.Helper()
		if _, err := db.Watch(background, command, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", command, err, want)
		}
	}
	f("WRONGTYPE", "LRANGE", "k", 0, -1)
	f("unknown command", "NOSUCH")
	f("not supported", "SET", "k", "v")
	f("wrong number", "GET")
	if n := db.system.Server.Watches.Len(); n != 0 {
		soon(t, "nothing is watched", func() bool { return db.system.Server.Watches.Len() == 0 })
	}
}

// An operator may end a watch; its reader is told why.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	db := open(t)
	states := must(db.Watch(background, "GET", "k"))(t)
	next(t, states)
	info := db.system.Server.Watches.List()[0]
	db.system.Server.Watches.Kill(info.Fingerprint(0), errWordSize)
	if last := next(t, states); last.Kind != watch.End || last.Result.Err() == nil {
		t.Errorf("last: %+v", last)
	}
	if _, open := <-states; open {
		t.Error("the channel is open")
	}
}

// However slow the reader, it sees rising versions, changes that add up, and in
// the end the last state.
func TestWatchSlowReader(t *testing.T) {
	t.Parallel()
	db := open(t)
	states := must(db.Watch(background, "GET", "n"))(t)
	last := next(t, states)
	const changes = 5000
	var group sync.WaitGroup
	group.Go(func() {
		for range changes {
			if _, err := db.Incr(background, "n"); err != nil {
				t.Error(err)
			}
		}
	})
	covered := 0
	for seen := 0; last.Result.Text() != strconv.Itoa(changes); seen++ {
		if seen%3 == 0 { // be slow: a state lies there for some time
			ticker := time.NewTicker(refreshInterval / 4)
			<-ticker.C
			ticker.Stop()
		}
		st := next(t, states)
		if st.Version <= last.Version || st.Covered < 1 {
			t.Fatalf("%+v after %+v", st, last)
		}
		covered += st.Covered
		last = st
	}
	group.Wait()
	if covered != changes {
		t.Errorf("%d changes are covered", covered)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	db := open(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var keys []string
	b := db.Batch()
	for i := range 3000 {
		key := fmt.Sprintf("%c%04d", 'a'+rune(r.IntN(4)), i)
		b.Set(key, []byte(key))
		keys = append(keys, key)
	}
	must(b.Commit(background))(t)
	do(t, db, "RPUSH", "a-list", "x")
	slices.Sort(keys)
	f := func(scan Range) {
		t.Helper()
		want := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
			return !strings.HasPrefix(key, scan.Prefix) || key < scan.From || scan.To != "" && key >= scan.To
		})
		if scan.Reverse {
			slices.Reverse(want)
		}
		if scan.Limit > 0 && scan.Limit < len(want) {
			want = want[:scan.Limit]
		}
		var got []string
		for kv, err := range db.Scan(background, scan) {
			if err != nil || string(kv.Value) != kv.Key && !(scan.KeysOnly && kv.Value == nil) {
				t.Fatalf("%v, %v", kv, err)
			}
			got = append(got, kv.Key)
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %+v yields %d keys, want %d", seed, scan, len(got), len(want))
		}
	}
	f(Range{})
	f(Range{Reverse: true})
	f(Range{Prefix: "b"})
	f(Range{Prefix: "b", Reverse: true, Limit: 10})
	f(Range{From: "b", To: "c0999"})
	f(Range{From: "b1000", Reverse: true})
	f(Range{Limit: 1500})
	f(Range{Limit: scanPart})
	f(Range{Prefix: "none"})
	f(Range{KeysOnly: true})
	for range db.Scan(background, Range{}) {
		break
	}
	for _, reverse := range []bool{false, true} { // more keys than are put in order at once
		var got []string
		for at := newScan(Range{From: "a", Reverse: reverse}); ; at.last, at.begun = got[len(got)-1], true {
			some := must(at.gather(background, db, 70))(t)
			if got = append(got, some...); len(some) < 70 {
				break
			}
		}
		if reverse {
			slices.Reverse(got)
		}
		if !slices.Equal(got, keys) {
			t.Errorf("seed %d: %d keys are gathered, want %d", seed, len(got), len(keys))
		}
	}
	for _, key := range []string{"?b", "*", `\a`, "[ab]", "x\x00", "^"} {
		do(t, db, "SET", key+"more", key+"more")
		keys = append(keys, key+"more")
		f(Range{Prefix: key})
	}
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx, cancel := context.WithCancel(background)
	messages := must(db.Subscribe(ctx, "a", "b"))(t)
	patterns := must(db.PSubscribe(background, "a*"))(t)
	if n := must(db.Publish(background, "a", "hello"))(t); n != 2 {
		t.Errorf("%d have it", n)
	}
	if m := <-messages; m != (Message{Channel: "a", Payload: "hello"}) {
		t.Errorf("%+v", m)
	}
	if m := <-patterns; m != (Message{Channel: "a", Pattern: "a*", Payload: "hello"}) {
		t.Errorf("%+v", m)
	}
	for i := range 1000 {
		must(db.Publish(background, "b", strconv.Itoa(i)))(t)
	}
	for i := range 1000 {
		if m := <-messages; m.Payload != strconv.Itoa(i) {
			t.Fatalf("message %d is %+v", i, m)
		}
	}
	cancel()
	if _, open := <-messages; open {
		t.Error("the channel is open")
	}
}
