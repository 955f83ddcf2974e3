package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// listOf is a reply that is a list of texts.
func (c *client) listOf(words ...string) (list []string) {
	c.tb.Helper()
	c.send(request(words...))
	reply, err := c.next()
	if err != nil || reply.IsError() {
		c.tb.Fatalf("%q: %v %s", words, err, reply.Str())
	}
	for _, item := range reply.Items() {
		list = append(list, item.Str())
	}
	return list
}

// A category has the same commands as in redis-server, of those that are in both.
func TestCategoriesAsRedis(t *testing.T) {
	t.Parallel()
	redis, ours := &client{tb: t, conn: redistest.Start(t).Dial()}, startServer(t, shape{shards: 1}).client()
	known := func(c *client) []string { return append(c.listOf("COMMAND", "LIST"), subcommandsOf(c)...) }
	here, there := known(ours), known(redis)
	categories := redis.listOf("ACL", "CAT")
	if got := ours.listOf("ACL", "CAT"); !slices.Equal(got, categories) {
		t.Errorf("the categories are %q, in redis-server %q", got, categories)
	}
	for _, category := range categories {
		both := func(from, in []string) (list []string) {
			for _, name := range from {
				if slices.Contains(in, name) {
					list = append(list, name)
				}
			}
			slices.Sort(list)
			return list
		}
		got, want := both(ours.listOf("ACL", "CAT", category), there), both(redis.listOf("ACL", "CAT", category), here)
		if !slices.Equal(got, want) {
			t.Errorf("@%s has %q,\nin redis-server %q", category, got, want)
		}
	}
}

// subcommandsOf are the subcommands that are in some category, which each is.
func subcommandsOf(c *client) (names []string) {
	for _, category := range []string{"fast", "slow"} {
		for _, name := range c.listOf("ACL", "CAT", category) {
			if strings.Contains(name, "|") {
				names = append(names, name)
			}
		}
	}
	return names
}

// Users with any rights over all commands that there are, are described by rules
// that make the same rights again.
func TestDescriptionsMakeTheSame(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 1})
	users := s.Server.Users
	m := &lineMaker{rng: rand.New(rand.NewPCG(drawSeed(t), 0))}
	var names []string
	for _, row := range s.Server.Catalogue.List() {
		names = append(names, row.Lower())
		m.rows = append(m.rows, row)
	}
	for range 50 {
		rules := m.rules(names)
		if _, err := users.Set("u", rules); err != nil {
			t.Fatal(err)
		}
		said := users.Describe(users.Find([]byte("u")).Now())
		if _, err := users.Define("v", strings.Split(said, " ")); err != nil {
			t.Fatalf("%q: %s: %v", rules, said, err)
		}
		u, v := users.Find([]byte("u")).Now(), users.Find([]byte("v")).Now()
		if again := users.Describe(v); again != said {
			t.Errorf("%q is described as %s,\nwhich makes %s", rules, said, again)
		}
		for range 300 {
			row, line := m.line()
			argv := make([][]byte, len(line))
			for i, word := range line {
				argv[i] = []byte(word)
			}
			one, other := s.Server.Catalogue.Denial(u, row, argv), s.Server.Catalogue.Denial(v, row, argv)
			if one.Reason != other.Reason {
				t.Fatalf("%q, described as %s: %q is refused for %d, then for %d", rules, said, line, one.Reason, other.Reason)
			}
		}
	}
}

// Passwords are not shown to anybody: not by MONITOR, the slow log, ACL LOG, CLIENT
// LIST, INFO or an error.
func TestPasswordsOfUsersAreSecret(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 1}, config.Flag{Name: "slowlog-log-slower-than", Words: []string{"0"}})
	monitor, c, other := s.client(), s.client(), s.client()
	monitor.want("+OK", "MONITOR")
	var said strings.Builder
	ask := func(words ...string) { said.WriteString(c.ask(words...) + "\n") }
	ask("ACL", "SETUSER", "bob", "on", ">secret1", "+@all", "~*")
	ask("ACL", "SETUSER", "bob", "<secret2")
	ask("ACL", "SETUSER", "bob", "#secret3")
	ask("ACL", "SETUSER", "bob", "(+get >secret4)")
	ask("ACL", "SETUSER", "bob", "(>secret5")
	ask("AUTH", "bob", "secret1")
	ask("AUTH", "bob", "secret6")
	ask("AUTH", "secret7")
	ask("ACL", "DRYRUN", "bob", "AUTH", "bob", "secret10")
	ask("HELLO", "3", "AUTH", "bob", "secret8")
	ask("HELLO", "3", "AUTH", "bob", "secret1")
	ask("MULTI")
	ask("AUTH", "bob", "secret9")
	ask("ACL", "SETUSER", "bob", ">secret1")
	ask("EXEC")
	for _, words := range [][]string{{"ACL", "LOG"}, {"ACL", "LIST"}, {"ACL", "GETUSER", "bob"}, {"SLOWLOG", "GET", "100"}, {"CLIENT", "LIST"}, {"INFO", "everything"}} {
		said.WriteString(other.ask(words...))
	}
	other.ask("ECHO", "that-is-all")
	for line := ""; !strings.Contains(line, "that-is-all"); {
		line = monitor.receive()
		said.WriteString(line + "\n")
	}
	if all := said.String(); strings.Contains(all, "secret") || !strings.Contains(all, "(redacted)") {
		t.Errorf("a password is shown: %s", all)
	}
}

