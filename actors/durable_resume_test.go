package actors_test

import (
	"context"
	"testing"

	"github.com/troupedb/troupe/subscription/watch"
)

// states watches until as many states have come as are wanted, "kind result
// covered", and returns the token of the last.
func (k *kept) states(o watch.Options, want ...string) (token string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), durablePatience)
	defer cancel()
	all, err := k.WatchWith(ctx, o, "GET", "k")
	if err != nil {
		k.t.Fatal(err)
	}
	for _, one := range want {
		st, open := <-all
		if got := string(st.Kind) + " " + st.Result.String(); !open || got != one {
			k.t.Errorf("%s, want %s", got, one)
		}
		token = st.Token
	}
	cancel()
	for range all {
	}
	return token
}

// A watch goes on over a restart if the journal knows that nothing has changed
// since, and is told a reset if something has, or if that is not known.
func TestResumeAfterRestart(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, drawDurableSeed(t))
	open := func() *kept { return keep(t, disk, "appendonly", "yes", "appendfsync", "always", "shards", "2") }
	stop := func(k *kept) {
		t.Helper()
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	k := open()
	k.do("SET", "k", "1")
	before := k.states(watch.Options{}, `state "1"`)
	k.do("SET", "other", "1")
	stop(k)

	k = open()
	k.do("SET", "other", "2")
	again := k.states(watch.Options{Resume: before}, `progress _`)
	k.do("SET", "k", "2")
	k.states(watch.Options{Resume: before}, `reset "2"`)
	k.states(watch.Options{Resume: again}, `state "2"`)
	stop(k)

	k = open()
	k.states(watch.Options{Resume: before}, `reset "2"`)
	now := k.states(watch.Options{}, `state "2"`)
	k.rewrite()
	k.do("SET", "other", "3")
	k.states(watch.Options{Resume: before}, `reset "2"`)
	stop(k)

	k = open()
	k.states(watch.Options{Resume: now, Every: true}, `progress _`)
	k.do("FLUSHALL")
	k.states(watch.Options{Resume: now}, `reset _`)
}

// What was given out and lost by a crash is no place to go on from.
func TestResumeFromWhatWasLost(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	for try := range uint64(50) { // a disk may keep what it need not
		disk := newDisk(t, seed+try)
		k := keep(t, disk, "appendonly", "yes", "appendfsync", "no")
		k.do("SET", "k", "1")
		k.do("WAITAOF", "1", "0", "0")
		safe := k.states(watch.Options{}, `state "1"`)
		k.do("SET", "k", "2")
		lost := k.states(watch.Options{}, `state "2"`)

		k = keep(t, disk.Crash(), "appendonly", "yes")
		if k.do("GET", "k").String() != `"1"` {
			continue
		}
		k.states(watch.Options{Resume: lost}, `reset "1"`)
		k.states(watch.Options{Resume: safe}, `progress _`)
		return
	}
	t.Error("no disk loses anything")
}
