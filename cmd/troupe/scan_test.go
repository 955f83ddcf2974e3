package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// A walk by SCAN or HSCAN returns every key or field that is there from its
// beginning to its end, however much the tables grow and shrink meanwhile.

func TestScanWhileTablesResize(t *testing.T) {
	t.Parallel()
	for _, sh := range []shape{{1, false}, {16, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			scanWhileTablesResize(t, startServer(t, sh))
		})
	}
}

func scanWhileTablesResize(t *testing.T, s *server) {
	t.Helper()
	w := s.client()
	stays := map[string]bool{}
	for i := range 800 {
		name := fmt.Sprint("stays:", i)
		stays[name] = true
		w.want("+OK", "SET", name, "v")
		w.ask("HSET", "h", name, "v")
	}
	stop := make(chan struct{})
	var churning sync.WaitGroup
	churning.Go(func() { s.churn(stop) })
	walker := s.client()
	for _, count := range []string{"10", "100"} {
		missed(t, "SCAN COUNT "+count, stays, walker.walk("SCAN", "$", "COUNT", count))
		missed(t, "SCAN MATCH COUNT "+count, stays, walker.walk("SCAN", "$", "MATCH", "stays:*", "COUNT", count))
		missed(t, "HSCAN COUNT "+count, stays, walker.walk("HSCAN", "h", "$", "COUNT", count))
	}
	close(stop)
	churning.Wait()
}

// churn lets the tables grow by a factor of ten or more and shrink again.
func (s *server) churn(stop chan struct{}) {
	c := s.client()
	const others = 10_000
	rng := rand.New(rand.NewPCG(1, 1))
	for {
		for _, command := range []string{"add", "remove"} {
			for i := 0; i < others; i += 100 {
				select {
				case <-stop:
					return
				default:
				}
				c.churnSome(command == "add", i, rng)
			}
		}
	}
}

// churnSome adds or removes a hundred keys and fields.
func (c *client) churnSome(add bool, from int, rng *rand.Rand) {
	argv, fields := []string{"DEL"}, []string{"HDEL", "h"}
	if add {
		argv, fields = []string{"MSET"}, []string{"HSET", "h"}
	}
	for i := from; i < from+100; i++ {
		name := fmt.Sprint("goes:", i)
		argv, fields = append(argv, name), append(fields, name)
		if add {
			value := strings.Repeat("v", rng.IntN(30))
			argv, fields = append(argv, value), append(fields, value)
		}
	}
	c.send(append(request(argv...), request(fields...)...))
	c.receive()
	c.receive()
}

// walk goes from cursor 0 to cursor 0, "$" being the cursor, and returns what
// it came by.
func (c *client) walk(words ...string) map[string]bool {
	c.tb.Helper()
	found := map[string]bool{}
	for cursor := "0"; ; {
		argv := append([]string(nil), words...)
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "$", cursor)
		}
		c.send(request(argv...))
		reply, err := c.next()
		if err != nil || len(reply.Items()) != 2 {
			c.tb.Fatal(resp.Format(reply), err)
		}
		for _, item := range reply.Items()[1].Items() {
			found[item.Str()] = true
		}
		if cursor = reply.Items()[0].Str(); cursor == "0" {
			return found
		}
	}
}

func missed(t *testing.T, what string, want, got map[string]bool) {
	t.Helper()
	for name := range want {
		if !got[name] {
			t.Errorf("%s has not come by %s", what, name)
			return
		}
	}
}
