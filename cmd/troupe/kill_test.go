package main_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// Live queries over the death of their server: clients of several kinds watch while
// writers write, the process is killed at some moment and started again on its data,
// and the clients go on with the tokens that they were told last. What all of them
// were told, in all lives of the server, is held against what was written.

// killRounds is how often the server is killed.
const killRounds = 3

func TestLiveQueriesOverKills(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	f := func(shards, fsync string) {
		t.Run(shards+"-shards-"+fsync, func(t *testing.T) {
			t.Parallel()
			k := newKills(t, rand.New(rand.NewPCG(seed, uint64(len(shards+fsync)))))
			k.always = fsync == "always"
			dir := t.TempDir()
			k.socket = filepath.Join(dir, "socket")
			k.args = []string{"server", "--port", "0", "--unixsocket", k.socket, "--http", "127.0.0.1:0", "--dir", dir,
				"--shards", shards, "--appendonly", "yes", "--appendfsync", fsync, "--save", ""}
			for k.round = range killRounds + 1 {
				k.live()
			}
			t.Logf("%d frames; links went on %d times over a kill with nothing since, %d times with a reset", k.frames, k.nothing, k.resets)
			if k.nothing == 0 || k.resets == 0 {
				t.Error("not every way to go on was seen")
			}
		})
	}
	f("1", "always")
	f("16", "always")
	f("4", "everysec")
}

// drawSeed is the seed of a random test, which is printed.
func drawSeed(t *testing.T) uint64 {
	seed, _ := flag.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	return seed
}

// kills is the test of one server.
type kills struct {
	t      *testing.T
	rng    *rand.Rand
	always bool // nothing that was told may be lost
	args   []string
	round  int

	server *started
	socket string   // where it speaks RESP
	web    string   // and HTTP
	quiet  *shelf   // of which nothing is under way when the server is killed
	busy   []*shelf // and of which all the time something is
	tails  []*tail
	states map[string]string // by query and version

	acked                   atomic.Int64
	frames, nothing, resets int
}

func newKills(t *testing.T, rng *rand.Rand) *kills {
	k := &kills{t: t, rng: rng, states: map[string]string{}}
	k.quiet = &shelf{name: "quiet"}
	k.busy = []*shelf{{name: "one"}, {name: "two"}}
	for _, kind := range []struct{ way, option string }{
		{"RESP3", ""}, {"RESP3", ""}, {"RESP3", "EVERY"}, {"RESP3", "DELTA"}, {"RESP2", ""}, {"RESP2", "EVERY"},
		{"events", ""}, {"events", "EVERY"}, {"events", "DELTA"},
	} {
		c := &tail{way: kind.way, option: kind.option}
		for _, s := range append(k.busy, k.quiet) {
			queries := s.queries()
			for _, name := range sortedNames(queries) {
				if name != "MGET" || kind.option != "EVERY" {
					c.queries = append(c.queries, &told{shelf: s, name: name, words: queries[name]})
				}
			}
		}
		k.tails = append(k.tails, c)
	}
	return k
}

func sortedNames(queries map[string][]string) (names []string) {
	for name := range queries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// live is one life of the server, of which only the last ends well.
func (k *kills) live() {
	k.t.Helper()
	k.server = start(k.t, nil, k.args...)
	k.web = k.server.httpAddress()
	if k.round == 0 {
		for _, s := range k.all() {
			k.write(dial(k.t, k.socket), s)
		}
	}
	k.recover()
	var following, writing sync.WaitGroup
	for _, c := range k.tails {
		k.goOn(c)
		c.cutIn = k.rng.IntN(2) * (50 + k.rng.IntN(200))
	}
	for _, c := range k.tails {
		following.Go(func() {
			if err := c.follow(k.socket, k.web); err != nil {
				k.t.Error(err)
			}
		})
	}
	link := dial(k.t, k.socket)
	for range 1 + k.rng.IntN(30) {
		k.write(link, k.quiet)
	}
	k.settle(k.quiet)
	k.acked.Store(0)
	killAfter := int64(20 + k.rng.IntN(300))
	for _, s := range k.busy {
		rng := rand.New(rand.NewPCG(k.rng.Uint64(), 0))
		writing.Go(func() { k.writeUntil(s, killAfter, rng) })
	}
	writing.Wait()
	if k.round == killRounds {
		k.settle(k.all()...)
		for _, c := range k.tails {
			c.leave()
		}
		k.server.stop()
	} else {
		<-k.server.ended
	}
	following.Wait()
	k.check()
}

// httpAddress is where the server says that it speaks HTTP.
func (s *started) httpAddress() string {
	s.t.Helper()
	found := regexp.MustCompile(`http"?[=:]"?([0-9.:]+)`).FindStringSubmatch(s.logged())
	if found == nil {
		s.t.Fatalf("no address of HTTP in the log:\n%s", s.logged())
	}
	return found[1]
}

func (k *kills) all() []*shelf { return append(k.busy[:len(k.busy):len(k.busy)], k.quiet) }

// write makes the next transaction of a shelf, and reports whether it was answered.
func (k *kills) write(c *client, s *shelf) bool {
	lines := s.draw()
	if _, err := c.conn.Write(requests(lines)); err != nil {
		return false
	}
	for i := range lines {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return false
		}
		if i < len(lines)-1 && line[0] == '+' {
			continue
		}
		if want := fmt.Sprintf("*%d\r\n", len(lines)-2); line != want {
			k.t.Errorf("EXEC is answered %q, want %q", line, want)
			return false
		}
	}
	for range len(lines) - 2 {
		if line, err := c.in.ReadString('\n'); err != nil {
			return false
		} else if line[0] == '$' { // XADD tells the ID
			c.in.ReadString('\n')
		}
	}
	return true
}

