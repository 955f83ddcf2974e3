package main

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/troupedb/troupe/resp"
)

// Those who watch what others' programs keep while these work.

// spectator watches a query on a link of its own, and reads whatever comes.
type spectator struct {
	*watcher
	server *server

	mu      sync.Mutex
	last    string
	version int64
	pushes  int
	pongs   int
	failed  error
}

// spectate watches each query, in one of the ways that any client has.
func (s *server) spectate(queries []string) (all []*spectator) {
	s.tb.Helper()
	for i, query := range queries {
		by := []way{{3, "watch"}, {2, "channel"}, {3, "observe"}}[i%3]
		w, first := s.watch(by, strings.Fields(query)...)
		p := &spectator{watcher: w, server: s, last: first.value, version: first.version}
		over := make(chan struct{})
		go func() {
			defer close(over)
			p.read()
		}()
		s.tb.Cleanup(func() {
			w.conn.Close()
			<-over
		})
		all = append(all, p)
	}
	return all
}

// read takes what comes until the link is closed, or something is wrong.
func (p *spectator) read() {
	for {
		reply, err := p.next()
		p.mu.Lock()
		switch f, isFrame := readFrame(reply); {
		case err != nil:
			p.failed = err
		case isFrame:
			p.take(f)
		default:
			p.pongs++
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *spectator) take(f frame) {
	if f.version <= p.version || f.kind != "state" && f.kind != "progress" {
		p.tb.Errorf("%v of %q: %+v follows version %d", p.way, p.query, f, p.version)
	}
	if p.version = f.version; f.kind == "state" {
		p.last = f.value
		p.pushes++
	}
}

// wantLast waits until the last that was pushed is what is so, and stays so. It
// returns how often it was told: never, maybe, of changes that lead back to where
// they began.
func (p *spectator) wantLast() (pushes int) {
	p.tb.Helper()
	asker := p.server.client()
	asker.ask("HELLO", "3")
	var state, last string
	isSo := func() bool {
		asker.send(request(p.query...))
		reply, err := asker.next()
		if err != nil {
			p.tb.Fatal(err)
		}
		state = p.seen(reply)
		p.mu.Lock()
		defer p.mu.Unlock()
		last = p.last
		return state == last
	}
	for end := time.Now().Add(patience); !isSo() && time.Now().Before(end); {
		eventually(p.tb, "the watching link answers", p.pinged())
	}
	eventually(p.tb, "the watching link answers", p.pinged())
	if !isSo() {
		p.tb.Errorf("%v of %q was last told %s, it is %s", p.way, p.query, last, state)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pushes
}

// pinged sends a PING and returns whether it has been answered, and all that was
// on its way before.
func (p *spectator) pinged() func() bool {
	p.mu.Lock()
	want := p.pongs + 1
	p.mu.Unlock()
	p.send(request("PING"))
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.pongs >= want || p.failed != nil
	}
}

// seen is a reply in RESP3 as the spectator is told of it.
func (p *spectator) seen(reply resp.Reply) string {
	if p.verb != "channel" {
		return resp.Format(reply)
	}
	var v any
	if err := json.Unmarshal(resp.AppendJSON(nil, reply), &v); err != nil {
		p.tb.Fatal(err)
	}
	return resp.Format(fromJSON(v))
}
