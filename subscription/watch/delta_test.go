package watch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

func stateOf(result resp.Reply, version uint64) *State {
	return newState(Current, result, resp.V3.Append(nil, result), mark{version, 1, int64(version)})
}

// field is a part of a delta, empty if it has none.
func field(d resp.Reply, name string) []resp.Reply {
	items := d.Items()
	for i := 0; i < len(items); i += 2 {
		if items[i].Str() == name {
			return items[i+1].Items()
		}
	}
	return nil
}

// apply makes of a collection what a delta says, by the rules that clients are
// told: see delta.
func apply(old, d resp.Reply) resp.Reply {
	switch old.Kind() {
	case resp.Pairs:
		return resp.Map(applyToMap(old.Items(), d)...)
	case resp.Unordered:
		return resp.Set(applyToSet(old.Items(), d)...)
	case resp.Couples:
		var flat []resp.Reply
		for _, pair := range applyToList(pairsOf(old.Items()), d) {
			flat = append(flat, pair.Items()...)
		}
		return resp.Twos(flat...)
	}
	return resp.Array(applyToList(old.Items(), d)...)
}

func pairsOf(items []resp.Reply) (pairs []resp.Reply) {
	for i := 0; i < len(items); i += 2 {
		pairs = append(pairs, resp.Array(items[i], items[i+1]))
	}
	return pairs
}

func applyToMap(items []resp.Reply, d resp.Reply) (all []resp.Reply) {
	gone := texts(field(d, "removed"))
	set := field(d, "set")
	for i := 0; i < len(set); i += 2 {
		gone[set[i].Str()] = true
	}
	for i := 0; i < len(items); i += 2 {
		if !gone[items[i].Str()] {
			all = append(all, items[i], items[i+1])
		}
	}
	return append(all, set...)
}

func applyToSet(items []resp.Reply, d resp.Reply) (all []resp.Reply) {
	gone := texts(field(d, "removed"))
	for _, item := range items {
		if !gone[item.Str()] {
			all = append(all, item)
		}
	}
	return append(all, field(d, "added")...)
}

func texts(items []resp.Reply) map[string]bool {
	all := map[string]bool{}
	for _, item := range items {
		all[item.Str()] = true
	}
	return all
}

func applyToList(old []resp.Reply, d resp.Reply) []resp.Reply {
	taken, placed := map[int]bool{}, map[int]resp.Reply{}
	for _, i := range field(d, "removed") {
		taken[int(i.Int())] = true
	}
	size := len(old) - len(taken)
	moved, added := field(d, "moved"), field(d, "added")
	for k := 0; k < len(moved); k += 2 {
		taken[int(moved[k].Int())] = true
		placed[int(moved[k+1].Int())] = old[moved[k].Int()]
	}
	for k := 0; k < len(added); k += 2 {
		placed[int(added[k].Int())] = added[k+1]
		size++
	}
	all := make([]resp.Reply, size)
	next := 0
	for at := range all {
		if item, is := placed[at]; is {
			all[at] = item
			continue
		}
		for taken[next] {
			next++
		}
		all[at] = old[next]
		next++
	}
	return all
}

