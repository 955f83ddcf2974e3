package transcript

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// Player plays transcripts to one server.
type Player struct {
	// Proto is 2 or 3, what clients speak.
	Proto int
	// Dial opens a link to the server.
	Dial func() (net.Conn, error)
	// Advance moves the server's clock. A player without it cannot play a
	// transcript that does so.
	Advance func(time.Duration) error
	// Before, if set, is called before each step.
	Before func()
	// Patience is how long to wait for a reply before it is taken for missing.
	Patience time.Duration
	// Quiet, if set, is for recording: of a step that wants no reply, all that
	// come are taken, until none has come for so long.
	Quiet time.Duration
}

// Result is what the server has answered.
type Result struct {
	// Got are the replies, by step.
	Got [][]resp.Reply
	// Differences are the steps answered otherwise than wanted.
	Differences []Difference
}

// Difference is a step that was answered otherwise than wanted.
type Difference struct {
	Step *Step
	// Text says how, in a few lines.
	Text string
}

// ErrClock says that a transcript moves a clock that cannot be moved.
var ErrClock = errors.New("the transcript moves the clock, which this server's cannot be")

// Play plays a transcript. The error is one of the conversation, which then
// could not go on; what was answered otherwise than wanted is in the result.
func (p *Player) Play(t *Transcript) (*Result, error) {
	if p.Advance == nil && t.Has(Advance) {
		return nil, ErrClock
	}
	run := &run{
		Player: p, wire: t.Has(Wire), links: map[int]*link{}, kept: names{},
		result: &Result{Got: make([][]resp.Reply, len(t.Steps))},
	}
	defer run.close()
	for i, step := range t.Steps {
		if p.Before != nil {
			p.Before()
		}
		if err := run.step(i, step); err != nil {
			return run.result, fmt.Errorf("%s:%d: %s: %w", t.Name, step.Line, step, err)
		}
	}
	if err := run.end(t); err != nil {
		return run.result, fmt.Errorf("%s: at its end: %w", t.Name, err)
	}
	return run.result, nil
}

// run is a transcript being played.
type run struct {
	*Player
	wire   bool
	links  map[int]*link
	kept   names
	result *Result
	sorted sorting // of the next reply
}

func (r *run) close() {
	for _, l := range r.links {
		l.conn.Close()
	}
}

func (r *run) step(i int, step *Step) error {
	switch step.Verb {
	case Config, Wire, Own:
		return nil
	case Advance:
		d, err := time.ParseDuration(step.Text)
		if err != nil {
			return err
		}
		return r.Advance(d)
	case Sorted:
		r.sorted = sorting{on: true, pairs: step.Text == "pairs"}
		return nil
	case Close:
		return r.closeLink(step.Client)
	}
	l, err := r.link(step.Client)
	if err != nil {
		return err
	}
	if step.Verb == Walk {
		return r.walk(l, i, step)
	}
	if err := r.send(l, step); err != nil {
		return err
	}
	return r.receive(l, i, step)
}

func (r *run) closeLink(client int) error {
	l := r.links[client]
	if l == nil {
		return fmt.Errorf("client %d has no link", client)
	}
	delete(r.links, client)
	return l.conn.Close()
}

// send sends what the step sends, if anything.
func (r *run) send(l *link, step *Step) error {
	switch step.Verb {
	case Receive, Closed:
		return nil
	case HalfClose:
		return l.halfClose()
	case Raw:
		words, ok := resp.SplitLine([]byte(step.Text))
		if !ok || len(words) != 1 {
			return errors.New("not one quoted text")
		}
		return l.write(words[0])
	}
	words, ok := resp.SplitLine([]byte(step.Text))
	if !ok || len(words) == 0 {
		return errors.New("not a command line")
	}
	return l.write(appendCommand(nil, r.replaceNames(words)))
}

// replaceNames puts the values in the place of the names.
func (r *run) replaceNames(words [][]byte) [][]byte {
	for i, word := range words {
		if name, isName := strings.CutPrefix(string(word), "$"); isName {
			if value, known := r.kept[name]; known {
				words[i] = []byte(value)
			}
		}
	}
	return words
}

