package admin_test

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// The commands of sessions and those for operators are tested over sockets:
// what they tell is about links, loops and shards, which must be real.

// patience is how long tests wait for what must come.
const patience = 60 * time.Second

// start starts a server with some settings, which ends with the test. The
// settings are lines of a file.
func start(tb testing.TB, lines ...string) *actors.System {
	tb.Helper()
	text := strings.Join(append([]string{"bind 127.0.0.1", "shards 3", "enable-debug-command yes", "appendonly no", "dir " + tb.TempDir()}, lines...), "\n") + "\n"
	settings, err := config.Load(config.Sources{File: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		tb.Fatal(err)
	}
	options := settings.Options(hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Error}))
	options.Port = 0
	admin.New(settings).Join(&options)
	system, err := actors.Start(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		system.Close()
		select {
		case b := <-system.Broken:
			tb.Errorf("%s panicked: %v\n%s", b.Command, b.Reason, b.Stack)
		default:
		}
	})
	return system
}

// link is a client's link to a server.
type link struct {
	tb   testing.TB
	conn net.Conn
	in   []byte
}

func dial(tb testing.TB, system *actors.System) *link {
	tb.Helper()
	conn, err := net.Dial("tcp", system.Addresses()[0])
	if err != nil {
		tb.Fatal(err)
	}
	return newLink(tb, conn)
}

func newLink(tb testing.TB, conn net.Conn) *link {
	tb.Cleanup(func() { conn.Close() })
	return &link{tb: tb, conn: conn}
}

func (l *link) send(words ...string) {
	l.tb.Helper()
	if _, err := l.conn.Write(resp.V2.Append(nil, resp.Strings(words...))); err != nil {
		l.tb.Fatal(err)
	}
}

// next takes a reply, or the error with which the link ends.
func (l *link) next() (resp.Reply, error) {
	l.conn.SetReadDeadline(time.Now().Add(patience))
	for buf := make([]byte, 64<<10); ; {
		reply, n, err := resp.Decode(l.in)
		if err != nil || n > 0 {
			l.in = l.in[n:]
			return reply, err
		}
		if n, err = l.conn.Read(buf); err != nil {
			return resp.Nothing, err
		}
		l.in = append(l.in, buf[:n]...)
	}
}

func (l *link) receive() resp.Reply {
	l.tb.Helper()
	reply, err := l.next()
	if err != nil {
		l.tb.Fatal(err)
	}
	return reply
}

// ask sends a command, words separated by blanks, and returns its reply.
func (l *link) ask(command string) resp.Reply {
	l.tb.Helper()
	l.send(strings.Fields(command)...)
	return l.receive()
}

// want asks, and compares the reply in the notation of transcripts.
func (l *link) want(command, reply string) {
	l.tb.Helper()
	if got := resp.Format(l.ask(command)); got != reply {
		l.tb.Errorf("%s is answered %s, want %s", command, got, reply)
	}
}

// gone waits until the server has closed the link.
func (l *link) gone() {
	l.tb.Helper()
	if reply, err := l.next(); err == nil {
		l.tb.Errorf("the link goes on: %s", resp.Format(reply))
	}
}

// fields reads the lines of INFO, or the words of a line of CLIENT LIST.
func fields(text, separator, equals string) map[string]string {
	all := map[string]string{}
	for _, part := range strings.Split(text, separator) {
		if name, value, ok := strings.Cut(part, equals); ok {
			all[name] = value
		}
	}
	return all
}

// info is the answer of INFO with the words.
func (l *link) info(sections string) map[string]string {
	l.tb.Helper()
	return fields(l.ask("INFO "+sections).Str(), "\r\n", ":")
}

func number(tb testing.TB, text string) int64 {
	tb.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// eventually waits until something has become true, which it must.
func eventually(tb testing.TB, what string, isTrue func() bool) {
	tb.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !isTrue() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			tb.Fatalf("after %v it is not so that %s", patience, what)
		}
	}
}
