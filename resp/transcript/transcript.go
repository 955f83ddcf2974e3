// Package transcript reads, plays and writes conversations with a server: the
// tests in testdata, the examples of commands, and what go run ./cmd/dev
// record takes down.
//
// A transcript is text, made to be read in a diff:
//
//	# Comments begin with a blank behind the sign (#t is a reply).
//	> SET k v EX 10           a command of client 1
//	+OK                       its reply, in the notation of package resp
//	2> GET k                  a command of client 2
//	"v"
//	> HGETALL h
//	%{"f": "v"}               the reply of RESP3; that of RESP2 follows from it,
//	resp2 ["f", "v"]          or stands here
//	> TIME
//	[*, *us]                  * is any reply, *us any, kept under a name for …
//	> ECHO $us                … a word that is a name with a dollar sign
//	*                         In *"id=* name=*" a star is any text; *+"…" and
//	                          *=txt:"…" are a status and verbatim text.
//	! advance 11s             a directive, 2! that of another client: see verbs
//
// A command is followed by the replies that it has at once: one, none, or
// several. Aggregates may take several lines, all but the first and the last
// of them indented.
//
// The package promises that a transcript which is read and written comes out as
// it was, and that what is compared is bytes: a reply that means the wanted one
// and is encoded otherwise is a difference.
package transcript

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Transcript is a conversation.
type Transcript struct {
	// Name is what it is called in reports: the path of its file, or what
	// stands for it.
	Name  string
	Steps []*Step
	// tail are the lines after the last step.
	tail []string
}

// Step is something that a client does, with the replies wanted.
type Step struct {
	Line   int
	Client int // from 1
	// Verb is the word of a directive, "" for a command.
	Verb string
	// Text is the command line, or what follows the directive's verb.
	Text string
	Want []Want

	lead  []string // comments and blank lines before it
	named bool     // the client's number is written though it is 1
}

// Want is a reply that is wanted.
type Want struct {
	// Reply is that of RESP3, from which that of RESP2 follows, unless Reply2
	// is set. Parts that may vary are marked: see mark.go.
	Reply  resp.Reply
	Reply2 *resp.Reply
}

// The verbs of directives.
const (
	// Advance moves the server's clock: advance 11s.
	Advance = "advance"
	// Sorted puts the elements of the next reply in order before they are
	// compared; "sorted pairs" those of flat arrays in twos, as in RESP2 a map
	// is one.
	Sorted = "sorted"
	// Walk repeats a command with the cursor that it has answered, beginning
	// with 0, until that is 0 again: walk SCAN $ COUNT 2. The reply is all that
	// was found, in order.
	Walk = "walk"
	// Raw sends bytes as they are: raw "PING\n".
	Raw = "raw"
	// Receive waits for what was not an answer at once: a push, a reply that
	// was held back.
	Receive = "receive"
	// Close closes the client's link; the next use of the client opens another.
	Close = "close"
	// HalfClose says that the client will send nothing more.
	HalfClose = "half-close"
	// Closed waits until the server has closed the link, without a further
	// byte.
	Closed = "closed"
	// Config, before the first command, is a setting that the server is
	// started with: config requirepass secret.
	Config = "config"
	// Wire, before the first command, plays the transcript in one protocol
	// only: clients do not say HELLO, and each reply is the one on the wire.
	Wire = "wire"
	// Own, before the first command, says that only Troupe can play this.
	Own = "own"
)

var verbs = map[string]bool{
	Advance: true, Sorted: true, Walk: true, Raw: true, Receive: true, Close: true,
	HalfClose: true, Closed: true, Config: true, Wire: true, Own: true,
}

// Has reports whether a directive is used.
func (t *Transcript) Has(verb string) bool {
	for _, step := range t.Steps {
		if step.Verb == verb {
			return true
		}
	}
	return false
}

// Settings are those that the server is to be started with, name and value.
func (t *Transcript) Settings() (settings [][2]string) {
	for _, step := range t.Steps {
		if step.Verb == Config {
			name, value, _ := strings.Cut(step.Text, " ")
			settings = append(settings, [2]string{name, value})
		}
	}
	return settings
}

