package keyspace

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
)

// rig is a keyspace in a test's hand: shards, a clock, a counter of versions.
type rig struct {
	t       *testing.T
	shards  []*Shard
	now     int64
	version uint64
	set     *Settings
	events  string // those of the last turn
	seed    uint64
}

func newRig(t *testing.T, shards, databases int) *rig {
	r := &rig{t: t, now: 1_000_000, set: DefaultSettings()}
	r.set.Events = true
	for i := range shards {
		r.shards = append(r.shards, NewShard(i, databases, 7))
	}
	t.Cleanup(func() {
		for _, sh := range r.shards {
			sh.Close()
		}
	})
	return r
}

func (r *rig) turn() *Turn {
	r.seed++
	return &Turn{
		Now: r.now, Seed: r.seed, Settings: r.set,
		Nanos:    func() int64 { return 0 },
		Versions: func(n int) uint64 { r.version += uint64(n); return r.version - uint64(n) },
	}
}

// over runs do as one command of the database over the shards given.
func (r *rig) over(shards []*Shard, db int, do func(*Tx)) {
	r.t.Helper()
	t := r.turn()
	tx := Begin(t, shards, len(r.shards))
	x := &Execute{Encoder: resp.V3, Requests: []Request{{DB: db, Do: func(tx *Tx) resp.Reply {
		do(tx)
		return resp.OK
	}}}}
	tx.Run(t, x)
	if x.Broken != nil {
		r.t.Fatalf("panic: %v\n%s", x.Broken.Reason, x.Broken.Stack)
	}
	r.end(t, tx)
}

func (r *rig) end(t *Turn, tx *Tx) {
	var list []string
	for _, e := range tx.Events() {
		list = append(list, fmt.Sprintf("%s %s@%d", e.Name, e.Key, e.DB))
	}
	r.events = strings.Join(list, ", ")
	tx.End(t)
}

// all runs do over all shards, on the shards of the keys given.
func (r *rig) all(db int, do func(*Tx)) { r.t.Helper(); r.over(r.shards, db, do) }

func (r *rig) on(db int, do func(*Tx), keys ...string) {
	r.t.Helper()
	x := &Execute{}
	for _, key := range keys {
		x.Visit(ShardOf([]byte(key), len(r.shards)))
	}
	var held []*Shard
	for _, i := range x.Shards {
		held = append(held, r.shards[i])
	}
	r.over(held, db, do)
}

// expireDue is the tick of each shard.
func (r *rig) expireDue() {
	for _, sh := range r.shards {
		for r.expireSlice(sh) {
		}
	}
}

// expireSlice is one tick of a shard.
func (r *rig) expireSlice(sh *Shard) (more bool) {
	t := r.turn()
	tx := Begin(t, []*Shard{sh}, len(r.shards))
	more = tx.ExpireDue()
	r.end(t, tx)
	return more
}

func (r *rig) wantEvents(want string) {
	r.t.Helper()
	if r.events != want {
		r.t.Errorf("events: got %s, want %s", r.events, want)
	}
}

// wantEmpty sweeps, and demands that no slab memory is in use.
func (r *rig) wantEmpty() {
	r.t.Helper()
	for _, sh := range r.shards {
		for sh.Sweep() {
		}
		if held := sh.mem.Stats().Held; held != 0 {
			r.t.Errorf("shard %d holds %d bytes and should hold none", sh.id, held)
		}
		if live := len(sh.objects.list) - len(sh.objects.free); live != 0 {
			r.t.Errorf("shard %d has %d objects left", sh.id, live)
		}
	}
}

// pile is an Object of so many allocations, whose bytes are the pile's mark.
type pile struct {
	refs []slab.Ref
	mark byte
}

const pileBytes = 40

func newPile(mem *slab.Heap, n int, mark byte) *pile {
	p := &pile{mark: mark}
	for range n {
		ref := mem.Alloc(pileBytes)
		b := mem.Bytes(ref, pileBytes)
		for i := range b {
			b[i] = mark
		}
		p.refs = append(p.refs, ref)
	}
	return p
}

func (p *pile) Type() Type         { return Hash }
func (p *pile) Encoding() Encoding { return HashTable }
func (p *pile) Len() int           { return len(p.refs) }
func (p *pile) Bytes() int64       { return int64(len(p.refs)) * pileBytes }

func (p *pile) Free(mem *slab.Heap, most int) (done bool) {
	for ; most > 0 && len(p.refs) > 0; most-- {
		last := len(p.refs) - 1
		mem.Free(p.refs[last], pileBytes)
		p.refs = p.refs[:last]
	}
	return len(p.refs) == 0
}

func (p *pile) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	for i := int(cursor); i < len(p.refs); i++ {
		if m.Spent() {
			return uint64(i)
		}
		if m.Left--; m.Wants(p.refs[i]) {
			m.Move(p.refs[i], pileBytes, func(to slab.Ref) { p.refs[i] = to })
		}
	}
	return 0
}

func (p *pile) Copy(from, mem *slab.Heap) Object {
	if !p.intact(from) {
		panic("a pile is copied from the wrong heap")
	}
	return newPile(mem, len(p.refs), p.mark)
}

// intact reports whether all bytes are as they were written.
func (p *pile) intact(mem *slab.Heap) bool {
	for _, ref := range p.refs {
		for _, c := range mem.Bytes(ref, pileBytes) {
			if c != p.mark {
				return false
			}
		}
	}
	return true
}

// ear is a Watcher that notes what it is told.
type ear struct {
	versions []uint64
	changes  int
}

func (e *ear) Touched(version uint64, changes int) {
	e.versions = append(e.versions, version)
	e.changes += changes
}

// heard is whether the ear was told, with nothing but this version, since the
// last call.
func (e *ear) heard(t *testing.T, version uint64) bool {
	t.Helper()
	told := len(e.versions) > 0
	for _, v := range e.versions {
		if v != version {
			t.Errorf("told of version %d, want %d", v, version)
		}
	}
	e.versions = nil
	return told
}

// slowed reports whether the race detector takes most of the time.
func slowed() bool {
	build, _ := debug.ReadBuildInfo()
	return slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
