package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/troupedb/troupe/resp"
)

// link is a plain connection to a server, for what redis-benchmark cannot do: loading exact keys,
// asking one question, timing one round trip.
type link struct {
	conn net.Conn
	in   []byte // received and not yet read
	out  []byte // to be sent
}

// errorReply is an error the server answered.
type errorReply string

func (e errorReply) Error() string { return "the server answered " + string(e) }

// dial connects to a server on this machine; from is the address to come from, or empty.
func dial(port int, from string) (*link, error) {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	conn, err := dialer.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &link{conn: conn}, nil
}

func (l *link) close() { _ = l.conn.Close() }

// appendCommand appends a command in the form that clients send.
func appendCommand(out []byte, args ...string) []byte {
	out = resp.AppendHeader(out, '*', len(args))
	for _, arg := range args {
		out = resp.AppendText(out, arg)
	}
	return out
}

// send writes the commands appended to out.
func (l *link) send() error {
	_, err := l.conn.Write(l.out)
	l.out = l.out[:0]
	return err
}

// ask sends one command and waits for its reply. An error that the server answers is returned as
// an errorReply.
func (l *link) ask(args ...string) (resp.Reply, error) {
	l.out = appendCommand(l.out, args...)
	if err := l.send(); err != nil {
		return resp.Nothing, err
	}
	return l.read()
}

// read takes one reply.
func (l *link) read() (resp.Reply, error) {
	const room = 4 << 10
	var frame resp.Framer
	for {
		size, err := frame.Frame(l.in)
		if err != nil {
			return resp.Nothing, err
		}
		if size > 0 {
			return l.take(size)
		}
		have := len(l.in)
		l.in = append(l.in, make([]byte, room)...)
		n, err := l.conn.Read(l.in[have:])
		l.in = l.in[:have+n]
		if err != nil {
			return resp.Nothing, err
		}
	}
}

// take decodes the reply that the first size bytes hold.
func (l *link) take(size int) (resp.Reply, error) {
	reply, _, err := resp.Decode(l.in[:size])
	l.in = append(l.in[:0], l.in[size:]...)
	if err == nil && reply.IsError() {
		return resp.Nothing, errorReply(reply.Str())
	}
	return reply, err
}

// loadBatch is how many commands travel at once when loading: enough to cost the server little, few
// enough not to fill its buffers.
const loadBatch = 512

// load sends count commands, pipelined, that are each answered +OK; another answer ends it. command
// appends the i-th command.
func (l *link) load(count int, command func(out []byte, i int) []byte) error {
	const ok = "+OK\r\n"
	all := bytes.Repeat([]byte(ok), loadBatch)
	answers := make([]byte, len(all))
	for from := 0; from < count; from += loadBatch {
		to := min(from+loadBatch, count)
		for i := from; i < to; i++ {
			l.out = command(l.out, i)
		}
		if err := l.send(); err != nil {
			return fmt.Errorf("loading: %w", err)
		}
		got, want := answers[:(to-from)*len(ok)], all[:(to-from)*len(ok)]
		if _, err := io.ReadFull(l.conn, got); err != nil {
			return fmt.Errorf("loading: %w", err)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("loading: one of %d commands was answered otherwise than +OK: %.100q", to-from, firstOther(got, ok))
		}
	}
	return nil
}

// firstOther is what stands in answers after the first ones that are ok.
func firstOther(answers []byte, ok string) []byte {
	for bytes.HasPrefix(answers, []byte(ok)) {
		answers = answers[len(ok):]
	}
	return answers
}
