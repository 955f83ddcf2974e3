package transcript

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// answerer is a server that answers the first word of each line or command
// with fixed bytes.
type answerer map[string]string

// serve answers until the link ends.
func (a answerer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		words, err := readWords(in)
		if err != nil {
			return
		}
		answer := a[strings.Join(words, " ")]
		conn.Write([]byte(strings.TrimSuffix(answer, "!")))
		if strings.HasSuffix(answer, "!") {
			return
		}
	}
}

func readWords(in *bufio.Reader) ([]string, error) {
	line, err := in.ReadString('\n')
	if err != nil || line[0] != '*' {
		return strings.Fields(line), err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	words := make([]string, n)
	for i := range words {
		if line, err = in.ReadString('\n'); err != nil {
			return nil, err
		}
		size, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
		word := make([]byte, size+2)
		if _, err = io.ReadFull(in, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	return words, nil
}

func (a answerer) player(t *testing.T, proto int) *Player {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go a.serve(conn)
		}
	}()
	return &Player{Proto: proto, Patience: 10 * time.Second, Dial: func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) }}
}

var talk = answerer{
	"HELLO 3":  "%0\r\n",
	"PING":     "+PONG\r\n",
	"GET k":    "$1\r\nv\r\n",
	"NULL":     "_\r\n",
	"NULL2":    "*-1\r\n",
	"MAP":      "%1\r\n$1\r\na\r\n:1\r\n",
	"MAP2":     "*2\r\n$1\r\na\r\n:1\r\n",
	"TWICE":    ":1\r\n:2\r\n",
	"KEYS":     "*2\r\n$1\r\nb\r\n$1\r\na\r\n",
	"ODD":      ":+1\r\n",
	"ID":       ":42\r\n",
	"KILL 42":  "+OK\r\n",
	"QUIT":     "+OK\r\n!",
	"SCAN 0":   "*2\r\n$1\r\n7\r\n*1\r\n$1\r\nb\r\n",
	"SCAN 7":   "*2\r\n$1\r\n0\r\n*1\r\n$1\r\na\r\n",
	"SILENCE":  "",
	"SCAN bad": "-ERR\r\n",
}

