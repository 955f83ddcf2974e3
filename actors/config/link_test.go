package config

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/resp"
)

// link is a client of a server under test.
type link struct {
	t    *testing.T
	conn net.Conn
	read []byte
}

// ask sends a command and returns its reply in the notation of transcripts.
func (l *link) ask(words ...string) string {
	l.t.Helper()
	request := resp.V2.Append(nil, resp.Strings(words...))
	if _, err := l.conn.Write(request); err != nil {
		l.t.Fatalf("sending %q: %v", words, err)
	}
	return l.next()
}

func (l *link) next() string {
	l.t.Helper()
	buf := make([]byte, 64<<10)
	for {
		reply, n, err := resp.Decode(l.read)
		if err != nil {
			l.t.Fatal(err)
		}
		if n > 0 {
			l.read = l.read[n:]
			return resp.Format(reply)
		}
		got, err := l.conn.Read(buf)
		if err != nil {
			l.t.Fatalf("reading a reply: %v", err)
		}
		l.read = append(l.read, buf[:got]...)
	}
}

// started is a server with these settings that listens on a unix socket.
func started(t *testing.T, from Sources) (*Config, *actors.System) {
	t.Helper()
	dir, err := os.MkdirTemp("", "troupe") // the test's own may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	from.Flags = append([]Flag{{"port", []string{"0"}}, {"unixsocket", []string{socket}}, {"dir", []string{dir}}, {"appendonly", []string{"no"}}}, from.Flags...)
	c, err := Load(from)
	if err != nil {
		t.Fatal(err)
	}
	system, err := actors.Start(c.Options(hclog.NewNullLogger()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(system.Close)
	return c, system
}

func dial(t *testing.T, network, address string) *link {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &link{t: t, conn: conn}
}

// local is a client of the unix socket.
func local(t *testing.T, c *Config) *link { return dial(t, "unix", c.Text("unixsocket")) }

// write makes a file in a folder of the test's own.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
