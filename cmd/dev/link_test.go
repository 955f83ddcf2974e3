package main

import (
	"net"
	"reflect"
	"testing"
)

// answered gives a link whose other end takes whatever comes and has already answered text.
func answered(t *testing.T, text string) *link {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	go func() {
		_, _ = theirs.Write([]byte(text))
		theirs.Close()
	}()
	return &link{conn: ours}
}

func TestLinkReads(t *testing.T) {
	t.Parallel()
	f := func(text string, want any, ok bool) {
		t.Helper()
		got, err := answered(t, text).read()
		if (err == nil) != ok || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("reading %q gave %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	f("+OK\r\n", "OK", true)
	f(":42\r\n", int64(42), true)
	f("$5\r\na\r\nbc\r\n", "a\r\nbc", true)
	f("$-1\r\n", nil, true)
	f("_\r\n", nil, true)
	f("*2\r\n:1\r\n$1\r\nx\r\n", []any{int64(1), "x"}, true)
	f("*2\r\n-ERR no\r\n+yes\r\n", []any{"ERR no", "yes"}, true)
	f("%1\r\n+a\r\n:1\r\n", []any{"a", int64(1)}, true)
	f("-ERR no\r\n", nil, false)
	f("\r\n", nil, false)
	f("?\r\n", nil, false)
	f("$5\r\nab", nil, false)
	f("*1\r\n", nil, false)
}

func TestGreetWantsPong(t *testing.T) {
	t.Parallel()
	f := func(answer string, ok bool) {
		t.Helper()
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		go func() {
			_, _ = theirs.Read(make([]byte, 64))
			_, _ = theirs.Write([]byte(answer))
			theirs.Close()
		}()
		if err := (&link{conn: ours}).greet(); (err == nil) != ok {
			t.Errorf("greeted with %q: %v, want success %v", answer, err, ok)
		}
	}
	f("+PONG\r\n", true)
	f("-ERR max number of clients reached\r\n", false)
	f("", false)
}
