package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// What DiceDB answers is a table: a line a case, of several generations of it.
// The columns are an id, what is done before, the command, the answer, where it
// was seen, and then our verdict (keep or differ) and the reason. Where we differ
// the answer is ours.
//
// Groups, by the id: g3 and w3 speak in frames, g1 and w1 without, g0 in RESP;
// x gives bytes. In w and g0 words before a colon name the link.

// diceCase is a line of the table.
type diceCase struct{ id, setup, command, want, note, verdict, reason string }

func diceCases(t *testing.T, file string) (all []diceCase) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "dice", file))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			t.Fatalf("%s:%d has %d columns", file, i+1, len(f))
		}
		if i > 0 {
			all = append(all, diceCase{f[0], f[1], f[2], unescape(f[3]), f[4], f[5], f[6]})
		}
	}
	return all
}

var unescape = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\\`, `\`).Replace

func TestDiceCases(t *testing.T) {
	t.Parallel()
	for _, sh := range []shape{{1, false}, {2, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t, sh)
			operator := s.client()
			for _, file := range []string{"cases.tsv", "documented.tsv"} {
				for _, c := range diceCases(t, file) {
					operator.want("+OK", "FLUSHALL")
					t.Run(c.id, func(t *testing.T) { runDiceCase(t, s, c) })
				}
			}
		})
	}
}

// runDiceCase plays a case on an empty keyspace.
func runDiceCase(t *testing.T, s *server, c diceCase) {
	if c.verdict != "keep" && c.verdict != "differ" || c.verdict != "keep" && c.reason == "" {
		t.Fatalf("verdict %q, reason %q", c.verdict, c.reason)
	}
	p := &dicePlay{t: t, server: s, diceCase: c, raw: c.id[1] == '1', resp: strings.HasPrefix(c.id, "g0"), links: map[string]*diceLink{}}
	switch {
	case c.id[0] == 'x':
		p.raw = false
		p.prepare()
		p.wantBytes()
	case c.id[0] == 'w' || p.resp:
		p.prepare()
		p.send(p.command)
		p.wantMessages()
	default:
		p.prepare()
		if got := p.ask(p.link(""), c.command); got.CLI() != c.want {
			t.Errorf("%s; %s is answered %q, want %q", c.setup, c.command, got.CLI(), c.want)
		}
	}
	for _, link := range p.links {
		link.Close()
	}
	eventually(t, "the links of the case are gone", func() bool { return s.Server.Connected() == 1 })
}

// dicePlay is a case being played.
type dicePlay struct {
	diceCase
	t      *testing.T
	server *server
	raw    bool
	resp   bool
	links  map[string]*diceLink
	last   string // of them, the one that spoke last
}

// diceLink is a link by its name.
type diceLink struct {
	dicetest.Conn
	client *client // in RESP
}

func (p *dicePlay) link(name string) *diceLink {
	if p.links[name] == nil {
		conn := p.server.dial()
		p.links[name] = &diceLink{dicetest.Conn{Conn: conn, Raw: p.raw}, &client{tb: p.t, conn: conn}}
	}
	p.last = name
	return p.links[name]
}

// words are those of a command line.
func words(t *testing.T, line string) (out []string) {
	t.Helper()
	split, ok := resp.SplitLine([]byte(line))
	if !ok || len(split) == 0 {
		t.Fatalf("no command: %q", line)
	}
	for _, word := range split {
		out = append(out, string(word))
	}
	return out
}

func (p *dicePlay) ask(k *diceLink, line string) dicetest.Message {
	p.t.Helper()
	m, err := k.Ask(words(p.t, line)...)
	if err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	return m
}

var linkName = regexp.MustCompile(`^([a-z]\d?):(.*)$`)

// named tells whose command a step is.
func (p *dicePlay) named(step string) (link, line string) {
	if named := linkName.FindStringSubmatch(step); named != nil {
		return named[1], named[2]
	}
	if p.resp {
		return "b", step
	}
	return "", step
}

// steps are those of the setup.
func (p *dicePlay) steps() []string {
	return strings.FieldsFunc(p.setup, func(c rune) bool { return c == ';' })
}

// prepare takes the steps of the setup, each with its reply.
func (p *dicePlay) prepare() {
	for _, step := range p.steps() {
		link, line := p.named(step)
		switch verb, rest, _ := strings.Cut(step, " "); {
		case verb == "recv", verb == "sleep": // replies are taken, and what must be waited for is: see close
		case verb == "close":
			before := p.server.Server.Connected()
			p.link(rest).Close()
			delete(p.links, rest)
			eventually(p.t, "the server has noticed a closed link", func() bool { return p.server.Server.Connected() < before })
		case p.resp:
			p.link(link).client.ask(words(p.t, line)...)
		default:
			p.ask(p.link(link), line)
		}
	}
}

// send sends the command whose answer is looked at.
func (p *dicePlay) send(step string) {
	link, line := p.named(step)
	k := p.link(link)
	if inline, ok := strings.CutPrefix(step, "inline "); ok {
		k.client.send([]byte(inline + "\r\n"))
	} else if p.resp {
		k.client.send(request(words(p.t, line)...))
	} else if err := k.Send(words(p.t, line)...); err != nil {
		p.t.Fatal(err)
	}
}

// wantBytes sends bytes on a link of their own and compares what comes back.
func (p *dicePlay) wantBytes() {
	conn := p.server.dial()
	defer conn.Close()
	in, err := hex.DecodeString(strings.TrimPrefix(p.command, "hex:"))
	if err == nil {
		_, err = conn.Write(in)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if p.want == "(closed)" {
		if n, err := withDeadline(conn).Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			p.t.Errorf("%d bytes and %v, want the end of the link", n, err)
		}
		return
	}
	want, err := hex.DecodeString(strings.TrimPrefix(p.want, "hex:"))
	if err != nil {
		p.t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(withDeadline(conn), got); err != nil || string(got) != string(want) {
		p.t.Errorf("%x is answered %x, want %x (%v)", in, got, want, err)
	}
}

func withDeadline(conn net.Conn) net.Conn {
	conn.SetReadDeadline(time.Now().Add(patience))
	return conn
}

// wantMessages compares the messages of links, one after the other.
func (p *dicePlay) wantMessages() {
	for part := range strings.SplitSeq(p.want, " || ") {
		name, message, found := strings.Cut(part, "< ")
		if !found || len(name) > 2 {
			name, message = p.last, part
		}
		switch k := p.link(name); {
		case p.resp:
			p.wantResp(k, message)
		case message == "(nothing)":
			p.wantNothing(k)
		default:
			p.wantJSON(k, message)
		}
	}
}

// wantResp reads what RESP says; @ stands for what may differ.
func (p *dicePlay) wantResp(k *diceLink, want string) {
	pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), "@", "[0-9a-f.]+") + "$")
	reply, err := k.client.next()
	if err != nil {
		p.t.Fatal(err)
	}
	if got := string(resp.V2.Append(nil, reply)); !pattern.MatchString(got) {
		p.t.Errorf("%q, want %q", got, want)
	}
}

func (p *dicePlay) wantJSON(k *diceLink, want string) {
	var got, expected any
	m, err := k.Receive()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal([]byte(m.JSON()), &got), json.Unmarshal([]byte(want), &expected)); err != nil {
		p.t.Fatal(err, want)
	}
	if !reflect.DeepEqual(got, expected) {
		p.t.Errorf("%s, want %s", m.JSON(), want)
	}
}

// wantNothing holds that nothing has come over a link, and nothing is on its
// way: somebody else asks for the same live query, and is answered when all
// changes before are told; and what was sent before the link is answered now
// would be first.
func (p *dicePlay) wantNothing(k *diceLink) {
	for _, step := range p.steps() {
		if _, line := p.named(step); strings.Contains(line, ".WATCH ") {
			p.ask(p.link("z"), line)
		}
	}
	if m := p.ask(k, "ECHO nothing"); m.Value != "nothing" {
		p.t.Errorf("%s, want nothing", m.JSON())
	}
}
