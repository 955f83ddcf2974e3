package shardtest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/stream"
	"github.com/troupedb/troupe/keyspace/zset"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// everyFamily has the commands on values of all types.
var everyFamily = []shardtest.Family{
	&str.Commands, &generic.Commands, &hash.Commands, &list.Commands, &set.Commands, &zset.Commands, &stream.Commands,
}

// Shards are saved while random commands of every family change them: what is
// saved is what there was at the cut, each key once, with all its elements,
// deadlines and groups, whatever has become of it. Some of the values are large
// enough to be frozen; some saves are given up. In the end no memory is left.
func TestSave(t *testing.T) {
	t.Parallel()
	for i := range *seedsFlag {
		for _, shards := range []int{1, 3} {
			seed := *seedFlag + uint64(i)
			t.Run(fmt.Sprintf("seed=%d/shards=%d", seed, shards), func(t *testing.T) {
				t.Parallel()
				r := newSaveRig(t, rand.New(rand.NewPCG(seed, uint64(shards))), shards)
				for range 5 {
					r.fill()
					r.save()
				}
				r.do("FLUSHALL")
				r.w.Sweep()
				if s := r.w.Memory(); s.Held != 0 || s.Gaps != 0 || s.Used != 0 {
					t.Errorf("after everything is gone: %+v", s)
				}
			})
		}
	}
}

// Compaction in between changes no answer but the order of what has none, and
// nothing of what there is: neither what is to be seen nor how much memory that
// takes.
func TestCompactionChangesNothing(t *testing.T) {
	t.Parallel()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 99))
			r := newSaveRig(t, rng, 1+rng.IntN(3))
			r.twin = newSaveRig(t, rng, len(r.w.Shards)).w
			*r.twin.Settings = *r.w.Settings
			for range 4 {
				r.fill()
				for range 3000 {
					r.act()
				}
				r.w.Same(r.twin)
			}
			r.each((*shardtest.World).Sweep)
			if a, b := r.w.Memory(), r.twin.Memory(); a.Used != b.Used || a.Held != b.Held {
				t.Errorf("%+v, and without compaction %+v", a, b)
			}
			for _, sh := range r.w.Shards {
				if sh.Stats.Moved == 0 {
					t.Errorf("shard %d has moved nothing", sh.ID())
				}
			}
		})
	}
}

// saveRig is a World that is filled with large values and changed at random.
type saveRig struct {
	t   *testing.T
	rng *rand.Rand
	w   *shardtest.World
	ids int // of stream entries

	twin *shardtest.World // to which the same is done but for compaction; nil: there is none
}

func newSaveRig(t *testing.T, rng *rand.Rand, shards int) *saveRig {
	w := shardtest.New(t, shards, everyFamily...)
	for _, kind := range []*keyspace.Kind{&str.Kind, &list.Kind, &set.Kind, &zset.Kind, &hash.Kind, &stream.Kind} {
		w.Settings.Kinds[kind.Type] = kind
	}
	pick := func(values ...int) int { return values[rng.IntN(len(values))] }
	w.Settings.ListPackedSize = pick(1, 3, 20, -1, -2)
	w.Settings.StreamBlockEntries, w.Settings.StreamBlockBytes = pick(0, 3, 100), pick(100, 1000, 4096)
	return &saveRig{t: t, rng: rng, w: w}
}

