package actors

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/draw"
)

// drawer is a tier in memory, without an actor: what is written is there at once.
type drawer struct {
	tb     testing.TB
	values map[uint64][]byte
	owners uint64
	broken bool // nothing can be read or written
}

var errDrawer = errors.New("the drawer is stuck")

// Owner implements keyspace.Tier.
func (d *drawer) Owner() uint64 {
	d.owners++
	return d.owners * keyspace.OwnerNumbers
}

// Write implements keyspace.Tier.
func (d *drawer) Write(b *keyspace.Spilled, done func(error)) { done(d.WriteNow(b)) }

// WriteNow implements keyspace.Tier.
func (d *drawer) WriteNow(b *keyspace.Spilled) error {
	if d.broken {
		return errDrawer
	}
	for i, n := range b.Numbers {
		if _, have := d.values[n]; have {
			d.tb.Errorf("number %d is given twice", n)
		}
		d.values[n] = bytes.Clone(b.Value(i))
	}
	return nil
}

// Fetch implements keyspace.Tier.
func (d *drawer) Fetch(wants []keyspace.Want, done func()) {
	d.read(wants)
	done()
}

func (d *drawer) read(wants []keyspace.Want) {
	for i := range wants {
		wants[i].Value, wants[i].Err = d.Read(nil, wants[i].Number)
	}
}

// Read implements keyspace.Tier.
func (d *drawer) Read(dst []byte, number uint64) ([]byte, error) {
	value, have := d.values[number]
	if d.broken {
		return dst, errDrawer
	}
	if !have {
		d.tb.Errorf("number %d is read, which is not there", number)
		return dst, errDrawer
	}
	return append(dst, value...), nil
}

// Forget implements keyspace.Tier.
func (d *drawer) Forget(numbers []uint64) {
	for _, n := range numbers {
		delete(d.values, n)
	}
}

// Drop implements keyspace.Tier.
func (d *drawer) Drop(first uint64) {
	for n := range d.values {
		if n >= first && n < first+keyspace.OwnerNumbers {
			delete(d.values, n)
		}
	}
}

// Hold implements keyspace.Tier.
func (d *drawer) Hold() {}

// Release implements keyspace.Tier.
func (d *drawer) Release() {}

// useTier gives the shards, which are empty, a tier.
func (p *plain) useTier() {
	p.tier = &drawer{tb: p.tb, values: map[uint64][]byte{}}
	for _, sh := range p.shards {
		sh.UseTier(p.tier)
	}
	p.settings.SpillMin = 1
}

// fetch fetches what a batch lacks.
func (p *plain) fetch(x *keyspace.Execute) {
	if p.tier == nil {
		return
	}
	var held []*keyspace.Shard
	for _, i := range x.Shards {
		held = append(held, p.shards[i])
	}
	for wants := x.Lacks(held, len(p.shards)); len(wants) > 0; wants = x.Lacks(held, len(p.shards)) {
		p.tier.read(wants)
	}
}

// spill makes so many bytes of values cold, or begins to: what is returned is
// still on its way.
func (p *plain) spill(now int64, shard int, need int64) (b *keyspace.Spilled) {
	p.turn(now, []int{shard}, func(_ *keyspace.Turn, tx *keyspace.Tx) { b, _ = tx.Spill(need, &keyspace.Bound{}) })
	return b
}

// settle ends the way of what was spilled.
func (p *plain) settle(now int64, shard int, b *keyspace.Spilled) {
	err := p.tier.WriteNow(b)
	p.turn(now, []int{shard}, func(_ *keyspace.Turn, tx *keyspace.Tx) { tx.Spilled(b, err, &keyspace.Bound{}) })
}

// Random commands of all kinds, as transactions, by scripts or alone, get the same
// answers, and make the same of the data, whatever is cold at any time.
func TestColdMakesNoDifference(t *testing.T) {
	t.Parallel()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			newPair(t, rand.New(rand.NewPCG(seed, 77))).run(3000)
		})
	}
}

