package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/session"
)

// collector is an OpenTelemetry collector that takes everything down.
type collector struct {
	*httptest.Server
	bodies chan string
}

func startCollector(t *testing.T) *collector {
	c := &collector{bodies: make(chan string, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "POST" || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("it is sent %s %s, %v", r.Method, r.URL, err)
		}
		c.bodies <- string(body)
	}))
	t.Cleanup(c.Close)
	return c
}

// startTraced starts a server with settings, and an exporter.
func startTraced(t *testing.T, lines ...string) (address string, e *Exporter) {
	t.Helper()
	text := strings.Join(append([]string{"bind 127.0.0.1", "shards 3", "appendonly no", "dir " + t.TempDir()}, lines...), "\n") + "\n"
	settings, err := config.Load(config.Sources{File: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	options := settings.Options(hclog.NewNullLogger())
	options.Port = 0
	admin.New(settings).Join(&options)
	e = New(settings)
	e.Join(&options)
	system, err := actors.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(system.Close)
	return system.Addresses()[0], e
}

// converse sends lines at once and takes as many lines of replies.
func converse(t *testing.T, address string, replies int, lines ...string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, strings.Join(lines, "\r\n")+"\r\n")
	in := bufio.NewReader(conn)
	for range replies {
		if _, err := in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

// spansIn are the spans of what was taken down so far.
func (c *collector) spansIn(t *testing.T) (all []span) {
	t.Helper()
	for len(c.bodies) > 0 {
		var body exported
		if err := json.Unmarshal([]byte(<-c.bodies), &body); err != nil {
			t.Fatal(err)
		}
		for _, r := range body.ResourceSpans {
			if name := r.Resource.Attributes[0]; name.Key != "service.name" || *name.Value.Text != "troupe" {
				t.Errorf("the resource is %v", r.Resource)
			}
			for _, s := range r.ScopeSpans {
				all = append(all, s.Spans...)
			}
		}
	}
	return all
}

// TestWay: a batch's spans are one trace, each within its parent, with the names of
// the commands and nothing else of them.
func TestWay(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	address, e := startTraced(t, "otlp-sample 1", "otlp-endpoint "+c.URL)
	converse(t, address, 3, "SET secret password", "MSET secret2 a secret3 b", "INCR counter")
	e.Close()
	spans := c.spansIn(t)
	roots := map[string]span{}
	for _, s := range spans {
		if s.Parent == "" {
			roots[s.TraceID] = s
		}
	}
	var names []string
	for _, s := range spans {
		root, known := roots[s.TraceID]
		start, end := wholeOf(t, s.Start), wholeOf(t, s.End)
		switch {
		case !known || len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.Parent != "" && s.Parent != root.SpanID:
			t.Errorf("%v has no parent", s)
		case start > end || end > wholeOf(t, root.End) || s.Name == "mailbox" && start < wholeOf(t, root.Start):
			t.Errorf("%v is not within %v", s, root)
		}
		names = append(names, s.Name)
	}
	for _, want := range []string{"mailbox", "run"} {
		if !slices.Contains(names, want) {
			t.Errorf("there are %v, without %s", names, want)
		}
	}
	text, err := json.Marshal(spans)
	if err != nil || strings.Contains(string(text), "secret") || strings.Contains(string(text), "password") {
		t.Errorf("it tells too much: %s, %v", text, err)
	}
	for _, want := range []string{"SET", "MSET", "INCR"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
}

func wholeOf(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAskedFor: nothing is followed without an endpoint, until one is set, and of
// the batches one of as many as are asked for.
func TestAskedFor(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	address, e := startTraced(t, "otlp-sample 4")
	converse(t, address, 1, "SET k v")
	converse(t, address, 1, "CONFIG SET otlp-endpoint "+c.URL)
	for range 12 {
		converse(t, address, 1, "SET k v")
	}
	converse(t, address, 1, `CONFIG SET otlp-endpoint ""`)
	for range 12 {
		converse(t, address, 1, "SET k v")
	}
	converse(t, address, 1, "CONFIG SET otlp-endpoint "+c.URL) // for what is left
	e.Close()
	roots := 0
	for _, s := range c.spansIn(t) {
		if s.Parent == "" {
			roots++
		}
	}
	if roots != 3 {
		t.Errorf("%d of 12 were followed, want 3", roots)
	}
}

// TestNobodyWaits: what a collector does not take in time is dropped and counted.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	e := New(nil)
	for range queueMax + 7 {
		e.Tell(&session.Trace{})
	}
	if dropped := e.dropped.Load(); dropped != 7 {
		t.Errorf("%d were dropped", dropped)
	}
}

// TestMistakes: what is no address is refused, and a collector that is not there
// harms nobody.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"localhost:4318", "ftp://host/", "http://"} {
		if _, err := config.Load(config.Sources{Flags: []config.Flag{{Name: "otlp-endpoint", Words: []string{endpoint}}}}); err == nil {
			t.Errorf("%s is taken", endpoint)
		}
	}
	address, e := startTraced(t, "otlp-sample 1", "otlp-endpoint http://127.0.0.1:1")
	converse(t, address, 1, "SET k v")
	e.Close()
	if !e.failing {
		t.Error("nobody has noticed")
	}
}
