package actors

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// plain is the keyspace with all its commands and scripts, without an actor: what
// is asked for runs here and now, at a time that the test says.
type plain struct {
	tb        testing.TB
	catalogue *session.Catalogue
	shards    []*keyspace.Shard
	settings  *keyspace.Settings
	seed      uint64 // of the next turn's chance
	log       keyspace.Log
	tier      *drawer // nil: all is in memory
}

func newPlain(tb testing.TB, shards int, seed uint64) *plain {
	p := &plain{tb: tb, catalogue: &session.Catalogue{}, settings: keyspace.DefaultSettings(), seed: seed}
	p.settings.Kinds = kinds()
	families(p.catalogue)
	scripts(p.catalogue)
	p.catalogue.Seal()
	for i := range shards {
		p.shards = append(p.shards, keyspace.NewShard(i, 16, seed))
	}
	tb.Cleanup(func() {
		for _, sh := range p.shards {
			sh.Close()
		}
	})
	return p
}

// turn runs do in a turn over some shards.
func (p *plain) turn(now int64, shards []int, do func(*keyspace.Turn, *keyspace.Tx)) {
	p.seed++
	t := &keyspace.Turn{Now: now, Seed: p.seed, Settings: p.settings, Nanos: func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 }, Log: p.log}
	var held []*keyspace.Shard
	for _, i := range shards {
		held = append(held, p.shards[i])
	}
	tx := keyspace.Begin(t, held, len(p.shards))
	do(t, tx)
	tx.End(t)
}

func (p *plain) all() (shards []int) {
	for i := range p.shards {
		shards = append(shards, i)
	}
	return shards
}

// row is the command that words call; nil for none that can be called.
func (p *plain) row(argv [][]byte) *session.Command {
	row := p.catalogue.Lookup(argv)
	if row == nil || row.Data == nil || !row.ArityOK(len(argv)) {
		return nil
	}
	return row
}

// visit makes a batch visit the shards that a command concerns.
func (p *plain) visit(x *keyspace.Execute, row *session.Command, argv [][]byte) {
	keys, _ := row.AppendKeys(nil, argv)
	for _, key := range keys {
		x.Visit(keyspace.ShardOf(argv[key.Pos], len(p.shards)))
	}
	if row.NeedsAll(argv) || row.Flags.Has(command.ByCursor) {
		x.Shards = p.all()
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
}

// post runs a batch to its end, as often and over as many shards as that takes.
func (p *plain) post(now int64, x *keyspace.Execute) {
	for left := true; left; {
		for again := true; again; {
			again = false
			for _, i := range x.Shards {
				again = again || p.shards[i].Widen(x, len(p.shards))
			}
		}
		p.fetch(x)
		p.turn(now, slices.Clone(x.Shards), func(t *keyspace.Turn, tx *keyspace.Tx) { tx.Run(t, x) })
		if wants, anew := x.Anew(); anew {
			p.tier.read(wants)
			p.seed--
			continue
		}
		if x.Broken != nil {
			p.tb.Fatalf("%s panicked: %v\n%s", x.Broken.Command, x.Broken.Reason, x.Broken.Stack)
		}
		if left = x.Ran < len(x.Requests); left {
			x.Again()
		}
	}
}

// ask runs one command.
func (p *plain) ask(now int64, db int, argv [][]byte) resp.Reply {
	return p.askIn(resp.V3, now, db, argv)
}

func (p *plain) askIn(encoder resp.Encoder, now int64, db int, argv [][]byte) resp.Reply {
	row := p.row(argv)
	if row == nil {
		return resp.Error("ERR no such command")
	}
	x := &keyspace.Execute{Encoder: encoder, Requests: []keyspace.Request{{Spec: row.Data, Argv: argv, DB: db}}}
	p.visit(x, row, argv)
	p.post(now, x)
	reply, _, err := resp.Decode(x.Out)
	if err != nil {
		p.tb.Fatalf("%q is answered %q: %v", argv, x.Out, err)
	}
	return reply
}

// expire removes all that is past its deadline.
func (p *plain) expire(now int64) {
	for i := range p.shards {
		for more := true; more; {
			p.turn(now, []int{i}, func(_ *keyspace.Turn, tx *keyspace.Tx) { more = tx.ExpireDue() })
		}
	}
}

// record is what was recorded of one change.
type record struct {
	at   int64
	body []byte
}

func (r *record) String() string {
	var b strings.Builder
	keyspace.EachEffect(r.body, func(e keyspace.Effect) error {
		fmt.Fprintf(&b, "%s\n", effectLine(e))
		return nil
	})
	return b.String()
}

// effectLine is an effect as a line of a transcript, its database in front.
func effectLine(e keyspace.Effect) string {
	var b strings.Builder
	if e.DB != 0 {
		fmt.Fprintf(&b, "%d> ", e.DB)
	}
	for i, word := range e.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if s := string(word); s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+.*{}_$=>~#:") == "" {
			b.WriteString(s)
		} else {
			b.WriteString(strconv.Quote(s))
		}
	}
	return b.String()
}

// ledger is a Log.
type ledger struct{ records []record }

