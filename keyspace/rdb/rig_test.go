package rdb

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// eachSeed runs a random test with each of the seeds asked for.
func eachSeed(t *testing.T, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

// drawText draws a text of up to so many bytes: of chance, of few letters, of
// repetitions, or a number.
func drawText(rng *rand.Rand, most int) []byte {
	text := make([]byte, rng.IntN(most+1))
	switch rng.IntN(5) {
	case 0:
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
	case 1:
		for i := range text {
			text[i] = "ab"[rng.IntN(2)]
		}
	case 2:
		part := []byte("a part, ")[:1+rng.IntN(8)]
		for i := range text {
			text[i] = part[i%len(part)]
		}
	case 3:
		return strconv.AppendInt(nil, drawNumber(rng), 10)
	default:
		for i := range text {
			text[i] = byte('a' + rng.IntN(26))
		}
	}
	return text
}

// drawNumber draws a number near the bounds of some width.
func drawNumber(rng *rand.Rand) int64 {
	n := int64(1)<<rng.IntN(64) + rng.Int64N(5) - 2
	if rng.IntN(2) == 0 {
		n = -n
	}
	return n
}

func drawScore(rng *rand.Rand) float64 {
	switch rng.IntN(6) {
	case 0:
		return math.Inf(1 - 2*rng.IntN(2))
	case 1:
		return math.Copysign(0, -1)
	case 2:
		return float64(drawNumber(rng))
	case 3:
		return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(600)-300))
	}
	return float64(rng.IntN(2000)-1000) / 8
}

// member is an element that a test can keep and compare.
type member struct {
	text, value string
	score       float64
	deadline    int64
}

func (m member) element() keyspace.Element {
	return keyspace.Element{Text: []byte(m.text), Value: []byte(m.value), Score: m.score, Deadline: m.deadline}
}

// keep copies an element.
func keep(e keyspace.Element) member {
	return member{string(e.Text), string(e.Value), e.Score, e.Deadline}
}

// same compares members, negative zeros and all.
func same(a, b []member) bool {
	return slices.EqualFunc(a, b, func(a, b member) bool {
		return a == b && math.Signbit(a.score) == math.Signbit(b.score)
	})
}

// valueOf is a value made of members.
func valueOf(typ keyspace.Type, enc keyspace.Encoding, members []member) Value {
	return Value{Type: typ, Encoding: enc, Len: len(members), Elements: func(yield func(keyspace.Element) bool) {
		for _, m := range members {
			if !yield(m.element()) {
				return
			}
		}
	}}
}

// collect reads all of a value.
func collect(d *Decoder, f Form) (all []member) {
	for e := range d.Elements(f) {
		all = append(all, keep(e))
	}
	return all
}

// closed makes a payload of a value's bytes, with a good footer.
func closed(value []byte) []byte {
	out := binary.LittleEndian.AppendUint16(bytes.Clone(value), version)
	return binary.LittleEndian.AppendUint64(out, Checksum(0, out))
}

// wrapped is the payload of a form that is one packed text.
func wrapped(f Form, packed []byte) []byte {
	e := NewEncoder([]byte{byte(f)})
	e.Text(packed)
	return closed(e.Bytes())
}

// ziplist makes a ziplist of texts, each in the shortest form, as a
// redis-server before 7.0 did.
func ziplist(texts ...string) []byte {
	b := make([]byte, ziplistHead)
	before, last := 0, ziplistHead
	for _, text := range texts {
		last = len(b)
		if before < ziplistFar {
			b = append(b, byte(before))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, ziplistFar), uint32(before))
		}
		b = appendZiplistEntry(b, text)
		before = len(b) - last
	}
	b = append(b, ziplistEnd)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[ziplistLast:], uint32(last))
	binary.LittleEndian.PutUint16(b[ziplistCount:], uint16(min(len(texts), math.MaxUint16)))
	return b
}

func appendZiplistEntry(b []byte, text string) []byte {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != text:
		return appendZiplistText(b, text)
	case n >= 0 && n <= 12:
		return append(b, 0xf1+byte(n))
	case n == int64(int8(n)):
		return append(b, ziplistInt8, byte(n))
	case n == int64(int16(n)):
		return binary.LittleEndian.AppendUint16(append(b, ziplistInt16), uint16(n))
	case n >= -1<<23 && n < 1<<23:
		return append(b, ziplistInt24, byte(n), byte(n>>8), byte(n>>16))
	case n == int64(int32(n)):
		return binary.LittleEndian.AppendUint32(append(b, ziplistInt32), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(b, ziplistInt64), uint64(n))
}

func appendZiplistText(b []byte, text string) []byte {
	switch n := len(text); {
	case n < 1<<6:
		b = append(b, byte(n))
	case n < 1<<14:
		b = append(b, 1<<6|byte(n>>8), byte(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 2<<6), uint32(n))
	}
	return append(b, text...)
}

// zipmap makes a zipmap of pairs, the nth value with n free bytes behind it.
func zipmap(pairs ...string) []byte {
	b := []byte{byte(min(len(pairs)/2, zipmapUncounted))}
	length := func(n int) {
		if n < zipmapFar {
			b = append(b, byte(n))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, zipmapFar), uint32(n))
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		length(len(pairs[i]))
		b = append(b, pairs[i]...)
		length(len(pairs[i+1]))
		free := i / 2 % 5
		b = append(b, byte(free))
		b = append(append(b, pairs[i+1]...), make([]byte, free)...)
	}
	return append(b, zipmapEnd)
}

// listpack makes a listpack of texts.
func listpack(texts ...string) []byte {
	var w listpackWriter
	w.begin()
	for _, text := range texts {
		w.text([]byte(text))
	}
	return w.end()
}

// manyTexts are texts of all the widths that packed forms tell apart.
func manyTexts() (texts []string) {
	for _, n := range []int{0, 1, 63, 64, 127, 128, 253, 254, 255, 4095, 4096, 16380, 16383, 16384, 70_000} {
		texts = append(texts, fmt.Sprintf("%0*d", n, 7)[:n])
	}
	for bit := range 64 {
		for _, n := range []int64{1<<bit - 1, 1 << bit, 1<<bit + 1} {
			texts = append(texts, strconv.FormatInt(n, 10), strconv.FormatInt(-n, 10))
		}
	}
	slices.Sort(texts)
	return slices.Compact(append(texts, "-0", "007", "+1", "1.5", " 1", "\xff\x00\xfe", "zz"))
}

// allocated is how many bytes have ever been allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
