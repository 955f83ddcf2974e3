package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/subscription/watch"
)

// socket is a WebSocket: a link of its client's own, on which commands are asked and
// answered in their order, and frames of live queries come in between. One goroutine
// reads what the client says, another tells it what the link has. Each waits while
// the other end does not take what it has, and holds one message or frame.
type socket struct {
	server *Server
	conn   *websocket.Conn
	link   *link
	asked  chan asked    // commands that are sent and not yet answered, in their order
	stuck  atomic.Bool   // the client's message waits until the session takes it
	of     map[string]id // whose frames they are, by fingerprint
	out    []byte
}

// id is what a client calls a request by: a string or a number, in JSON; or nothing.
type id json.RawMessage

// asked is a command that a client waits for the answer of.
type asked struct {
	id      id
	watches bool
	ends    string // the fingerprint that it ends
}

const (
	askedMax   = 1024 // commands of a socket under way; then it is not read
	idMax      = 128  // bytes
	pingEvery  = 30 * time.Second
	pingAnswer = 60 * time.Second
)

// socket answers a request for a WebSocket: see message for what is said on it.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, wish *wish) {
	if !s.enter() {
		refuse(w, r, errStopping)
		return
	}
	defer s.group.Done()
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	l, refusal := s.dial(ctx, r, wish.visitor)
	if l == nil {
		refuse(w, r, refusal)
		return
	}
	defer l.close()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // admits has looked at its origin
	if err != nil {
		return // the client has been told
	}
	conn.SetReadLimit(s.bodyMax.Load())
	k := &socket{server: s, conn: conn, link: l, asked: make(chan asked, askedMax), of: map[string]id{}}
	stop := context.AfterFunc(ctx, func() { conn.CloseNow() })
	defer stop()
	go k.ping(ctx, cancel)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		k.listen(ctx, wish)
		l.close()
	}()
	k.tell(ctx)
	cancel()
	<-heard
}

// message is what a client says: one of
//
//	{"command":["GET","k"],"id":1}          answered by {"id":1,"result":…} or {"id":1,"error":"…"}
//	{"watch":"GET k","id":2}                answered by {"id":2,"frame":{…}}, as all frames of it are
//	{"unwatch":"fingerprint","id":3}        answered by {"id":3,"result":1}
//
// A query is a list of words, or a text with words quoted as on redis-cli's command
// line. The other fields are OBSERVE's options.
type message struct {
	ID       json.RawMessage `json:"id"`
	Command  json.RawMessage `json:"command"`
	Watch    json.RawMessage `json:"watch"`
	Unwatch  string          `json:"unwatch"`
	Every    bool            `json:"every"`
	Delta    bool            `json:"delta"`
	MaxRate  int64           `json:"maxrate"`
	Progress int64           `json:"progress"`
	Resume   string          `json:"resume"`
}

// listen takes what the client says until it says no more.
func (k *socket) listen(ctx context.Context, wish *wish) {
	for i, query := range wish.queries {
		if !k.ask(ctx, asked{watches: true}, observe(wish.options, wish.resume[i], query)) {
			return
		}
	}
	for {
		_, text, err := k.conn.Read(ctx)
		if err != nil {
			return
		}
		a, argv, err := k.read(text)
		switch {
		case err != nil:
			answer := append(resp.AppendJSON(append(a.id.open(nil), `"error":`...), resp.BulkString(err.Error())), '}')
			if k.conn.Write(ctx, websocket.MessageText, answer) != nil {
				return
			}
		case !k.ask(ctx, a, argv):
			return
		}
	}
}

// ask sends a command to the session.
func (k *socket) ask(ctx context.Context, a asked, argv [][]byte) (sent bool) {
	k.stuck.Store(true)
	defer k.stuck.Store(false)
	select {
	case k.asked <- a:
	case <-ctx.Done():
		return false
	}
	k.link.Add(argv...)
	return k.link.Flush() == nil
}

// read reads a message.
func (k *socket) read(text []byte) (a asked, argv [][]byte, err error) {
	var m message
	if err := strictly(text, &m); err != nil {
		return a, nil, err
	}
	if a.id, err = readID(m.ID); err != nil {
		return a, nil, err
	}
	said := 0
	for _, is := range []bool{m.Command != nil, m.Watch != nil, m.Unwatch != ""} {
		if is {
			said++
		}
	}
	switch {
	case said != 1:
		return a, nil, errors.New("ERR a message has one of command, watch and unwatch")
	case m.Command != nil:
		argv, err = k.readCommand(m.Command)
	case m.Watch != nil:
		a.watches = true
		argv, err = m.readWatch()
	default:
		a.ends = strings.ToLower(m.Unwatch)
		argv = [][]byte{[]byte("UNOBSERVE"), []byte(a.ends)}
	}
	return a, argv, err
}

