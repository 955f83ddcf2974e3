package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/web"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.ask("SET", "k", "v")
	s := p.watch("", "GET k")
	first := s.want("state", `"v"`)
	if got := strings.Join(first.frame.Query, " "); got != "GET k" || first.id != first.frame.Token || first.frame.Covered != 0 {
		t.Errorf("the first event is %+v", first)
	}
	p.ask("SET", "k", "w")
	if next := s.want("state", `"w"`); next.frame.Covered != 1 || next.frame.Version <= first.frame.Version {
		t.Errorf("the next event is %+v", next)
	}
	p.ask("DEL", "k")
	s.want("state", `null`)
	p.ask("LPUSH", "k", "x")
	s.want("failed", `{"error":"WRONGTYPE Operation against a key holding the wrong kind of value"}`)
	p.ask("SET", "k", "again")
	s.want("state", `"again"`)
}

// Several queries share a stream, whose id says where all of them stand; each goes
// on from there.
func TestEventsOfSeveral(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.watch("", "GET a", `GET "b c"`)
	s.want("state", `null`)
	s.want("state", `null`)
	p.ask("SET", "a", "1")
	s.want("state", `"1"`)
	p.ask("SET", "b c", "2")
	last := s.want("state", `"2"`)
	s.cancel()
	p.ask("SET", "a", "3")
	again := p.watchWith([]string{"Last-Event-ID: " + last.id}, "", "GET a", `GET "b c"`)
	e := again.want("state", `"3"`)
	if e.frame.Covered != 1 {
		t.Errorf("covered %d", e.frame.Covered)
	}
	again.want("progress", `null`)
}

// A stream that was cut goes on where it was, as is told or by the header.
func TestEventsResumed(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.watch("&every", "GET k")
	last := s.want("state", `null`)
	s.cancel()
	for i := range 5 {
		p.ask("SET", "k", fmt.Sprint(i))
	}
	again := p.watchWith([]string{"Last-Event-ID: " + last.id}, "&every", "GET k")
	for i := range 5 {
		last = again.want("state", fmt.Sprintf("%q", fmt.Sprint(i)))
		if last.frame.Covered != 1 {
			t.Errorf("covered %d", last.frame.Covered)
		}
	}
	again.cancel()
	third := p.watch("&every=1&resume="+last.id, "GET k")
	third.want("progress", `null`)
	other := p.watch("&resume=0000000000000001.1.0", "GET k")
	other.want("reset", `"4"`)
}

func TestEventsOptions(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.ask("RPUSH", "l", strings.Repeat("x", 100), "y")
	s := p.watch("&delta&progress=100", "LRANGE l 0 -1")
	s.next()
	p.ask("RPUSH", "l", "z")
	for {
		e, ok := s.next()
		if !ok {
			t.Fatal("no delta came")
		}
		if e.name == "delta" {
			if got := string(e.frame.Result); got != `{"added":[2,"z"]}` {
				t.Errorf("the delta is %s", got)
			}
			break
		}
	}
	s.want("progress", `null`)
	slow := p.watch("&arg=GET&arg=a%20b%00&maxrate=10&db=3", "GET k")
	slow.want("state", "null")
	if e := slow.want("state", "null"); strings.Join(e.frame.Query, ",") != "GET,a b\x00" {
		t.Errorf("the query is %q", e.frame.Query)
	}
}

func TestWatchMistakes(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.ask("LPUSH", "l", "x")
	f := func(parameters, text string) {
		t.Helper()
		status, answer := p.do("GET", "/watch?"+parameters, "")
		if status != 400 || !strings.HasPrefix(answer, `{"error":"`+text) {
			t.Errorf("%s is answered %d %s, want %s", parameters, status, answer, text)
		}
	}
	f("", "ERR what is to be watched?")
	f("q=", "ERR a query is empty")
	f("q=GET%20%22k", "ERR unbalanced quotes")
	f("q=GET%20k%00z", `ERR a zero byte in a query: it is written \"\\x00\", in quotes`)
	f("q=GET", "ERR wrong number of arguments")
	f("q=SET%20k%20v", "ERR OBSERVE not supported for 'SET'")
	f("q=KEYS%20*", "ERR OBSERVE not supported for 'KEYS'")
	f("q=NONSENSE", "ERR unknown command")
	f("q=GET%20l", "WRONGTYPE")
	f("q=GET%20k&db=99", "ERR DB index")
	f("q=GET%20k&maxrate=never", "ERR MAXRATE must be")
	f("q=GET%20k&progress=1", "ERR PROGRESS must be")
	f("q=GET%20k&every=perhaps", "ERR every is yes or no")
	f("q=GET%20k&every&delta", "ERR EVERY goes with neither")
	f("q=GET%20k&resume=nonsense", "ERR invalid resume token")
	f("q=GET%20k&resume=a,b", "ERR the id to resume from")
	f("q=GET%20k&wrong=1", "ERR there is no parameter wrong")
	f(strings.Repeat("q=GET%20k&", 65), "ERR too many queries")
	f("arg=GET&arg="+strings.Repeat("x", 70_000), "ERR the query is longer than one that is watched may be")
	first, _ := p.watch("", "GET k").next()
	f("q=GET%20k&resume="+first.id[:strings.LastIndexByte(first.id, '.')]+".7", "ERR the resume token is of a state that has not been reached")
	p.ask("CONFIG", "SET", "maxwatches-per-client", "1")
	several := p.watch("", "GET k", "GET k2") // the first is good, so the stream tells of the second
	several.want("state", "null")
	several.want("end", `{"error":"ERR max number of watches of one client reached (maxwatches-per-client 1)"}`)
	p.ask("CONFIG", "SET", "maxwatches", "2")
	f("q=GET%20k3", "ERR max number of watches reached (maxwatches 2)")
}

