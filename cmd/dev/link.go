package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// link is a plain connection to a server, for what redis-benchmark cannot do: loading exact keys,
// asking one question, timing one round trip.
type link struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
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

// add appends a command to what the next send will carry.
func (l *link) add(args ...string) { l.out = appendCommand(l.out, args...) }

func appendCommand(out []byte, args ...string) []byte {
	out = append(out, '*')
	out = strconv.AppendInt(out, int64(len(args)), 10)
	for _, arg := range args {
		out = append(out, "\r\n$"...)
		out = strconv.AppendInt(out, int64(len(arg)), 10)
		out = append(out, "\r\n"...)
		out = append(out, arg...)
	}
	return append(out, "\r\n"...)
}

// send writes the commands added so far.
func (l *link) send() error {
	_, err := l.conn.Write(l.out)
	l.out = l.out[:0]
	return err
}

// ask sends one command and waits for its reply: a string, an int64, nil or []any. An error that the
// server answers is returned as an errorReply.
func (l *link) ask(args ...string) (any, error) {
	l.add(args...)
	if err := l.send(); err != nil {
		return nil, err
	}
	return l.read()
}

// read takes one reply, RESP2's types and RESP3's map and double.
func (l *link) read() (any, error) {
	if l.in == nil { // twenty thousand idle links need no buffer
		l.in = bufio.NewReaderSize(l.conn, 64<<10)
	}
	line, err := l.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return nil, errors.New("an empty line where a reply should be")
	}
	rest := line[1:]
	switch line[0] {
	case '+', ',':
		return rest, nil
	case '-':
		return nil, errorReply(rest)
	case ':':
		return strconv.ParseInt(rest, 10, 64)
	case '_':
		return nil, nil
	case '$', '=':
		return l.readBulk(rest)
	case '*', '~':
		return l.readArray(rest, 1)
	case '%':
		return l.readArray(rest, 2)
	}
	return nil, fmt.Errorf("a reply of an unknown kind: %q", line)
}

func (l *link) readBulk(header string) (any, error) {
	size, err := strconv.Atoi(header)
	if err != nil || size < 0 {
		return nil, err
	}
	body := make([]byte, size+2)
	if _, err := io.ReadFull(l.in, body); err != nil {
		return nil, err
	}
	return string(body[:size]), nil
}

func (l *link) readArray(header string, each int) (any, error) {
	size, err := strconv.Atoi(header)
	if err != nil || size < 0 {
		return nil, err
	}
	var out []any
	for range size * each {
		item, err := l.read()
		var refusal errorReply
		if errors.As(err, &refusal) {
			item, err = string(refusal), nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// loadBatch is how many commands travel at once when loading: enough to cost the server little, few
// enough not to fill its buffers.
const loadBatch = 512

// load sends count commands, pipelined, and takes their replies; an error answered ends it. command
// appends the i-th command.
func (l *link) load(count int, command func(out []byte, i int) []byte) error {
	for from := 0; from < count; from += loadBatch {
		to := min(from+loadBatch, count)
		for i := from; i < to; i++ {
			l.out = command(l.out, i)
		}
		if err := l.send(); err != nil {
			return fmt.Errorf("loading: %w", err)
		}
		for range to - from {
			if _, err := l.read(); err != nil {
				return fmt.Errorf("loading: %w", err)
			}
		}
	}
	return nil
}
