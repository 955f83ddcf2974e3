package rdb

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// What was compressed comes back, whatever it is, and by one compressor for
// many texts as by a new one for each.
func TestCompressedComesBack(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		var c compressor
		for range 300 {
			text := drawText(rng, 1<<rng.IntN(17))
			got, ok := c.compress([]byte("before"), text, len(text)+len(text)/literalMax+2)
			if !ok || string(got[:6]) != "before" {
				t.Fatalf("%d bytes do not fit what they need at most, %d", len(text), len(got))
			}
			out, ok := decompress(got[6:], len(text))
			if !ok || !bytes.Equal(out, text) {
				t.Fatalf("%d bytes became %d and then %d others", len(text), len(got)-6, len(out))
			}
		}
	})
}

func TestCompressionSaves(t *testing.T) {
	t.Parallel()
	f := func(text string, atMost int) {
		t.Helper()
		var c compressor
		if got, ok := c.compress(nil, []byte(text), atMost); !ok {
			t.Errorf("%d bytes take more than %d", len(text), atMost)
		} else if out, ok := decompress(got, len(text)); !ok || string(out) != text {
			t.Errorf("%.20q… comes back as %.20q…", text, out)
		}
	}
	f(strings.Repeat("a", 21), 5)
	f(strings.Repeat("a", 100_000), 1200)
	f(strings.Repeat("the same words again ", 1000), 300)
	f(strings.Repeat("x", 8192)+"needle"+strings.Repeat("y", 8192)+"needle", 220)
}

// A text that cannot be made shorter is given up, and leaves nothing behind
// that the next one would take for its own.
func TestCompressionGivesUp(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		var c compressor
		for range 50 {
			text := make([]byte, 5000)
			for i := range text {
				text[i] = byte(rng.Uint32())
			}
			if out, ok := c.compress(nil, text, len(text)-compressGain); ok {
				t.Fatalf("%d bytes of chance became %d", len(text), len(out))
			}
			again := append(bytes.Clone(text[:100]), text[:100]...)
			got, ok := c.compress(nil, again, 150)
			if out, good := decompress(got, len(again)); !ok || !good || !bytes.Equal(out, again) {
				t.Fatal("a text twice does not come back")
			}
		}
	})
}

// The base that keeps texts apart begins anew before it overflows.
func TestCompressorBaseBeginsAnew(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("abcdefgh", 100))
	var c compressor
	c.compress(nil, text, len(text))
	c.next = 1<<32 - 500
	for range 3 {
		got, _ := c.compress(nil, text, len(text))
		if out, ok := decompress(got, len(text)); !ok || !bytes.Equal(out, text) {
			t.Fatal("the text does not come back")
		}
	}
	if c.next > 5000 {
		t.Errorf("the base is %d", c.base)
	}
}

func TestDecompressRefuses(t *testing.T) {
	t.Parallel()
	f := func(in string, size int) {
		t.Helper()
		if out, ok := decompress([]byte(in), size); ok {
			t.Errorf("%q of %d bytes is %q", in, size, out)
		}
	}
	f("\x02abc", 4)             // less than it should be
	f("\x02abc", 2)             // more
	f("\x02ab", 3)              // a literal without its last byte
	f("\x00a\x20", 4)           // a match without its distance
	f("\x00a\xe0\x00", 10)      // a long one
	f("\x00a\xe0", 10)          // without its length
	f("\x00a\x20\x01", 4)       // from before the begin
	f("\x20\x00", 3)            // with nothing before it
	f("", 1)                    // nothing
	f("\x00a\xe0\xff\x00", 1e9) // much less than it should be
}
