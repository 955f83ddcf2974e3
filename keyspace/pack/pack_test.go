package pack

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

// A length is read as it was written, whatever stands around it, and takes as
// many bytes as it is said to.
func TestLength(t *testing.T) {
	t.Parallel()
	f := func(n, size int) {
		t.Helper()
		b := bytes.Repeat([]byte{0xff}, LengthMax+2)
		next := PutLength(b, 1, n)
		if got, read := Length(b, 1); got != n || read != next {
			t.Errorf("%d was written up to %d, read as %d up to %d", n, next, got, read)
		}
		if next != 1+size || LengthSize(n) != size {
			t.Errorf("%d was written in %d bytes and said to take %d, want %d", n, next-1, LengthSize(n), size)
		}
	}
	f(0, 1)
	f(127, 1)
	f(128, 2)
	f(1<<14-1, 2)
	f(1<<14, 3)
	f(1<<21-1, 3)
	f(1<<21, 4)
	f(1<<28-1, 4)
	f(1<<28, 5)
	f(1<<35-1, LengthMax)
}

func TestText(t *testing.T) {
	t.Parallel()
	f := func(text []byte, size int) {
		t.Helper()
		b := make([]byte, 3+Size(len(text)))
		if next := Put(b, 2, text); next != 2+size || Size(len(text)) != size {
			t.Errorf("%d bytes were put into %d, said to take %d, want %d", len(text), next-2, Size(len(text)), size)
		}
		got, next := Text(b, 2)
		if !bytes.Equal(got, text) || next != 2+size || cap(got) != len(got) {
			t.Errorf("%.20q is read as %.20q, up to %d, with room for %d", text, got, next, cap(got))
		}
		if b[0]|b[1]|b[len(b)-1] != 0 {
			t.Errorf("%.20q was written outside its place", text)
		}
	}
	f(nil, 1)
	f([]byte("a"), 2)
	f(bytes.Repeat([]byte("b"), 127), 128)
	f(bytes.Repeat([]byte("c"), 128), 130)
	f(bytes.Repeat([]byte("d"), 1<<14), 3+1<<14)
}

// Splice agrees with taking apart and putting together, with room and without.
func TestSplice(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		b := make([]byte, rng.IntN(40), 40+rng.IntN(40))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		i := rng.IntN(len(b) + 1)
		j := i + rng.IntN(len(b)-i+1)
		text := bytes.Repeat([]byte("+"), rng.IntN(80))
		want := slices.Concat(b[:i], text, b[j:])
		room := cap(b) >= len(want)
		got := Splice(b, i, j, len(text))
		copy(got[i:], text)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed=%d: %q, want %q", seed, got, want)
		}
		if room && len(got) > 0 && cap(got) != cap(b) {
			t.Fatalf("seed=%d: moved though it fit", seed)
		}
	}
}