func requests(lines [][]string) (all []byte) {
	for _, words := range lines {
		all = resp.V2.Append(all, resp.Strings(words...))
	}
	return all
}

// writeUntil writes until so many transactions, of all writers, were answered; then the
// server is killed, at once or in the middle of the next.
func (k *kills) writeUntil(s *shelf, most int64, rng *rand.Rand) {
	c := dial(k.t, k.socket)
	for k.acked.Load() < most {
		if k.round%2 == 1 && rng.IntN(30) == 0 {
			c.conn.Write(requests([][]string{{[]string{"BGSAVE", "BGREWRITEAOF"}[rng.IntN(2)]}}))
			c.in.ReadString('\n') // it may be under way already
		}
		if !k.write(c, s) {
			return // it was killed by another
		}
		k.acked.Add(1)
	}
	if k.round == killRounds {
		return
	}
	if rng.IntN(2) == 0 {
		c.conn.Write(requests(s.draw()))
	}
	k.server.cmd.Process.Kill()
}

// settle waits until all clients have been told the last states of shelves.
func (k *kills) settle(shelves ...*shelf) {
	k.t.Helper()
	for _, s := range shelves {
		for _, c := range k.tails {
			eventually(k.t, func() error {
				if !c.stands(s, len(s.numbers)-1) {
					return fmt.Errorf("%v is not told the last state of %s", c, s.name)
				}
				return nil
			})
		}
	}
}

// answers reads a query plainly.
func (k *kills) answers(words []string) string {
	k.t.Helper()
	return answerOf(k.t, k.socket, words[0], words)
}

