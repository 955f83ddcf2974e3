package session

import (
	"bytes"
	"math/rand"
	"testing"
	"time"
	"unsafe"
)

func TestBufferClasses(t *testing.T) {
	t.Parallel()
	f := func(size, want int) {
		t.Helper()
		var pool bufferPool
		if got := len(pool.get(size)); got != want {
			t.Fatalf("get(%d) has %d bytes, want %d", size, got, want)
		}
	}
	f(0, 2<<10)
	f(2<<10, 2<<10)
	f(2<<10+1, 4<<10)
	f(16<<10, 16<<10)
	f(64<<10, 64<<10)
	f(64<<10+1, 128<<10)
	f(1<<20, 1<<20)
}

func TestBufferPoolKeepsABoundedNumber(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	for range 1000 {
		pool.put(make([]byte, 64<<10))
		pool.put(make([]byte, 1<<20))
	}
	kept := 0
	for _, class := range pool.free {
		for _, buf := range class {
			kept += len(buf)
		}
	}
	if kept != keptBytesMax {
		t.Fatalf("kept %d bytes, want %d", kept, keptBytesMax)
	}
}

// Random reads and consumption must show exactly the stream.
func TestLinkInputKeepsTheStream(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	var want []byte
	next := byte(0)
	for range 3000 {
		room := in.room(&pool, random.Intn(4) == 0)
		if len(room) == 0 {
			t.Fatal("no room")
		}
		n := random.Intn(min(len(room), 40_000)) + 1
		for i := range n {
			room[i] = next
			want = append(want, next)
			next += 7
		}
		in.filled(n)
		if !bytes.Equal(in.bytes(), want) {
			t.Fatalf("%d bytes shown differ from the %d expected", len(in.bytes()), len(want))
		}
		used := random.Intn(len(want) + 1)
		in.consume(used)
		want = want[used:]
		if in.empty() {
			in.release(&pool)
		}
	}
}

// Held bytes stay where they are, whatever is read behind them.
func TestLinkInputHoldsBytes(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	in := linkInput{read: 2 << 10, least: 2 << 10}
	n := copy(in.room(&pool, false), "held bytes")
	in.filled(n)
	held := in.bytes()
	in.consume(n)
	for range 8 {
		room := in.room(&pool, true)
		for i := range room {
			room[i] = 'x'
		}
		in.filled(len(room))
	}
	in.consume(len(in.bytes()))
	if string(held) != "held bytes" {
		t.Fatalf("held bytes became %q", held)
	}
}

// A frame that comes in small reads is moved a constant number of times a byte.
func TestLinkInputGrowsLinearly(t *testing.T) {
	t.Parallel()
	const frame = 64 << 20
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	moved, received := 0, 0
	for received < frame {
		before := unsafe.SliceData(in.buf)
		room := in.room(&pool, false)
		if unsafe.SliceData(in.buf) != before {
			moved += received
		}
		n := min(len(room), 4096)
		in.filled(n)
		received += n
	}
	if moved > 2*frame {
		t.Fatalf("moved %d bytes for a frame of %d", moved, frame)
	}
	if len(in.buf) > 4*frame {
		t.Fatalf("a buffer of %d for a frame of %d", len(in.buf), frame)
	}
}

// A link that fills its buffers gets bigger ones, and loses them again.
func TestLinkInputWidensReads(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	fill := func(n, want int) {
		t.Helper()
		room := in.room(&pool, false)
		if n == 0 {
			n = len(room)
		}
		in.filled(n)
		in.consume(n - 5) // the frames never end where the reads do
		if in.read != want {
			t.Fatalf("reads %d bytes, want %d", in.read, want)
		}
	}
	fill(100, 16<<10)
	fill(0, 64<<10)
	fill(0, 64<<10)
	if len(in.buf) != 64<<10 {
		t.Fatalf("buffer of %d", len(in.buf))
	}
	fill(100, 16<<10)
	fill(100, 16<<10)
	if len(in.buf) != 16<<10 {
		t.Fatalf("buffer of %d after small reads", len(in.buf))
	}
}

func TestLinkOutputKeepsTheStream(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	var pool bufferPool
	var out linkOutput
	var want, got []byte
	take := func(n int) {
		n = min(n, len(out.front()))
		got = append(got, out.front()[:n]...)
		out.advance(n, &pool)
	}
	for range 500 {
		p := make([]byte, random.Intn(20_000))
		random.Read(p)
		want = append(want, p...)
		out.add(p, &pool)
		for random.Intn(3) > 0 && out.size > 0 {
			take(random.Intn(30_000) + 1)
		}
		if out.size != len(want)-len(got) {
			t.Fatalf("size %d, want %d", out.size, len(want)-len(got))
		}
	}
	for out.size > 0 {
		take(1 << 20)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("the stream came out different")
	}
	if out.chunks != nil {
		t.Fatal("an empty queue holds chunks")
	}
}
