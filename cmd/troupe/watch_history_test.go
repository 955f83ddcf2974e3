package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// Random writers change a key in every way there is; watchers of all kinds hear
// of it, some of them late, some dying. Each write is a transaction that also
// draws a number from a counter in another database, so afterwards their order
// is known, and with it the key's one history: what it held after each change.
// What a watcher heard must be that history with parts left out, each frame
// standing for exactly as many changes as it says.

// historyKeys are the keys that are written; the first is watched.
var historyKeys = []string{"k", "other", "{other}2"}

// padding makes values so long that links which do not read fall behind.
var padding = strings.Repeat("x", 30_000)

// The keyspace that the test believes in: databases 0 and 2.
type belief struct {
	held [2]map[string]string // "" is a hash
}

func newBelief() *belief { return &belief{[2]map[string]string{{}, {}}} }

// change is one way to write: its commands, and what they do to the belief. It
// reports whether the watched key was changed.
type change struct {
	commands [][]string
	do       func(*belief) bool
}

// draw makes a random change; value is its own.
func draw(rng *rand.Rand, value string) change {
	key := historyKeys[rng.IntN(len(historyKeys))]
	to := historyKeys[rng.IntN(len(historyKeys))]
	switch rng.IntN(15) {
	case 0, 1, 2, 3:
		return change{[][]string{{"SET", key, value + padding}}, func(b *belief) bool { return b.set(key, value) }}
	case 4:
		return change{[][]string{{"DEL", key}}, func(b *belief) bool { return b.del(key) }}
	case 5:
		return change{[][]string{{"RENAME", key, to}}, func(b *belief) bool { return b.rename(key, to) }}
	case 6:
		return change{[][]string{{"DEL", key}, {"HSET", key, "f", value}}, func(b *belief) bool { return b.set(key, "") }}
	case 7:
		return change{[][]string{{"FLUSHDB"}}, (*belief).flush}
	case 8:
		return change{[][]string{{"SWAPDB", "0", "2"}}, (*belief).swap}
	case 9:
		return change{[][]string{{"SET", "k", value + padding}, {"SET", "other", value + padding}, {"DEL", "{other}2"}}, func(b *belief) bool {
			b.set("other", value)
			b.del("{other}2")
			return b.set("k", value)
		}}
	case 10:
		return change{[][]string{{"EXPIRE", key, "1000"}}, func(b *belief) bool { _, ok := b.held[0][key]; return ok && key == "k" }}
	case 11:
		return change{[][]string{{"EVAL", scriptOfHalves, "1", key, value + padding}}, func(b *belief) bool { return b.set(key, value) }}
	case 12:
		return change{[][]string{{"EVAL", scriptOfCopies, "2", key, to}}, func(b *belief) bool { return b.copyTo(key, to) }}
	case 13:
		return change{[][]string{{"PEXPIREAT", key, "1"}}, func(b *belief) bool { return b.del(key) }}
	default: // fails, or changes nothing
		return change{[][]string{{"SETNX", key, value + padding}, {"DEL", "nokey"}}, func(b *belief) bool {
			if _, ok := b.held[0][key]; ok {
				return false
			}
			return b.set(key, value)
		}}
	}
}

// Scripts that write: one what nobody may see in between, one by RESTORE.
const (
	scriptOfHalves = "redis.call('DEL', KEYS[1]) redis.call('SET', KEYS[1], 'half') return redis.call('SET', KEYS[1], ARGV[1])"
	scriptOfCopies = "local dump = redis.call('DUMP', KEYS[1]) if dump then redis.call('RESTORE', KEYS[2], 0, dump, 'REPLACE') end return 1"
)

func (b *belief) set(key, value string) bool {
	b.held[0][key] = value
	return key == "k"
}

func (b *belief) del(key string) bool {
	_, ok := b.held[0][key]
	delete(b.held[0], key)
	return ok && key == "k"
}

func (b *belief) rename(from, to string) bool {
	value, ok := b.held[0][from]
	if !ok || from == to {
		return false
	}
	delete(b.held[0], from)
	b.held[0][to] = value
	return from == "k" || to == "k"
}

func (b *belief) copyTo(from, to string) bool {
	value, ok := b.held[0][from]
	if ok {
		b.held[0][to] = value
	}
	return ok && to == "k"
}

func (b *belief) flush() bool {
	_, ok := b.held[0]["k"]
	b.held[0] = map[string]string{}
	return ok
}

func (b *belief) swap() bool {
	_, before := b.held[0]["k"]
	b.held[0], b.held[1] = b.held[1], b.held[0]
	_, now := b.held[0]["k"]
	return before || now
}

