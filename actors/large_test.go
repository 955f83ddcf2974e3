package actors

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// What large values take on their way. This is counted for the whole process,
// so nothing runs beside these tests.

const largeBytes = 8 << 20

// frame is a request of these words.
func frame(words ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(word), word)
	}
	return b
}

// largeUse is what do allocates in Go's heap, and what it leaves in Buffers, in
// bytes.
func largeUse(do func()) (allocated, inBuffers int64) {
	inUse := func() int64 {
		slab.AgeBuffers()
		slab.AgeBuffers()
		return slab.InBuffers()
	}
	var stats runtime.MemStats
	before := inUse()
	runtime.ReadMemStats(&stats)
	had := stats.TotalAlloc
	do()
	runtime.ReadMemStats(&stats)
	return int64(stats.TotalAlloc - had), inUse() - before
}

// A large value takes no memory of Go's heap, neither on its way in nor on its
// way out, and its reply reaches the link in the Buffer that it was written to.
func TestLargeValuesAreWrittenOnce(t *testing.T) {
	for _, shards := range []int{1, 2} {
		w := newWire(t, shards)
		w.out = make([]byte, 0, 4*largeBytes)
		value := strings.Repeat("0123456789abcdef", largeBytes/16)
		bulk := fmt.Sprintf("$%d\r\n%s\r\n", len(value), value)
		f := func(request []byte, want string, given int) {
			t.Helper()
			w.given = 0
			allocated, inBuffers := largeUse(func() { w.say(request) })
			if string(w.out) != want {
				t.Errorf("%.30q: answered with %d bytes, want %d: %.30q", request, len(w.out), len(want), w.out)
			}
			if w.given != given || allocated > 1<<20 || inBuffers != 0 {
				t.Errorf("%.30q: %d Buffers given, %d bytes allocated, %d left in Buffers", request, w.given, allocated, inBuffers)
			}
		}
		get := frame("GET", "k")
		f(frame("SET", "k", value), "+OK\r\n", 0)
		f(get, bulk, 1)
		f(bytes.Repeat(get, 3), strings.Repeat(bulk, 3), 3)
		f([]byte("GET none\r\nPING\r\nGET k\r\nGET none\r\n"), "$-1\r\n+PONG\r\n"+bulk+"$-1\r\n", 1)
		f([]byte("MGET none k k\r\n"), "*3\r\n$-1\r\n"+bulk+bulk, 1)
		f([]byte("CLIENT REPLY SKIP\r\nGET k\r\nPING\r\n"), "+PONG\r\n", 0)
		f([]byte("MULTI\r\nGET k\r\nPING\r\nGET k\r\nEXEC\r\n"),
			"+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n"+bulk+"+PONG\r\n"+bulk, 1)
		f(frame("APPEND", "k", "!"), fmt.Sprintf(":%d\r\n", largeBytes+1), 0)
	}
}