func readID(text json.RawMessage) (id, error) {
	switch {
	case len(text) == 0 || string(text) == "null":
		return nil, nil
	case len(text) > idMax, !strings.ContainsRune(`"-0123456789`, rune(text[0])):
		return nil, errors.New("ERR an id is a string or a number, of no more than 128 bytes")
	}
	return id(text), nil
}

// besides are the commands that are refused on a socket: those that would make the
// link speak otherwise.
var besides = func() map[string]string {
	all := map[string]string{}
	for name, other := range instead {
		all[name] = other
	}
	for _, name := range []string{"SELECT", "MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "CLIENT|SETNAME", "CLIENT|SETINFO", "CLIENT|NO-EVICT", "CLIENT|NO-TOUCH"} {
		delete(all, name)
	}
	all["OBSERVE"], all["UNOBSERVE"] = `{"watch":…}`, `{"unwatch":…}`
	return all
}()

func (k *socket) readCommand(text json.RawMessage) ([][]byte, error) {
	argv, err := readWords(text)
	if err != nil {
		return nil, err
	}
	if why := refusal(k.server.system.Server.Catalogue.Lookup(argv), besides); why != "" {
		return nil, errors.New(why)
	}
	return argv, nil
}

// readWatch reads a query with its options.
func (m *message) readWatch() (argv [][]byte, err error) {
	var query [][]byte
	if m.Watch[0] == '"' {
		var line string
		if err := json.Unmarshal(m.Watch, &line); err != nil {
			return nil, err
		}
		query, err = splitQuery(line)
	} else {
		query, err = readWords(m.Watch)
	}
	if err != nil {
		return nil, err
	}
	var options [][]byte
	for _, o := range []struct {
		name string
		is   bool
		n    int64
	}{{"EVERY", m.Every, 0}, {"DELTA", m.Delta, 0}, {"MAXRATE", m.MaxRate != 0, m.MaxRate}, {"PROGRESS", m.Progress != 0, m.Progress}} {
		if o.is {
			options = append(options, []byte(o.name))
		}
		if o.n != 0 {
			options = append(options, strconv.AppendInt(nil, o.n, 10))
		}
	}
	return observe(options, m.Resume, query), nil
}

// tell tells the client what the link has, until that ends.
func (k *socket) tell(ctx context.Context) {
	for {
		reply, err := k.link.Read()
		if err != nil {
			k.part(ctx)
			return
		}
		if k.out = k.say(k.out[:0], reply); len(k.out) == 0 {
			continue
		}
		if k.conn.Write(ctx, websocket.MessageText, k.out) != nil {
			return
		}
		if cap(k.out) > outKeep {
			k.out = nil
		}
	}
}

// say appends the message for what the link has said.
func (k *socket) say(dst []byte, reply resp.Reply) []byte {
	items := reply.Items()
	if reply.Kind() == resp.Out {
		if len(items) != frameItems {
			return dst
		}
		return k.frame(dst, items)
	}
	a := <-k.asked
	if a.watches && !reply.IsError() && len(items) == frameItems {
		k.of[items[frameName].Str()] = a.id
		return k.frame(dst, items)
	}
	delete(k.of, a.ends)
	dst = a.id.open(dst)
	if reply.IsError() {
		return append(resp.AppendJSON(append(dst, `"error":`...), resp.BulkString(reply.Str())), '}')
	}
	return append(resp.AppendJSON(append(dst, `"result":`...), reply), '}')
}

func (k *socket) frame(dst []byte, items []resp.Reply) []byte {
	name, frame := items[frameName].Str(), items[frameJSON].Str()
	dst = append(append(append(k.of[name].open(dst), `"frame":`...), frame...), '}')
	if kind, _ := watch.TailOf(frame); watch.Kind(kind) == watch.End {
		delete(k.of, name)
	}
	return dst
}

// open begins a message with the id, if there is one.
func (i id) open(dst []byte) []byte {
	dst = append(dst, '{')
	if i != nil {
		dst = append(append(append(dst, `"id":`...), i...), ',')
	}
	return dst
}

// part says goodbye when the link has ended, and why, unless it was the client.
func (k *socket) part(ctx context.Context) {
	switch {
	case ctx.Err() != nil:
	case k.server.leaving.Load():
		k.conn.Close(websocket.StatusGoingAway, "the server is stopping")
	default:
		k.conn.Close(websocket.StatusPolicyViolation, "the link has been closed")
	}
}

// ping asks now and then whether the client is still there, and lets proxies see
// that the connection is used. While a message of the client waits nobody hears its
// answer.
func (k *socket) ping(ctx context.Context, gone func()) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		within, cancel := context.WithTimeout(ctx, pingAnswer)
		err := k.conn.Ping(within)
		late := within.Err() != nil
		cancel()
		if err != nil && !(late && k.stuck.Load()) {
			gone()
			return
		}
	}
}