func appendCommand(dst []byte, words [][]byte) []byte {
	dst = resp.AppendHeader(dst, '*', len(words))
	for _, word := range words {
		dst = resp.AppendText(dst, string(word))
	}
	return dst
}

// receive takes as many replies as are wanted, and compares. When the link
// ends before, the replies are missing, and the conversation goes on.
func (r *run) receive(l *link, i int, step *Step) error {
	if step.Verb == Closed {
		return r.receiveEnd(l, step)
	}
	if len(step.Want) == 0 && r.Quiet > 0 {
		return r.listen(l, i)
	}
	for n := range step.Want {
		frame, err := l.next(r.Patience)
		if err != nil {
			r.differs(step, "  want %s\n  got  nothing: %v\n", unmarkVarying(resp.Format(step.Want[n].Reply)), err)
			if isTimeout(err) {
				return err
			}
			return nil
		}
		if err := r.compare(i, step, n, frame); err != nil {
			return err
		}
	}
	r.sorted = sorting{}
	return nil
}

// listen takes whatever comes.
func (r *run) listen(l *link, i int) error {
	for {
		frame, err := l.next(r.Quiet)
		if err != nil {
			r.sorted = sorting{}
			return nil // it has become quiet
		}
		if err := r.compare(i, &Step{}, 0, frame); err != nil {
			return err
		}
	}
}

func (r *run) receiveEnd(l *link, step *Step) error {
	frame, err := l.next(r.Patience)
	switch {
	case err == nil:
		r.differs(step, "  want the end of the link\n  got  %q\n", frame)
	case isTimeout(err):
		return fmt.Errorf("the link was not closed: %w", err)
	}
	delete(r.links, step.Client)
	return l.conn.Close()
}

func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}

// compare decodes a frame, keeps it, and compares it with what is wanted.
func (r *run) compare(i int, step *Step, n int, frame []byte) error {
	got, _, err := resp.Decode(frame)
	if err != nil {
		return err
	}
	if n == len(step.Want) { // recording
		r.result.Got[i] = append(r.result.Got[i], r.sorted.apply(got))
		return nil
	}
	want, err := r.wanted(step.Want[n])
	if err != nil {
		return err
	}
	sorted := r.sorted.apply(got)
	r.result.Got[i] = append(r.result.Got[i], sorted)
	switch {
	case !r.kept.matches(want, sorted):
		r.differs(step, "  want %s\n  got  %s\n", unmarkVarying(resp.Format(want)), resp.Format(sorted))
	case !isEncoded(got, frame):
		r.differs(step, "  the reply is encoded as %q\n", frame)
	}
	return nil
}

// isEncoded reports whether the frame is how one of the two protocols encodes
// the reply.
func isEncoded(r resp.Reply, frame []byte) bool {
	return string(resp.V3.Append(nil, r)) == string(frame) || string(resp.V2.Append(nil, r)) == string(frame)
}

// wanted is the reply wanted, as it looks in the protocol of the links.
func (r *run) wanted(w Want) (resp.Reply, error) {
	switch {
	case r.wire:
		return w.Reply, nil
	case r.Proto == 2 && w.Reply2 != nil:
		return *w.Reply2, nil
	}
	want, _, err := resp.Decode(resp.EncoderFor(r.Proto).Append(nil, w.Reply))
	return want, err
}

func (r *run) differs(step *Step, format string, args ...any) {
	r.result.Differences = append(r.result.Differences, Difference{step, fmt.Sprintf(format, args...)})
}

// end says on every link that no more will come, and takes what is unread for
// a difference.
func (r *run) end(t *Transcript) error {
	for client, l := range r.links {
		if err := l.halfClose(); err != nil {
			continue // closed by the server, as its last reply says
		}
		frame, err := l.next(r.Patience)
		if err == nil {
			r.differs(t.Steps[len(t.Steps)-1], "  at the end client %d has got %q besides\n", client, frame)
		} else if isTimeout(err) {
			return fmt.Errorf("the link of client %d was not closed: %w", client, err)
		}
	}
	return nil
}