// pair is two keyspaces that do the same: one has a tier.
type pair struct {
	*trial // that with a tier, and what draws commands
	warm   *plain
	under  map[int][]*keyspace.Spilled // what is on its way, by shard
	spills int
}

func newPair(tb testing.TB, rng *rand.Rand) *pair {
	shards, seed := []int{1, 2, 3, 16}[rng.IntN(4)], rng.Uint64()
	cold := newPlain(tb, shards, seed)
	cold.useTier()
	r := &trial{plain: cold, rng: rng, now: 1_700_000_000_000, draw: draw.Source{Rand: rng}}
	r.twin = newPlain(tb, shards, seed)
	r.twin.settings.SpillMin = cold.settings.SpillMin
	return &pair{trial: r, warm: r.twin, under: map[int][]*keyspace.Spilled{}}
}

func (p *pair) run(steps int) {
	for step := range steps {
		switch p.rng.IntN(8) {
		case 0:
			p.now += int64(p.rng.IntN(400))
		case 1:
			p.chill()
		default:
			p.step()
		}
		if p.rng.IntN(20) == 0 {
			p.compact()
			p.warm.compact()
		}
		if step%500 == 499 {
			p.compareAll()
		}
	}
	p.tb.Logf("%d values have been spilled, %d are in the tier", p.spills, len(p.tier.values))
	if p.spills == 0 {
		p.tb.Error("nothing has been cold")
	}
}

// compact compacts the memory of all shards.
func (p *plain) compact() {
	for _, sh := range p.shards {
		sh.AskCompaction()
		for sh.Compact(&p.settings.Compaction) {
		}
	}
}

// chill spills of some shards, or lets arrive what is on its way; in the order in
// which it went.
func (p *pair) chill() {
	for i := range p.shards {
		for range p.rng.IntN(3) {
			if b := p.spill(p.now, i, int64(p.rng.IntN(20_000))); b != nil {
				p.under[i] = append(p.under[i], b)
				p.spills += b.Len()
			}
		}
		p.tier.broken = p.draw.OneIn(20)
		for len(p.under[i]) > 0 && !p.draw.OneIn(3) {
			p.settle(p.now, i, p.under[i][0])
			p.under[i] = p.under[i][1:]
		}
		p.tier.broken = false
	}
	p.warm.seed = p.seed
}

// step runs the same batch in both.
func (p *pair) step() {
	atomic := p.draw.OneIn(3)
	both := [2]*keyspace.Execute{}
	for i := range both {
		both[i] = &keyspace.Execute{Encoder: resp.V3, Atomic: atomic}
	}
	for range 1 + p.rng.IntN(4) {
		argv := p.command()
		if p.draw.OneIn(5) {
			argv = append(argvOf([]string{"EVAL", runner, "0", fmt.Sprint(len(argv))}), argv...)
		}
		db, row := p.rng.IntN(3)*p.rng.IntN(2), p.row(argv)
		if len(argv) > 200 || row.Flags.Has(command.Blocking) {
			continue
		}
		p.note(db, argv)
		for i, side := range []*plain{p.plain, p.warm} {
			x, own := both[i], side.row(argv)
			x.Requests = append(x.Requests, keyspace.Request{Spec: own.Data, Argv: argv, DB: db})
			side.visit(x, own, argv)
		}
	}
	if len(both[0].Requests) == 0 {
		return
	}
	p.warm.seed = p.seed
	p.post(p.now, both[0])
	p.warm.post(p.now, both[1])
	if !bytes.Equal(both[0].Out, both[1].Out) {
		p.tb.Fatalf("answers\n%q\nand without a tier\n%q\nafter\n%s", both[0].Out, both[1].Out, p.told())
	}
}

func (p *pair) compareAll() {
	p.expire(p.now)
	p.warm.expire(p.now)
	if diff := different(p.content(true), p.warm.content(true)); diff != "" {
		p.tb.Fatalf("with and without a tier, %s\nafter\n%s", diff, p.told())
	}
	p.history = slices.Delete(p.history, 0, len(p.history))
}
