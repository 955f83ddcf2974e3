package web

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/subscription/watch"
)

// watch answers GET /watch: over a WebSocket if the request asks for one, else by
// server-sent events.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	wish, err := s.readWish(r)
	isSocket := strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	if err == nil && len(wish.queries) == 0 && !isSocket {
		err = errNoQuery
	}
	if err != nil {
		refuse(w, r, err.Error())
		return
	}
	if isSocket {
		s.socket(w, r, wish)
		return
	}
	l, refusal := s.dial(r.Context(), r, wish.visitor)
	if l == nil {
		refuse(w, r, refusal)
		return
	}
	for i, query := range wish.queries {
		l.Add(observe(wish.options, wish.resume[i], query)...)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		l.Flush() // if it fails, so does reading
	}()
	e := &events{server: s, w: w, r: r, control: http.NewResponseController(w), link: l, tokens: wish.resume, queries: wish.queries, of: map[string]int{}}
	e.run()
	l.close()
	<-sent
}

// events is a stream of server-sent events: one for each frame. It holds one frame.
// While the client does not take that, the link is not read; so what the session
// tells is the newest state then, as to any link that is behind.
type events struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	link    *link
	queries [][][]byte
	tokens  []string       // of the last frame of each query
	of      map[string]int // the query that a fingerprint names
	begun   bool           // the answer's head is out
	told    int            // queries that have been answered
	out     []byte
}

const (
	quietMax     = 15 * time.Second // after which a comment shows that the stream lives
	retryMillis  = "2000"           // after which a browser comes again
	contentEvent = "text/event-stream"
)

// run tells what the link has until the stream is over.
func (e *events) run() {
	for e.told < len(e.queries) || len(e.of) > 0 {
		has, err := e.link.Has()
		if err == nil && !has && !e.flush() {
			return
		}
		e.link.SetReadDeadline(time.Now().Add(quietMax))
		reply, err := e.link.Read()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			e.begin()
			e.out = append(e.out, ":\n\n"...)
		case err != nil:
			e.broken()
			return
		case reply.Kind() == resp.Out:
			e.frame(reply.Items())
		case !e.answer(reply):
			return
		}
	}
	e.flush()
}

// answer takes the answer to the next query: its first frame, or why there is
// none. The first query's decides about the whole.
func (e *events) answer(reply resp.Reply) (goes bool) {
	at := e.told
	e.told++
	switch items := reply.Items(); {
	case reply.IsError() && !e.begun:
		refuse(e.w, e.r, reply.Str())
		return false
	case reply.IsError():
		e.over(at, reply)
	case len(items) == frameItems:
		e.begin()
		e.of[items[frameName].Str()] = at
		e.frame(items)
	}
	return true
}

// A frame of a visitor's link: "message", its fingerprint, the frame in JSON.
const (
	frameName  = 1
	frameJSON  = 2
	frameItems = 3
)

// begin sends the head of the answer.
func (e *events) begin() {
	if e.begun {
		return
	}
	e.begun = true
	header := e.w.Header()
	header.Set("Content-Type", contentEvent)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // proxies are to pass on what they get
	e.w.WriteHeader(http.StatusOK)
	e.out = append(append(append(e.out, "retry: "...), retryMillis...), "\n\n"...)
}

// frame adds an event for a frame.
func (e *events) frame(items []resp.Reply) {
	if len(items) != frameItems {
		return
	}
	name := items[frameName].Str()
	at, known := e.of[name]
	if !known {
		return
	}
	json := items[frameJSON].Str()
	kind, token := watch.TailOf(json)
	e.tokens[at] = token
	if watch.Kind(kind) == watch.End {
		delete(e.of, name)
	}
	e.out = append(e.out, "id: "...)
	for i, token := range e.tokens {
		if i > 0 {
			e.out = append(e.out, tokenMark...)
		}
		e.out = append(e.out, token...)
	}
	e.event(eventName(kind), json)
}

// eventName is the name of the event for a kind of frame. Browsers keep the name
// error for a connection that has failed.
func eventName(kind string) string {
	if watch.Kind(kind) == watch.Failed {
		return "failed"
	}
	return kind
}

// event adds the rest of an event, whose id may stand before it.
func (e *events) event(name, json string) {
	if len(e.out) > 0 && e.out[len(e.out)-1] != '\n' {
		e.out = append(e.out, '\n')
	}
	e.out = append(append(e.out, "event: "...), name...)
	e.out = append(append(append(e.out, "\ndata: "...), json...), "\n\n"...)
}

// over adds an event for a query that ends without a frame.
func (e *events) over(at int, reason resp.Reply) {
	words := make([]resp.Reply, len(e.queries[at]))
	for i, word := range e.queries[at] {
		words[i] = resp.Bulk(word)
	}
	json := resp.AppendJSON([]byte(`{"query":`), resp.Array(words...))
	json = resp.AppendJSON(append(json, `,"result":`...), reason)
	e.event(string(watch.End), string(append(json, `,"kind":"end"}`...)))
}

// broken ends the stream when the link has ended: the client is told why, if it is
// still there.
func (e *events) broken() {
	if e.r.Context().Err() != nil {
		return
	}
	reason := errGone
	if e.server.leaving.Load() {
		reason = errStopping
	}
	if !e.begun {
		refuse(e.w, e.r, reason)
		return
	}
	for _, at := range slices.Sorted(maps.Values(e.of)) {
		e.over(at, resp.Error(reason))
	}
	e.flush()
}

// errStopping is the answer when the server stops.
const errStopping = "ERR the server is stopping"

// flush sends what was added. It waits until the client's end of the connection
// has room for it.
func (e *events) flush() (ok bool) {
	if len(e.out) == 0 {
		return true
	}
	_, err := e.w.Write(e.out)
	if e.out = e.out[:0]; cap(e.out) > outKeep {
		e.out = nil
	}
	return err == nil && e.control.Flush() == nil
}

// outKeep is how much memory, in bytes, a stream keeps for its next event.
const outKeep = 4 << 10
