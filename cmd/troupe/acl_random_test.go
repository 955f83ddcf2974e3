package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/redistest"
	"github.com/troupedb/troupe/session"
)

// Random users may do here what they may do with redis-server: ACL SETUSER and
// ACL DRYRUN answer the same, and real calls are refused alike.

const (
	aclUsers = 40 // random users
	aclLines = 60 // lines of each
)

// endsTest tells the commands that random lines do not really call: they would
// end the server or the link, change what the link is, or wait for something.
func endsTest(row *session.Command) bool {
	container, sub := row.Container()
	switch container {
	case "SHUTDOWN", "DEBUG", "MONITOR", "QUIT", "RESET", "AUTH", "HELLO", "MIGRATE", "CONFIG", "ACL", "WAIT", "MULTI",
		"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "FAILOVER", "REPLICAOF", "SLAVEOF", "MODULE", "WATCHES":
		return true
	case "CLIENT":
		return sub != "GETNAME" && sub != "ID"
	case "SCRIPT":
		return sub == "DEBUG"
	}
	return row.Flags.Has(command.Blocking)
}

// twice are two servers that are asked the same.
type twice struct {
	t            *testing.T
	ours, theirs *client
}

// ask fails if the answers differ in what is of interest: all of it, or without
// a view whether and why it is refused.
func (b *twice) ask(view func(reply string) string, words ...string) {
	b.t.Helper()
	ours, theirs := view(b.ours.ask(words...)), view(b.theirs.ask(words...))
	if ours != theirs {
		b.t.Errorf("%q: %s\nredis-server: %s", words, ours, theirs)
	}
}

func wholeReply(reply string) string { return reply }

// refusalOf is a reply if it is one for want of rights, else nothing.
func refusalOf(reply string) string {
	for _, part := range []string{"-NOPERM", "The user executing the script", "insufficient ACL permissions"} {
		if strings.Contains(reply, part) {
			return reply
		}
	}
	return ""
}

func TestRightsAsRedis(t *testing.T) {
	t.Parallel()
	m := &lineMaker{rng: rand.New(rand.NewPCG(drawSeed(t), 0))}
	redis, s := redistest.Start(t), startServer(t, shape{shards: 2})
	admin := &twice{t, s.client(), &client{tb: t, conn: redis.Dial()}}
	var names []string
	for _, row := range s.Server.Catalogue.List() {
		if row.Subs == nil && row.Watches == nil && arityOf(admin.theirs, row.Lower()) == int64(row.Arity) && row.Name != "UNWATCH" {
			m.rows, names = append(m.rows, row), append(names, row.Lower())
		}
	}
	for n := 0; n < aclUsers && !t.Failed(); n++ {
		rules := m.rules(names)
		admin.ask(wholeReply, append([]string{"ACL", "SETUSER", "u"}, rules...)...)
		user := &twice{t, s.client(), &client{tb: t, conn: redis.Dial()}}
		user.ask(wholeReply, "AUTH", "u", "x")
		for range aclLines {
			row, line := m.line()
			if isUnlikeRedis(row, line) {
				continue
			}
			admin.ask(wholeReply, append([]string{"ACL", "DRYRUN", "u"}, line...)...)
			if !endsTest(row) {
				user.ask(refusalOf, line...)
			}
		}
		if t.Failed() {
			t.Logf("the rules are %q", rules)
		}
	}
}

// arityOf is the arity that a server gives a command, 0 if it does not know it.
func arityOf(c *client, name string) int64 {
	c.tb.Helper()
	c.send(request("COMMAND", "INFO", name))
	reply, err := c.next()
	if err != nil {
		c.tb.Fatal(err)
	}
	if info := reply.Items()[0].Items(); len(info) > 1 {
		return info[1].Int()
	}
	return 0
}

// isUnlikeRedis tells lines whose keys redis-server does not look at, though they
// are keys: of several destinations it looks at the first, and uses the last; and
// it looks at none where a further key is missing or their number is 0.
func isUnlikeRedis(row *session.Command, line []string) bool {
	stores := 0
	for _, word := range line[1:] {
		if command.EqualFold([]byte(word), "STORE") || command.EqualFold([]byte(word), "STOREDIST") {
			stores++
		}
	}
	switch row.Name {
	case "GEORADIUS", "GEORADIUSBYMEMBER":
		return stores > 1
	case "PFMERGE":
		return len(line) == 2
	case "MIGRATE":
		return strings.EqualFold(line[len(line)-1], "KEYS")
	case "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE":
		return line[2] == "0"
	}
	return false
}
