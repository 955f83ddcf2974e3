package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/troupedb/troupe/resp"
)

// told is all that one live query of a client was told, over however many links.
type told struct {
	shelf *shelf
	name  string // of its command
	words []string

	frames []toldFrame // in this life of the server
	before []toldFrame // the newest of those before it
	now    elements    // its state
	link   string      // the fingerprint on this link; "" before the first frame
}

// toldFrame is a frame, or what was known after one.
type toldFrame struct {
	kind             string
	version, covered int64
	token, state     string
	resumed          bool // it is the first one of a link
}

// last is what was told last, in this life or the one before.
func (q *told) last() (f toldFrame, ok bool) {
	if n := len(q.frames); n > 0 {
		return q.frames[n-1], true
	}
	if n := len(q.before); n > 0 {
		return q.before[n-1], true
	}
	return f, false
}

// take takes a frame.
func (q *told) take(fingerprint string, f toldFrame, result any) error {
	switch f.kind {
	case "state", "reset":
		q.now = elementsOf(q.name, result)
	case "delta":
		q.now = q.now.apply(q.name, result)
	case "error":
		q.now = elements{"an error"}
	case "progress":
	default:
		return wrong("%q is told %q: %v", q.words, f.kind, result)
	}
	f.state, f.resumed = q.now.text(q.name), q.link == ""
	q.link = fingerprint
	q.frames = append(q.frames, f)
	return nil
}

// tail is a client with live queries, which goes on where it was when its link is cut.
type tail struct {
	way     string // RESP3, RESP2 or events
	option  string // EVERY, DELTA or none
	queries []*told

	mu     sync.Mutex
	conn   net.Conn       // of RESP
	wire   *resp.Wire     // the same
	stream *http.Response // of events
	lines  *bufio.Reader  // the same
	id     string         // of the last event
	cutIn  int            // so many frames until it cuts the link itself; 0: it does not
	gone   bool           // it comes no more
}

func (c *tail) String() string { return strings.TrimSpace(c.way + " " + c.option) }

