package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/dice"
)

// Real clients of DiceDB: its own Go library, in one version that speaks without
// frames and in several that speak with them. The versions share a module path,
// so each is a program of a module of its own, in testdata; it is built here and
// does what a test tells it.

// sdk is one of the programs.
type sdk struct {
	name string
	raw  bool
	dir  string // in testdata; "": as the name
	path string
}

func TestDiceLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sdk103, sdk1010 := &sdk{name: "dicesdk103", raw: true}, &sdk{name: "dicesdk1010"}
	sdk107, sdk1011 := &sdk{name: "dicesdk107", dir: sdk1010.name}, &sdk{name: "dicesdk1011", dir: sdk1010.name}
	for _, k := range []*sdk{sdk103, sdk1010, sdk107, sdk1011} {
		k.build(t, dir)
	}
	t.Run("rank/"+sdk107.name, func(t *testing.T) {
		t.Parallel()
		libraryRank(t, sdk107)
	})
	for _, k := range []*sdk{sdk103, sdk1010, sdk1011} {
		each := func(name string, f func(*testing.T, *sdk)) {
			t.Run(name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				f(t, k)
			})
		}
		each("cases", libraryCases)
		each("leaderboard", libraryLeaderboard)
		each("late", libraryOpensLate)
		each("leaves", libraryLeaves)
		each("restart", libraryRestart)
	}
	for _, pair := range [][2]*sdk{{sdk103, sdk103}, {sdk103, sdk1010}, {sdk1010, sdk1010}} {
		t.Run("watches/"+pair[0].name+"+"+pair[1].name, func(t *testing.T) {
			t.Parallel()
			libraryWatches(t, pair)
		})
	}
}

// build builds the program. Where its modules cannot be fetched the test is
// skipped, except in CI.
func (k *sdk) build(t *testing.T, dir string) {
	t.Helper()
	k.path = filepath.Join(dir, k.name)
	words, program := []string{"build", "-o", k.path}, k.name
	if k.dir != "" { // the program of another version, with this one instead
		words, program = append(words, "-modfile="+k.name+".mod"), k.dir
	}
	build := exec.Command("go", append(words, ".")...)
	build.Dir = filepath.Join("..", "..", "testdata", program)
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off")
	out, err := build.CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("TROUPE_CI") == "1":
		t.Fatalf("%s: %v\n%s", k.name, err, out)
	default:
		t.Skipf("%s cannot be built; are its modules to be had? %v\n%s", k.name, err, out)
	}
}

// sdkClient is a running program.
type sdkClient struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	other []string // lines that were not asked for yet
}

// start starts the program as a client of the server at the address.
func (k *sdk) start(t *testing.T, address, id string) *sdkClient {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	c := &sdkClient{t: t, cmd: exec.Command(k.path, "-port", port, "-id", id), lines: make(chan string, 1000)}
	c.cmd.Stderr = os.Stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	go func() {
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			c.lines <- scanner.Text()
		}
		close(c.lines)
	}()
	t.Cleanup(c.kill)
	c.next("connected")
	return c
}

func (c *sdkClient) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func (c *sdkClient) order(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next is the rest of the next line that begins with the word.
func (c *sdkClient) next(word string) string {
	c.t.Helper()
	for i, line := range c.other {
		if first, rest, _ := strings.Cut(line, " "); first == word {
			c.other = append(c.other[:i], c.other[i+1:]...)
			return rest
		}
	}
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-c.lines:
			first, rest, _ := strings.Cut(line, " ")
			switch {
			case !ok:
				c.t.Fatalf("the client has ended, and did not say %q but %q", word, c.other)
			case first == word:
				return rest
			}
			c.other = append(c.other, line)
		case <-deadline:
			c.t.Fatalf("the client does not say %q but %q", word, c.other)
		}
	}
}

// fire sends a command and returns the reply.
func (c *sdkClient) fire(words ...string) string {
	c.t.Helper()
	text, err := json.Marshal(words)
	if err != nil {
		c.t.Fatal(err)
	}
	c.order("fire " + string(text))
	return c.next("reply")
}

func (c *sdkClient) watch() {
	c.t.Helper()
	c.order("watch")
	c.next("watching")
}

// wantPush waits for the next push.
func (c *sdkClient) wantPush(want string) {
	c.t.Helper()
	if got := c.next("push"); !sameJSON(c.t, got, want) {
		c.t.Errorf("pushed %s, want %s", got, want)
	}
}

