package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/troupedb/troupe/resp"
)

// socket is a WebSocket.
type socket struct {
	*port
	conn *websocket.Conn
	ctx  context.Context
}

func (p *port) socket(parameters string, headers ...string) *socket {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	p.Cleanup(cancel)
	header := http.Header{}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		header.Set(name, value)
	}
	conn, _, err := websocket.Dial(ctx, p.url+"/watch"+parameters, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		p.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	p.Cleanup(func() { conn.CloseNow() })
	return &socket{p, conn, ctx}
}

func (s *socket) say(text string) {
	s.Helper()
	if err := s.conn.Write(s.ctx, websocket.MessageText, []byte(text)); err != nil {
		s.Fatal(err)
	}
}

func (s *socket) hear() string {
	s.Helper()
	_, text, err := s.conn.Read(s.ctx)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// told is the next frame, and whose it is.
func (s *socket) told() (id string, f frame) {
	s.Helper()
	var m struct {
		ID    json.RawMessage
		Frame *frame
	}
	text := s.hear()
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.Frame == nil {
		s.Fatalf("%s is no frame: %v", text, err)
	}
	return string(m.ID), *m.Frame
}

func TestSocketCommands(t *testing.T) {
	t.Parallel()
	s := start(t).socket("?db=2")
	f := func(text, want string) {
		t.Helper()
		s.say(text)
		if got := s.hear(); !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered %s, want %s", text, got, want)
		}
	}
	f(`{"command":["SET","k","v"],"id":1}`, `{"id":1,"result":"OK"}`)
	f(`{"command":["GET","k"],"id":"two"}`, `{"id":"two","result":"v"}`)
	f(`{"command":["LPUSH","k","v"]}`, `{"error":"WRONGTYPE`)
	f(`{"command":["MULTI"]}`, `{"result":"OK"}`)
	f(`{"command":["INCR","n"]}`, `{"result":"QUEUED"}`)
	f(`{"watch":"GET n","id":3}`, `{"id":3,"error":"ERR Command not allowed inside a transaction"}`)
	f(`{"command":["EXEC"]}`, `{"error":"EXECABORT`)
	f(`{"command":["SELECT",0],"id":4}`, `{"id":4,"result":"OK"}`)
	f(`{"command":["GET","k"]}`, `{"result":null}`)
	for _, word := range []string{"SUBSCRIBE", "MONITOR", "AUTH", "HELLO", "RESET", "QUIT", "OBSERVE", "UNOBSERVE", "GET.WATCH"} {
		f(`{"command":["`+word+`","x"]}`, `{"error":"ERR `+word+` is about a link`)
	}
	f(`{`, `{"error":"ERR the JSON can't be read`)
	f(`[]`, `{"error":"ERR the JSON can't be read`)
	f(`{}`, `{"error":"ERR a message has one of`)
	f(`{"id":7,"command":["PING"],"watch":"GET k"}`, `{"id":7,"error":"ERR a message has one of`)
	f(`{"id":{},"command":["PING"]}`, `{"error":"ERR an id is`)
	f(`{"id":"`+strings.Repeat("x", 200)+`","command":["PING"]}`, `{"error":"ERR an id is`)
	f(`{"id":8,"command":[]}`, `{"id":8,"error":"ERR a command is a list`)
	f(`{"id":9,"watch":"KEYS *"}`, `{"id":9,"error":"ERR OBSERVE not supported`)
	f(`{"id":9,"watch":"GET \""}`, `{"id":9,"error":"ERR unbalanced quotes`)
	f(`{"id":9,"watch":7}`, `{"id":9,"error":"ERR a command is a list`)
	f(`{"id":9,"watch":"GET k","maxrate":-1}`, `{"id":9,"error":"ERR MAXRATE must be`)
	f(`{"id":9,"watch":"GET k","resume":"x"}`, `{"id":9,"error":"ERR invalid resume token`)
	f(`{"id":10,"command":["PING"]}`, `{"id":10,"result":"PONG"}`)
}

func TestSocketWatches(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.socket("?q=GET%20first")
	if id, f := s.told(); id != "" || string(f.Result) != "null" {
		t.Errorf("%s %+v", id, f)
	}
	s.say(`{"watch":["GET","a b"],"id":"x"}`)
	id, f := s.told()
	if id != `"x"` || f.Kind != "state" || string(f.Result) != "null" {
		t.Errorf("%s %+v", id, f)
	}
	s.say(`{"command":["SET","a b","1"],"id":2}`)
	if got := s.hear(); got != `{"id":2,"result":"OK"}` { // before what it has caused
		t.Errorf("heard %s", got)
	}
	id, next := s.told()
	if id != `"x"` || string(next.Result) != `"1"` || next.Version <= f.Version {
		t.Errorf("%s %+v", id, next)
	}
	s.say(`{"unwatch":"` + strings.ToUpper(f.Fingerprint) + `","id":3}`)
	if got := s.hear(); got != `{"id":3,"result":1}` {
		t.Errorf("heard %s", got)
	}
	p.ask("SET", "a b", "2")
	s.say(`{"watch":"GET \"a b\"","id":5,"every":true,"resume":"` + next.Token + `"}`)
	if id, f := s.told(); id != "5" || string(f.Result) != `"2"` {
		t.Errorf("%s %+v", id, f)
	}
}

