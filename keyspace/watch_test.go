package keyspace

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// put is SET without a time to live.
func (r *rig) put(db int, key, text string) {
	r.t.Helper()
	r.on(db, func(tx *Tx) { tx.PutText([]byte(key), []byte(text), NoDeadline, "set") }, key)
}

func (r *rig) watch(db int, key string, w Watcher) {
	r.t.Helper()
	r.on(db, func(tx *Tx) { tx.Watch([]byte(key), w) }, key)
}

// Every kind of change tells who watches, once a command, and nothing else does.
func TestWatchersAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, 2)
	one, two := &ear{}, &ear{}
	key := []byte("k")
	r.watch(0, "k", one)
	r.watch(0, "k", one) // twice is once
	r.watch(0, "k", two)
	f := func(what string, want bool, do func(*Tx)) {
		t.Helper()
		r.on(0, do, "k")
		if a, b := one.heard(t, r.version), two.heard(t, r.version); a != want || b != want {
			t.Errorf("%s told %v and %v, want %v", what, a, b, want)
		}
	}
	f("deleting what is not there", false, func(tx *Tx) { tx.Delete(key, "del") })
	f("making it", true, func(tx *Tx) { tx.PutText(key, []byte("v"), NoDeadline, "set") })
	f("reading", false, func(tx *Tx) { tx.Lookup(key); tx.Find(key); tx.Peek(key); tx.Glance(key) })
	f("writing", true, func(tx *Tx) { tx.PutInt(key, 5, NoDeadline, "set") })
	f("editing", true, func(tx *Tx) { tx.Edit(key, tx.Find(key), 10, "append") })
	f("resizing", true, func(tx *Tx) { tx.Resize(tx.Find(key), 300, "append") })
	f("touching", true, func(tx *Tx) { tx.Touch(tx.Find(key), "setbit") })
	f("a time to live", true, func(tx *Tx) { tx.Expire(tx.Find(key), r.now+5, "expire") })
	f("a new time to live", true, func(tx *Tx) { tx.Expire(tx.Find(key), r.now+6, "expire") })
	r.now += 6
	f("finding it gone", true, func(tx *Tx) { tx.Peek(key) })
	f("an object", true, func(tx *Tx) { tx.PutObject(key, newPile(tx.MemOf(key), 3, 'x'), NoDeadline, "hset") })
	f("deleting", true, func(tx *Tx) { tx.Delete(key, "del") })
	f("unwatching", false, func(tx *Tx) { tx.Unwatch(key, one); tx.Unwatch(key, one) })
	r.put(0, "k", "v")
	if one.heard(t, r.version) || !two.heard(t, r.version) {
		t.Error("after Unwatch the wrong one is told")
	}
	r.put(1, "k", "v") // another database
	if two.heard(t, r.version) {
		t.Error("a key of another database is watched")
	}
}

// FLUSHDB and SWAPDB tell only of keys that exist, before or after.
func TestWatchersOfWholeDatabases(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3, 3)
	present, absent, other, ended := &ear{}, &ear{}, &ear{}, &ear{}
	r.watch(0, "present", present)
	r.watch(0, "absent", absent)
	r.watch(1, "other", other)
	r.watch(0, "ended", ended)
	f := func(what string, want ...*ear) {
		t.Helper()
		for _, e := range []*ear{present, absent, other, ended} {
			told := e.heard(t, r.version)
			wanted := false
			for _, w := range want {
				wanted = wanted || w == e
			}
			if told != wanted {
				t.Errorf("%s: told %v, want %v", what, told, wanted)
			}
		}
	}
	r.put(0, "present", "v")
	f("set", present)
	r.on(0, func(tx *Tx) { tx.PutText([]byte("ended"), []byte("v"), r.now+1, "set") }, "ended")
	f("set with an end", ended)
	r.now++
	r.all(0, func(tx *Tx) { tx.Flush(1) })
	f("flushing an empty database")
	r.all(0, func(tx *Tx) { tx.SwapDB(0, 1) })
	f("swapping it away", present)
	r.all(0, func(tx *Tx) { tx.SwapDB(0, 2) })
	f("swapping others")
	r.all(0, func(tx *Tx) { tx.SwapDB(0, 2); tx.SwapDB(0, 1) })
	f("swapping it back", present)
	r.put(1, "other", "v")
	f("set other", other)
	r.all(0, func(tx *Tx) { tx.Flush(0, 1, 2) })
	f("flushing all", present, other)
	r.put(0, "present", "v")
	f("set after the flush", present)
}

// A transaction is one change; commands of a batch are one each.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, 1)
	e := &ear{}
	r.watch(0, "b", e)
	set := func(key string) Request {
		return Request{Do: func(tx *Tx) resp.Reply {
			tx.PutText([]byte(key), []byte("v"), NoDeadline, "set")
			return resp.OK
		}}
	}
	run := func(atomic bool) {
		t.Helper()
		turn := r.turn()
		tx := Begin(turn, r.shards, 2)
		tx.Run(turn, &Execute{Encoder: resp.V2, Atomic: atomic, Requests: []Request{set("a"), set("b"), set("a")}})
		tx.End(turn)
	}
	r.version = 100
	run(false)
	if len(e.versions) != 1 || e.versions[0] != 102 || r.version != 103 {
		t.Errorf("told of %v, version %d", e.versions, r.version)
	}
	e.versions = nil
	run(true)
	if len(e.versions) != 1 || e.versions[0] != 104 || r.version != 104 {
		t.Errorf("told of %v, version %d", e.versions, r.version)
	}
	newest := uint64(0)
	for _, sh := range r.shards {
		newest = max(newest, sh.Version())
	}
	if newest != 104 {
		t.Errorf("the newest version of the shards is %d", newest)
	}
}

// Changes of one key in a row are told in one call, each counted once, whatever
// else changes with them.
func TestChangesInARow(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	one, both := &ear{}, &ear{}
	r.watch(0, "a", one)
	r.watch(0, "a", both)
	r.watch(0, "b", both)
	f := func(want string, atomic bool, keys ...string) {
		t.Helper()
		turn := r.turn()
		tx := Begin(turn, r.shards, 1)
		x := &Execute{Encoder: resp.V2, Atomic: atomic}
		for _, key := range keys {
			x.Requests = append(x.Requests, Request{Do: func(tx *Tx) resp.Reply {
				tx.PutText([]byte(key), []byte("v"), NoDeadline, "set")
				return resp.OK
			}})
		}
		r.version = 100
		tx.Run(turn, x)
		tx.End(turn)
		got := fmt.Sprint(one.versions, one.changes, both.versions, both.changes)
		if *one, *both = (ear{}), (ear{}); got != want {
			t.Errorf("%v, atomic %v: told %s, want %s", keys, atomic, got, want)
		}
	}
	f("[103] 3 [103] 3", false, "a", "a", "a")
	f("[102] 1 [101 102 103] 3", false, "b", "a", "b")
	f("[] 0 [] 0", false, "c", "d")
	f("[104] 2 [104] 2", false, "c", "a", "c", "a")
	f("[101] 1 [101] 1", true, "a", "b", "a", "c")
	f("[] 0 [101] 1", true, "b", "b")
}
