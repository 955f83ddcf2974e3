package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp/transcript"
)

// recordCmd takes down a conversation with any server that speaks RESP: it plays what is said and writes
// what is answered, in RESP3 and, where it does not follow from that, in RESP2. A transcript comes out
// that a test can play; one that is recorded again keeps its comments and its marks.
type recordCmd struct {
	Addr    string        `arg:"" help:"The server: host:port, or the path of a unix socket. Its data is flushed before each conversation."`
	Files   []string      `arg:"" optional:"" type:"existingfile" help:"Transcripts to rewrite. Without one, standard input is played and standard output written; there a line may be a bare command."`
	Quiet   time.Duration `help:"How long to listen for replies where none is written." default:"150ms"`
	Replies bool          `help:"Forget the replies that are written, their number too."`
}

// Run records.
func (c *recordCmd) Run() error {
	if len(c.Files) == 0 {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		recorded, err := c.record("standard input", promptLines(string(text)))
		if err == nil {
			_, err = os.Stdout.WriteString(recorded)
		}
		return err
	}
	for _, path := range c.Files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		recorded, err := c.record(path, string(text))
		if err == nil {
			err = os.WriteFile(path, []byte(recorded), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// promptLines makes a transcript of what is none: lines that may be commands alone.
func promptLines(text string) string {
	if _, err := transcript.Parse("", text); err == nil {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if _, err := transcript.Parse("", line); err != nil {
			b.WriteString("> ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func (c *recordCmd) record(name, text string) (string, error) {
	script, err := transcript.Parse(name, text)
	if err != nil {
		return "", err
	}
	if c.Replies {
		for _, step := range script.Steps {
			step.Want = nil
		}
	}
	in3, err := c.play(script, 3)
	if err != nil {
		return "", err
	}
	var in2 *transcript.Result
	if !script.Has(transcript.Wire) {
		if in2, err = c.play(script, 2); err != nil {
			return "", err
		}
	}
	script.Record(in3, in2)
	return script.Format(), nil
}

func (c *recordCmd) play(script *transcript.Transcript, proto int) (*transcript.Result, error) {
	player, err := newPlayer(c.Addr, proto)
	if err != nil {
		return nil, err
	}
	player.Quiet = c.Quiet
	return player.Play(script)
}

// playPatience is how long a reply that is written may take to come.
const playPatience = 5 * time.Second

// newPlayer empties a server and makes a player for it. The clock is moved by waiting.
func newPlayer(addr string, proto int) (*transcript.Player, error) {
	network := "tcp"
	if strings.Contains(addr, "/") {
		network = "unix"
	}
	open := func() (net.Conn, error) { return net.Dial(network, addr) }
	conn, err := open()
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn}
	defer l.close()
	if _, err := l.ask("FLUSHALL"); err != nil {
		return nil, fmt.Errorf("flushing %s: %w", addr, err)
	}
	return &transcript.Player{Proto: proto, Patience: playPatience, Dial: open, Advance: func(d time.Duration) error {
		time.Sleep(d)
		return nil
	}}, nil
}
