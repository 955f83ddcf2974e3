package dict

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

const benchElements = 200_000

func benchDict(b *testing.B) (d *Dict, texts [][]byte) {
	mem := slab.New()
	b.Cleanup(mem.Close)
	d = New(mem, 1, Text)
	for i := range benchElements {
		texts = append(texts, fmt.Appendf(nil, "field:%d", i))
		d.Insert(texts[i], []byte("a value of twenty b."))
	}
	return d, texts
}

// BenchmarkReplace gives elements other values of the same length, in a Dict
// that is not frozen, and in one that is: each but once, so that each is kept.
func BenchmarkReplace(b *testing.B) {
	f := func(name string, frozen bool) {
		b.Run(name, func(b *testing.B) {
			d, texts := benchDict(b)
			var f *Frozen
			thaw := func() {
				for f != nil && !f.Walk(benchElements, nil) {
				}
				if f != nil {
					f.Thaw()
				}
			}
			b.ResetTimer()
			for i := range b.N {
				if frozen && i%benchElements == 0 {
					b.StopTimer()
					thaw()
					f = d.Freeze(nil, new(int64))
					b.StartTimer()
				}
				e, _ := d.Find(texts[i%benchElements])
				d.Replace(e, []byte("another of twenty b."))
			}
			b.StopTimer()
			thaw()
		})
	}
	f("thawed", false)
	f("frozen", true)
}

// BenchmarkWalk visits elements of a Frozen: of those that stay as they are, and
// of those that have all been kept.
func BenchmarkWalk(b *testing.B) {
	f := func(name string, change bool) {
		b.Run(name, func(b *testing.B) {
			d, texts := benchDict(b)
			seen := 0
			for b.Loop() {
				b.StopTimer()
				f := d.Freeze(nil, new(int64))
				for i := 0; change && i < len(texts); i++ {
					e, _ := d.Find(texts[i])
					d.Replace(e, []byte("another of twenty b."))
				}
				b.StartTimer()
				for !f.Walk(64, func(Element, int64) { seen++ }) {
				}
				f.Thaw()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(seen), "ns/element")
		})
	}
	f("unchanged", false)
	f("kept", true)
}
