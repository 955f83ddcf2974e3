package keyspace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/table"
)

// shed lets so many bytes go in a turn of all shards.
func (r *rig) shed(bytes int64) (freed int64, noneLeft bool) {
	r.t.Helper()
	r.all(0, func(tx *Tx) { freed, noneLeft = tx.shed(bytes, 1<<30) })
	return freed, noneLeft
}

// keys are those of all databases, as "key@db", sorted.
func (r *rig) keys() (all []string) {
	for db := range r.shards[0].dbs {
		r.all(db, func(tx *Tx) {
			tx.EachShard(func(sh *Shard) {
				if d := &sh.dbs[db]; d.keys != nil {
					for cursor := uint64(0); ; {
						if cursor = d.keys.Scan(cursor, func(s *table.Slot) {
							head := readHeader(sh.mem, s.Ref())
							v := Value{home: home{sh, d}, slot: s, head: head}
							all = append(all, fmt.Sprintf("%s@%d", v.Key(), db))
						}); cursor == 0 {
							return
						}
					}
				}
			})
		})
	}
	slices.Sort(all)
	return all
}

func (r *rig) set100(db int, deadline int64, keys ...string) {
	r.t.Helper()
	r.all(db, func(tx *Tx) {
		for _, key := range keys {
			tx.PutText([]byte(key), make([]byte, 100), deadline, "set")
		}
	})
}

// names are n of them, with a letter before.
func names(letter string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s%03d", letter, i))
	}
	return all
}

// Each policy lets only those keys go that it may, and of these all in the end.
func TestPolicyKeepsKeys(t *testing.T) {
	t.Parallel()
	f := func(p Policy, mayGo string) {
		t.Helper()
		r := newRig(t, 2, 3)
		r.set.Policy, r.set.LFU = p, p.CountsUses()
		r.set100(0, NoDeadline, names("p", 40)...)
		r.set100(2, NoDeadline, names("p", 40)...)
		r.set100(0, r.now+60_000, names("e", 40)...)
		r.set100(2, r.now+50_000, names("e", 40)...)
		for _, noneLeft := r.shed(1); !noneLeft; _, noneLeft = r.shed(1) {
		}
		for _, key := range r.keys() {
			if strings.Contains(mayGo, key[:1]) {
				t.Errorf("%v keeps %s", p, key)
			}
		}
		if got, want := len(r.keys()), 160-80*len(mayGo); got != want {
			t.Errorf("%v: %d keys are left, want %d", p, got, want)
		}
	}
	f(NoEviction, "")
	for _, p := range []Policy{AllKeysLRU, AllKeysLFU, AllKeysRandom} {
		f(p, "pe")
	}
	for _, p := range []Policy{VolatileLRU, VolatileLFU, VolatileRandom, VolatileTTL} {
		f(p, "e")
	}
}

// volatile-ttl lets the key go whose time is the nearest, in whatever database,
// watched or not; with the same key twice, the other database's stays.
func TestTTLIsExact(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 4)
	r.set.Policy = VolatileTTL
	order := []string{}
	for i, key := range names("k", 60) {
		i = i * 37 % 60 // another order
		r.set100(i%4, r.now+int64(1000*i)+1000, key)
		if i%3 == 0 {
			r.all(i%4, func(tx *Tx) { tx.Watch([]byte(key), nobody{}) })
		}
		order = append(order, fmt.Sprintf("%02d %s@%d", i, key, i%4))
	}
	slices.Sort(order)
	for _, next := range order {
		r.shed(1)
		r.wantEvents("evicted " + next[3:])
	}
}

type nobody struct{}

func (nobody) Touched(uint64, int) {}

