package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// P03: what a browser sends to the port is not answered, and nothing of it runs.
func TestAbuseBrowsers(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	witness := s.patient()
	f := func(request string) {
		t.Helper()
		c := s.patient()
		c.conn.Write([]byte(request + "SET stolen 1\r\n*3\r\n$3\r\nSET\r\n$6\r\nstolen\r\n$1\r\n1\r\n"))
		if n, err := c.in.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%.40q is answered", request)
		}
		witness.want(":0", "EXISTS", "stolen")
	}
	f("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n")
	f("post / HTTP/1.1\r\nContent-Length: 10\r\n\r\n")
	f("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	f("Host: 127.0.0.1\r\n\r\n")
	f("OPTIONS / HTTP/1.1\r\nhost: x\r\n\r\n")
	s.await("SECURITY ATTACK")
}

// Whatever is in a value, a name or a script's words, a reply is one reply.
func TestAbuseSmuggling(t *testing.T) {
	t.Parallel()
	s := startAbused(t, "--enable-debug-command", "yes")
	const evil = "x\r\n+OK\r\n$3\r\nfoo\r\n:1"
	c := s.patient()
	f := func(words ...string) {
		t.Helper()
		if _, err := c.reply(words...); err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		c.want("+PONG", "PING")
	}
	for _, protocol := range []string{"2", "3"} {
		f("HELLO", protocol)
		f(evil)
		f(evil, evil, evil)
		f("CONFIG", evil)
		f("CLIENT", evil, evil)
		f("CONFIG", "SET", evil, evil)
		f("CONFIG", "SET", "maxclients", evil)
		f("CONFIG", "SET", "loglevel", evil)
		f("ACL", "SETUSER", "u", evil)
		f("ACL", "CAT", evil)
		f("ACL", "DRYRUN", "default", evil)
		f("ACL", "DRYRUN", evil, "GET", "x")
		f("AUTH", evil, evil)
		f("OBJECT", evil)
		f("DEBUG", evil)
		f("DEBUG", "ERROR", evil)
		f("DEBUG", "PROTOCOL", evil)
		f("FUNCTION", "LOAD", evil)
		f("FUNCTION", "LOAD", "#!lua name="+evil+"\n")
		f("FUNCTION", "LOAD", "#!"+evil+"\n")
		f("FCALL", evil, "0")
		f("EVAL", evil, "0")
		f("EVAL", "return redis.error_reply(ARGV[1])", "0", evil)
		f("EVAL", "return redis.status_reply(ARGV[1])", "0", evil)
		f("EVAL", "return {err=ARGV[1]}", "0", evil)
		f("EVAL", "return {ok=ARGV[1]}", "0", evil)
		f("EVAL", "return {err=ARGV[1]..'\\n'}", "0", "\n\r\n\r")
		f("EVAL", "error(ARGV[1])", "0", evil)
		f("EVAL", "error({err=ARGV[1]})", "0", evil)
		f("EVAL", "return redis.call(ARGV[1])", "0", evil)
		f("EVAL", "return redis.call('CONFIG', ARGV[1])", "0", evil)
		f("EVAL", "return redis.pcall('XADD', 'k', ARGV[1], 'f', 'v')", "0", evil)
		f("EVAL", "return nosuch"+"\r\n+OK\r\n", "0")
		if protocol == "3" { // one line, though of no number
			c.want("(x  +OK  $3  foo  :1", "EVAL", "redis.setresp(3) return {big_number=ARGV[1]}", "0", evil)
			c.want("+PONG", "PING")
		}
		f("EVAL", "redis.setresp(3) return {verbatim_string={format='txt', string=ARGV[1]}}", "0", evil)
		f("EVAL", "redis.setresp(3) return {verbatim_string={format=ARGV[1], string='x'}}", "0", evil)
		f("XGROUP", "CREATE", evil, evil, evil)
		f("GETEX", "k", evil)
		f("ECHO", evil)
		f("SCRIPT", "LOAD", evil)
		f("CLIENT", "SETNAME", evil)
		f("CLIENT", "SETINFO", "lib-name", evil)
		f("CLIENT", "LIST")
		f("GET.WATCH", "k", evil)
		f("OBSERVE", evil)
	}
}