func (c *sdkClient) want(reply string, words ...string) {
	c.t.Helper()
	if got := c.fire(words...); !sameJSON(c.t, got, reply) {
		c.t.Errorf("%q is answered %s, want %s", words, got, reply)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	for text, value := range map[string]*any{a: &x, b: &y} {
		if err := json.Unmarshal([]byte(text), value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if a == b {
		return true
	}
	return reflect.DeepEqual(x, y)
}

// The library's decoders find in our replies what dicetest finds: all cases are
// played through both.
func libraryCases(t *testing.T, k *sdk) {
	s := startServer(t, shape{2, false})
	operator, library := s.client(), k.start(t, s.addr, "")
	plain := (&dicePlay{t: t, server: s, raw: k.raw, links: map[string]*diceLink{}}).link("")
	for _, file := range []string{"cases.tsv", "documented.tsv"} {
		for _, c := range diceCases(t, file) {
			if c.id[0] != 'g' && c.id[0] != 'd' || (c.id[1] == '1') != k.raw || c.id[1] == '0' {
				continue
			}
			var seen [2]string
			for i := range seen {
				operator.want("+OK", "FLUSHALL")
				for step := range strings.SplitSeq(c.setup+";"+c.command, ";") {
					if step == "" {
						continue
					}
					if words := words(t, step); i == 0 {
						seen[i] = library.fire(words...)
					} else if m, err := plain.Ask(words...); err == nil {
						seen[i] = m.JSON()
					}
				}
			}
			if strings.Contains(seen[1], "vSsMap") || strings.Contains(seen[1], `"GEO`) && k.name != "dicesdk1011" {
				continue // which version 1.0.3 does not know, and only the last one does
			}
			if !sameJSON(t, seen[0], seen[1]) {
				t.Errorf("%s: the library sees %s, it is %s", c.id, seen[0], seen[1])
			}
		}
	}
}

// push is a state of GET.WATCH as the library shows it; value "" is a missing
// key.
func (k *sdk) push(fingerprint, value string) string {
	switch {
	case k.raw && value == "":
		return `{"vNil":true,"attrs":{"fingerprint":"` + fingerprint + `"}}`
	case k.raw:
		return `{"vStr":"` + value + `","attrs":{"fingerprint":"` + fingerprint + `"}}`
	case value == "":
		return `{"message":"OK","fingerprint64":"` + fingerprint + `","GETRes":{}}`
	}
	return `{"message":"OK","fingerprint64":"` + fingerprint + `","GETRes":{"value":"` + value + `"}}`
}

// fingerprints of "GET.WATCH k".
func (k *sdk) fingerprint() string {
	if k.raw {
		return "455956094"
	}
	return "6645377565653310095"
}

// Two clients watch a key that a third writes, each of any version: every kind
// of change reaches both, in order, and ends where it should.
func libraryWatches(t *testing.T, pair [2]*sdk) {
	s := startServer(t, shape{2, false})
	writer, redis := pair[1].start(t, s.addr, "writer"), s.client()
	var clients [2]*sdkClient
	for i, k := range pair {
		clients[i] = k.start(t, s.addr, "watcher"+strconv.Itoa(i))
		clients[i].want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
		clients[i].watch()
	}
	changed := func(value string) {
		t.Helper()
		for i, k := range pair {
			clients[i].wantPush(k.push(k.fingerprint(), value))
		}
	}
	writer.fire("SET", "k", "v1")
	changed("v1")
	writer.fire("GET", "k")
	writer.fire("SET", "k", "v1")
	writer.fire("HSET", "k", "f", "v")
	writer.fire("SET", "k", "v2")
	changed("v2")
	writer.fire("DEL", "other", "k")
	changed("")
	redis.want(":1", "INCR", "k")
	changed("1")
	writer.fire("SET", "k", "short", "PX", "500")
	changed("short")
	changed("") // at its deadline, and nobody has looked at it
	redis.want("+OK", "SET", "k", "w")
	changed("w")
	writer.fire("FLUSHDB")
	changed("")
	for i, k := range pair {
		clients[i].want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
		clients[i].fire("UNWATCH", k.fingerprint())
	}
	writer.fire("SET", "k", "unseen")
	for i, k := range pair {
		clients[i].want(k.push(k.fingerprint(), "unseen"), "GET.WATCH", "k")
	}
	writer.fire("SET", "k", "last")
	changed("last")
}

// ranked is a state of ZRANGE.WATCH, of the words, as the library shows it; the
// players are in the order of their ranks, and each is followed by his score.
func (k *sdk) ranked(text string, players ...string) string {
	var elements []string
	form := `{"rank":"%d","member":"%s","score":"%s"}`
	if k.raw {
		form = `{"rank":%d,"member":"%s","score":%s}`
	}
	for i := 0; i < len(players); i += 2 {
		elements = append(elements, fmt.Sprintf(form, i/2+1, players[i], players[i+1]))
	}
	list := "[" + strings.Join(elements, ",") + "]"
	if k.raw {
		return fmt.Sprintf(`{"attrs":{"fingerprint":"%d"},"vList":%s}`, dice.Raw.Fingerprint(text), list)
	}
	return fmt.Sprintf(`{"message":"OK","fingerprint64":"%d","ZRANGERes":{"elements":%s}}`, dice.Framed.Fingerprint(text), list)
}

// A leaderboard, as in DiceDB's own example: the first five are shown whenever
// they change, whoever changes them.
func libraryLeaderboard(t *testing.T, k *sdk) {
	s := startServer(t, shape{2, false})
	board, game, redis := k.start(t, s.addr, "board"), k.start(t, s.addr, "game"), s.client()
	words := []string{"ZRANGE.WATCH", "game:scores", "1", "5", "BYRANK"}
	text := strings.Join(words, " ")
	game.fire("ZADD", "game:scores", "70", "Alice", "30", "Bob")
	board.want(k.ranked(text, "Bob", "30", "Alice", "70"), words...)
	board.watch()
	game.fire("ZADD", "game:scores", "50", "Charlie")
	board.wantPush(k.ranked(text, "Bob", "30", "Charlie", "50", "Alice", "70"))
	redis.want(`"75"`, "ZINCRBY", "game:scores", "45", "Bob")
	board.wantPush(k.ranked(text, "Charlie", "50", "Alice", "70", "Bob", "75"))
	redis.want(":3", "ZADD", "game:scores", "1", "Dora", "2", "Evan", "3", "Fay")
	first := []string{"Dora", "1", "Evan", "2", "Fay", "3", "Charlie", "50", "Alice", "70"}
	board.wantPush(k.ranked(text, first...))
	game.fire("ZREM", "game:scores", "Bob") // is not among the first five
	game.fire("ZPOPMIN", "game:scores")
	board.wantPush(k.ranked(text, first[2:]...))
	board.fire("UNWATCH", strconv.FormatUint(map[bool]uint64{true: dice.Raw.Fingerprint(text), false: dice.Framed.Fingerprint(text)}[k.raw], 10))
	eventually(t, "nobody watches", func() bool { return s.Server.Watches.Len() == 0 })
}

// Older versions look for a rank beside the element.
func libraryRank(t *testing.T, k *sdk) {
	s := startServer(t, shape{1, false})
	c := k.start(t, s.addr, "")
	c.fire("ZADD", "z", "10", "alice", "20", "bob")
	c.want(`{"message":"OK","ZRANKRes":{"rank":"2","element":{"score":"20","member":"bob"}}}`, "ZRANK", "z", "bob")
}

// Both orders in which clients open their two links work, and what happens in
// between is not lost: of several states the last.
func libraryOpensLate(t *testing.T, k *sdk) {
	s := startServer(t, shape{1, false})
	early, late, writer := k.start(t, s.addr, ""), k.start(t, s.addr, ""), s.client()
	early.watch()
	early.want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
	late.want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
	for i := range 3 {
		writer.want("+OK", "SET", "k", "v"+strconv.Itoa(i))
		early.wantPush(k.push(k.fingerprint(), "v"+strconv.Itoa(i)))
	}
	late.watch()
	late.wantPush(k.push(k.fingerprint(), "v2"))
	writer.want("+OK", "SET", "k", "v3")
	late.wantPush(k.push(k.fingerprint(), "v3"))
}

// A client that is killed leaves nothing behind; one that closes and begins
// again watches anew.
func libraryLeaves(t *testing.T, k *sdk) {
	s := startServer(t, shape{2, true})
	c := k.start(t, s.addr, "me")
	c.watch()
	c.want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
	c.order("reconnect") // the link before stays open, as its library leaves it
	c.next("connected")
	c.want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
	c.watch()
	s.client().want("+OK", "SET", "k", "v")
	c.wantPush(k.push(k.fingerprint(), "v"))
	c.kill()
	eventually(t, "nobody watches", func() bool { return s.Server.Watches.Len() == 0 && s.Server.Connected() == 1 })
}

// relay passes links on to a server that may be replaced.
type relay struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
	links    []net.Conn
}

func startRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: listener, to: to}
	t.Cleanup(func() {
		listener.Close()
		r.cut("")
	})
	go func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			r.pass(here)
		}
	}()
	return r
}

func (r *relay) pass(here net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	there, err := net.Dial("tcp", r.to)
	if err != nil {
		here.Close()
		return
	}
	r.links = append(r.links, here, there)
	for _, way := range [][2]net.Conn{{here, there}, {there, here}} {
		go func() {
			io.Copy(way[0], way[1])
			way[0].Close()
			way[1].Close()
		}()
	}
}

// cut ends all links; new ones go elsewhere.
func (r *relay) cut(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, link := range r.links {
		link.Close()
	}
	r.links, r.to = nil, to
}

// The server restarts: a client that is begun again goes on.
func libraryRestart(t *testing.T, k *sdk) {
	first := startServer(t, shape{1, false})
	relay := startRelay(t, first.addr)
	c := k.start(t, relay.listener.Addr().String(), "me")
	c.fire("SET", "k", "v")
	first.stop()
	second := startServer(t, shape{1, false})
	relay.cut(second.addr)
	c.order("reconnect")
	c.next("connected")
	c.want(k.push(k.fingerprint(), ""), "GET.WATCH", "k")
	c.watch()
	c.fire("SET", "k", "again")
	c.wantPush(k.push(k.fingerprint(), "again"))
}
