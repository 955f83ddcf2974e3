package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	soakFillers, soakVisitors = 3, 3
	// soakKeys is how many keys a filler writes: more than fit.
	soakKeys = 200_000
)

// fill has fillers work, and remembers what they find wrong.
func (t *soakTest) fill(stop <-chan struct{}, running *sync.WaitGroup) {
	t.fillers = make([]filler, soakFillers)
	for i := range t.fillers {
		f := &t.fillers[i]
		f.rng = rand.New(rand.NewPCG(t.Seed, uint64(t.round)<<16+uint64(400+i)))
		running.Go(func() { f.work(t.victim, stop) })
	}
}

// filler writes more than there is room for. Each value begins with its key, by
// which it is known to be right; and a key that it has just written is there.
type filler struct {
	rng *rand.Rand
	err error
}

func fillKey(n int) string { return "fill:" + strconv.Itoa(n) }

func (f *filler) work(v *victim, stop <-chan struct{}) {
	l, err := v.dial()
	if err != nil {
		f.err = err
		return
	}
	defer l.close()
	for err == nil {
		select {
		case <-stop:
			return
		default:
		}
		err = f.turn(l)
	}
	f.err = err
}

// turn sends a pipeline of writes, and of reads of anything.
func (f *filler) turn(l *link) error {
	var keys []string
	for range 32 {
		key := fillKey(f.rng.IntN(soakKeys))
		keys = append(keys, key)
		if f.rng.IntN(2) == 0 {
			l.out = appendCommand(l.out, "GET", key)
			continue
		}
		value := key + "=" + strings.Repeat("x", f.rng.IntN(900))
		l.out = appendCommand(l.out, "SET", key, value, "PX", strconv.Itoa(1000+f.rng.IntN(60_000)))
	}
	if err := l.send(); err != nil {
		return err
	}
	for _, key := range keys {
		reply, err := l.read()
		if err != nil {
			return err
		}
		if got := reply.Str(); !reply.IsNull() && got != "OK" && !strings.HasPrefix(got, key+"=") {
			return fmt.Errorf("%s holds %.100q", key, got)
		}
	}
	return nil
}

// fillErrors are what the fillers have found.
func (t *soakTest) fillErrors() (errs error) {
	for i := range t.fillers {
		errs = errors.Join(errs, t.fillers[i].err)
	}
	return errs
}

// visit comes and goes, mostly in the middle of something.
func visit(v *victim, rng *rand.Rand, stop <-chan struct{}) {
	lines := [][]byte{
		[]byte("PING\r\n"), []byte("*3\r\n$3\r\nSET\r\n$1"), []byte("MULTI\r\nSET visited 1\r\n"), []byte("SUBSCRIBE news\r\n"),
		[]byte("BLPOP nothing 0\r\n"), []byte("XREAD BLOCK 0 STREAMS nothing $\r\n"), []byte("HELLO 3\r\nGET.WATCH visited\r\nLRANGE.WATCH ledger:0 -5 -1\r\n"),
		[]byte("WATCH visited\r\nMULTI\r\n"), []byte("MONITOR\r\n"), []byte("LRANGE ledger:0 0 -1\r\nLRANGE ledger:1 0 -1\r\n"), []byte("*1000000\r\n$3\r\nDEL\r\n"),
		[]byte("EVAL 'return redis.call(\"GET\", \"visited\")' 0\r\n"), []byte("SUBSCRIBE \"__query__:LLEN ledger:0\"\r\n"), []byte("CLIENT TRACKING ON\r\nGET visited\r\n"),
	}
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(rng.IntN(10)) * time.Millisecond):
		}
		l, err := v.dial()
		if err != nil {
			return
		}
		_, _ = l.conn.Write(lines[rng.IntN(len(lines))])
		if rng.IntN(2) == 0 {
			_ = l.conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			_, _ = l.conn.Read(make([]byte, 100))
		}
		l.close()
	}
}