// save saves the World while it changes.
func (r *saveRig) save() {
	r.t.Helper()
	s := r.w.StartSave()
	busy, patience := 1+r.rng.IntN(60), r.rng.IntN(200)
	for steps, done := 0, false; !done; steps++ {
		for range r.rng.IntN(busy) {
			r.act()
		}
		if steps == patience && r.rng.IntN(4) == 0 {
			s.GiveUp()
		}
		done = s.Step(r.rng)
	}
	s.End()
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// act does one thing to the World.
func (r *saveRig) act() {
	switch n := r.rng.IntN(1000); {
	case n < 2:
		r.do("FLUSHALL")
	case n < 5:
		r.do("SWAPDB %d %d", r.rng.IntN(2), r.rng.IntN(2))
	case n < 8:
		r.do("FLUSHDB")
	case n < 15:
		r.do("SELECT %d", r.rng.IntN(2))
	case n < 40:
		ms := r.rng.Int64N(50)
		r.each(func(w *shardtest.World) { w.Advance(ms) })
	case n < 50:
		r.each((*shardtest.World).ExpireDue)
	case n < 60:
		r.w.Sweep()
	case n < 62:
		r.fill()
	case n < 110:
		r.w.Compact(r.rng.IntN(len(r.w.Shards)))
	case n < 200:
		r.keys()
	default:
		[]func(){r.hashes, r.sets, r.sortedSets, r.lists, r.streams, r.strings}[r.rng.IntN(6)]()
	}
}

// each does the same to the World and its twin.
func (r *saveRig) each(do func(w *shardtest.World)) {
	if do(r.w); r.twin != nil {
		do(r.twin)
	}
}

// do runs a command line.
func (r *saveRig) do(line string, args ...any) {
	r.t.Helper()
	line = fmt.Sprintf(line, args...)
	if r.twin != nil {
		r.twin.Seed = r.w.Seed
	}
	if r.twin != nil && strings.HasPrefix(line, "SPOP") {
		return // which depends on the size of a table
	}
	got := r.w.Do(line)
	if r.twin == nil {
		return
	}
	if want := r.twin.Do(line); got != want && (len(got) != len(want) || !strings.HasPrefix(line, "HGETALL")) {
		r.t.Fatalf("%.100s: %.300s, and without compaction %.300s", line, got, want)
	}
}

func (r *saveRig) key(family string) string { return fmt.Sprint(family, ":", r.rng.IntN(3)) }

func (r *saveRig) anyKey() string {
	families := []string{"hash", "set", "zset", "list", "stream", "string"}
	return r.key(families[r.rng.IntN(len(families))])
}

// item is one of many fields, members or elements.
func (r *saveRig) item() string { return fmt.Sprint("item:", r.rng.IntN(3000)) }

// timed is a field that is likely to have a deadline.
func (r *saveRig) timed() string { return fmt.Sprint("item:", r.rng.IntN(50)) }

// items are some, most often few.
func (r *saveRig) items() string {
	n := 1
	if r.rng.IntN(4) == 0 {
		n = 1 + r.rng.IntN(20)
	}
	var list []string
	for range n {
		list = append(list, r.item())
	}
	return strings.Join(list, " ")
}

// text is a value of a length at which something changes.
func (r *saveRig) text() string {
	switch r.rng.IntN(20) {
	case 0:
		return strings.Repeat("x", r.rng.IntN(5000))
	case 1:
		return `""`
	}
	return fmt.Sprint(r.rng.Int64() >> r.rng.IntN(64))
}

// fill makes a large value of each family, and some deadlines.
func (r *saveRig) fill() {
	var pairs, texts, scores strings.Builder
	for i := range 1100 + r.rng.IntN(500) {
		fmt.Fprintf(&pairs, " item:%d %s", i, r.text())
		fmt.Fprintf(&texts, " item:%d", i)
		fmt.Fprintf(&scores, " %d item:%d", r.rng.IntN(100), i)
	}
	r.do("HSET %s%s", r.key("hash"), pairs.String())
	r.do("SADD %s%s", r.key("set"), texts.String())
	r.do("ZADD %s%s", r.key("zset"), scores.String())
	r.do("RPUSH %s%s", r.key("list"), texts.String())
	key := r.key("stream")
	for range 1200 {
		r.addEntry(key)
	}
	r.do("XGROUP CREATE %s g 0", key)
	r.do("XREADGROUP GROUP g c COUNT %d STREAMS %s >", r.rng.IntN(1000), key)
	for range 20 {
		r.do("HPEXPIRE %s %d FIELDS 1 %s", r.key("hash"), 1+r.rng.IntN(5000), r.timed())
	}
	r.do("PEXPIRE %s %d", r.anyKey(), 1+r.rng.IntN(5000))
}

func (r *saveRig) keys() {
	a, b := r.anyKey(), r.anyKey()
	switch r.rng.IntN(12) {
	case 0:
		r.do("DEL %s", a)
	case 1:
		r.do("UNLINK %s %s", a, b)
	case 2, 3:
		r.do("RENAME %s %s", a, b)
	case 4:
		r.do("RENAMENX %s %s", a, b)
	case 5, 6:
		r.do("COPY %s %s REPLACE", a, b)
	case 7:
		r.do("COPY %s %s DB %d REPLACE", a, b, r.rng.IntN(2))
	case 8:
		r.do("MOVE %s %d", a, r.rng.IntN(2))
	case 9:
		r.do("PEXPIRE %s %d", a, 1+r.rng.IntN(300))
	case 10:
		r.do("PERSIST %s", a)
	case 11:
		r.do("SORT %s ALPHA LIMIT 0 %d STORE %s", r.key("set"), r.rng.IntN(1500), b)
	}
}

func (r *saveRig) hashes() {
	key := r.key("hash")
	switch r.rng.IntN(14) {
	case 0, 1, 2:
		r.do("HSET %s %s %s", key, r.item(), r.text())
	case 3, 4:
		r.do("HDEL %s %s", key, r.items())
	case 5:
		r.do("HINCRBY %s %s %d", key, r.item(), r.rng.IntN(1000))
	case 6:
		r.do("HINCRBYFLOAT %s %s 0.5", key, r.item())
	case 7, 8:
		r.do("HPEXPIRE %s %d FIELDS 1 %s", key, r.rng.IntN(3000), r.timed())
	case 9:
		r.do("HPERSIST %s FIELDS 1 %s", key, r.timed())
	case 10:
		r.do("HSETEX %s PX %d FIELDS 1 %s %s", key, 1+r.rng.IntN(300), r.item(), r.text())
	case 11:
		r.do("HSETEX %s KEEPTTL FIELDS 1 %s %s", key, r.timed(), r.text())
	case 12:
		r.do("HGETDEL %s FIELDS 1 %s", key, r.item())
	case 13:
		r.do("HGETALL %s", key)
	}
}

func (r *saveRig) sets() {
	key := r.key("set")
	switch r.rng.IntN(9) {
	case 0, 1:
		r.do("SADD %s %s", key, r.items())
	case 2, 3:
		r.do("SREM %s %s", key, r.items())
	case 4:
		r.do("SPOP %s", key)
	case 5:
		r.do("SPOP %s %d", key, r.rng.IntN(100))
	case 6:
		r.do("SMOVE %s %s %s", key, r.key("set"), r.item())
	case 7:
		r.do("SUNIONSTORE %s %s %s", key, r.key("set"), r.key("set"))
	case 8:
		r.do("SDIFFSTORE %s %s %s", key, r.key("set"), r.key("set"))
	}
}

func (r *saveRig) sortedSets() {
	key, score := r.key("zset"), r.rng.IntN(100)
	switch r.rng.IntN(10) {
	case 0, 1, 2:
		r.do("ZADD %s %d %s", key, score, r.item())
	case 3:
		r.do("ZADD %s GT CH %d %s", key, score, r.item())
	case 4, 5:
		r.do("ZINCRBY %s 1.5 %s", key, r.item())
	case 6:
		r.do("ZREM %s %s", key, r.items())
	case 7:
		r.do("ZPOPMIN %s %d", key, r.rng.IntN(20))
	case 8:
		r.do("ZREMRANGEBYRANK %s -%d -1", key, 1+r.rng.IntN(20))
	case 9:
		r.do("ZUNIONSTORE %s 2 %s %s", key, r.key("zset"), r.key("zset"))
	}
}

func (r *saveRig) lists() {
	key, n := r.key("list"), r.rng.IntN(1200)
	switch r.rng.IntN(14) {
	case 0, 1:
		r.do("LPUSH %s %s", key, r.items())
	case 2, 3:
		r.do("RPUSH %s %s", key, r.items())
	case 4:
		r.do("LPOP %s %d", key, 1+r.rng.IntN(20))
	case 5:
		r.do("RPOP %s %d", key, 1+r.rng.IntN(20))
	case 6:
		r.do("RPOP %s", key)
	case 7, 8:
		r.do("LSET %s %d %s", key, n, r.text())
	case 9:
		r.do("LINSERT %s BEFORE %s %s", key, r.item(), r.text())
	case 10:
		r.do("LREM %s %d %s", key, r.rng.IntN(5)-2, r.item())
	case 11:
		r.do("LTRIM %s %d -%d", key, r.rng.IntN(20), 1+r.rng.IntN(20))
	case 12:
		r.do("LMOVE %s %s RIGHT LEFT", key, r.key("list"))
	case 13:
		if r.rng.IntN(4) == 0 {
			r.do("LTRIM %s %d %d", key, n/2, n)
		}
	}
}

// addEntry adds an entry, with the names of the one before or others.
func (r *saveRig) addEntry(key string) {
	r.ids++
	r.do("XADD %s %d-%d name%d %s", key, r.ids, r.rng.IntN(3), r.rng.IntN(8)/6, r.text())
}

func (r *saveRig) id() int { return max(1, r.ids-r.rng.IntN(3000)) }

func (r *saveRig) streams() {
	key, group, consumer := r.key("stream"), fmt.Sprint("g", r.rng.IntN(2)), fmt.Sprint("c", r.rng.IntN(3))
	switch r.rng.IntN(16) {
	case 0, 1, 2:
		r.addEntry(key)
	case 3, 4:
		r.do("XDEL %s %d-%d %d-0", key, r.id(), r.rng.IntN(3), r.id())
	case 5:
		r.do("XTRIM %s MAXLEN %d", key, 900+r.rng.IntN(600))
	case 6:
		r.do("XTRIM %s MINID ~ %d", key, r.ids-2500)
	case 7, 8:
		r.do("XREADGROUP GROUP %s %s COUNT %d STREAMS %s >", group, consumer, 1+r.rng.IntN(30), key)
	case 9, 10:
		r.do("XACK %s %s %d-%d %d-0", key, group, r.id(), r.rng.IntN(3), r.id())
	case 11:
		r.do("XCLAIM %s %s %s 0 %d-0 %d-1", key, group, consumer, r.id(), r.id())
	case 12:
		r.do("XAUTOCLAIM %s %s %s 0 %d COUNT 5", key, group, consumer, r.id())
	case 13:
		r.do("XGROUP CREATE %s %s %d", key, group, r.id())
	case 14:
		r.do("XGROUP SETID %s %s %d", key, group, r.id())
	case 15:
		r.rare(key, group, consumer)
	}
}

// rare does what takes much away from a stream.
func (r *saveRig) rare(key, group, consumer string) {
	switch r.rng.IntN(12) {
	case 0:
		r.do("XGROUP DESTROY %s %s", key, group)
	case 1:
		r.do("XGROUP DELCONSUMER %s %s %s", key, group, consumer)
	case 2:
		r.do("XTRIM %s MAXLEN %d", key, r.rng.IntN(100))
	case 3:
		r.do("XSETID %s %d", key, r.ids+10)
		r.ids += 10
	}
}

func (r *saveRig) strings() {
	key := r.key("string")
	switch r.rng.IntN(6) {
	case 0, 1:
		r.do("SET %s %s", key, r.text())
	case 2:
		r.do("APPEND %s %s", key, r.text())
	case 3:
		r.do("SETRANGE %s %d x", key, r.rng.IntN(100))
	case 4:
		r.do("SET %s x PX %d", key, 1+r.rng.IntN(100))
	case 5:
		r.do("SET %s %s", r.anyKey(), r.text())
	}
}
