package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// No line of any command touches a key or a channel that its user has no right
// to, however it is sent: alone, in a transaction, by a script or a function, as
// a live query, by subscribing.
//
// Rights are worked out a second time here, in the simplest way (naiveRights).
// What is really touched is observed: the shard tells of each key that is looked
// up; digests tell which have changed; every value holds the name of its key, so
// that what a link is sent tells what was read; and a subscriber to everything
// hears what is published.

const (
	promiseUsers = 40
	promiseLines = 40
)

// naiveRights are what rules allow to be done to keys and channels by some
// command, nothing being known of commands.
type naiveRights struct {
	reads, writes, hears []string // patterns
}

func newNaiveRights(rules []string) (n naiveRights) {
	for _, rule := range strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(strings.Join(rules, " "))) {
		marks, pattern, isKey := strings.Cut(rule, "~")
		if channel, isChannel := strings.CutPrefix(rule, "&"); isChannel {
			n.hears = append(n.hears, channel)
		}
		if isKey && (marks == "" || strings.Contains(marks, "R")) {
			n.reads = append(n.reads, pattern)
		}
		if isKey && (marks == "" || strings.Contains(marks, "W")) {
			n.writes = append(n.writes, pattern)
		}
	}
	return n
}

// matchesAny knows * and ? only.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return naiveMatch(pattern, name) })
}

func naiveMatch(pattern, name string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '*':
		return naiveMatch(pattern[1:], name) || name != "" && naiveMatch(pattern, name[1:])
	}
	return name != "" && (pattern[0] == '?' || pattern[0] == name[0]) && naiveMatch(pattern[1:], name[1:])
}

// promiser is a server whose shard tells what is looked up, with an
// administrator's link and one that hears all channels.
type promiser struct {
	*server
	admin, ear *client
	makes      lineMaker
	names      []string
	nonce      int

	mu      sync.Mutex
	touched []string
}

func newPromiser(t *testing.T) *promiser {
	p := &promiser{server: startServer(t, shape{shards: 1}), makes: lineMaker{rng: rand.New(rand.NewPCG(drawSeed(t), 0))}}
	p.admin, p.ear = p.client(), p.client()
	p.ear.want(`["psubscribe", "*", :1]`, "PSUBSCRIBE", "*")
	for _, row := range p.Server.Catalogue.List() {
		if row.Subs == nil && !isOutOfScope(row) {
			p.makes.rows = append(p.makes.rows, row)
			p.makes.often(row)
		}
		p.names = append(p.names, row.Lower())
	}
	return p
}

// isOutOfScope tells commands that would end the link or the test, and those that
// show administrators what others do.
func isOutOfScope(row *session.Command) bool {
	container, sub := row.Container()
	switch container {
	case "SHUTDOWN", "DEBUG", "MONITOR", "QUIT", "RESET", "AUTH", "HELLO", "MIGRATE", "CONFIG", "ACL", "WAIT", "MULTI", "EXEC",
		"DISCARD", "SLOWLOG", "FAILOVER", "MODULE":
		return true
	case "CLIENT":
		return sub != "GETNAME" && sub != "TRACKING" && sub != "LIST"
	}
	return false
}

// wholeDatabase tells commands whose right is one to whole databases: they name
// no keys, and show at most names.
func wholeDatabase(row *session.Command) bool {
	return row.Flags&(command.AllShards|command.ByCursor) != 0 || row.Name == "RANDOMKEY"
}

// filling makes the keyspace anew: each key's value says whose it is.
func filling() (requests []byte, n int) {
	add := func(words ...string) {
		requests = append(requests, request(words...)...)
		n++
	}
	add("FLUSHALL")
	for _, key := range aclKeys {
		mark := "secret-" + key + "!"
		switch strings.TrimRight(key, "0123456789") {
		case "str", "w_":
			add("SET", key, mark)
		case "num":
			add("SET", key, "7")
		case "list":
			add("RPUSH", key, mark, "1", "2")
		case "hash":
			add("HSET", key, "f", mark, mark+"f", "1")
		case "set":
			add("SADD", key, mark, "1")
		case "zset":
			add("ZADD", key, "1", mark, "2", "a")
		case "geo":
			add("GEOADD", key, "1", "1", mark)
		case "stream":
			add("XADD", key, "1-1", "f", mark)
		case "hll":
			add("PFADD", key, "a", "b")
		}
	}
	add("FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function('call', function(keys, args) return redis.call(unpack(args)) end)")
	return requests, n
}

func (p *promiser) fill() {
	p.tb.Helper()
	requests, n := filling()
	p.admin.send(requests)
	for range n {
		if reply := p.admin.receive(); reply[0] == '-' {
			p.tb.Fatal(reply)
		}
	}
}

func (p *promiser) digests() []string {
	p.tb.Helper()
	p.admin.send(request(append([]string{"DEBUG", "DIGEST-VALUE"}, aclKeys...)...))
	reply, err := p.admin.next()
	if err != nil {
		p.tb.Fatal(err)
	}
	var all []string
	for _, one := range reply.Items() {
		all = append(all, one.Str())
	}
	return all
}

// turnDone tells of an Execute that is done.
type turnDone chan struct{}

func (d turnDone) Executed(*keyspace.Execute) { close(d) }