// differences plays a transcript and gives the lines of the steps that differ.
func differences(t *testing.T, proto int, text string) (lines string) {
	t.Helper()
	script, err := Parse("x", text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := talk.player(t, proto).Play(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Differences {
		lines += strconv.Itoa(d.Step.Line) + " "
	}
	return lines
}

func TestPlay(t *testing.T) {
	t.Parallel()
	f := func(proto int, text, want string) {
		t.Helper()
		if got := differences(t, proto, text); got != want {
			t.Errorf("RESP%d of %q differs at %q, want %q", proto, text, got, want)
		}
	}
	f(3, "> PING\n+PONG\n2> GET k\n\"v\"\n", "")
	f(2, "> PING\n+PONG\n> GET k\n\"w\"\n> PING\n+PONG\n", "3 ")
	f(3, "> NULL\n_\n", "")
	f(3, "> NULL\n*-1\n", "")
	f(2, "> NULL2\n*-1\n", "")
	f(2, "> NULL2\n_\n", "1 ")
	f(3, "> MAP\n%{\"a\": :1}\n", "")
	f(2, "> MAP2\n%{\"a\": :1}\n", "")
	f(2, "> MAP2\n_\nresp2 [\"a\", :1]\n", "")
	f(3, "> MAP2\n%{\"a\": :1}\n", "1 ")
	f(2, "! wire\n> HELLO 3\n%{}\n> MAP\n%{\"a\": :1}\n> MAP2\n[\"a\", :1]\n", "")
	f(2, "> TWICE\n:1\n:2\n", "")
	f(2, "> TWICE\n:1\n", "1 ")              // one is left at the end
	f(2, "> TWICE\n:1\n! receive\n:2\n", "") // which one may ask for
	f(2, "! sorted\n> KEYS\n[\"a\", \"b\"]\n> KEYS\n[\"b\", \"a\"]\n", "")
	f(2, "! walk SCAN $\n[\"a\", \"b\"]\n", "")
	f(2, "! walk SCAN bad\n-ERR\n", "")
	f(2, "> ODD\n:1\n", "1 ") // it means the same, and is encoded otherwise
	f(2, "> ID\n*id\n> KILL $id\n+OK\n", "")
	f(2, "! raw \"PING\\nPING\\n\"\n+PONG\n+PONG\n> QUIT\n+OK\n! closed\n> PING\n+PONG\n", "")
	f(2, "> QUIT\n+OK\n+OK\n", "1 ")
	f(2, "> PING\n+PONG\n! half-close\n! closed\n", "")
	f(2, "> PING\n+PONG\n! close\n> PING\n+PONG\n", "")
}

func TestPlayWithoutClock(t *testing.T) {
	t.Parallel()
	script, err := Parse("x", "> PING\n+PONG\n! advance 1s\n> PING\n+PONG\n")
	if err != nil {
		t.Fatal(err)
	}
	p := talk.player(t, 2)
	if _, err := p.Play(script); !errors.Is(err, ErrClock) {
		t.Errorf("got %v", err)
	}
	var moved time.Duration
	p.Advance = func(d time.Duration) error { moved += d; return nil }
	if _, err := p.Play(script); err != nil || moved != time.Second {
		t.Errorf("the clock has moved by %v, %v", moved, err)
	}
}

// What is played with patience for silence is written down.
func TestPlayToRecord(t *testing.T) {
	t.Parallel()
	script, err := Parse("x", "> PING\n> SILENCE\n> TWICE\n")
	if err != nil {
		t.Fatal(err)
	}
	p := talk.player(t, 2)
	p.Quiet = 100 * time.Millisecond
	result, err := p.Play(script)
	if err != nil {
		t.Fatal(err)
	}
	script.Record(result, nil)
	if got, want := script.Format(), "> PING\n+PONG\n> SILENCE\n> TWICE\n:1\n:2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMissingReply(t *testing.T) {
	t.Parallel()
	script, err := Parse("x", "> SILENCE\n+OK\n")
	if err != nil {
		t.Fatal(err)
	}
	p := talk.player(t, 2)
	p.Patience = 50 * time.Millisecond
	if result, err := p.Play(script); err == nil || len(result.Differences) != 1 {
		t.Errorf("got %v, %v", result, err)
	}
}

func TestReadKnown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "differences.txt")
	f := func(text string, want ...Known) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadKnown(path)
		if (err == nil) != (want != nil) || len(got) != len(want) {
			t.Fatalf("%q gives %v, %v", text, got, err)
		}
		for i, k := range got {
			if k != want[i] {
				t.Errorf("%q gives %q, want %q", text, k, want[i])
			}
		}
	}
	f("# A comment.\n\na/b.txt > GET k\n  For a reason\n  of two lines.\n", Known{"a/b.txt", "> GET k", "For a reason of two lines."})
	f("a.txt > X\n  R.\nb.txt 2> Y z\n  S.\n", Known{"a.txt", "> X", "R."}, Known{"b.txt", "2> Y z", "S."})
	f("a.txt > X\nb.txt > Y\n  Only one has a reason.\n")
	f("a.txt\n  No step.\n")
	f("  No step.\n")
}

func FuzzParse(f *testing.F) {
	f.Add("# c\n> GET k\n[*, \"a\", *\"b*\"]\nresp2 [*]\n2! raw \"x\"\n")
	f.Add("! raw  ")
	f.Add("! raw ")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse("x", text)
		if err != nil {
			return
		}
		again, err := Parse("x", script.Format())
		if err != nil {
			t.Fatalf("what is written cannot be read: %v\n%s", err, script.Format())
		}
		if got, want := again.Format(), script.Format(); got != want {
			t.Errorf("%q is written %q, and then %q", text, want, got)
		}
	})
}
