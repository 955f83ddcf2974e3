package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Live queries of DiceDB's clients, who send commands on one link and read
// pushes from another. The key that is watched is k, but for those that say so.

// pushed is a state of "GET.WATCH k" as the client prints it.
func pushed(raw bool, value string) string {
	switch {
	case raw && value == "":
		return "OK [fingerprint=455956094] (nil)"
	case raw:
		return "OK [fingerprint=455956094] " + value
	}
	return "OK [fingerprint=6645377565653310095] \"" + value + `"`
}

// introduce opens a link that has said HANDSHAKE.
func (s *server) introduce(raw bool, id, mode string) *diceClient {
	s.tb.Helper()
	c := s.diceClient(raw)
	c.want(map[bool]string{true: "OK OK", false: "OK "}[raw], "HANDSHAKE", id, mode)
	return c
}

// wantNext holds that the next message of the link is that push.
func (c *diceClient) wantNext(want string) {
	c.tb.Helper()
	if got := c.next(); got != want {
		c.tb.Errorf("pushed %s, want %s", got, want)
	}
}

// wantQuiet holds that nothing was sent to the link, and nothing is on its way:
// see dicePlay.wantNothing.
func (s *server) wantQuiet(links ...*diceClient) {
	s.tb.Helper()
	s.diceClient(false).ask("GET.WATCH", "k")
	for _, c := range links {
		if got := c.ask("ECHO", "nothing"); !strings.Contains(got, "nothing") {
			s.tb.Errorf("%s, want nothing", got)
		}
	}
}

// Pushes go to the link that says it watches, of the client that asked, and to
// no other: not to that which asked, not to other clients.
func TestDicePairs(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		mine, other, writer := s.introduce(raw, "me", "command"), s.introduce(raw, "other", "watch"), s.client()
		watching := s.introduce(raw, "me", "watch")
		mine.want(pushed(raw, ""), "GET.WATCH", "k")
		writer.want("+OK", "SET", "k", "v1")
		watching.wantNext(pushed(raw, "v1"))
		s.wantQuiet(mine, other)
		mine.want(pushed(raw, "v1"), "GET.WATCH", "k") // once more is once
		writer.want("+OK", "SET", "k", "v2")
		watching.wantNext(pushed(raw, "v2"))
		s.wantQuiet(mine, other, watching)
	})
}

// A link that watches may also ask; and one that has said no id has no other.
func TestDiceOneLink(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, true})
		alone, watching, writer := s.diceClient(raw), s.introduce(raw, "me", "watch"), s.client()
		for _, c := range []*diceClient{alone, watching} {
			c.want(pushed(raw, ""), "GET.WATCH", "k")
		}
		for i := range 5 {
			value := fmt.Sprint("v", i)
			writer.want("+OK", "SET", "k", value)
			alone.wantNext(pushed(raw, value))
			watching.wantNext(pushed(raw, value))
		}
		s.diceClient(raw).ask("GET.WATCH", "k") // another that says no id is another client
		s.wantQuiet(alone, watching)
	})
}

// The link that came last gets the pushes; when it goes, the one before it does.
// While there is none, the last state of each query waits for the next.
func TestDiceTargets(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		mine, writer := s.introduce(raw, "me", "command"), s.client()
		gone := func(c *diceClient) {
			t.Helper()
			before := s.Server.Connected()
			c.Close()
			eventually(t, "a link is gone", func() bool { return s.Server.Connected() < before })
		}
		mine.want(pushed(raw, ""), "GET.WATCH", "k")
		first := s.introduce(raw, "me", "watch")
		second := s.introduce(raw, "me", "watch")
		writer.want("+OK", "SET", "k", "v1")
		second.wantNext(pushed(raw, "v1"))
		gone(second)
		first.wantNext(pushed(raw, "v1")) // it is not known to have arrived
		writer.want("+OK", "SET", "k", "v2")
		first.wantNext(pushed(raw, "v2"))
		gone(first)
		for _, value := range []string{"v3", "v4", "v5"} {
			writer.want("+OK", "SET", "k", value)
		}
		s.wantQuiet(mine) // and so all is taken
		third := s.introduce(raw, "me", "watch")
		third.wantNext(pushed(raw, "v5"))
		third.want(map[bool]string{true: "OK OK", false: "OK "}[raw], "HANDSHAKE", "me", "command")
		writer.want("+OK", "SET", "k", "v6")
		s.wantQuiet(mine, third)
	})
}

