package main

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// answering gives a link whose other end takes whatever comes and answers each batch of it with text,
// a byte at a time, then closes.
func answering(t *testing.T, text string) *link {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close() })
	go func() {
		defer theirs.Close()
		if _, err := theirs.Read(make([]byte, 1<<20)); err != nil {
			return
		}
		for i := range len(text) {
			_, _ = theirs.Write([]byte{text[i]})
		}
	}()
	return &link{conn: ours}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	f := func(text string, want resp.Reply, ok bool) {
		t.Helper()
		got, err := answering(t, text).ask("PING")
		if (err == nil) != ok || ok && !resp.Equal(got, want) {
			t.Errorf("an answer of %q gave %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	f("+OK\r\n", resp.OK, true)
	f(":42\r\n", resp.Int(42), true)
	f("$5\r\na\r\nbc\r\n", resp.BulkString("a\r\nbc"), true)
	f("*2\r\n:1\r\n$1\r\nx\r\n", resp.Array(resp.Int(1), resp.BulkString("x")), true)
	f("-ERR no\r\n", resp.Nothing, false)
	f("\r\n", resp.Nothing, false)
	f("$5\r\nab", resp.Nothing, false)
}

func TestReadKeepsTheNextReply(t *testing.T) {
	t.Parallel()
	l := &link{in: []byte("+one\r\n+two\r\n")}
	for _, want := range []string{"one", "two"} {
		if got, err := l.read(); err != nil || got.Str() != want {
			t.Errorf("read %v, %v; want %s", got, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	f := func(count int, answers, wantError string) {
		t.Helper()
		err := answering(t, answers).load(count, func(out []byte, i int) []byte { return appendCommand(out, "SET", "k", "v") })
		if wantError == "" && err != nil || wantError != "" && (err == nil || !strings.Contains(err.Error(), wantError)) {
			t.Errorf("loading %d answered %q: %v, want an error with %q", count, answers, err, wantError)
		}
	}
	f(0, "", "")
	f(3, strings.Repeat("+OK\r\n", 3), "")
	f(loadBatch, strings.Repeat("+OK\r\n", loadBatch), "")
	f(3, "+OK\r\n-OOM full\r\n", "-OOM full")
	f(3, "+OK\r\n", "EOF")
}

// TestLoadSendsAll counts the commands of several batches at the other end.
func TestLoadSendsAll(t *testing.T) {
	t.Parallel()
	const count = 2*loadBatch + 3
	ours, theirs := net.Pipe()
	defer ours.Close()
	seen := make(chan []byte)
	go func() {
		var all []byte
		buf := make([]byte, 1<<20)
		for bytes.Count(all, []byte("*")) < count {
			n, err := theirs.Read(buf)
			if err != nil {
				break
			}
			all = append(all, buf[:n]...)
			_, _ = theirs.Write(bytes.Repeat([]byte("+OK\r\n"), bytes.Count(buf[:n], []byte("*"))))
		}
		seen <- all
	}()
	err := (&link{conn: ours}).load(count, func(out []byte, i int) []byte { return appendCommand(out, padded(i, 7)) })
	if err != nil {
		t.Fatal(err)
	}
	all := <-seen
	for _, i := range []int{0, loadBatch - 1, loadBatch, count - 1} {
		if !bytes.Contains(all, appendCommand(nil, padded(i, 7))) {
			t.Errorf("command %d was not sent", i)
		}
	}
}

func TestGreetWantsPong(t *testing.T) {
	t.Parallel()
	f := func(answer string, ok bool) {
		t.Helper()
		if err := answering(t, answer).greet(); (err == nil) != ok {
			t.Errorf("greeted with %q: %v, want success %v", answer, err, ok)
		}
	}
	f("+PONG\r\n", true)
	f("-ERR max number of clients reached\r\n", false)
	f("", false)
}