// answerOf is what a query is answered, read plainly.
func answerOf(t *testing.T, socket, name string, words []string) string {
	t.Helper()
	l := &tail{way: "RESP3"}
	defer l.close()
	err := l.connect(socket, "")
	var reply resp.Reply
	if err == nil {
		reply, err = l.ask(words...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return elementsOf(name, plain(reply)).text(name)
}

// recover finds how far the writes have outlived the server: to the end of one
// transaction, the same for all keys of a shelf.
func (k *kills) recover() {
	k.t.Helper()
	for _, s := range k.all() {
		queries := s.queries()
		state := k.answers(queries["GET"])
		at, known := s.places("GET")[state]
		if !known {
			k.t.Fatalf("%s holds %s, which was never written last", s.name, state)
		}
		for name, words := range queries {
			if got, want := k.answers(words), s.state(name, at); got != want {
				k.t.Fatalf("%q answers %s, want %s: half of a transaction has outlived the server", words, got, want)
			}
		}
		k.checkLost(s, at)
		s.numbers = s.numbers[:at+1]
	}
}

// checkLost holds that what anybody was told is not lost, where that is promised.
func (k *kills) checkLost(s *shelf, at int) {
	k.t.Helper()
	for _, c := range k.tails {
		for _, q := range c.queries {
			last, ok := q.last()
			if !ok || q.shelf != s || !k.always {
				continue
			}
			if place := s.places(q.name)[last.state]; place > at {
				k.t.Errorf("%v was told %s by %q, of which the server that was killed kept nothing", c, last.state, q.words)
			}
		}
	}
}

// goOn has a client connect again, while nobody writes: so it is known what is right.
func (k *kills) goOn(c *tail) {
	k.t.Helper()
	last := map[*told]toldFrame{}
	for _, q := range c.queries {
		if f, ok := q.last(); ok {
			last[q] = f
		}
	}
	if err := c.connect(k.socket, k.web); err != nil {
		k.t.Fatalf("%v: %v", c, err)
	}
	for _, q := range c.queries {
		first, is := q.frames[0], k.answers(q.words)
		before, goesOn := last[q]
		switch {
		case first.state != is:
			k.t.Errorf("%v of %q goes on with %s %s, and %s is right", c, q.words, first.kind, first.state, is)
		case !goesOn && first.kind != "state", goesOn && first.kind != "progress" && first.kind != "reset":
			k.t.Errorf("%v of %q goes on with the kind %s", c, q.words, first.kind)
		case !goesOn:
		case first.version < before.version, first.version == before.version && first.kind == "reset":
			k.t.Errorf("%v of %q goes on with %s at version %d, after %d", c, q.words, first.kind, first.version, before.version)
		case first.kind == "progress":
			k.nothing++
		default:
			k.resets++
			if q.shelf == k.quiet && k.always && k.round%2 == 1 {
				k.t.Errorf("%v of %q is reset, and the journal has all that came since", c, q.words)
			}
		}
		k.askOld(q, is)
	}
}

// askOld goes on with an older token: there was something since then.
func (k *kills) askOld(q *told, is string) {
	k.t.Helper()
	if len(q.before) == 0 {
		return
	}
	old := q.before[k.rng.IntN(len(q.before))]
	one := &told{shelf: q.shelf, name: q.name, words: q.words, before: []toldFrame{old}, now: strings.Split(old.state, ",")}
	l := &tail{way: "RESP3", queries: []*told{one}}
	defer l.close()
	if err := l.connect(k.socket, ""); err != nil {
		k.t.Fatal(err)
	}
	if first := one.frames[0]; first.kind != "reset" && first.kind != "progress" || first.state != is {
		k.t.Errorf("%q goes on behind %s with %s %s, and %s is right", q.words, old.state, first.kind, first.state, is)
	}
}

// keptFrames is how many frames are kept of the lives before.
const keptFrames = 500

// check holds what all were told in this life against what was written.
func (k *kills) check() {
	k.t.Helper()
	places := map[*shelf]map[string]map[string]int{}
	for _, s := range k.all() {
		places[s] = map[string]map[string]int{}
		for name := range s.queries() {
			places[s][name] = s.places(name)
		}
	}
	for _, c := range k.tails {
		for _, q := range c.queries {
			for i, f := range q.frames {
				at, known := places[q.shelf][q.name][f.state]
				if !known {
					k.t.Fatalf("%v of %q is told %s, which never was", c, q.words, f.state)
				}
				if i > 0 {
					k.checkStep(c, q, i, at-places[q.shelf][q.name][q.frames[i-1].state])
				}
				k.checkVersion(c, q, f)
			}
			k.frames += len(q.frames)
			q.before = append(q.before, q.frames...)
			q.before = q.before[max(0, len(q.before)-keptFrames):]
			q.frames = nil
		}
	}
}

// checkStep holds that a frame comes after the one before it, so many transactions
// later, and stands for these.
func (k *kills) checkStep(c *tail, q *told, i, steps int) {
	k.t.Helper()
	f, before := q.frames[i], q.frames[i-1]
	bad := ""
	switch {
	case f.kind == "progress" && (steps != 0 || f.version < before.version):
		bad = "a progress mark goes on from another state or version"
	case f.kind == "progress":
	case f.version <= before.version:
		bad = "the version does not rise"
	case steps <= 0:
		bad = "the state is no newer"
	case f.kind == "reset" && c.option != "EVERY":
		bad = "the server knows what was before"
	case f.kind == "reset":
	case c.option == "EVERY" && steps != 1:
		bad = "a state is left out"
	case q.name != "MGET" && f.covered != int64(steps):
		bad = fmt.Sprintf("it is %d changes later", steps)
	}
	if bad != "" {
		k.t.Errorf("%v of %q is told %+v after %+v: %s", c, q.words, f, before, bad)
	}
}

// checkVersion holds that a version of a query is one state only, whoever is told of it
// and in whatever life.
func (k *kills) checkVersion(c *tail, q *told, f toldFrame) {
	k.t.Helper()
	name := fmt.Sprintf("%q at %d", q.words, f.version)
	if have, known := k.states[name]; known && have != f.state && f.kind != "progress" {
		k.t.Errorf("%v is told %s as %s; it was %s before", c, f.state, name, have)
	}
	if f.kind != "progress" {
		k.states[name] = f.state
	}
}
