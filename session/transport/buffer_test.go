package transport

import (
	"bytes"
	"math/rand"
	"testing"
	"time"
	"unsafe"

	"github.com/troupedb/troupe/keyspace/slab"
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
		pool.put(make([]byte, 2<<20))
	}
	kept := int64(0)
	for _, class := range pool.free {
		for _, buf := range class {
			kept += int64(len(buf))
		}
	}
	if kept != keptBytesMax || pool.kept != kept {
		t.Fatalf("kept %d bytes and counted %d, want %d", kept, pool.kept, keptBytesMax)
	}
}

// Links that are busy with little at a time find buffers, whatever large ones were kept before them.
func TestBufferPoolKeepsSmallOnesFirst(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	for range 2 * keptBytesMax / (1 << 20) {
		pool.put(make([]byte, 1<<20))
	}
	small := make(map[*byte]bool)
	for range 500 {
		buf := make([]byte, 2<<10)
		small[&buf[0]] = true
		pool.put(buf)
	}
	for range 500 {
		if buf := pool.get(2 << 10); !small[&buf[0]] {
			t.Fatal("a small buffer was not kept")
		}
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

// receive reads n bytes in reads of 64 KB, and calls each before each of them.
func (in *linkInput) receive(pool *bufferPool, n int, each func()) {
	for n > 0 {
		if each != nil {
			each()
		}
		room := in.room(pool, false)
		read := min(len(room), n, 64<<10)
		in.filled(read)
		n -= read
	}
}

// A large request is read to where it can stay, and moved a few times while it
// is small.
func TestLinkInputGoesWhereItCanStay(t *testing.T) {
	t.Parallel()
	const frame = 100 << 20
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	moved, at := 0, unsafe.SliceData(in.buf)
	in.receive(&pool, frame, func() {
		in.expect = frame
		if now := unsafe.SliceData(in.buf); now != at {
			moved, at = moved+in.end, now
		}
	})
	if in.large == nil || moved > 1<<20 {
		t.Fatalf("in a Buffer: %v, moved %d bytes", in.large != nil, moved)
	}
	if n := len(in.buf) - frame; n < behindExpected || n > 2*behindExpected {
		t.Errorf("room for %d bytes more than were announced", n)
	}
	in.receive(&pool, behindExpected, nil)
	if unsafe.SliceData(in.buf) != at {
		t.Error("moved for a few words more")
	}
	large := in.large
	in.consume(len(in.bytes()) - 5)
	in.room(&pool, false)
	if in.large == large {
		t.Error("five bytes stay in a large buffer")
	}
	if len(in.bytes()) != 5 {
		t.Errorf("%d bytes are left", len(in.bytes()))
	}
	in.release(&pool)
}

// Who announces much and sends little has little memory taken: touched, that
// is, as announcing takes address space.
func TestLinkInputTrustsLittle(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	for sent := 1; sent <= 8<<20; sent *= 4 {
		in := linkInput{read: 16 << 10, least: 16 << 10}
		in.receive(&pool, sent, func() { in.expect = 1 << 40 })
		touched := len(in.buf)
		if in.large != nil {
			touched = in.end
		}
		if touched > max(64<<10, 2*trustMost*sent) {
			t.Errorf("%d bytes for the %d that came", touched, sent)
		}
		in.release(&pool)
	}
}

// What the system can't give is not asked of Go's heap instead.
func TestLinkInputExpectsTheImpossible(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	in.receive(&pool, 8<<20, func() { in.expect = 1 << 62 })
	if len(in.bytes()) != 8<<20 || len(in.buf) > 32<<20 {
		t.Errorf("%d bytes in a buffer of %d", len(in.bytes()), len(in.buf))
	}
	in.release(&pool)
}

// A large buffer that others look at is left to them until they are done.
func TestLinkInputLendsLargeBuffers(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	in := linkInput{read: 16 << 10, least: 16 << 10}
	in.receive(&pool, 8<<20, func() { in.expect = 8 << 20 })
	held := in.bytes()
	held[0], held[len(held)-1] = 'a', 'z'
	in.consume(len(held))
	clear(in.room(&pool, true))
	if in.large != nil || len(in.lent) != 1 || held[0] != 'a' || held[len(held)-1] != 'z' {
		t.Errorf("large %v, %d lent, %q %q", in.large != nil, len(in.lent), held[0], held[len(held)-1])
	}
	in.returned()
	if in.lent != nil {
		t.Error("still lent")
	}
	in.receive(&pool, 8<<20, func() { in.expect = 8 << 20 })
	if in.drop(); len(in.lent) != 1 || in.buf != nil {
		t.Error("not left to those who look at it")
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
	for i := range 500 {
		p := make([]byte, random.Intn(20_000))
		if i%100 == 50 {
			p = make([]byte, 2<<20)
		}
		random.Read(p)
		want = append(want, p...)
		if i%7 == 3 {
			large := slab.NewBuffer(len(p))
			out.give(large, large.Bytes()[:copy(large.Bytes(), p)])
		} else {
			out.add(p, &pool)
		}
		for random.Intn(3) > 0 && out.size > 0 {
			take(random.Intn(300_000) + 1)
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

// What others share of a link's Buffer stays as it is, whatever comes behind it,
// and nothing that came is lost.
func TestInputLeavesWhatIsShared(t *testing.T) {
	t.Parallel()
	var pool bufferPool
	in := linkInput{read: 16 << 10, expect: 3 << 20}
	defer in.release(&pool)
	fill := func(c byte, most int) {
		room := in.room(&pool, false)
		room = room[:min(most, len(room))]
		for i := range room {
			room[i] = c
		}
		in.filled(len(room))
	}
	for in.end-in.start < 3<<20 {
		fill('a', 64<<10)
	}
	words := in.bytes()[:3<<20]
	shared, _ := slab.Share(words)
	if shared == nil {
		t.Fatal("a large request is in no Buffer")
	}
	defer shared.Free()
	in.consume(3<<20 - 100)
	in.expect = 0
	for range 100 {
		fill('b', 64<<10)
		in.consume(min(len(in.bytes()), 50<<10))
	}
	if n := bytes.Count(words, []byte("a")); n != len(words) {
		t.Errorf("%d of %d bytes are as they were", n, len(words))
	}
	if got := in.bytes(); bytes.Count(got, []byte("b")) != len(got) {
		t.Error("what came is not what is shown")
	}
}
