package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/actors/web"
	"github.com/troupedb/troupe/resp"
)

// The port is tested as clients see it: by net/http against a real system, beside a
// link that speaks RESP.

// patience is how long tests wait for what must come.
const patience = 60 * time.Second

// port is a system with an HTTP port.
type port struct {
	*testing.T
	system *actors.System
	web    *web.Server
	url    string
}

// start starts a system with some settings, which ends with the test.
func start(t *testing.T, lines ...string) *port {
	t.Helper()
	text := strings.Join(append([]string{
		"bind 127.0.0.1", "http 127.0.0.1:0", "shards 2", "enable-debug-command yes", "appendonly no", "dir " + t.TempDir(),
	}, lines...), "\n") + "\n"
	settings, err := config.Load(config.Sources{File: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	options := settings.Options(hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Error}))
	options.Port = 0
	admin.New(settings).Join(&options)
	p := &port{T: t, web: web.New(settings, nil)}
	p.web.Join(&options)
	if p.system, err = actors.Start(options); err != nil {
		t.Fatal(err)
	}
	p.url = "http://" + p.web.Addresses()[0]
	t.Cleanup(func() {
		p.web.Close()
		p.system.Close()
	})
	return p
}

// ask runs a command by RESP and returns its reply in text.
func (p *port) ask(words ...string) string {
	p.Helper()
	conn, err := net.Dial("tcp", p.system.Addresses()[0])
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close()
	wire := resp.NewWire(conn)
	wire.Add(bytesOf(words)...)
	if err := wire.Flush(); err != nil {
		p.Fatal(err)
	}
	reply, err := wire.Read()
	if err != nil {
		p.Fatal(err)
	}
	return resp.Format(reply)
}

func bytesOf(words []string) (argv [][]byte) {
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	return argv
}

// request makes a request; headers are "Name: value".
func (p *port) request(method, path, body string, headers ...string) *http.Request {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	return r
}

// do sends a request and returns the answer's status and body.
func (p *port) do(method, path, body string, headers ...string) (status int, text string) {
	p.Helper()
	answer, err := http.DefaultClient.Do(p.request(method, path, body, headers...))
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(all))
}

// event is one of a stream.
type event struct {
	id, name string
	frame    frame
}

// frame is one of a live query, in JSON.
type frame struct {
	Query       []string        `json:"query"`
	Fingerprint string          `json:"fingerprint"`
	Result      json.RawMessage `json:"result"`
	Version     uint64          `json:"version"`
	Covered     int64           `json:"covered"`
	Kind        string          `json:"kind"`
	Token       string          `json:"token"`
}

// stream is an EventSource.
type stream struct {
	*port
	in     *bufio.Reader
	cancel func()
}

// watch opens a stream for queries, each as on a command line.
func (p *port) watch(more string, queries ...string) *stream {
	p.Helper()
	return p.watchWith(nil, more, queries...)
}

func (p *port) watchWith(headers []string, more string, queries ...string) *stream {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	p.Cleanup(cancel)
	path := "/watch?" + url.Values{"q": queries}.Encode() + more
	answer, err := http.DefaultClient.Do(p.request("GET", path, "", headers...).WithContext(ctx))
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(answer.Body)
		p.Fatalf("%s: %s: %s", path, answer.Status, text)
	}
	return &stream{p, bufio.NewReader(answer.Body), cancel}
}

// next is the next event; ok is false at the end of the stream.
func (s *stream) next() (e event, ok bool) {
	s.Helper()
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return e, false
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			if err := json.Unmarshal([]byte(value), &e.frame); err != nil {
				s.Fatalf("%s: %v", value, err)
			}
		case line == "\n" && e.name != "":
			return e, true
		}
	}
}

// want takes the next event, which is of a kind and has a result.
func (s *stream) want(kind, result string) event {
	s.Helper()
	e, ok := s.next()
	if !ok {
		s.Fatalf("the stream has ended, not told %s %s", kind, result)
	}
	if e.name != kind || string(e.frame.Result) != result {
		s.Fatalf("told %s %s, want %s %s", e.name, e.frame.Result, kind, result)
	}
	return e
}
