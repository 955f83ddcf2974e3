package rdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// benchValue is a value of so many short elements.
func benchValue(typ keyspace.Type, enc keyspace.Encoding, count int) Value {
	var members []member
	for i := range count {
		members = append(members, member{text: fmt.Sprintf("element:%d", i), value: fmt.Sprintf("value:%d", i*i), score: float64(i) / 8})
	}
	elements := make([]keyspace.Element, count)
	for i := range members {
		elements[i] = members[i].element()
	}
	v := valueOf(typ, enc, members)
	v.Elements = func(yield func(keyspace.Element) bool) {
		for i := range elements {
			if !yield(elements[i]) {
				return
			}
		}
	}
	return v
}

func BenchmarkValues(b *testing.B) {
	for _, k := range kept[2:] {
		v := benchValue(k.typ, k.enc, 100_000)
		if k.enc == keyspace.Listpack || k.enc == keyspace.Intset {
			v = benchValue(k.typ, k.enc, 100)
		}
		if k.enc == keyspace.Intset {
			continue
		}
		b.Run(fmt.Sprint("write/", k.form), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(len(Dump(v))))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*v.Len), "ns/element")
		})
		payload := Dump(v)
		b.Run(fmt.Sprint("read/", k.form), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(payload)))
			for b.Loop() {
				p, err := Open(payload)
				if err != nil || p.Check() != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*v.Len), "ns/element")
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	chance := make([]byte, 1<<20)
	for i := range chance {
		chance[i] = byte(rng.Uint32())
	}
	var c compressor
	for name, text := range map[string][]byte{
		"100 bytes": []byte(fmt.Sprintf("{%q: %d, %q: %q, %q: %q}", "id", 123456, "name", "a person", "mail", "person@example.org and some more words")),
		"repeated":  bytes.Repeat([]byte("the same words again "), 50_000),
		"chance":    chance,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var out []byte
			for b.Loop() {
				out, _ = c.compress(out[:0], text, len(text))
			}
		})
	}
}