// Nobody who only speaks to the server gets it to write where it should not, or to
// do what operators alone may.
func TestAbusePaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "troupe.conf")
	if err := os.WriteFile(file, []byte("timeout 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &abused{started: start(t, nil, "server", file, "--port", freePort(t), "--bind", "127.0.0.1", "--appendonly", "no", "--dir", dir)}
	c := s.patient()
	refused := func(why string, words ...string) {
		t.Helper()
		if got := c.ask(words...); !strings.HasPrefix(got, "-") || !strings.Contains(got, why) {
			t.Errorf("%q is answered %s, want %s", words, got, why)
		}
	}
	for _, name := range []string{"dir", "dbfilename"} {
		refused("can't set protected config", "CONFIG", "SET", name, "../../etc/cron.d/x")
		refused("can't set protected config", "CONFIG", "SET", "timeout", "7", name, "/tmp")
	}
	for _, name := range []string{"logfile", "aclfile", "pidfile", "unixsocket", "appenddirname", "appendfilename", "enable-debug-command",
		"enable-protected-configs", "enable-module-command"} {
		refused("can't set immutable config", "CONFIG", "SET", name, "yes")
	}
	for _, words := range [][]string{{"DEBUG", "SLEEP", "0"}, {"DEBUG", "RELOAD"}, {"DEBUG", "CRASH", "hub"}} {
		refused("DEBUG command not allowed", words...)
	}
	refused("no modules", "MODULE", "LOAD", "/tmp/x.so")
	refused("", "REPLICAOF", "127.0.0.1", "1")
	// A value with a line end in it is no further line of the file.
	c.want("+OK", "CONFIG", "SET", "requirepass", "x\nenable-debug-command yes\nrename-command FLUSHALL a")
	c.want("+OK", "CONFIG", "REWRITE")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "enable-debug") || strings.HasPrefix(line, "rename") {
			t.Errorf("the file says %s", line)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 3 {
		t.Errorf("files: %v", left)
	}
}

// secrets are what nobody is to see.
const (
	secret      = "Pa55w0rd-of-somebody"
	otherSecret = "An0ther-of-his"
)

// Passwords are in no log, no monitor's lines, no slow log, no INFO and no error.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	s := startAbused(t, "--loglevel", "debug", "--slowlog-log-slower-than", "0", "--latency-monitor-threshold", "1", "--requirepass", secret)
	monitor, c := s.patient(), s.patient()
	monitor.want("-NOAUTH Authentication required.", "MONITOR")
	monitor.want("+OK", "AUTH", secret)
	monitor.want("+OK", "MONITOR")
	said := ""
	ask := func(words ...string) {
		t.Helper()
		reply, err := c.reply(words...)
		if err != nil {
			t.Fatal(err)
		}
		said += fmt.Sprintln(reply.Str())
		for _, item := range reply.Items() {
			said += fmt.Sprintln(item.Str(), len(item.Items()))
		}
	}
	ask("AUTH", secret+"x")
	ask("AUTH", "nobody", secret)
	ask("HELLO", "3", "AUTH", "default", secret+"x")
	ask("HELLO", "2", "AUTH", "default", secret)
	ask("ACL", "SETUSER", "alice", "on", ">"+otherSecret, "~*", "+@all")
	ask("ACL", "SETUSER", "alice", "<"+otherSecret+"x")
	ask("ACL", "SETUSER", "alice", ">"+otherSecret, "nonsense")
	ask("ACL", "GETUSER", "alice")
	ask("ACL", "LIST")
	ask("CONFIG", "SET", "requirepass", otherSecret, "timeout", "x")
	ask("CONFIG", "SET", "masterauth", otherSecret, "nosuch", "1")
	ask("CONFIG", "SET", "tls-key-file-pass", otherSecret)
	ask("CONFIG", "SET", "requirepass", secret, otherSecret)
	ask("MIGRATE", "127.0.0.1", "1", "k", "0", "1", "AUTH", secret)
	ask("MIGRATE", "127.0.0.1", "1", "", "0", "1", "AUTH2", "u", otherSecret, "KEYS", "k")
	ask("EVAL", "return redis.call('ACL', 'SETUSER', 'bob', '>'..ARGV[1])", "0", "x")
	ask("AUTH", "alice", otherSecret)
	ask("ACL", "LOG")
	ask("SLOWLOG", "GET", "-1")
	ask("INFO", "everything")
	ask("CLIENT", "LIST")
	ask("LATENCY", "LATEST")
	c.want("+PONG", "PING")
	lines := ""
	for !strings.Contains(lines, `"PING"`) {
		line, err := monitor.in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		lines += line
	}
	slow := fmt.Sprint(c.deep("SLOWLOG", "GET", "-1"), c.deep("ACL", "LOG"))
	for where, text := range map[string]string{"the log": s.logged(), "MONITOR": lines, "replies": said, "the slow log": slow} {
		for _, word := range []string{secret, otherSecret} {
			if at := strings.Index(text, word); at >= 0 {
				t.Errorf("%s shows a password: …%.200q", where, text[max(0, at-100):])
			}
		}
	}
	if !strings.Contains(lines, "MIGRATE") || len(slow) < 1000 {
		t.Errorf("the test looks at nothing: %q, %q", lines, slow)
	}
}

// deep is a reply with all that is in it.
func (c *client) deep(words ...string) string {
	c.t.Helper()
	reply, err := c.reply(words...)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.Format(reply)
}
