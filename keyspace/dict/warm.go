package dict

import "github.com/troupedb/troupe/keyspace/table"

const (
	warmMin  = 1 << 12 // elements: of fewer, most are at hand
	warmPart = 32      // texts at a time
)

// Warm looks ahead for the elements of texts, so that what is then done with
// them waits less for memory: the waits for different elements do not depend on
// each other, and the processor takes them at the same time. What it returns is
// to be used somehow, so that the reads are made.
func (d *Dict) Warm(texts [][]byte) (touched byte) {
	if d.Len() < warmMin {
		return 0
	}
	var probes [warmPart]table.Probe
	for len(texts) > 0 {
		part := texts[:min(len(texts), warmPart)]
		for i, text := range part {
			probes[i] = d.index.Probe(table.Hash(d.seed, text))
		}
		for i := range part {
			if slot := probes[i].Next(); slot != nil {
				touched += d.mem.Bytes(slot.Ref(), 1)[0]
			}
		}
		texts = texts[len(part):]
	}
	return touched
}
