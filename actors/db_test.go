package actors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestTyped(t *testing.T) {
	t.Parallel()
	db := open(t)
	f := func(what string, want any, got any, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v and %v, want %#v", what, got, err, want)
		}
	}
	ctx := background
	check := func(what string, want any) func(got any, err error) {
		return func(got any, err error) { t.Helper(); f(what, want, got, err) }
	}
	ok := func(what string, err error) { t.Helper(); f(what, nil, nil, err) }
	large := make([]byte, 3*handOver)
	ok("Set", db.Set(ctx, "k", large))
	got, err := db.Get(ctx, "k")
	f("Get", large, got, err)
	ok("SetText", db.SetText(ctx, "k", "v", For(time.Hour), IfThere))
	text, err := db.GetText(ctx, "k")
	f("GetText", "v", text, err)
	left, err := db.TTL(ctx, "k")
	f("TTL", true, left > 59*time.Minute && left <= time.Hour, err)
	yes, err := db.Persist(ctx, "k")
	check("Persist", true)(yes, err)
	left, err = db.TTL(ctx, "k")
	check("TTL", Forever)(left, err)
	ok("Set", db.SetText(ctx, "k", "v", Until(time.Now().Add(-time.Second))))
	if _, err := db.TTL(ctx, "k"); err != ErrNotFound {
		t.Errorf("TTL of a key that has gone: %v", err)
	}
	n, err := db.IncrBy(ctx, "n", 41)
	check("IncrBy", int64(41))(n, err)
	n, err = db.Decr(ctx, "n")
	check("Decr", int64(40))(n, err)
	half, err := db.IncrByFloat(ctx, "n", 0.5)
	check("IncrByFloat", 40.5)(half, err)
	ok("MSet", db.MSet(ctx, "a", "1", "b", ""))
	values, err := db.MGet(ctx, "a", "none", "b")
	check("MGet", [][]byte{[]byte("1"), nil, {}})(values, err)
	ok("Rename", db.Rename(ctx, "a", "c"))
	kind, err := db.Type(ctx, "c")
	check("Type", "string")(kind, err)
	n, err = db.Del(ctx, "a", "b", "c")
	check("Del", int64(2))(n, err)
	n, err = db.Append(ctx, "s", "text")
	check("Append", int64(4))(n, err)
	n, err = db.StrLen(ctx, "s")
	check("StrLen", int64(4))(n, err)
	yes, err = db.Expire(ctx, "s", time.Millisecond)
	check("Expire", true)(yes, err)
}