// listen has the shard tell which keys are looked up from here on. A live query
// ends that, by listening itself.
func (p *promiser) listen() {
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		tx.Trace(func(key []byte) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.touched = append(p.touched, string(key))
		})
		return resp.OK
	}}}}
	x.Visit(0)
	done := make(turnDone)
	if !p.Node.Post(x, done) {
		<-done
	}
	p.mu.Lock()
	p.touched = nil
	p.mu.Unlock()
}

// heard is all that the link is sent up to the answer of a PING. What waits for
// others is called back.
func (p *promiser) heard(c *client, id string) string {
	p.tb.Helper()
	p.nonce++
	nonce := "nonce" + strconv.Itoa(p.nonce)
	c.send(request("PING", nonce))
	frames := make(chan string)
	go func() {
		defer close(frames)
		var all strings.Builder
		for {
			reply, err := c.next()
			if err != nil {
				all.WriteString("error: " + err.Error())
			}
			text := resp.Format(reply)
			all.WriteString(text + "\n")
			if err != nil || strings.Contains(text, nonce) {
				frames <- all.String()
				return
			}
		}
	}()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case all := <-frames:
			return all
		case <-ticker.C:
			p.admin.ask("CLIENT", "UNBLOCK", id)
		}
	}
}

// published are the channels that something was published to since the last call.
func (p *promiser) published() (channels []string) {
	p.tb.Helper()
	p.admin.ask("PUBLISH", "that-is-all", "x")
	for {
		reply, err := p.ear.next()
		if err != nil {
			p.tb.Fatal(err)
		}
		channel := reply.Items()[2].Str()
		if channel == "that-is-all" {
			return channels
		}
		if !strings.HasPrefix(reply.Items()[3].Str(), "secret-") {
			channels = append(channels, channel)
		}
	}
}

// lineForms are how a line is sent.
var lineForms = []func(line []string) [][]string{
	func(line []string) [][]string { return [][]string{line} },
	func(line []string) [][]string { return [][]string{{"MULTI"}, line, {"EXEC"}} },
	func(line []string) [][]string {
		return [][]string{append([]string{"EVAL", "return redis.call(unpack(ARGV))", "0"}, line...)}
	},
	func(line []string) [][]string { return [][]string{append([]string{"FCALL", "call", "0"}, line...)} },
	func(line []string) [][]string { return [][]string{append([]string{"OBSERVE"}, line...)} },
	func(line []string) [][]string {
		quoted := make([]string, len(line))
		for i, word := range line {
			quoted[i] = strconv.Quote(word)
		}
		return [][]string{{"SUBSCRIBE", session.QueryChannel + strings.Join(quoted, " ")}}
	},
}

func TestRightsHold(t *testing.T) {
	t.Parallel()
	p := newPromiser(t)
	for n := 0; n < promiseUsers && !t.Failed(); n++ {
		rules := append(p.makes.rules(p.names), "+ping", "+multi", "+exec")
		if p.admin.ask(append([]string{"ACL", "SETUSER", "u"}, rules...)...) != "+OK" {
			continue
		}
		user := p.client()
		user.ask("HELLO", "3", "AUTH", "u", "x")
		id := strings.TrimPrefix(p.idOf(), ":")
		for range promiseLines {
			p.hold(user, id, newNaiveRights(rules))
			if t.Failed() {
				t.Fatalf("the rules are %q", rules)
			}
		}
		user.conn.Close()
	}
}

// idOf is the number of the link that was opened last.
func (p *promiser) idOf() string {
	newest := uint64(0)
	for _, one := range p.Server.Sessions() {
		newest = max(newest, one.ID())
	}
	return fmt.Sprint(newest)
}

// hold has a user send a random line, and then all that he watches and hears
// change. It fails if he has touched or heard what he may not.
func (p *promiser) hold(user *client, id string, rights naiveRights) {
	p.tb.Helper()
	row, line := p.makes.line()
	p.fill()
	before := p.digests()
	p.listen()
	sent := lineForms[p.makes.rng.IntN(len(lineForms))](line)
	for _, words := range sent {
		user.send(request(words...))
	}
	said := p.heard(user, id)
	p.mu.Lock()
	touched := slices.Clone(p.touched)
	p.mu.Unlock()
	fail := func(format string, args ...any) {
		p.tb.Helper()
		p.tb.Errorf("%q: %s\nanswered %s", sent, fmt.Sprintf(format, args...), said)
	}
	for _, key := range touched {
		if !wholeDatabase(row) && !matchesAny(rights.reads, key) && !matchesAny(rights.writes, key) {
			fail("%q was looked up", key)
		}
	}
	for i, digest := range p.digests() {
		if digest != before[i] && !wholeDatabase(row) && !matchesAny(rights.writes, aclKeys[i]) {
			fail("%q has changed", aclKeys[i])
		}
	}
	for _, channel := range p.published() {
		if !matchesAny(rights.hears, channel) {
			fail("there was a message on %q", channel)
		}
	}
	p.fill()
	for _, channel := range aclChannels {
		p.admin.ask("PUBLISH", channel, "secret-"+channel+"!")
		p.admin.ask("SPUBLISH", channel, "secret-"+channel+"!")
	}
	p.published()
	said += p.heard(user, id)
	for _, key := range aclKeys {
		if strings.Contains(said, "secret-"+key+"!") && !matchesAny(rights.reads, key) {
			fail("%q was read", key)
		}
	}
	for _, channel := range aclChannels {
		if strings.Contains(said, "secret-"+channel+"!") && !matchesAny(rights.hears, channel) {
			fail("%q was heard", channel)
		}
	}
}
