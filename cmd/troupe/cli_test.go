package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// The client is run as a process, on a terminal and without one, against the
// server of the same binary.

// cliCommand is the client, with nothing of the test's own environment.
func cliCommand(t *testing.T, port string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"cli", "-p", port}, args...)...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm"}
	return cmd
}

// prompts starts a server, and the client at its prompt on a terminal.
func prompts(t *testing.T) (s *started, port string, x *terminal) {
	t.Helper()
	port = freePort(t)
	s = start(t, nil, "--port", port)
	cmd := cliCommand(t, port)
	x = openTerminal(t, cmd)
	x.ends("127.0.0.1:" + port + ">")
	return s, port, x
}

func TestPromptRunsCommands(t *testing.T) {
	t.Parallel()
	_, port, x := prompts(t)
	host := "127.0.0.1:" + port
	x.press("hset h f \"a b\"\r")
	x.ends("(integer) 1", host+">")
	x.press("hgetall h\r")
	x.ends(`1# "f" => "a b"`, host+">")
	x.press("select 3\rmulti\r")
	x.ends("OK", host+"[3](TX)>")
	x.press("incr n\rexec\r")
	x.ends("QUEUED", host+"[3](TX)> exec", "1) (integer) 1", host+"[3]>")
	x.press("2 incr n\r")
	x.ends("(integer) 2", "(integer) 3", host+"[3]>")
	x.press("get \"n\r")
	x.ends("Invalid argument(s)", host+"[3]>")
	x.press("some text\x03")
	x.ends(host+"[3]> some text", host+"[3]>")
	x.press("quit\r")
	if err := <-x.ended; err != nil {
		t.Errorf("quit ends it with %v", err)
	}
}

func TestPromptHelps(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	host := "127.0.0.1:" + port
	x := openTerminal(t, cliCommand(t, port)) // before the server
	x.ends("Could not connect to the server at "+host+": Connection refused", "not connected>")
	start(t, nil, "--port", port)
	x.press("ping\r")
	x.ends("PONG", host+">")
	x.press("DBSI\t")
	x.ends(host + "> DBSIZE")
	x.press("\r")
	x.ends("(integer) 0", host+">")
	x.press("config resets\t\r") // a subcommand, in the case in which it was begun
	x.ends(host+"> config resetstat", "OK", host+">")
	x.press("lrange k ")
	x.ends(host + "> lrange k start stop")
	x.press("0 -1\r") // what was hinted at goes with the line
	x.ends(host+"> lrange k 0 -1", "(empty array)", host+">")
	x.press("help lrange\r")
	x.has("LRANGE key start stop")
	x.press("clear\rhelp @hyperloglog\r")
	x.has("PFMERGE destkey")
}

func TestPromptRemembersWhatMayBeRemembered(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	start(t, nil, "--port", port)
	host, kept := "127.0.0.1:"+port, filepath.Join(t.TempDir(), "history")
	open := func() *terminal {
		x := openTerminal(t, cliCommand(t, port, "--history", kept))
		x.ends(host + ">")
		return x
	}
	x := open()
	x.press("echo first\rconfig set requirepass secret\rauth secret\recho second\r")
	x.ends(`"second"`, host+">")
	x.press("\x1b[A\x1b[A") // up, up
	x.ends(host + "> echo first")
	x.press("\x03quit\r")
	<-x.ended
	text, err := os.ReadFile(kept)
	if err != nil || string(text) != "echo first\necho second\nquit\n" {
		t.Errorf("kept are %q (%v)", text, err)
	}
	x = open()
	x.press("\x12first\r") // Ctrl-R
	x.has("NOAUTH")
	x.press("auth secret\r")
	x.ends("OK", host+">")
	x.press("\x1b[A\r")
	x.ends(`"first"`, host+">")
}