// ReadFile reads the transcript in a file, which it is named after.
func ReadFile(path string) (*Transcript, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a transcript: %w", err)
	}
	return Parse(path, string(text))
}

// Parse reads a transcript.
func Parse(name, text string) (*Transcript, error) {
	r := reader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	t := &Transcript{Name: name}
	if text == "" {
		return t, nil
	}
	for r.at < len(r.lines) {
		lead := r.lead()
		if r.at == len(r.lines) {
			t.tail = lead
			break
		}
		line := r.at + 1
		step, err := r.step()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		step.Line, step.lead = line, lead
		t.Steps = append(t.Steps, step)
	}
	return t, nil
}

// reader reads lines one after the other.
type reader struct {
	lines []string
	at    int
}

// lead takes comments and blank lines.
func (r *reader) lead() (lead []string) {
	for ; r.at < len(r.lines) && isLead(r.lines[r.at]); r.at++ {
		lead = append(lead, r.lines[r.at])
	}
	return lead
}

func isLead(line string) bool {
	return strings.TrimSpace(line) == "" || line == "#" || strings.HasPrefix(line, "# ")
}

// step takes what a client does, and the replies after it.
func (r *reader) step() (*Step, error) {
	step, ok := cutStep(r.lines[r.at])
	if !ok {
		return nil, fmt.Errorf("neither a command nor a directive: %s", r.lines[r.at])
	}
	if step.Verb != "" && !verbs[step.Verb] {
		return nil, fmt.Errorf("unknown directive: %s", step.Verb)
	}
	r.at++
	var block []string
	for ; r.at < len(r.lines) && !isLead(r.lines[r.at]); r.at++ {
		if _, isStep := cutStep(r.lines[r.at]); isStep {
			break
		}
		block = append(block, r.lines[r.at])
	}
	want, err := parseWants(block)
	step.Want = want
	return step, err
}

// cutStep reads "> command", "2> command", "! directive" and "2! directive".
func cutStep(line string) (step *Step, ok bool) {
	number := line[:len(line)-len(strings.TrimLeft(line, "0123456789"))]
	rest := line[len(number):]
	step = &Step{Client: 1, named: number != ""}
	if step.named {
		step.Client, _ = strconv.Atoi(number)
	}
	if step.Client < 1 {
		return nil, false
	}
	switch {
	case strings.HasPrefix(rest, "> "):
		step.Text = rest[2:]
	case strings.HasPrefix(rest, "! "):
		step.Verb, step.Text, _ = strings.Cut(rest[2:], " ")
	default:
		return nil, false
	}
	return step, true
}

// resp2Mark stands before a reply of RESP2 that does not follow from that of
// RESP3.
const resp2Mark = "resp2 "

func parseWants(block []string) (wants []Want, err error) {
	rest := markVarying(block)
	for strings.TrimSpace(rest) != "" {
		text, isSecond := strings.CutPrefix(rest, resp2Mark)
		var r resp.Reply
		if r, rest, err = resp.ParsePrefix(text); err != nil {
			return nil, err
		}
		switch {
		case !isSecond:
			wants = append(wants, Want{Reply: r})
		case len(wants) == 0:
			return nil, fmt.Errorf("a reply of RESP2 without one of RESP3")
		default:
			wants[len(wants)-1].Reply2 = &r
		}
	}
	return wants, nil
}

// Format writes the transcript as its file has it.
func (t *Transcript) Format() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(s + "\n") }
	for _, step := range t.Steps {
		for _, s := range step.lead {
			line(s)
		}
		line(step.String())
		for _, want := range step.Want {
			line(unmarkVarying(resp.Format(want.Reply)))
			if want.Reply2 != nil {
				line(resp2Mark + unmarkVarying(resp.Format(*want.Reply2)))
			}
		}
	}
	for _, s := range t.tail {
		line(s)
	}
	return b.String()
}

// String is the step's line.
func (s *Step) String() string {
	client := ""
	if s.named || s.Client > 1 {
		client = strconv.Itoa(s.Client)
	}
	if s.Verb == "" {
		return client + "> " + s.Text
	}
	if s.Text == "" {
		return client + "! " + s.Verb
	}
	return client + "! " + s.Verb + " " + s.Text
}