// When the server stops a socket is closed by 1001.
func TestSocketStop(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := p.socket("?q=GET%20k")
	s.told()
	done := make(chan bool)
	go func() {
		p.web.Leave()
		done <- p.system.Drain(patience)
	}()
	_, _, err := s.conn.Read(s.ctx)
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("it ends by %v", err)
	}
	if !<-done {
		t.Error("links are left")
	}
}

func TestSocketRefused(t *testing.T) {
	t.Parallel()
	p := withUsers(t)
	f := func(status int, parameters string, headers ...string) {
		t.Helper()
		header := http.Header{}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			header.Set(name, value)
		}
		conn, answer, err := websocket.Dial(t.Context(), p.url+"/watch"+parameters, &websocket.DialOptions{HTTPHeader: header})
		if err == nil {
			conn.CloseNow()
		}
		if answer == nil || answer.StatusCode != status {
			t.Errorf("%s %v: %v, want %d", parameters, headers, err, status)
		}
	}
	f(401, "")
	f(401, "?ticket=x")
	f(101, "", "Authorization: Bearer ann:secret")
	f(403, "", "Authorization: Bearer ann:secret", "Origin: https://evil.example")
	f(400, "?db=99", "Authorization: Bearer ann:secret")
	s := p.socket("", "Authorization: Bearer ann:secret")
	s.say(`{"watch":"GET bob:k","id":1}`)
	if got := s.hear(); !strings.HasPrefix(got, `{"id":1,"error":"NOPERM`) {
		t.Errorf("heard %s", got)
	}
	s.say(`{"watch":"GET ann:k","id":1}`)
	s.told()
	p.do("POST", "/command", `["ACL","DELUSER","ann"]`, "Authorization: Bearer owner")
	if _, _, err := s.conn.Read(s.ctx); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("it ends by %v", err)
	}
}

// TestSameStates: however a query is watched, its states are the same. Every one
// is told, of a random history; then each ends with the last one.
func TestSameStates(t *testing.T) {
	t.Parallel()
	p := start(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const query = "HGETALL h"
	overHTTP := p.watch("&every", query)
	overSocket := p.socket("?every&q=HGETALL%20h")
	overRESP := p.observe("EVERY", "HGETALL", "h")
	overHTTP.want("state", "{}")
	overSocket.told()
	overRESP()
	const writes = 300
	for range writes {
		field, value := fmt.Sprint(random.IntN(3)), fmt.Sprint(random.IntN(3))
		if random.IntN(4) == 0 {
			p.ask("HDEL", "h", field)
		} else {
			p.ask("HSET", "h", field, value)
		}
	}
	p.ask("HSET", "h", "end", "1")
	for n := 0; ; n++ {
		e, ok := overHTTP.next()
		if !ok {
			t.Fatal("the stream has ended")
		}
		_, f := overSocket.told()
		version, result := overRESP()
		got := string(e.frame.Result)
		if got != string(f.Result) || got != result || e.frame.Version != f.Version || e.frame.Version != version || e.frame.Covered != f.Covered {
			t.Fatalf("state %d: %s %d, %s %d and %s %d", n, got, e.frame.Version, f.Result, f.Version, result, version)
		}
		if strings.Contains(got, "end") {
			return
		}
	}
}

// observe watches a query by RESP3; next is the version and the result, in JSON, of
// the next frame.
func (p *port) observe(words ...string) (next func() (version uint64, result string)) {
	p.Helper()
	conn, err := net.Dial("tcp", p.system.Addresses()[0])
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { conn.Close() })
	wire := resp.NewWire(conn)
	wire.Add(bytesOf([]string{"HELLO", "3"})...)
	wire.Add(bytesOf(append([]string{"OBSERVE"}, words...))...)
	helloErr := wire.Flush()
	if _, err := wire.Read(); err != nil || helloErr != nil {
		p.Fatal(errors.Join(err, helloErr))
	}
	return func() (uint64, string) {
		p.Helper()
		reply, err := wire.Read()
		items := reply.Items()
		if err != nil || len(items) != 13 {
			p.Fatalf("%s, %v", resp.Format(reply), err)
		}
		return uint64(items[6].Int()), string(resp.AppendJSON(nil, items[4]))
	}
}

// TestDeafSocket: a socket that never reads makes nothing grow, and nobody wait.
func TestDeafSocket(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.socket("?q=GET%20k")
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

// Many commands at once are answered in their order, more than may be under way.
func TestSocketPipeline(t *testing.T) {
	t.Parallel()
	s := start(t).socket("")
	const commands = 3000
	go func() {
		for i := range commands {
			if s.conn.Write(s.ctx, websocket.MessageText, fmt.Appendf(nil, `{"command":["INCR","n"],"id":%d}`, i)) != nil {
				return
			}
		}
	}()
	for i := range commands {
		if got, want := s.hear(), fmt.Sprintf(`{"id":%d,"result":%d}`, i, i+1); got != want {
			t.Fatalf("heard %s, want %s", got, want)
		}
	}
}