// Of keys that are used more lately, or more often, all are kept until the others
// are gone, but for few: they are drawn, not compared.
func TestUsedKeysStay(t *testing.T) {
	t.Parallel()
	f := func(p Policy) {
		t.Helper()
		r := newRig(t, 1, 1)
		r.set.Policy, r.set.LFU, r.set.Samples = p, p.CountsUses(), 10
		r.set100(0, r.now+1<<40, names("o", 500)...)
		r.set100(0, r.now+1<<40, names("u", 500)...)
		for range 20 {
			r.now += 2000
			r.all(0, func(tx *Tx) {
				for _, key := range names("u", 500) {
					tx.Lookup([]byte(key))
				}
			})
		}
		for len(r.keys()) > 520 {
			r.shed(1000)
		}
		used := 0
		for _, key := range r.keys() {
			if key[0] == 'u' {
				used++
			}
		}
		if used < 475 {
			t.Errorf("%v: of 500 keys that are used %d are left", p, used)
		}
	}
	for _, p := range []Policy{AllKeysLRU, AllKeysLFU, VolatileLRU, VolatileLFU} {
		f(p)
	}
}

// A candidate that is used, replaced or deleted after it was drawn is none.
func TestCandidatesAreLookedAtAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.set.Policy, r.set.Samples = AllKeysLRU, 64
	r.set100(0, NoDeadline, names("k", 16)...)
	r.now += 10_000
	r.all(0, func(tx *Tx) {
		tx.draw(tx.only, 1) // all of them are candidates
		tx.only.know()
		tx.now += 1000
		tx.stamp = newStamp(tx.now, tx.Settings)
		for _, key := range names("k", 16)[1:] {
			tx.Lookup([]byte(key))
		}
	})
	r.now += 1000
	r.shed(1)
	r.wantEvents("evicted k000@0")
	for range 15 {
		r.shed(1)
	}
	if left := r.keys(); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
	r.wantEmpty()
}

// An eviction is a change: it has a version, is recorded, and watchers hear.
func TestEvictionIsAChange(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 2)
	r.set.Policy = AllKeysRandom
	r.set100(1, NoDeadline, "k")
	w := &listener{}
	r.all(1, func(tx *Tx) { tx.Watch([]byte("k"), w) })
	log := &memoryLog{}
	turn := r.turn()
	turn.Log = log
	tx := Begin(turn, r.shards, 1)
	tx.DB = 0
	tx.shed(1, 100)
	if tx.DB != 0 {
		t.Errorf("database %d is selected", tx.DB)
	}
	r.end(turn, tx)
	r.wantEvents("evicted k@1")
	if got := r.shards[0].Stats.Evicted; got != 1 {
		t.Errorf("%d keys were evicted", got)
	}
	if got := log.text(t); got != "1 DEL k; " {
		t.Errorf("recorded: %s", got)
	}
	if w.changes != 1 || w.version != r.shards[0].Version() {
		t.Errorf("the watcher heard of %d changes up to %d", w.changes, w.version)
	}
}

type listener struct {
	version uint64
	changes int
}

func (l *listener) Touched(version uint64, changes int) {
	l.version, l.changes = version, l.changes+changes
}

// memoryLog keeps what it is given.
type memoryLog struct {
	bodies  []byte
	version uint64
}

func (l *memoryLog) Append(_ int64, bodies []byte, ends []int) (base uint64) {
	l.bodies = append(l.bodies, bodies...)
	l.version += uint64(len(ends))
	return l.version - uint64(len(ends))
}

func (l *memoryLog) text(t *testing.T) string {
	var b strings.Builder
	err := EachEffect(l.bodies, func(e Effect) error {
		fmt.Fprintf(&b, "%d %s; ", e.DB, bytes.Join(e.Words, []byte(" ")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A limit that is taken away while a turn is under way is none for the rest of it: no key
// goes, nothing is refused, and nobody divides by it.
func TestLimitTakenAwayInATurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.set.Policy = AllKeysLRU
	r.set100(0, NoDeadline, names("k", 1000)...)
	bound := &Bound{}
	r.shards[0].tell(bound, AllKeysLRU)
	r.all(0, func(tx *Tx) {
		tx.bound = bound
		if tx.relieve(1, shedMost); tx.excess() > 0 {
			t.Errorf("%d bytes too many, of no limit", tx.excess())
		}
		tx.press()
		if tx.Shed() {
			t.Error("keys go, and there is no limit")
		}
	})
	if n := r.shards[0].Keys(0); n != 1000 {
		t.Errorf("%d keys of 1000 are left", n)
	}
}