// value is what GET k answers, without the padding.
func (b *belief) value() string {
	value, ok := b.held[0]["k"]
	switch {
	case !ok:
		return "_"
	case value == "":
		return "-" + resp.ErrWrongType.Str()
	}
	return `"` + value + `"`
}

// written is a change that was made, by its place in the order.
type written struct {
	number int64
	change
}

// saveEach is after how many of its changes a writer has a snapshot made.
const saveEach = 45

// write makes n random changes and notes their order.
func write(c *client, rng *rand.Rand, name string, n int) (log []written) {
	for i := range n {
		if i%saveEach == saveEach/2 {
			c.ask("BGSAVE") // a snapshot is under way now, if none was
		}
		ch := draw(rng, fmt.Sprintf("%s-%d.", name, i))
		lines := append([][]string{{"MULTI"}, {"SELECT", "1"}, {"INCR", "order"}, {"SELECT", "0"}}, ch.commands...)
		var all []byte
		for _, words := range append(lines, []string{"EXEC"}) {
			all = append(all, request(words...)...)
		}
		c.send(all)
		for range lines {
			c.receive()
		}
		reply, err := c.next()
		if err != nil || len(reply.Items()) != len(lines)-1 {
			c.tb.Errorf("EXEC is answered %s, %v", resp.Format(reply), err)
			return log
		}
		log = append(log, written{reply.Items()[1].Int(), ch})
	}
	return log
}

// history is what the watched key held after each of its changes, the state at
// the beginning first.
func history(log []written) []string {
	slices.SortFunc(log, func(x, y written) int { return int(x.number - y.number) })
	b := newBelief()
	all := []string{b.value()}
	for _, w := range log {
		if w.do(b) {
			all = append(all, b.value())
		}
	}
	return all
}

// historyWays are those of ways, and two that want more: every state, and to go on
// after each few frames on a new link.
var historyWays = append(slices.Clone(ways), way{3, "every"}, way{3, "resume"})

// A hearing is all that one watcher was told.
type hearing struct {
	way    way
	frames []frame
}

// hear reads frames until the state is the one that ends the test.
func (w *watcher) hear(h *hearing) error {
	for {
		f, err := w.frame()
		if err != nil {
			return err
		}
		f.value = strings.Replace(f.value, padding, "", 1)
		if f.kind != "progress" {
			h.frames = append(h.frames, f)
		}
		if f.value == `"the end"` {
			return nil
		}
		if w.verb == "resume" && len(h.frames)%resumeEach == 0 {
			w.resume(f.token)
		}
	}
}

// resumeEach is after how many frames a link is cut whose watch goes on.
const resumeEach = 5

// resume cuts the link and goes on on another, as soon as the query has no error.
func (w *watcher) resume(token string) {
	for {
		w.conn.Close()
		w.client = w.server.client()
		w.ask("HELLO", "3")
		w.send(request(append([]string{"OBSERVE", "RESUME", token}, w.query...)...))
		first, err := w.next()
		if err != nil {
			w.tb.Fatal(err)
		}
		if first.Kind() != resp.Failure {
			w.held = &first
			return
		}
	}
}

// check compares what was heard with the history.
func (h *hearing) check(t *testing.T, history []string, values map[int64]string) {
	t.Helper()
	at := map[int]bool{} // the places in the history where it may stand
	for i, f := range h.frames {
		if i == 0 {
			for place, value := range history {
				at[place] = value == f.value
			}
		} else {
			next := map[int]bool{}
			for place, possible := range at {
				from := place
				place += int(f.covered)
				if possible && place < len(history) && history[place] == f.value && h.mayLeaveOut(f, history[from:place]) {
					next[place] = true
				}
			}
			at = next
			if last := h.frames[i-1]; f.version <= last.version {
				t.Fatalf("%v: version %d after %d", h.way, f.version, last.version)
			}
		}
		if len(at) == 0 {
			t.Fatalf("%v: frame %d, %+v after %+v, fits no place of the history", h.way, i, f, h.frames[max(i-1, 0)])
		}
		if before, known := values[f.version]; known && before != f.value {
			t.Errorf("%v: at version %d it was told %s, another watcher %s", h.way, f.version, f.value, before)
		}
		values[f.version] = f.value
		reset := f.kind == "reset" && h.way.verb == "every"
		if wrong := strings.HasPrefix(f.value, "-"); (f.kind == "error") != wrong || !wrong && f.kind != "state" && !reset {
			t.Errorf("%v: %s is of the kind %s", h.way, f.value, f.kind)
		}
	}
	if !at[len(history)-1] {
		t.Errorf("%v: it was not left with the last state", h.way)
	}
}