func (l *ledger) Append(now int64, bodies []byte, ends []int) (base uint64) {
	base = uint64(len(l.records))
	begin := 0
	for _, end := range ends {
		l.records = append(l.records, record{now, bytes.Clone(bodies[begin:end])})
		begin = end
	}
	if begin != len(bodies) {
		panic("effects that belong to no change")
	}
	return base
}

// pending is an effect that is to be redone, as of a time.
type pending struct {
	keyspace.Effect
	at int64
}

func (r *record) effects(tb testing.TB, at int64) (all []pending) {
	err := keyspace.EachEffect(r.body, func(e keyspace.Effect) error {
		all = append(all, pending{keyspace.Effect{DB: e.DB, Words: slices.Clone(e.Words)}, at})
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// redo makes changes again, in a turn over some shards.
func (p *plain) redo(shards []int, list []pending) {
	p.tb.Helper()
	p.turn(before, shards, func(_ *keyspace.Turn, tx *keyspace.Tx) {
		for _, e := range list {
			row := p.row(e.Words)
			if row == nil {
				p.tb.Fatalf("%s is no command", effectLine(e.Effect))
			}
			if reply := tx.Redo(row.Data, e.Effect, e.at); reply.IsError() {
				p.tb.Fatalf("%s is answered %s", effectLine(e.Effect), reply.Str())
			}
		}
	})
}

// redoApart makes changes again shard by shard, in any order of these, with all
// together only for those that concern several.
func (p *plain) redoApart(records []record, rng *rand.Rand) {
	p.tb.Helper()
	queues := make([][]pending, len(p.shards))
	flush := func() {
		for _, i := range rng.Perm(len(queues)) {
			p.redo([]int{i}, queues[i])
			queues[i] = nil
		}
	}
	for i := range records {
		for _, e := range records[i].effects(p.tb, records[i].at) {
			var x keyspace.Execute
			if row := p.row(e.Words); row != nil {
				p.visit(&x, row, e.Words)
			}
			if len(x.Shards) == 1 {
				queues[x.Shards[0]] = append(queues[x.Shards[0]], e)
				continue
			}
			flush()
			p.redo(p.all(), []pending{e})
		}
	}
	flush()
}

// content is what every key holds, in words, by its database and name. What
// deliveries and consumers of streams say of times is left out if times is not set.
func (p *plain) content(times bool) map[string]string {
	all := map[string]string{}
	p.turn(1, p.all(), func(_ *keyspace.Turn, tx *keyspace.Tx) {
		tx.Load(func() {
			for tx.DB = 0; tx.DB < tx.Databases(); tx.DB++ {
				tx.EachWhole(func(v keyspace.Value) bool {
					all[fmt.Sprintf("%d %q", tx.DB, v.Key())] = describe(tx, v, times)
					return true
				})
			}
		})
	})
	return all
}

func describe(tx *keyspace.Tx, v keyspace.Value, times bool) string {
	kind := tx.Kind(v.Type())
	var lines []string
	kind.Each(tx, v, func(e keyspace.Element) bool {
		lines = append(lines, fmt.Sprintf("%q=%q %x %d", e.Text, e.Value, math.Float64bits(e.Score), e.Deadline))
		return true
	})
	if v.Is(keyspace.Set) || v.Is(keyspace.Hash) {
		slices.Sort(lines)
	}
	form := v.Encoding().String()
	if v.Is(keyspace.String) { // whether digits are kept as a number is nobody's promise
		form = ""
	}
	if v.Is(keyspace.Stream) {
		lines = describeStream(kind.Parts(tx, v), times)
	}
	return fmt.Sprintf("%s %s %d\n%s", v.Type(), form, tx.Deadline(v), strings.Join(lines, "\n"))
}

func describeStream(p *keyspace.StreamParts, times bool) (lines []string) {
	for id, fields := range p.Entries {
		lines = append(lines, fmt.Sprintf("%v %q", id, fields))
	}
	lines = append(lines, fmt.Sprint(p.Length, p.Added, p.Last, p.First, p.Deleted))
	for _, g := range p.Groups {
		lines = append(lines, fmt.Sprintf("group %q %v %d", g.Name, g.Last, g.Read))
		for _, c := range g.Consumers {
			if !times {
				c.Seen = 0
			}
			lines = append(lines, fmt.Sprintf(" %q %d", c.Name, c.Seen))
		}
		for _, d := range g.Pending {
			if !times {
				d.When = 0
			}
			lines = append(lines, fmt.Sprint(" ", d.ID, d.When, d.Count, d.Consumer))
		}
	}
	return lines
}

// different says where two contents differ; nothing if they do not.
func different(a, b map[string]string) string {
	var keys []string
	for key := range a {
		if a[key] != b[key] {
			keys = append(keys, key)
		}
	}
	for key := range b {
		if _, found := a[key]; !found {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	key := slices.MinFunc(keys, func(x, y string) int { return cmp.Compare(len(a[x]), len(a[y])) })
	return fmt.Sprintf("%d keys, among them %s:\n%.2000s\nand\n%.2000s", len(keys), key, a[key], b[key])
}