func TestWatchIsRedrawnInPlace(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	host, other := "127.0.0.1:"+port, s.dial()
	other.ask("ZADD", "board", "10", "ann", "20", "bob")
	x.press("client id\r")
	x.has("(integer)")
	id := x.screen()[strings.Index(x.screen(), "(integer)"):]
	id, _, _ = strings.Cut(id, "\n")
	x.press("clear\rzrange.watch board 0 9 rev withscores\r")
	x.ends(`  1) "bob"  20`, `  2) "ann"  10`)
	other.ask("ZADD", "board", "5", "cid")
	x.ends(`  1) "bob"  20`, `  2) "ann"  10`, `+ 3) "cid"  5`)
	other.ask("ZADD", "board", "15", "cid", "21", "bob")
	x.ends(`~ 1) "bob"  21`, `^ 2) "cid"  15`, `  3) "ann"  10`)
	other.ask("ZREM", "board", "cid")
	x.ends(`  1) "bob"  21`, `  2) "ann"  10`, `- 2) "cid"  15`)
	x.press("not seen\r")
	other.ask("DEL", "board")
	x.ends("~ (empty array)")
	screen := x.screen()
	if strings.Count(screen, "version") != 1 || strings.Contains(screen, "seen") || !strings.Contains(screen, "covered 1, in all 4") {
		t.Errorf("drawn is\n%s", screen)
	}
	x.press("\x03")
	x.ends("~ (empty array)", "", host+">")
	x.press("client id\r")
	x.ends(host+"> client id", id, host+">") // the same link
	if list := x.screen(); !strings.Contains(list, id) {
		t.Errorf("the link is another:\n%s", list)
	}
	x.press("watches stats\r")
	x.wants("nothing is watched", func(screen string) bool { return strings.Contains(screen, `"watches" => (integer) 0`) })
}

func TestWatchFitsTheScreen(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	other := s.dial()
	for i := range 40 {
		other.ask("RPUSH", "l", fmt.Sprintf("element %d %s", i, strings.Repeat("x", 200)))
	}
	x.press("observe delta lrange l 0 -1\r")
	x.ends("  … 20 more lines") // 24 lines, 2 above, the last for the cursor
	x.wants("lines are cut", func(screen string) bool {
		return strings.Contains(screen, "element 19") && !strings.Contains(screen, strings.Repeat("x", 70))
	})
	x.resize(12)
	x.ends("  … 32 more lines")
	other.ask("LSET", "l", "1", "another") // comes as a delta
	x.has(`+  2) "another"`)
	x.ends("  … 33 more lines") // and one that is gone
	x.press("q")
	x.ends("127.0.0.1:" + port + ">")
}

func TestWatchGoesOnBehindALostLink(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	s.dial().ask("SET", "k", "before")
	x.press("get.watch k\r")
	x.ends(`  "before"`)
	s.dial().ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	s.dial().ask("SET", "k", "after")
	x.ends(`~ "after"`)
	s.signal(syscall.SIGKILL)
	s.exit()
	x.has("link lost")
	again := start(t, nil, "--port", port)
	x.wants("the state of the new server is shown", func(screen string) bool {
		return strings.HasSuffix(screen, "~ (nil)") && !strings.Contains(screen, "link lost")
	})
	again.dial().ask("SET", "k", "again")
	x.ends(`~ "again"`)
	x.press("\x03")
	x.ends("127.0.0.1:" + port + ">")
	// The prompt opens a new link too.
	again.dial().ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	x.press("get k\r")
	lost := false
	x.wants("it answers, or sees only now that the link is lost", func(screen string) bool {
		lost = strings.HasSuffix(screen, "not connected>")
		return lost || strings.HasSuffix(screen, "127.0.0.1:"+port+">") && strings.Contains(screen, "get k")
	})
	if lost {
		x.press("get k\r")
	}
	x.ends(`"again"`, "127.0.0.1:"+port+">")
	again.signal(syscall.SIGKILL)
	again.exit()
	x.press("get k\r")
	x.ends("not connected>")
	x.press("get k\r")
	x.ends("Could not connect to the server at 127.0.0.1:"+port+": Connection refused", "not connected>")
}

// A server that stops says so, and the watch goes on at the next one.
func TestWatchGoesOnBehindAStop(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	s.dial().ask("SET", "k", "before")
	x.press("get.watch k\r")
	x.ends(`  "before"`)
	s.stop()
	x.has("link lost")
	again := start(t, nil, "--port", port)
	x.wants("the state of the new server is shown", func(screen string) bool {
		return strings.HasSuffix(screen, "~ (nil)") && !strings.Contains(screen, "link lost")
	})
	again.dial().ask("SET", "k", "again")
	x.ends(`~ "again"`)
}