// mayLeaveOut reports whether states, the one told last and what came after it,
// may be left out before a frame: if every state was asked for, only equal ones.
func (h *hearing) mayLeaveOut(f frame, states []string) bool {
	return h.way.verb != "every" || f.kind == "reset" || f.kind == "error" ||
		!slices.ContainsFunc(states, func(one string) bool { return one != states[0] })
}

func TestHistories(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "watch-linger", Words: []string{"60000"}})
		rng := rand.New(rand.NewPCG(seed, uint64(sh.shards)))
		var hearings []*hearing
		var listening, writing, dying sync.WaitGroup
		var late []*watcher
		for i := range 3 * len(historyWays) {
			w, first := s.watch(historyWays[i%len(historyWays)], "GET", "k")
			h := &hearing{w.way, []frame{first}}
			hearings = append(hearings, h)
			if i%3 == 2 { // it reads only when all has been written, and little fits on the way to it
				if err := w.conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
					t.Fatal(err)
				}
				late = append(late, w)
				continue
			}
			listening.Go(func() { w.mustHear(h) })
		}
		logs := make([][]written, 4)
		for i := range logs {
			own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
			c := s.client()
			writing.Go(func() { logs[i] = write(c, own, strconv.Itoa(i), 180) })
		}
		var joined []*hearing // while others write
		writing.Go(func() {
			for _, by := range historyWays {
				if h := s.join(by, &listening); h != nil {
					joined = append(joined, h)
				}
			}
		})
		end := make(chan struct{})
		dying.Go(func() { s.liveAndDie(rand.New(rand.NewPCG(rng.Uint64(), 1)), end) })
		writing.Wait()
		close(end)
		dying.Wait()
		last := s.client()
		last.want("+OK", "SET", "k", "the end")
		for i, w := range late {
			h := hearings[3*i+2]
			listening.Go(func() { w.mustHear(h) })
		}
		listening.Wait()
		all := append(history(slices.Concat(logs...)), `"the end"`)
		values, fewest := map[int64]string{}, len(all)
		for _, h := range append(hearings, joined...) {
			h.check(t, all, values)
			fewest = min(fewest, len(h.frames))
		}
		totals, queries, _ := s.Server.Watches.Stats()
		t.Logf("%d changes of the key, %d evaluations, %d pushes covering %d; the slowest had %d frames",
			len(all)-1, totals.Evaluations, totals.Pushes, totals.Covered, fewest)
		if queries != 2 { // that of every state is another
			t.Errorf("%d queries for one", queries)
		}
		last.want("+OK", "CONFIG", "SET", "watch-linger", "0")
		for _, one := range s.Server.Sessions() {
			one.Send(&session.Kill{})
		}
		s.wantNobody()
		s.wantNoWatches()
	})
}

// join begins to watch and to listen. It is nil if the query answers with an
// error just then.
func (s *server) join(by way, listening *sync.WaitGroup) *hearing {
	w, first, err := s.tryWatch(by, "GET", "k")
	if err != nil {
		return nil
	}
	first.value = strings.Replace(first.value, padding, "", 1)
	h := &hearing{by, []frame{first}}
	listening.Go(func() { w.mustHear(h) })
	return h
}

// mustHear hears until the end, which must come.
func (w *watcher) mustHear(h *hearing) {
	if err := w.hear(h); err != nil {
		w.tb.Errorf("%v after %d frames: %v", w.way, len(h.frames), err)
	}
}

// liveAndDie has watchers come and go, most of them abruptly and with frames
// under way, until the end. W19
func (s *server) liveAndDie(rng *rand.Rand, end chan struct{}) {
	for {
		select {
		case <-end:
			return
		default:
		}
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			s.tb.Error(err)
			return
		}
		var all []byte
		if rng.IntN(2) == 0 {
			all = request("HELLO", "3")
		}
		all = append(all, bytes.Repeat(request("GET.WATCH", "k"), 1+rng.IntN(3))...)
		all = append(all, request("SUBSCRIBE", "__query__:GET k", "__query__:GET other")...)
		if _, err := conn.Write(all); err != nil {
			s.tb.Error(err)
		}
		if rng.IntN(3) > 0 {
			conn.Read(make([]byte, 1+rng.IntN(20_000)))
		}
		if rng.IntN(3) > 0 {
			conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
}