// connect begins all queries, or goes on with them, and takes the first frames.
func (c *tail) connect(socket, web string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return net.ErrClosed
	}
	for _, q := range c.queries {
		q.link = ""
	}
	if c.way == "events" {
		return c.connectEvents(web)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	c.conn, c.wire = conn, resp.NewWire(conn)
	if c.way == "RESP3" {
		if _, err := c.ask("HELLO", "3"); err != nil {
			return err
		}
	}
	for _, q := range c.queries {
		c.add(q.observe(c.option)...)
		if err := c.wire.Flush(); err != nil {
			return err
		}
		for q.link == "" {
			reply, err := c.wire.Read()
			if err == nil {
				err = c.takeReply(reply, q)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// observe is the command that begins the query, or goes on with it.
func (q *told) observe(option string) []string {
	words := []string{"OBSERVE"}
	if option != "" {
		words = append(words, option)
	}
	if last, ok := q.last(); ok {
		words = append(words, "RESUME", last.token)
	}
	return append(words, q.words...)
}

func (c *tail) add(words ...string) {
	var argv [][]byte
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	c.wire.Add(argv...)
}

func (c *tail) ask(words ...string) (resp.Reply, error) {
	c.add(words...)
	if err := c.wire.Flush(); err != nil {
		return resp.Nothing, err
	}
	return c.wire.Read()
}

// readFrame takes a frame apart as RESP shows it. The caller holds the lock.
func readFrame(reply resp.Reply) (fingerprint string, f toldFrame, result any, err error) {
	items := reply.Items()
	if len(items) != 13 || items[0].Str() != "observe" {
		return "", f, nil, wrong("no frame: %s", resp.Format(reply))
	}
	f = toldFrame{kind: items[10].Str(), version: items[6].Int(), covered: items[8].Int(), token: items[12].Str()}
	return items[2].Str(), f, plain(items[4]), nil
}

// takeReply takes a frame of RESP, which says by its fingerprint whose it is; that of
// none that is known is of the query that begins.
func (c *tail) takeReply(reply resp.Reply, begins *told) error {
	fingerprint, f, result, err := readFrame(reply)
	if err != nil {
		return err
	}
	q := begins
	for _, one := range c.queries {
		if one.link == fingerprint {
			q = one
		}
	}
	if q == nil {
		return wrong("a frame of no query: %s", resp.Format(reply))
	}
	return q.take(fingerprint, f, result)
}

// connectEvents is connect for server-sent events.
func (c *tail) connectEvents(web string) error {
	values := url.Values{}
	for _, q := range c.queries {
		values.Add("q", strings.Join(q.words, " "))
	}
	if c.option != "" {
		values.Set(strings.ToLower(c.option), "1")
	}
	r, err := http.NewRequestWithContext(context.Background(), "GET", "http://"+web+"/watch?"+values.Encode(), nil)
	if err != nil {
		return err
	}
	if c.id != "" {
		r.Header.Set("Last-Event-ID", c.id)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if c.stream, err = transport.RoundTrip(r); err != nil {
		return err
	}
	if c.stream.StatusCode != http.StatusOK {
		return wrong("%s is answered %s", r.URL, c.stream.Status)
	}
	c.lines = bufio.NewReader(c.stream.Body)
	for slices.ContainsFunc(c.queries, func(q *told) bool { return q.link == "" }) {
		id, data, err := c.event()
		if err == nil {
			err = c.takeEvent(id, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// event reads the next event that has data.
func (c *tail) event() (id, data string, err error) {
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return "", "", err
		}
		line = strings.TrimSuffix(line, "\n")
		if text, is := strings.CutPrefix(line, "id: "); is {
			id = text
		}
		if text, is := strings.CutPrefix(line, "data: "); is {
			data = text
		}
		if line == "" && data != "" {
			return id, data, nil
		}
	}
}

// takeEvent takes a frame in JSON. The caller holds the lock.
func (c *tail) takeEvent(id, data string) error {
	var m struct {
		Query                    []string
		Fingerprint, Kind, Token string
		Result                   json.RawMessage
		Version, Covered         int64
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		return err
	}
	result, err := plainJSON(m.Result)
	if err != nil {
		return err
	}
	for _, q := range c.queries {
		if slices.Equal(q.words, m.Query) {
			c.id = id
			return q.take(m.Fingerprint, toldFrame{kind: m.Kind, version: m.Version, covered: m.Covered, token: m.Token}, result)
		}
	}
	return wrong("an event of no query: %s", data)
}

// follow takes frames until the link ends, by the server's end or by close. One that
// the client cuts itself is opened again.
func (c *tail) follow(socket, web string) error {
	for {
		err := c.next()
		if errors.Is(err, errCut) {
			c.close()
			err = c.connect(socket, web)
		}
		var wrong *wrongFrame
		switch {
		case errors.As(err, &wrong):
			return fmt.Errorf("%v: %w", c, err)
		case err != nil:
			return nil
		}
	}
}

// next takes a frame.
func (c *tail) next() error {
	if c.way == "events" {
		id, data, err := c.event()
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return errors.Join(c.takeEvent(id, data), c.countdown())
	}
	reply, err := c.wire.Read()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.takeReply(reply, nil), c.countdown())
}

// errCut is what a link that its client cuts ends with.
var errCut = errors.New("the link is to be cut")

func (c *tail) countdown() error {
	if c.cutIn == 0 {
		return nil
	}
	if c.cutIn--; c.cutIn == 0 {
		return errCut
	}
	return nil
}

// leave closes the link for good.
func (c *tail) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	c.close()
}

func (c *tail) close() {
	if c.conn != nil {
		c.conn.Close()
	}
	if c.stream != nil {
		c.stream.Body.Close()
	}
}

// stands reports whether all queries of a shelf have been told the state at a place.
func (c *tail) stands(s *shelf, at int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.queries, func(q *told) bool { return q.shelf == s && q.now.text(q.name) != s.state(q.name, at) })
}

// wrongFrame is an error that is not the link's.
type wrongFrame struct{ error }

func wrong(format string, parts ...any) error { return &wrongFrame{fmt.Errorf(format, parts...)} }