func TestMessagesAreShownAsTheyCome(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	host, other := "127.0.0.1:"+port, s.dial()
	x.press("subscribe news\r")
	x.ends(`1) "subscribe"`, `2) "news"`, "3) (integer) 1")
	other.ask("PUBLISH", "news", "hello")
	x.ends(`1) "message"`, `2) "news"`, `3) "hello"`)
	x.press("\x03")
	x.ends(host + ">")
	if got := other.ask("PUBLISH", "news", "nobody"); got != ":0" {
		t.Errorf("Ctrl-C left %s subscribers", got)
	}
	x.press("clear\rmonitor\r")
	x.ends("OK")
	other.ask("ECHO", "overheard")
	x.has(`"ECHO" "overheard"`)
	x.press("\x03")
	x.press("ping\r")
	x.ends("PONG", host+">")
	x.press("clear\rclient tracking on\rget k\rset unfini") // a line that is being typed
	x.has(host + "> set unfini")
	other.ask("SET", "k", "v")
	x.has("-> invalidate: 'k'")
	x.press("shed 1\r")
	x.ends(host+"> set unfinished 1", "OK", host+">")
}

func TestCtrlCEndsAWait(t *testing.T) {
	t.Parallel()
	s, port, x := prompts(t)
	x.press("blpop nothing 0\r")
	eventually(t, func() error {
		if got := s.dial().ask("CLIENT", "UNBLOCK", "0"); got != ":0" {
			return fmt.Errorf("%s", got)
		}
		c := s.dial()
		c.send("INFO", "clients")
		text := make([]byte, 4096)
		n, err := c.in.Read(text)
		if err == nil && !strings.Contains(string(text[:n]), "blocked_clients:1") {
			err = fmt.Errorf("nobody waits: %s", text[:n])
		}
		return err
	})
	x.press("\x03")
	x.has("(interrupted")
	x.press("ping\r")
	x.ends("PONG", "127.0.0.1:"+port+">")
}

// runCLI runs the client without a terminal.
func runCLI(t *testing.T, in string, cmd *exec.Cmd) (out string, code int) {
	t.Helper()
	cmd.Stdin = strings.NewReader(in)
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return all.String(), cmd.ProcessState.ExitCode()
}

func TestPipe(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	start(t, nil, "--port", port)
	var protocol, lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&protocol, "*3\r\n$3\r\nSET\r\n$%d\r\nkey:%d\r\n$5\r\nvalue\r\n", 4+len(fmt.Sprint(i)), i)
		fmt.Fprintf(&lines, "RPUSH key:%d v\n", i)
	}
	f := func(in, want string, wantCode int) {
		t.Helper()
		if out, code := runCLI(t, in, cliCommand(t, port, "--pipe")); !strings.HasSuffix(out, want) || code != wantCode {
			t.Errorf("exit code %d, it says %.200s…%s", code, out, out[max(0, len(out)-200):])
		}
	}
	f(protocol.String(), "All data transferred. Waiting for the last reply...\nLast reply received from server.\nerrors: 0, replies: 10000\n", 0)
	f(lines.String(), "Last reply received from server.\nerrors: 10000, replies: 10000\n", 1)
	if out, _ := runCLI(t, "", cliCommand(t, port, "DBSIZE")); out != "10000\n" {
		t.Errorf("there are %s keys", out)
	}
}