// sorted is a map or a set in an order of its own.
func sorted(r resp.Reply) string {
	step := 1
	switch r.Kind() {
	case resp.Pairs:
		step = 2
	case resp.Unordered:
	default:
		return resp.Format(r)
	}
	var all []string
	items := r.Items()
	for i := 0; i < len(items); i += step {
		all = append(all, fmt.Sprint(resp.Format(resp.Array(items[i:i+step]...))))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

// A delta applied to what was before is what is now, for collections of every
// shape that change at random.
func TestDeltasApply(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	text := func(n int) resp.Reply { return resp.BulkString("member:" + strconv.Itoa(rng.IntN(n))) }
	distinct := func(n int) (all []resp.Reply) {
		for _, i := range rng.Perm(n)[:rng.IntN(n)] {
			all = append(all, resp.BulkString("member:"+strconv.Itoa(i)))
		}
		return all
	}
	couple := func(keys []resp.Reply) (all []resp.Reply) {
		for _, key := range keys {
			all = append(all, key, resp.Double(float64(rng.IntN(4))))
		}
		return all
	}
	draw := func(shape int) resp.Reply {
		switch shape {
		case 0:
			return resp.Map(couple(distinct(40))...)
		case 1:
			return resp.Set(distinct(40)...)
		case 2:
			return resp.Twos(couple(distinct(40))...)
		}
		items := make([]resp.Reply, rng.IntN(40))
		for i := range items {
			items[i] = text(10) // with equal ones
		}
		return resp.Array(items...)
	}
	made := 0
	for version := uint64(1); version < 20_000; version++ {
		shape := rng.IntN(4)
		from, to := stateOf(draw(shape), version), stateOf(draw(shape), version+1)
		if rng.IntN(2) == 0 { // little is different
			to = stateOf(nudge(rng, from.Result), version+1)
		}
		d := to.since(from)
		if d == nil {
			continue
		}
		made++
		if len(d.v3) >= len(to.v3) {
			t.Fatalf("a delta of %d bytes instead of %d", len(d.v3), len(to.v3))
		}
		if got, want := sorted(apply(from.Result, d.reply)), sorted(to.Result); got != want {
			t.Fatalf("%s and the delta %s are %s, want %s", resp.Format(from.Result), resp.Format(d.reply), got, want)
		}
	}
	if made < 5000 {
		t.Errorf("only %d deltas were made", made)
	}
}

// nudge moves an element of a list, or takes one away.
func nudge(rng *rand.Rand, r resp.Reply) resp.Reply {
	items, step := slices.Clone(r.Items()), 1
	if r.Kind() == resp.Pairs || r.Kind() == resp.Couples {
		step = 2
	}
	if n := len(items) / step; n > 1 {
		i := rng.IntN(n) * step
		one := slices.Clone(items[i : i+step])
		items = slices.Delete(items, i, i+step)
		if j := rng.IntN(n) * step; rng.IntN(3) > 0 {
			items = slices.Insert(items, min(j, len(items)), one...)
		}
	}
	switch r.Kind() {
	case resp.Pairs:
		return resp.Map(items...)
	case resp.Unordered:
		return resp.Set(items...)
	case resp.Couples:
		return resp.Twos(items...)
	}
	return resp.Array(items...)
}

// The forms of deltas, byte by byte.
func TestDeltaForms(t *testing.T) {
	t.Parallel()
	long := resp.BulkString("a member whose name is so long that a delta is always the shorter form")
	b := resp.BulkString
	f := func(from, to resp.Reply, v3, v2 string) {
		t.Helper()
		d := newDelta(stateOf(from, 1), stateOf(to, 2))
		if d == nil {
			t.Fatal("no delta")
		}
		if string(d.v3) != v3 {
			t.Errorf("RESP3: %q", d.v3)
		}
		if string(d.v2) != v2 {
			t.Errorf("RESP2: %q", d.v2)
		}
	}
	f(resp.Map(long, b("1"), b("f"), b("1"), b("g"), b("2")), resp.Map(long, b("1"), b("f"), b("2")),
		"%2\r\n$3\r\nset\r\n%1\r\n$1\r\nf\r\n$1\r\n2\r\n$7\r\nremoved\r\n*1\r\n$1\r\ng\r\n",
		"*4\r\n$3\r\nset\r\n*2\r\n$1\r\nf\r\n$1\r\n2\r\n$7\r\nremoved\r\n*1\r\n$1\r\ng\r\n")
	f(resp.Set(long, b("x")), resp.Set(b("y"), long),
		"%2\r\n$5\r\nadded\r\n*1\r\n$1\r\ny\r\n$7\r\nremoved\r\n*1\r\n$1\r\nx\r\n",
		"*4\r\n$5\r\nadded\r\n*1\r\n$1\r\ny\r\n$7\r\nremoved\r\n*1\r\n$1\r\nx\r\n")
	f(resp.Twos(long, resp.Double(1), b("x"), resp.Double(2)), resp.Twos(b("x"), resp.Double(2), long, resp.Double(1), b("y"), resp.Double(3)),
		"%2\r\n$5\r\nmoved\r\n*2\r\n:1\r\n:0\r\n$5\r\nadded\r\n*2\r\n:2\r\n*2\r\n$1\r\ny\r\n,3\r\n",
		"*4\r\n$5\r\nmoved\r\n*2\r\n:1\r\n:0\r\n$5\r\nadded\r\n*2\r\n:2\r\n*2\r\n$1\r\ny\r\n$1\r\n3\r\n")
	if d := newDelta(stateOf(b("x"), 1), stateOf(b("y"), 2)); d != nil {
		t.Error("a text has a delta")
	}
}
