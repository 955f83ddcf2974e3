package dict

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Looking ahead reads what is there, and changes nothing.
func TestWarm(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, warmMin, 2 * warmMin} {
		d := New(slab.New(), 1, None)
		var texts [][]byte
		for i := range n {
			text := fmt.Appendf(nil, "element:%d", i)
			d.Insert(text, nil)
			texts = append(texts, text)
		}
		bytes := d.Bytes()
		absent := []byte("another")
		if touched := d.Warm(append(texts, absent)); touched == 0 && n >= warmMin {
			t.Errorf("of %d elements none was touched", n)
		}
		if d.Len() != n || d.Bytes() != bytes {
			t.Errorf("%d elements have become %d", n, d.Len())
		}
		if _, found := d.Find(absent); found {
			t.Errorf("an absent element was found among %d", n)
		}
		for _, text := range texts {
			if _, found := d.Find(text); !found {
				t.Fatalf("%s is gone", text)
			}
		}
	}
}