func TestCommandsWithoutATerminal(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	start(t, nil, "--port", port, "--requirepass", "secret")
	script := filepath.Join(t.TempDir(), "script.lua")
	if err := os.WriteFile(script, []byte("return {KEYS[1], ARGV[1]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(want string, wantCode int, in string, args ...string) {
		t.Helper()
		cmd := cliCommand(t, port, args...)
		cmd.Env = append(cmd.Env, "REDISCLI_AUTH=secret")
		if out, code := runCLI(t, in, cmd); out != want || code != wantCode {
			t.Errorf("%q: exit code %d, %q; want %d, %q", args, code, out, wantCode, want)
		}
	}
	f("OK\n", 0, "", "SET", "k", "v")
	f("v\n", 0, "", "GET", "k")
	f(`"v"`+"\n", 0, "", "--no-raw", "GET", "k")
	f("OK\n", 0, "line\n", "-x", "SET", "k")
	f("\"line\\n\"\n", 0, "", "--json", "GET", "k")
	f("k\na\n", 0, "", "--eval", script, "k", ",", "a")
	f("1\n2\n3\n", 0, "", "-r", "3", "INCR", "n")
	f("ERR value is not an integer or out of range\n\n", 0, "", "INCR", "k")
	f("ERR value is not an integer or out of range\n\n", 1, "", "-e", "INCR", "k")
	f("OK\n4\n", 0, "select 0\nincr n\nquit\nincr n\n")
	f("5\n", 0, "", "-n", "0", "incr", "n")
	f("SELECT 99 failed: ERR DB index is out of range\n6\n", 0, "", "-n", "99", "incr", "n")
	f(`{"h":{}}`+"\n", 0, "", "--json", "EVAL", "return redis.setresp(3) or {map={h={map={}}}}", "0")
	f("AUTH failed: WRONGPASS invalid username-password pair or user is disabled.\nNOAUTH Authentication required.\n\n", 0, "", "--no-auth-warning", "-a", "wrong", "GET", "k")
	if out, code := runCLI(t, "", cliCommand(t, "1", "PING")); code != 1 || out != "Could not connect to the server at 127.0.0.1:1: Connection refused\n" {
		t.Errorf("without a server: exit code %d, %q", code, out)
	}
	if out, code := runCLI(t, "", cliCommand(t, port, "--nonsense")); code != 2 || !strings.Contains(out, "unknown flag --nonsense") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

// A watch without a terminal is a line a frame, and ends in an orderly way.
func TestWatchWithoutATerminal(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	s := start(t, nil, "--port", port)
	f := func(key, first, second string, args ...string) {
		t.Helper()
		cmd := cliCommand(t, port, append(args, key)...)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer cmd.Process.Kill()
		lines := bufio.NewReader(out)
		next := func(want string) {
			t.Helper()
			if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
				t.Errorf("%q: the line is %q (%v), want %s", args, line, err, want)
			}
		}
		next(first)
		s.dial().ask("HSET", key, "f", "v")
		next(second)
		// It goes on behind a lost link.
		s.dial().ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
		s.dial().ask("HSET", key, "f", "after")
		next("after")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if rest, _ := io.ReadAll(lines); len(rest) > 0 {
			t.Errorf("%q: behind the frames comes %q", args, rest)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: it ends with %v", args, err)
		}
	}
	f("a", " 0 state {}\n", `1 state {"f":"v"}`+"\n", "HGETALL.WATCH")
	f("b", `{"query":["HGETALL","b"],"fingerprint":`, `"result":{"f":"v"},"version":`, "--json", "OBSERVE", "HGETALL")
	f("c", ",0,state,\n", `,1,state,"f","v"`+"\n", "--csv", "HGETALL.WATCH")
	f("d", "0 state []\n", `1 state ["f","v"]`+"\n", "-2", "HGETALL.WATCH")
}

// A watch that is all the client was started for ends it.
func TestWatchAloneOnATerminal(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	s := start(t, nil, "--port", port)
	s.dial().ask("SET", "k", "v")
	x := openTerminal(t, cliCommand(t, port, "GET.WATCH", "k"))
	x.ends(`  "v"`)
	x.press("typed\r")
	s.dial().ask("SET", "k", "w")
	x.ends(`~ "w"`)
	x.press("\x03")
	if err := <-x.ended; err != nil || strings.Contains(x.screen(), "typed") {
		t.Errorf("it ends with %v:\n%s", err, x.screen())
	}
	x = openTerminal(t, cliCommand(t, port, "HGETALL.WATCH", "k"))
	if err := <-x.ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	x.ends("(error) WRONGTYPE Operation against a key holding the wrong kind of value")
	x = openTerminal(t, cliCommand(t, port, "GET.WATCH", "k"))
	x.ends(`  "w"`)
	c := s.dial()
	c.send("WATCHES", "LIST")
	text := make([]byte, 4096)
	n, err := c.in.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	_, behind, _ := strings.Cut(string(text[:n]), "fingerprint\r\n$16\r\n")
	if got := s.dial().ask("WATCHES", "KILL", behind[:16]); got != ":1" {
		t.Fatalf("%s of %s", got, text[:n])
	}
	if err := <-x.ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	x.has("  end\n~ (error)")
}

func TestPromptIsKilled(t *testing.T) {
	t.Parallel()
	_, _, x := prompts(t)
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if <-x.ended; x.cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("it ends with %v", x.cmd.ProcessState)
	}
}

