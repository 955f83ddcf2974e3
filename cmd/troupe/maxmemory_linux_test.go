package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A server with a limit stays within it, plus a twentieth and the requests that
// are on their way at once: in resident memory, as the system counts, at its
// highest, through loads of all kinds.

// residentKB is residentMB in kilobytes.
func (s *started) residentKB(name string) int64 {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), name+":")
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return kilobytes
}

// load is a client that writes and reads, several commands at a time.
type load struct {
	conn  net.Conn
	in    *bufio.Reader
	out   bytes.Buffer
	rng   *rand.Rand
	asked int
	value []byte
}

func (s *started) load(seed uint64) *load {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addresses[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &load{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), rng: rand.New(rand.NewPCG(seed, 1)), value: make([]byte, 4<<20)}
}

func (l *load) ask(words ...[]byte) {
	fmt.Fprintf(&l.out, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&l.out, "$%d\r\n", len(word))
		l.out.Write(word)
		l.out.WriteString("\r\n")
	}
	l.asked++
}

// answers sends what was asked and reads all replies, which are of one line or a
// text; it counts those that are errors.
func (l *load) answers(t *testing.T) (refused int) {
	go l.conn.Write(l.out.Bytes())
	for ; l.asked > 0; l.asked-- {
		line, err := l.in.ReadSlice('\n')
		if err != nil {
			t.Error(err)
			return refused
		}
		switch line[0] {
		case '-':
			if !bytes.HasPrefix(line, []byte("-OOM ")) {
				t.Errorf("answered %s", line)
			}
			refused++
		case '$':
			if n, _ := strconv.Atoi(strings.TrimSpace(string(line[1:]))); n >= 0 {
				if _, err := l.in.Discard(n + 2); err != nil {
					t.Error(err)
				}
			}
		}
	}
	l.out = bytes.Buffer{}
	return refused
}

func (l *load) key(space int) []byte { return fmt.Appendf(nil, "key:%d", l.rng.IntN(space)) }

// write asks for a write of a value of about so many bytes.
func (l *load) write(size int) {
	n := size/2 + l.rng.IntN(size)
	switch l.rng.IntN(8) {
	case 0:
		l.ask([]byte("HSET"), fmt.Appendf(nil, "hash:%d", l.rng.IntN(3000)), l.key(40), l.value[:n/4])
	case 1:
		l.ask([]byte("RPUSH"), fmt.Appendf(nil, "list:%d", l.rng.IntN(3000)), l.value[:n/4])
	case 2:
		l.ask([]byte("GET"), l.key(1_000_000))
	default:
		l.ask([]byte("SET"), l.key(1_000_000), l.value[:n])
	}
}

// burden is one kind of load: so many bytes in all, in values of about size, so
// many at a time.
type burden struct {
	what            string
	size, pipelined int
	bytes           int
}

// underWay is what the requests take that so many clients have on their way, in
// bytes: each is there twice for a moment.
func (b *burden) underWay(clients int) int { return 2 * clients * b.pipelined * b.size }

var burdens = []burden{
	{"small values", 64, 64, 12 << 20},
	{"longer values", 700, 32, 40 << 20},
	{"values of some kilobytes", 6000, 16, 80 << 20},
	{"large values", 200_000, 2, 200 << 20},
	{"small values again", 100, 256, 12 << 20},
	{"values of a megabyte", 1_200_000, 1, 200 << 20},
	{"small values at the end", 30, 64, 12 << 20},
}

func TestResidentMemoryHasALimit(t *testing.T) {
	t.Parallel()
	const limitMB, clients = 64, 4
	f := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil, append([]string{"-c", "64mb", "--port", freePort(t), "--bind", "127.0.0.1", "--dir", t.TempDir()}, args...)...)
			for _, b := range burdens {
				s.forgetPeak()
				refused := s.bear(b, clients)
				peak := s.residentKB("VmHWM")
				t.Logf("%s: %d KB at the most, %d refused", b.what, peak, refused)
				if most := int64(limitMB<<10*105/100 + b.underWay(clients)>>10); peak > most {
					t.Errorf("%s: %d KB at the most, more than %d", b.what, peak, most)
				}
				if refused > 0 {
					t.Errorf("%s: %d writes were refused", b.what, refused)
				}
			}
			s.stop()
		})
	}
	f("cache", "--appendonly", "no")
	f("journal", "--appendonly", "yes", "--auto-aof-rewrite-min-size", "16mb")
}

// bear has some clients make the load, and says how many writes were refused.
func (s *started) bear(b burden, clients int) (refused int) {
	var busy sync.WaitGroup
	var mu sync.Mutex
	for i := range clients {
		l := s.load(uint64(i))
		busy.Go(func() {
			n := 0
			for sent := 0; sent < b.bytes/clients && !s.t.Failed(); {
				for range b.pipelined {
					l.write(b.size)
				}
				sent += l.out.Len()
				n += l.answers(s.t)
			}
			mu.Lock()
			defer mu.Unlock()
			refused += n
		})
	}
	busy.Wait()
	return refused
}

// A server that refuses writes for want of memory says in its log what takes it.
func TestShortageIsLogged(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t), "--bind", "127.0.0.1", "--dir", t.TempDir(), "--appendonly", "no", "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	l := s.load(1)
	l.ask([]byte("SET"), []byte("k"), []byte("v"))
	if refused := l.answers(t); refused != 1 {
		t.Fatal("a limit that the program alone exceeds, and SET is not refused")
	}
	s.await("out of memory: commands that need some are refused: maxmemory=1048576")
	s.stop()
}