func TestTypedCollections(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx := background
	f := func(what string, want any) func(got any, err error) {
		return func(got any, err error) {
			t.Helper()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %#v and %v, want %#v", what, got, err, want)
			}
		}
	}
	number := func(what string, want int64) func(int64, error) {
		return func(got int64, err error) { t.Helper(); f(what, want)(got, err) }
	}
	texts := func(what string, want ...string) func([]string, error) {
		return func(got []string, err error) { t.Helper(); f(what, want)(got, err) }
	}
	number("HSet", 2)(db.HSet(ctx, "h", "f", "v", "n", "1"))
	number("HIncrBy", 3)(db.HIncrBy(ctx, "h", "n", 2))
	all, err := db.HGetAll(ctx, "h")
	f("HGetAll", map[string]string{"f": "v", "n": "3"})(all, err)
	texts("HKeys", "f", "n")(db.HKeys(ctx, "h"))
	texts("HVals", "v", "3")(db.HVals(ctx, "h"))
	number("HDel", 1)(db.HDel(ctx, "h", "f", "g"))
	number("HLen", 1)(db.HLen(ctx, "h"))
	if _, err := db.HGet(ctx, "h", "f"); err != ErrNotFound {
		t.Errorf("HGet: %v", err)
	}
	number("RPush", 3)(db.RPush(ctx, "l", "a", "b", "c"))
	number("LPush", 4)(db.LPush(ctx, "l", "z"))
	texts("LRange", "z", "a", "b", "c")(db.LRange(ctx, "l", 0, -1))
	texts("LRange", []string{}...)(db.LRange(ctx, "none", 0, -1))
	number("LRem", 1)(db.LRem(ctx, "l", 0, "b"))
	if err := db.LTrim(ctx, "l", 0, 1); err != nil {
		t.Error(err)
	}
	last, err := db.RPop(ctx, "l")
	f("RPop", "a")(last, err)
	number("SAdd", 2)(db.SAdd(ctx, "s", "1", "2"))
	number("SAdd", 1)(db.SAdd(ctx, "{s}", "2"))
	texts("SInter", "2")(db.SInter(ctx, "s", "{s}"))
	texts("SDiff", "1")(db.SDiff(ctx, "s", "{s}"))
	texts("SMembers", "1", "2")(db.SMembers(ctx, "s"))
	number("SRem", 1)(db.SRem(ctx, "s", "1"))
	number("ZAdd", 3)(db.ZAdd(ctx, "z", Member{"a", 1}, Member{"b", 2.5}, Member{"c", math.Inf(1)}))
	texts("ZRevRange", "c", "b")(db.ZRevRange(ctx, "z", 0, 1))
	members, err := db.ZRangeWithScores(ctx, "z", 0, -1)
	f("ZRangeWithScores", []Member{{"a", 1}, {"b", 2.5}, {"c", math.Inf(1)}})(members, err)
	members, err = db.ZRangeByScore(ctx, "z", 2, math.Inf(1))
	f("ZRangeByScore", []Member{{"b", 2.5}, {"c", math.Inf(1)}})(members, err)
	number("ZCount", 2)(db.ZCount(ctx, "z", math.Inf(-1), 3))
	number("ZRank", 1)(db.ZRank(ctx, "z", "b"))
	if _, err := db.ZRank(ctx, "z", "x"); err != ErrNotFound {
		t.Errorf("ZRank: %v", err)
	}
	members, err = db.ZPopMin(ctx, "z", 1)
	f("ZPopMin", []Member{{"a", 1}})(members, err)
	id, err := db.XAdd(ctx, "x", "f", "v", "g", "w")
	f("XAdd", true)(id != "", err)
	entries, err := db.XRange(ctx, "x", Entries{Reverse: true, Count: 5})
	f("XRange", []Entry{{id, []string{"f", "v", "g", "w"}}})(entries, err)
	number("XDel", 1)(db.XDel(ctx, "x", id))
	if _, err := db.HGetAll(ctx, "l"); err == nil {
		t.Error("HGetAll of a list")
	}
}

// What waits is given up with its context, and takes nothing then; what comes in
// time is taken.
func TestBlocking(t *testing.T) {
	t.Parallel()
	db := open(t)
	type popped struct {
		element string
		err     error
	}
	results := make(chan popped)
	pop := func(ctx context.Context) {
		go func() {
			_, element, err := db.BLPop(ctx, "l", "m")
			results <- popped{element, err}
		}()
	}
	for i := range 20 {
		ctx, cancel := context.WithCancel(background)
		pop(ctx)
		if i%2 == 0 {
			soon(t, "it waits", func() bool { return countBlocked(db) == 1 })
		}
		cancel()
		if got := <-results; got.err != context.Canceled {
			t.Fatalf("given up: %+v", got)
		}
		pop(background)
		soon(t, "it waits", func() bool { return countBlocked(db) == 1 })
		must(db.RPush(background, "m", "element"))(t)
		if got := <-results; got != (popped{"element", nil}) {
			t.Fatalf("taken: %+v", got)
		}
	}
	if n := must(db.Exists(background, "l", "m"))(t); n != 0 {
		t.Errorf("%d lists are left", n)
	}
}

// Elements are pushed while poppers are given up: each element is popped once, or
// is still there.
func TestBlockingLosesNothing(t *testing.T) {
	t.Parallel()
	db := open(t)
	const elements = 300
	pushed := make(chan error, 1)
	go func() {
		for i := range elements {
			if _, err := db.RPush(background, "l", fmt.Sprint(i)); err != nil {
				pushed <- err
				return
			}
		}
		pushed <- nil
	}()
	seen, tries := map[string]int{}, 0
	for len(seen) < elements {
		tries++
		ctx, cancel := context.WithTimeout(background, time.Duration(tries%7)*20*time.Microsecond)
		_, element, err := db.BLPop(ctx, "l")
		cancel()
		switch {
		case err == nil:
			seen[element]++
		case !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		}
		if tries > 1_000_000 {
			t.Fatalf("%d elements have come", len(seen))
		}
	}
	if err := <-pushed; err != nil {
		t.Fatal(err)
	}
	for element, times := range seen {
		if times != 1 {
			t.Errorf("%s has come %d times", element, times)
		}
	}
}