// DiceDB's clients have the default user's rights until they log in, then those of
// their user; what they lose is taken from them.
func TestDiceClientsHaveUsers(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		admin := s.client()
		admin.want("+OK", "ACL", "SETUSER", "admin", "on", ">x", "+@all", "~*", "&*")
		admin.want("+OK", "AUTH", "admin", "x")
		admin.want("+OK", "ACL", "SETUSER", "default", "resetkeys", "~open*")
		admin.want("+OK", "ACL", "SETUSER", "bob", "on", ">p", "~mine*", "+@all")
		admin.want("+OK", "MSET", "open1", "a", "mine1", "b", "other1", "c")
		c := s.diceClient(raw)
		allowed := func(want bool, words ...string) {
			t.Helper()
			if got := c.ask(words...); strings.Contains(got, "NOPERM") == want {
				t.Errorf("%q is answered %s", words, got)
			}
		}
		allowed(true, "GET", "open1")
		allowed(false, "GET", "mine1")
		if got := c.ask("AUTH", "bob", "wrong"); !strings.Contains(got, "WRONGPASS") {
			t.Errorf("a wrong password is answered %s", got)
		}
		allowed(true, "AUTH", "bob", "p")
		allowed(true, "GET", "mine1")
		allowed(false, "GET", "open1")
		allowed(false, "GET.WATCH", "other1")
		allowed(true, "GET.WATCH", "mine1")
		admin.want("+OK", "ACL", "SETUSER", "bob", "resetkeys")
		if got := c.next(); !strings.Contains(got, "has lost a right") {
			t.Errorf("the live query that needed the right tells %s", got)
		}
		allowed(false, "GET", "mine1")
		admin.want(":1", "ACL", "DELUSER", "bob")
		if m, err := c.Receive(); err == nil {
			t.Errorf("after its user has gone the link is sent %s", m.CLI())
		}
	})
}

// While a right is gone nothing of what it would show gets out, however many
// links begin to watch at the same time.
func TestTakenRightsShowNothing(t *testing.T) {
	t.Parallel()
	const links, rounds = 8, 40
	s := startServer(t, shape{shards: 2})
	admin := s.client()
	admin.want("+OK", "ACL", "SETUSER", "u", "on", "nopass", "+@all", "~k", "&*")
	var all sync.WaitGroup
	done := make(chan struct{})
	for n := range links {
		c := s.client()
		if got := c.ask("HELLO", "3", "AUTH", "u", "x"); !strings.HasPrefix(got, "%") {
			t.Fatal(got)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			c.watchAgain(n, done)
		}()
	}
	for n := range rounds {
		admin.want("+OK", "ACL", "SETUSER", "u", "resetkeys")
		admin.want("+OK", "SET", "k", fmt.Sprintf("hidden %d", n))
		admin.want("+OK", "SET", "k", fmt.Sprintf("shown %d", n))
		admin.want("+OK", "ACL", "SETUSER", "u", "~k")
		admin.want("+OK", "SET", "k", fmt.Sprintf("shown %d again", n))
	}
	close(done)
	all.Wait()
}

// watchAgain begins and ends watches in one way or another, and fails if it is
// told of what was hidden.
func (c *client) watchAgain(n int, done chan struct{}) {
	forms := [][][]string{
		{{"OBSERVE", "GET", "k"}, {"UNOBSERVE", "380d3c1e1f9803f0"}},
		{{"GET.WATCH", "k"}, {"STRLEN.WATCH", "k"}, {"UNOBSERVE", "380d3c1e1f9803f0"}},
		{{"SUBSCRIBE", "__query__:GET k"}, {"UNSUBSCRIBE"}},
		{{"OBSERVE", "GET", "k"}, {"GET", "k"}},
	}
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		for _, words := range forms[n%len(forms)] {
			c.send(request(words...))
		}
		nonce := fmt.Sprintf("nonce %d", i)
		c.send(request("ECHO", nonce))
		for text := ""; !strings.Contains(text, nonce); {
			reply, err := c.next()
			if err != nil {
				c.tb.Error(err)
				return
			}
			if text = resp.Format(reply); strings.Contains(text, "hidden") {
				c.tb.Errorf("shown: %s", text)
			}
		}
	}
}
