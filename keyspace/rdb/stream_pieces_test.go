package rdb

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// A stream that was written in parts is read as the one that was written whole.
func TestStreamWriter(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		for _, entries := range []uint64{0, 1, 99, 1000} {
			p := manyEntries(entries)
			for range rng.IntN(3) {
				p.Groups = append(p.Groups, randomGroup(rng, len(p.Groups)))
			}
			var whole, pieces Encoder
			whole.Key(NoMeta, []byte("s"), Value{Type: keyspace.Stream, Stream: p})
			writeParts(&pieces, p, 1+rng.IntN(200))
			want, got := streamOf(t, whole.Bytes()), streamOf(t, pieces.Bytes())
			if got != want {
				t.Errorf("%d entries are read as %.2000s\nwant %.2000s", entries, got, want)
			}
		}
	})
}

func randomGroup(rng *rand.Rand, n int) keyspace.StreamGroup {
	g := keyspace.StreamGroup{Name: fmt.Append(nil, "group", n), Last: keyspace.StreamID{Time: rng.Uint64N(1000)}, Read: rng.Int64N(1000) - 1}
	for i := range 1 + rng.IntN(3) {
		g.Consumers = append(g.Consumers, keyspace.StreamConsumer{Name: fmt.Append(nil, "consumer", i), Seen: rng.Int64N(1 << 40)})
	}
	for i := range rng.IntN(200) {
		g.Pending = append(g.Pending, keyspace.StreamDelivery{
			ID: keyspace.StreamID{Time: uint64(i + 1)}, When: rng.Int64N(1 << 40), Count: rng.Uint64N(5), Consumer: rng.IntN(len(g.Consumers)),
		})
	}
	return g
}

// writeParts writes a stream in runs of so many entries.
func writeParts(e *Encoder, p *keyspace.StreamParts, most int) {
	type entry struct {
		id     keyspace.StreamID
		fields [][]byte
	}
	var all []entry
	for id, fields := range p.Entries {
		all = append(all, entry{id, append([][]byte(nil), fields...)})
	}
	w := e.BeginStream(NoMeta, []byte("s"), (len(all)+most-1)/most)
	for ; len(all) > 0; all = all[min(most, len(all)):] {
		run := all[:min(most, len(all))]
		w.Append(e, keyspace.StreamRun{Entries: func(yield func(keyspace.StreamID, [][]byte) bool) {
			for _, e := range run {
				if !yield(e.id, e.fields) {
					return
				}
			}
		}})
	}
	w.Append(e, keyspace.StreamHead{Length: p.Length, Added: p.Added, Last: p.Last, First: p.First, Deleted: p.Deleted, Groups: len(p.Groups)})
	for i := range p.Groups {
		for part := range groupParts(&p.Groups[i]) {
			w.Append(e, part)
		}
	}
}

func groupParts(g *keyspace.StreamGroup) iter.Seq[keyspace.StreamPart] {
	return func(yield func(keyspace.StreamPart) bool) {
		owned := make([]keyspace.StreamOwned, len(g.Consumers))
		for _, d := range g.Pending {
			owned[d.Consumer] = append(owned[d.Consumer], d.ID)
		}
		half := len(g.Pending) / 2
		parts := []keyspace.StreamPart{
			keyspace.StreamGroupHead{Name: g.Name, Last: g.Last, Read: g.Read, Pending: len(g.Pending)},
			keyspace.StreamDeliveries(g.Pending[:half]), keyspace.StreamDeliveries(g.Pending[half:]), keyspace.StreamConsumers(len(g.Consumers)),
		}
		for i, c := range g.Consumers {
			parts = append(parts, keyspace.StreamConsumerHead{StreamConsumer: c, Pending: len(owned[i])}, owned[i])
		}
		for _, part := range parts {
			if !yield(part) {
				return
			}
		}
	}
}

// streamOf describes the stream that was written with a key.
func streamOf(t *testing.T, b []byte) (all string) {
	t.Helper()
	d := NewDecoder(b)
	form, key := Form(d.Byte()), d.Text()
	p := d.Stream(form)
	if d.Err() != nil || !bytes.Equal(key, []byte("s")) || d.Left() > 0 {
		t.Fatalf("%v, %q, %d bytes are left", d.Err(), key, d.Left())
	}
	for id, fields := range p.Entries {
		all += fmt.Sprintf("%v %q\n", id, fields)
	}
	for _, g := range p.Groups {
		m := groupMember(g)
		all += m.text + m.value + "\n"
	}
	return all + fmt.Sprint(p.Length, p.Added, p.First, p.Last, p.Deleted)
}
