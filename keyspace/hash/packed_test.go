package hash

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A packed hash agrees with the model after every change, whether it has room
// to change in place or not.
func TestPackedAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 30 {
			fields := 1 + rng.IntN(300)
			m, w := newModel(), words{rng}
			var b packed
			for range 400 {
				field, value := w.field(fields), w.value()
				p, found := b.find([]byte(field))
				_, had := m.value[field]
				if found != had {
					t.Fatalf("%q: found %v, want %v", field, found, had)
				}
				switch {
				case rng.IntN(3) > 0 && !found:
					m.set(field, value)
					b = b.add([]byte(field), []byte(value))
				case rng.IntN(2) > 0 && found:
					m.set(field, value)
					b = b.replace(p, []byte(value))
				case found:
					m.remove(field)
					b = b.remove(p)
				}
				if rng.IntN(8) == 0 {
					b = append(make(packed, 0, len(b)), b...)
				}
			}
			comparePacked(t, b, m)
		}
	})
}

func comparePacked(t *testing.T, b packed, m *model) {
	t.Helper()
	if b.len() != len(m.order) {
		t.Fatalf("%d fields, want %d", b.len(), len(m.order))
	}
	i := 0
	h := fields{packed: b}
	h.each(func(field, value []byte) bool {
		if string(field) != m.order[i] || string(value) != m.value[m.order[i]] {
			t.Fatalf("field %d is %q %q, want %q %q", i, field, value, m.order[i], m.value[m.order[i]])
		}
		i++
		return true
	})
	if i != len(m.order) {
		t.Fatalf("%d fields seen, want %d", i, len(m.order))
	}
}

// The bytes are those that the package comment describes.
func TestPackedLayout(t *testing.T) {
	t.Parallel()
	f := func(b packed, want string) {
		t.Helper()
		if string(b) != want {
			t.Errorf("%q, want %q", b, want)
		}
	}
	b := packed(nil).add([]byte("a"), nil)
	f(b, "\x02\x01a\x00")
	b = b.add(nil, []byte("xyz"))
	f(b, "\x04\x01a\x00\x00\x03xyz")
	p, _ := b.find([]byte("a"))
	b = b.replace(p, bytes.Repeat([]byte("v"), 200))
	f(b, "\x04\x01a\xc8\x01"+string(bytes.Repeat([]byte("v"), 200))+"\x00\x03xyz")
	p, _ = b.find([]byte("a"))
	b = b.remove(p)
	f(b, "\x02\x00\x03xyz")
	p, _ = b.find([]byte(""))
	f(b.remove(p), "\x00")
}

// The number of fields takes two bytes from 64 on.
func TestPackedHeadGrows(t *testing.T) {
	t.Parallel()
	var b packed
	m := newModel()
	for i := range 130 {
		field := string(rune('A' + i))
		m.set(field, "v")
		b = b.add([]byte(field), []byte("v"))
		comparePacked(t, b, m)
	}
	for len(m.order) > 0 {
		p, _ := b.find([]byte(m.order[0]))
		m.remove(m.order[0])
		b = b.remove(p)
		comparePacked(t, b, m)
	}
}