func TestPromptInRESP2(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	s := start(t, nil, "--port", port)
	x := openTerminal(t, cliCommand(t, port, "-2"))
	host := "127.0.0.1:" + port
	x.ends(host + ">")
	other := s.dial()
	other.ask("ZADD", "board", "1", "ann", "2", "bob")
	for i := range 9 {
		other.ask("ZADD", "board", fmt.Sprint(10+i), fmt.Sprintf("somebody else %d", i))
	}
	x.press("observe delta zrange board 0 -1 withscores\r")
	x.has(`  1) "ann"`)
	other.ask("ZADD", "board", "3", "ann") // a delta, whose places count pairs
	x.has(` 1) "bob"`)
	x.has(`+  4) "3"`)
	x.press("\x03get k\r")
	x.ends(host+"> get k", "(nil)", host+">")
	x.press("subscribe a\r")
	x.ends("3) (integer) 1")
	x.press("\x03ping\r")
	x.ends("PONG", host+">")
	elsewhere := freePort(t)
	start(t, nil, "--port", elsewhere)
	x.press("connect 127.0.0.1 " + elsewhere + "\rdbsize\r")
	x.ends("(integer) 0", "127.0.0.1:"+elsewhere+">")
}

func TestCLIOverTLS(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	f := func(want string, wantCode int, args ...string) {
		t.Helper()
		out, code := runCLI(t, "", cliCommand(t, s.port, append(args, "PING")...))
		if !strings.Contains(out, want) || code != wantCode {
			t.Errorf("%q: exit code %d, %s", args, code, out)
		}
	}
	f("PONG\n", 0, "--tls", "--cacert", s.files.Authority, "--cert", s.files.Client, "--key", s.files.Client)
	f("PONG\n", 0, "--tls", "--insecure", "--cert", s.files.Client, "--key", s.files.Client)
	f("PONG\n", 0, "-u", "rediss://localhost:"+s.port, "--cacert", s.files.Authority, "--cert", s.files.Client, "--key", s.files.Client)
	f("certificate signed by unknown authority", 1, "--tls")
	f("holds no certificate", 1, "--tls", "--cacert", s.files.Key)
}

func TestScanPrintsKeys(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	c := start(t, nil, "--port", port).dial()
	for i := range 200 {
		c.ask("SET", fmt.Sprintf("key %d", i), "v")
	}
	out, code := runCLI(t, "", cliCommand(t, port, "--scan", "--pattern", "key 1*"))
	if lines := strings.Split(out, "\n"); len(lines) != 112 || code != 0 || !strings.Contains(out, "key 199\n") {
		t.Errorf("exit code %d, %d lines: %s", code, len(lines), out)
	}
	if out, _ := runCLI(t, "", cliCommand(t, port, "--no-raw", "--scan", "--pattern", "key 17")); out != "\"key 17\"\n" {
		t.Errorf("printed is %s", out)
	}
}

// It speaks to redis-server too.
func TestPromptOfRedisServer(t *testing.T) {
	t.Parallel()
	port := fmt.Sprint(redistest.Start(t).Port())
	x := openTerminal(t, cliCommand(t, port))
	host := "127.0.0.1:" + port
	x.ends(host + ">")
	x.press("lrange k ")
	x.ends(host + "> lrange k start stop")
	x.press("0 -1\r")
	x.ends("(empty array)", host+">")
	x.press("get.watch k\r")
	x.has("ERR unknown command 'get.watch'")
	x.ends(host + ">")
	x.press("monitor\r")
	x.ends("OK")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "echo overheard\r\n")
	x.has(`"echo" "overheard"`)
	x.press("\x03exit\r")
	<-x.ended
	var info map[string]any
	out, code := runCLI(t, "", cliCommand(t, port, "--json", "CONFIG", "GET", "save"))
	if err := json.Unmarshal([]byte(out), &info); err != nil || code != 0 {
		t.Errorf("exit code %d, %s: %v", code, out, err)
	}
}
