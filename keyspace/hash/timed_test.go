package hash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// The bytes are those that the package comment describes.
func TestTimedLayout(t *testing.T) {
	t.Parallel()
	f := func(b packed, want string) {
		t.Helper()
		if string(b) != want {
			t.Errorf("%q, want %q", b, want)
		}
	}
	b := packed(nil).add([]byte("a"), []byte("v")).add([]byte("bc"), nil).makeTimed()
	f(b, "\x05\x02a\x01v\x04bc\x00")
	p, _ := b.find([]byte("a"))
	b = b.setDeadline(p, 0x060504030201)
	f(b, "\x05\x03a\x01v\x01\x02\x03\x04\x05\x06\x04bc\x00")
	p, _ = b.find([]byte("a"))
	b = b.replace(p, []byte("xyz"))
	f(b, "\x05\x03a\x03xyz\x01\x02\x03\x04\x05\x06\x04bc\x00")
	p, _ = b.find([]byte("a"))
	b = b.setDeadline(p, 7)
	f(b, "\x05\x03a\x03xyz\x07\x00\x00\x00\x00\x00\x04bc\x00")
	left, removed := append(packed(nil), b...).removePast(7)
	if f(left, "\x03\x04bc\x00"); removed != 1 {
		t.Errorf("%d removed", removed)
	}
	p, _ = b.find([]byte("a"))
	b = b.dropDeadline(p)
	f(b, "\x05\x02a\x03xyz\x04bc\x00")
	p, _ = b.find([]byte("bc"))
	f(b.remove(p), "\x03\x02a\x03xyz")
	long := strings.Repeat("f", 64)
	f(packed(nil).add([]byte(long), nil).makeTimed(), "\x03\x80\x01"+long+"\x00")
}

// timedModel is a hash with deadlines as one would write it down.
type timedModel struct {
	*model
	words
	ends map[string]int64
	mem  *slab.Heap
}

func (m *timedModel) nearest() (when int64) {
	for _, end := range m.ends {
		if when == 0 || end < when {
			when = end
		}
	}
	return when
}

// A timed packed hash and a large one agree with the model after every change,
// with one another when the first becomes the second, and in their copies.
func TestTimedAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 5, func(t *testing.T, rng *rand.Rand) {
		for round := range 20 {
			mem, other := slab.New(), slab.New()
			m := &timedModel{newModel(), words{rng}, map[string]int64{}, mem}
			e := edit{fields: fields{packed: packed(nil).makeTimed()}, drafted: true}
			if round%2 == 0 {
				e.large = newLarge(mem, rng.Uint64())
			}
			for now := int64(1); now < 400; now++ {
				timedStep(t, &e, m, now)
				compareTimed(t, &e.fields, m)
			}
			if e.large != nil {
				c := e.large.Copy(mem, other).(*large)
				compareTimed(t, &fields{large: c}, m)
				free(t, e.large, mem)
				compareTimed(t, &fields{large: c}, m)
				free(t, c, other)
			}
			mem.Close()
			other.Close()
		}
	})
}

// timedStep does one thing to a field, here and in the model.
func timedStep(t *testing.T, e *edit, m *timedModel, now int64) {
	t.Helper()
	field, text := m.words.field(40), m.words.value()
	_, had := m.model.value[field]
	set := func(keep bool) {
		var added bool
		if e.large != nil {
			added = e.large.set([]byte(field), []byte(text), keep)
		} else {
			added = e.putPacked([]byte(field), []byte(text), keep)
		}
		if added == had {
			t.Fatalf("%q was added: %v", field, added)
		}
		if m.set(field, text); !keep {
			delete(m.ends, field)
		}
	}
	switch n := m.rng.IntN(10); {
	case n < 2:
		set(false)
	case n < 3:
		set(true)
	case n < 7 && had:
		when := now + 1 + m.rng.Int64N(100)
		e.setDeadline([]byte(field), when)
		m.ends[field] = when
	case n == 7 && had:
		e.setDeadline([]byte(field), 0)
		delete(m.ends, field)
	case n == 8:
		if e.remove([]byte(field)) != had {
			t.Fatalf("%q was removed: %v", field, !had)
		}
		m.remove(field)
		delete(m.ends, field)
	case n == 9:
		if e.large != nil && e.large.due != nil {
			e.large.removePast(nil, m.mem, now, 1<<20)
		} else if e.large == nil {
			e.packed, _ = e.packed.removePast(now)
		}
		for field, when := range m.ends {
			if when <= now {
				m.remove(field)
				delete(m.ends, field)
			}
		}
	}
}

func compareTimed(t *testing.T, h *fields, m *timedModel) {
	t.Helper()
	if h.len() != len(m.order) {
		t.Fatalf("%d fields, want %d", h.len(), len(m.order))
	}
	for field, want := range m.model.value {
		text, when, found := h.find([]byte(field), true)
		if !found || string(text) != want || when != m.ends[field] {
			t.Fatalf("%q is %.30q, ends at %d, found %v, want %.30q, %d", field, text, when, found, want, m.ends[field])
		}
	}
	if when := max(h.nearest(), 0); when != m.nearest() {
		t.Fatalf("the nearest deadline is %d, want %d", when, m.nearest())
	}
}

// Fields that count as gone are nowhere, though they are still there.
func TestPastFields(t *testing.T) {
	t.Parallel()
	mem := slab.New()
	defer mem.Close()
	l := newLarge(mem, 1)
	for i := range 1000 {
		l.set(fmt.Append(nil, i), []byte("v"), false)
		if i%10 != 0 {
			e, _ := l.Find(fmt.Append(nil, i))
			l.setDeadline(e, int64(i+1))
		}
	}
	h := fields{large: l, past: 500}
	seen := 0
	h.each(func(_, _ []byte) bool { seen++; return true })
	if want := 1000 - 450; seen != want || h.len() != want {
		t.Errorf("%d fields seen, %d counted, want %d", seen, h.len(), want)
	}
	f := func(field string, want bool) {
		t.Helper()
		if _, found := h.get([]byte(field)); found != want {
			t.Errorf("%s is found: %v", field, found)
		}
	}
	f("499", false)
	f("500", true)
	f("501", true)
	f("490", true)
	if l.allPast(2000) {
		t.Error("all are past, also those that never end")
	}
}