// TestDeafClient: a client that never reads makes nothing grow, and nobody wait.
func TestDeafClient(t *testing.T) {
	t.Parallel()
	p := start(t)
	conn, err := net.Dial("tcp", p.web.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /watch?q=GET%%20k&q=GET%%20n HTTP/1.1\r\nHost: localhost\r\n\r\n")
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	other := p.watch("", "GET n")
	other.want("state", "null")
	large := strings.Repeat("x", 256<<10)
	const writes = 200 // 50 MB
	for i := range writes {
		p.ask("SET", "k", large+fmt.Sprint(i))
	}
	p.ask("SET", "n", "end")
	other.want("state", `"end"`)
	if _, pushes := p.pushed(); pushes >= writes {
		t.Errorf("%d pushes were told to nobody who reads", pushes)
	}
}

// pushed is how many live watches there are, and pushes have been taken.
func (p *port) pushed() (watches, pushes int64) {
	totals, _, n := p.system.Server.Watches.Stats()
	return n, totals.Pushes
}

// When the client leaves, the session goes.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.watch("", "GET k")
	s.want("state", "null")
	s.cancel()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if p.system.Server.Connected() == 0 {
			return
		}
		if p.Context().Err() != nil {
			t.Fatal("the session is still there")
		}
	}
}

// When the server stops the clients are told, and are gone before its patience is
// at an end.
func TestStop(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.watch("", "GET k", "GET n")
	s.want("state", "null")
	s.want("state", "null")
	waiting := make(chan string)
	go func() {
		status, text := p.do("POST", "/command", `["BLPOP","l",0]`)
		waiting <- fmt.Sprint(status, " ", text)
	}()
	for p.system.Server.Connected() < 2 { // until the command has come
		p.ask("PING")
	}
	p.web.Leave()
	if status, text := p.do("POST", "/command", `["PING"]`); status != http.StatusServiceUnavailable || !strings.Contains(text, "stopping") {
		t.Errorf("a command is answered %d %s", status, text)
	}
	if !p.system.Drain(patience) {
		t.Error("links are left")
	}
	p.web.Close()
	s.want("end", `{"error":"ERR the server is stopping"}`)
	s.want("end", `{"error":"ERR the server is stopping"}`)
	if _, ok := s.next(); ok {
		t.Error("the stream goes on")
	}
	if got := <-waiting; !strings.HasPrefix(got, "503 ") {
		t.Errorf("BLPOP is answered %s", got)
	}
}

// FuzzWish: whatever the parameters, there are queries with words, or an error.
func FuzzWish(f *testing.F) {
	for _, seed := range []string{"q=GET%20k", "q=a&q=b", "arg=GET&arg=k", "q=GET%20%22k%22&resume=1.2.3", "every&q=x", "q=%zz", "q=\"", "resume=,&q=a&q=b", ""} {
		f.Add(seed, "")
	}
	f.Add("q=a&q=b", "x,y")
	f.Fuzz(func(t *testing.T, query, last string) {
		commands, err := web.ParseWish(query, last)
		if (err == nil) == (len(commands) == 0) {
			t.Fatalf("%d commands, error %v", len(commands), err)
		}
		for _, argv := range commands {
			if len(argv) < 2 || string(argv[0]) != "OBSERVE" {
				t.Errorf("the command is %q", argv)
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "ERR ") {
			t.Errorf("the error is %v", err)
		}
	})
}
