package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/resp"
)

// hotKey is what is watched and written. Its values begin with a number of so many digits.
const (
	hotKey   = "hot"
	seqBytes = 12
)

// hotValue is the nth value written.
func hotValue(n int64, size int) string {
	return fmt.Sprintf("%0*d", seqBytes, n) + strings.Repeat("x", size-seqBytes)
}

// queries are distinct, all over one key, and each has another result with every write.
func (c *watchCmd) queries(key string) (all [][]string) {
	for i := range c.Queries {
		all = append(all, []string{"GETRANGE.WATCH", key, "0", strconv.Itoa(c.Size + i)})
	}
	return all
}

// audience is the links that watch, and what they have been told.
type audience struct {
	links   []*link
	readers sync.WaitGroup
	frames  atomic.Int64
	failed  atomic.Pointer[error]
	decode  func(b []byte) (seq int64, n int, err error) // nil: decodePush

	// When the replies to the writes of first and the numbers after it had come, in nanoseconds since begin;
	// none if latencies are not asked for.
	begin   time.Time
	first   int64
	replied []atomic.Int64
	mu      sync.Mutex
	late    []time.Duration
}

// open opens the links and has each watch the queries of key(its number); none: they only are there.
func (s *server) open(links int, queries func(i int) [][]string) (*audience, error) {
	a := &audience{}
	for i := range links {
		l, err := dial(s.port, "")
		if err != nil {
			a.close()
			return nil, err
		}
		a.links = append(a.links, l)
		if _, err = l.ask("HELLO", "3"); err == nil {
			err = l.watch(queries(i))
		}
		if err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}

// watch sends the commands and takes their first frames.
func (l *link) watch(queries [][]string) error {
	for _, words := range queries {
		l.out = appendCommand(l.out, words...)
	}
	if len(queries) == 0 {
		return nil
	}
	if err := l.send(); err != nil {
		return err
	}
	for range queries {
		if _, err := l.read(); err != nil {
			return err
		}
	}
	return nil
}

// listen has every link read and decode what it is told, until close.
func (a *audience) listen() {
	for _, l := range a.links {
		a.readers.Go(func() {
			if err := a.read(l); err != nil && !errors.Is(err, net.ErrClosed) {
				a.failed.Store(&err)
			}
		})
	}
}

// readBytes is what a reader takes at once: some rounds of frames.
const readBytes = 16 << 10

func (a *audience) read(l *link) error {
	buf := make([]byte, readBytes)
	have := 0
	for {
		n, err := l.conn.Read(buf[have:])
		if err != nil {
			return err
		}
		have += n
		used, err := a.take(buf[:have])
		if err != nil {
			return err
		}
		have = copy(buf, buf[used:have])
		if have == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// take decodes the frames that b begins with.
func (a *audience) take(b []byte) (used int, err error) {
	now := int64(0)
	if a.replied != nil {
		now = int64(time.Since(a.begin))
	}
	decode, frames := a.decode, int64(0)
	if decode == nil {
		decode = decodePush
	}
	var late []time.Duration
	for {
		seq, n, err := decode(b[used:])
		if err != nil {
			return used, err
		}
		if n == 0 {
			break
		}
		used += n
		frames++
		if a.replied != nil {
			late = append(late, a.latency(seq, now))
		}
	}
	a.frames.Add(frames)
	if late != nil {
		a.mu.Lock()
		a.late = append(a.late, late...)
		a.mu.Unlock()
	}
	return used, nil
}

// latency is how long after the reply to its write a number is heard of: none, if that was before.
func (a *audience) latency(seq, now int64) time.Duration {
	at := int64(0)
	if i := seq - a.first; i >= 0 && i < int64(len(a.replied)) {
		at = a.replied[i].Load()
	}
	if at == 0 {
		return 0
	}
	return time.Duration(max(now-at, 0))
}

// errNoPush is what a reader ends with that was told something else than states of the hot key.
var errNoPush = errors.New("what came is no frame of a live query")

// decodePush decodes the frame at the front of b, element by element, and gives the number that its value
// begins with; n is 0 if b does not hold all of it.
func decodePush(b []byte) (seq int64, n int, err error) {
	const head = ">13\r\n"
	if len(b) < len(head) {
		return 0, 0, nil
	}
	if string(b[:len(head)]) != head {
		return 0, 0, errNoPush
	}
	at := len(head)
	for i := range 13 {
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			return 0, 0, nil
		}
		line := b[at+1 : at+end-1]
		kind := b[at]
		at += end + 1
		if kind != '$' {
			continue
		}
		size, err := strconv.Atoi(string(line))
		if err != nil {
			return 0, 0, errNoPush
		}
		if len(b) < at+size+2 {
			return 0, 0, nil
		}
		if i == 4 && size >= seqBytes {
			if seq, err = strconv.ParseInt(string(b[at:at+seqBytes]), 10, 64); err != nil {
				return 0, 0, errNoPush
			}
		}
		at += size + 2
	}
	return seq, at, nil
}

// skipFrame is decodePush for results of any shape; it gives no number.
func skipFrame(b []byte) (seq int64, n int, err error) {
	const head = ">13\r\n"
	if len(b) >= len(head) && string(b[:len(head)]) != head {
		return 0, 0, errNoPush
	}
	n, err = skipReply(b)
	return 0, n, err
}

// skipReply decodes the reply at the front of b as far as it takes to find its end, which is 0 if b does not
// hold all of it.
func skipReply(b []byte) (n int, err error) {
	at := 0
	for left := 1; left > 0; left-- {
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			return 0, nil
		}
		line, kind := b[at+1:at+end-1], b[at]
		at += end + 1
		size := 0
		if bytes.IndexByte([]byte("$*>~%"), kind) >= 0 {
			if size, err = strconv.Atoi(string(line)); err != nil {
				return 0, errNoPush
			}
		}
		switch kind {
		case '$':
			if at += size + 2; at > len(b) {
				return 0, nil
			}
		case '%':
			left += 2 * size
		case '*', '>', '~':
			left += size
		}
	}
	return at, nil
}

// close ends the links.
func (a *audience) close() {
	dropAll(a.links)
	a.readers.Wait()
}

// err is why a reader ended early.
func (a *audience) err() error {
	if err := a.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// writeHot writes the hot key as fast as it goes until the time is up, and gives the number of writes.
func (c *watchCmd) writeHot(s *server, next *int64, lasting time.Duration) (writes int, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	answers := make([]byte, 0, c.Pipeline*len("+OK\r\n"))
	for begin := time.Now(); time.Since(begin) < lasting; writes += c.Pipeline {
		for range c.Pipeline {
			*next++
			l.out = appendCommand(l.out, "SET", hotKey, hotValue(*next, c.Size))
		}
		if err := l.send(); err != nil {
			return writes, err
		}
		for answers = answers[:0]; len(answers) < cap(answers); {
			n, err := l.conn.Read(answers[len(answers):cap(answers)])
			if err != nil {
				return writes, err
			}
			answers = answers[:len(answers)+n]
		}
	}
	return writes, nil
}

// watchTotals are the server's counters of live queries.
type watchTotals struct{ evaluations, pushes float64 }

func (s *server) watchTotals() (t watchTotals, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return t, err
	}
	defer l.close()
	reply, err := l.ask("WATCHES", "STATS")
	if err != nil {
		return t, err
	}
	return watchTotals{numberNamed(reply, "evaluations"), numberNamed(reply, "pushes")}, nil
}

func numberNamed(pairs resp.Reply, name string) float64 {
	items := pairs.Items()
	for i := 0; i+1 < len(items); i += 2 {
		if items[i].Str() == name {
			return float64(items[i+1].Int())
		}
	}
	return 0
}

// sumFields adds up a field of all lines of CLIENT LIST.
func sumFields(text, field string) (sum float64) {
	for word := range strings.FieldsSeq(text) {
		if number, found := strings.CutPrefix(word, field+"="); found {
			n, _ := strconv.ParseFloat(number, 64)
			sum += n
		}
	}
	return sum
}