// Any link of the client ends its watches by fingerprint; the end of the link
// that asked ends them, and so does another id on it.
func TestDiceEnds(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		queries := func(n int) {
			t.Helper()
			eventually(t, fmt.Sprint(n, " queries are watched"), func() bool { return s.Server.Watches.Len() == n })
		}
		watching := s.introduce(raw, "me", "watch")
		begin := func() *diceClient {
			c := s.introduce(raw, "me", "command")
			c.ask("GET.WATCH", "k")
			queries(1)
			return c
		}
		mine := begin()
		fingerprint := map[bool]string{true: "455956094", false: "6645377565653310095"}[raw]
		s.introduce(raw, "other", "command").ask("UNWATCH", fingerprint)
		mine.ask("UNWATCH", "1")
		mine.ask("UNWATCH", "no number")
		queries(1)
		watching.ask("UNWATCH", fingerprint)
		queries(0)
		mine.ask("GET.WATCH", "k")
		mine.ask("HGETALL.WATCH", "h")
		queries(2)
		mine.Close()
		queries(0)
		mine = begin()
		mine.ask("HANDSHAKE", "me", "command")
		queries(1)
		mine.ask("HANDSHAKE", "somebody", "command")
		queries(0)
		watching.want(map[bool]string{true: "OK PONG", false: `OK "PONG"`}[raw], "PING")
	})
}

// A client whose links speak different protocols is told in that of each.
func TestDiceMixedPair(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	mine, watching := s.introduce(false, "me", "command"), s.introduce(true, "me", "watch")
	mine.want(`OK [fingerprint=1982637288860843106] ""`, "HGET.WATCH", "h", "f1")
	mine.ask("HSET", "h", "f1", "v")
	watching.wantNext("OK [fingerprint=1982637288860843106] v")
}

// Several watches of one link, changed in one step: each is pushed, and on a raw
// link so that its client reads them one by one, as long as it does not come late.
func TestDiceSeveralWatches(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		mine, watching, writer := s.introduce(raw, "me", "command"), s.introduce(raw, "me", "watch"), s.client()
		const n, attempts = 8, 30
		for i := range n {
			mine.ask("GET.WATCH", fmt.Sprint("k", i))
		}
		for attempt := range attempts { // a busy machine may not let the client read in time
			command, values := []string{"MSET"}, map[string]bool{}
			for i := range n {
				value := fmt.Sprintf("value %d of %d.", i, attempt)
				command = append(command, fmt.Sprint("k", i), value)
				values[value] = true
			}
			writer.want("+OK", command...)
			if reads := watching.readAll(values); reads == n || !raw {
				return
			}
		}
		t.Errorf("%d times the pushes were not read one by one", attempts)
	})
}

// readAll reads until all the texts have come, and tells in how many reads.
func (c *diceClient) readAll(texts map[string]bool) (reads int) {
	c.tb.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		c.tb.Fatal(err)
	}
	var all []byte
	for buf := make([]byte, 16384); len(texts) > 0; reads++ {
		n, err := c.Read(buf)
		if err != nil {
			c.tb.Fatalf("%v after %q", err, all)
		}
		all = append(all, buf[:n]...)
		for text := range texts {
			if bytes.Contains(all, []byte(text)) {
				delete(texts, text)
			}
		}
	}
	return reads
}

// The kinds of change: of a field, of the type, by another client's transaction,
// by the end of the key's time, by what empties the database, by renaming.
func TestDiceChanges(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		mine, watching, redis := s.introduce(raw, "me", "command"), s.introduce(raw, "me", "watch"), s.client()
		mine.want(pushed(raw, ""), "GET.WATCH", "k")
		value := func(v string) {
			t.Helper()
			watching.wantNext(pushed(raw, v))
		}
		redis.want("+OK", "SET", "k", "a")
		value("a")
		redis.want(":1", "DEL", "k")
		value("")
		redis.want(":1", "HSET", "k", "f", "v")
		watching.wantNext("ERR unknown object type")
		redis.want("+OK", "SET", "k", "b", "PX", "300")
		value("b")
		value("") // at the end of its time
		redis.want("+OK", "SET", "other", "c")
		redis.want("+OK", "RENAME", "other", "k")
		value("c")
		redis.want("+OK", "MULTI")
		redis.want("+QUEUED", "SET", "k", "unseen")
		redis.want("+QUEUED", "SET", "k", "d")
		redis.want("[+OK, +OK]", "EXEC")
		value("d")
		redis.want("+OK", "FLUSHALL")
		value("")
		redis.want("+OK", "SET", "k", "\xff")
		watching.wantNext("ERR the value is not UTF-8, which this protocol cannot carry: read it with a Redis client")
		redis.want("+OK", "SET", "k", "e")
		value("e")
	})
}

// A link that does not read holds up nobody, and is told the last state when it
// reads again.
func TestDiceSlowWatcher(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	mine, slow, fast := s.introduce(false, "me", "command"), s.introduce(false, "me", "watch"), s.introduce(false, "fast", "watch")
	mine.ask("GET.WATCH", "k")
	fast.ask("GET.WATCH", "k")
	writer := s.client()
	padding := strings.Repeat("x", 1<<19)
	for i := range 60 {
		value := fmt.Sprint("v", i, padding)
		writer.want("+OK", "SET", "k", value)
		fast.wantNext(pushed(false, value))
	}
	last := pushed(false, fmt.Sprint("v59", padding))
	for n := 1; slow.next() != last; n++ {
		if n == 59 {
			t.Fatal("the last state does not come")
		}
	}
}
