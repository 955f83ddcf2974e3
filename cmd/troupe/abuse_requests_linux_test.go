package main_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
)

// A transaction of 1,000,000 commands is run, or refused, as a whole.
func TestAbuseTransaction(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	c := s.patient()
	n := sized(1_000_000, 100_000)
	s.beside(60+n/1000, func() { // a kilobyte a command, while they run
		c.want("+OK", "MULTI")
		one := resp.V2.Append(nil, resp.Strings("INCR", "count"))
		go func() {
			for range n {
				c.conn.Write(one)
			}
			c.conn.Write(resp.V2.Append(nil, resp.Strings("EXEC")))
		}()
		for range n {
			if line, err := c.in.ReadString('\n'); line != "+QUEUED\r\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
		if line, err := c.in.ReadString('\n'); line != fmt.Sprintf("*%d\r\n", n) {
			t.Fatalf("%q, %v", line, err)
		}
		for i := range n {
			if line, err := c.in.ReadString('\n'); line != fmt.Sprintf(":%d\r\n", i+1) {
				t.Fatalf("%q, %v", line, err)
			}
		}
	})
}

// Scripts that go deep, or on for ever, end with an error; the server goes on.
func TestAbuseScripts(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	f := func(script, want string) {
		t.Helper()
		c := s.patient()
		defer c.conn.Close()
		if got := c.ask("EVAL", script, "0"); !strings.HasPrefix(got, want) {
			t.Errorf("%.100q is answered %.200q, want %s", script, got, want)
		}
	}
	killed := func(script string) {
		t.Helper()
		admin, c := s.patient(), s.patient()
		c.send("EVAL", script, "0")
		eventually(t, func() error {
			if got := admin.ask("SCRIPT", "KILL"); got != "+OK" {
				return fmt.Errorf("%.100q can't be killed: %s", script, got)
			}
			return nil
		})
		if line, err := c.in.ReadString('\n'); !strings.HasPrefix(line, "-ERR ") {
			t.Errorf("%.100q is answered %.200q, %v", script, line, err)
		}
	}
	s.beside(400, func() { // a script may take 256 MB, beside what those before have left
		f("local function f(n) return f(n+1)+1 end return f(1)", "-ERR")
		f("local function f(n) return pcall(f, n+1) end return f(1)", ":1")
		f("local t={} for i=1,100000 do t={t} end return t", "*1")
		f("local t={} for i=1,100000 do t={t} end return cjson.encode(t)", "-ERR")
		f("local t={} for i=1,100000 do t={t} end return cmsgpack.pack(t)", "$")
		f("return cjson.decode(string.rep('[', 100000))", "-ERR")
		f("return loadstring('return ' .. string.rep('(', 100000) .. '1' .. string.rep(')', 100000))()", "")
		f("return string.rep('x', 2^40)", "-ERR")
		f("local t={} while true do t[#t+1]=string.rep('x', 1000000)..#t end", "-ERR")
		killed("while true do end")
		killed("local function f(n) return f(n+1) end return f(1)")
		killed("pcall(function() while true do end end) while true do pcall(error) end")
		f("local function f(n) if n == 0 then error('deep') end return f(n-1) end return f(1e6)", "-ERR")
		f("local function f(n) if n == 0 then return 1 end return f(n-1) end return f(1e6)", ":1")
	})
}

// Patterns that make a simple matcher go back and forth for ever.
func TestAbusePatterns(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	c := s.patient()
	c.want("+OK", "SET", strings.Repeat("a", 2000), "v")
	patterns := []string{
		strings.Repeat("a*", 30) + "b", strings.Repeat("*a", 1000) + "b", strings.Repeat("*", 10_000) + "b",
		strings.Repeat("?*", 500) + "b", strings.Repeat("[a-z]*", 300) + "b", strings.Repeat(`\a*`, 300) + "b",
		strings.Repeat("[", 5000), strings.Repeat("[^", 3000) + "]", strings.Repeat(`\`, 3001),
	}
	s.beside(40, func() {
		for _, pattern := range patterns {
			c.want("*0", "KEYS", pattern)
			c.want("*0", "CONFIG", "GET", "x"+pattern)
			c.want("*0", "PUBSUB", "CHANNELS", pattern)
			c.want("*2", "SCAN", "0", "MATCH", pattern)
			c.skip(3)
			other := s.patient()
			other.want("*3", "PSUBSCRIBE", pattern)
			c.ask("PUBLISH", strings.Repeat("a", 2000), "x")
		}
	})
	s.beside(100, func() {
		for _, pattern := range []string{".-.-.-.-.-.-b", ".*.*.*.*.*.*b", "(.-)(.-)(.-)(.-)%1%2%3%4b", "%b()%b()" + strings.Repeat("a?", 200) + strings.Repeat("a", 200)} {
			for _, f := range []string{"find", "match", "gmatch", "gsub"} {
				c.send("EVAL", "local f = string[ARGV[1]] local s = string.rep('a', 3000) if ARGV[1] == 'gmatch' then for x in f(s, ARGV[2]) do end else f(s, ARGV[2], '') end return 1",
					"0", f, pattern)
				s.endScript(c)
			}
		}
	})
}

// endScript kills a script until it ends.
func (s *abused) endScript(c *client) {
	s.t.Helper()
	answered := make(chan string)
	go func() {
		line, _ := c.in.ReadString('\n')
		answered <- line
	}()
	admin := s.patient()
	defer admin.conn.Close()
	end := time.After(patience)
	for ticker := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case line := <-answered:
			ticker.Stop()
			if line == "" {
				s.t.Fatal("the link was closed")
			}
			return
		case <-ticker.C:
			admin.ask("SCRIPT", "KILL")
		case <-end:
			s.t.Fatal("the script does not end")
		}
	}
}

// skip reads lines.
func (c *client) skip(lines int) {
	c.t.Helper()
	for range lines {
		if _, err := c.in.ReadString('\n'); err != nil {
			c.t.Fatal(err)
		}
	}
}

// Where texts lie in a table is another matter in each process, so that nobody
// can make texts that lie in one place: two processes show them in two orders.
func TestAbuseHashFlooding(t *testing.T) {
	t.Parallel()
	shown := func() map[string]string {
		s := startAbused(t, "--single-threaded", "yes")
		c := s.patient()
		for i := range 1000 {
			text := fmt.Sprint("text", i)
			c.send("SET", text, "v")
			c.send("HSET", "{h}ash", text, "v")
			c.send("SADD", "{s}et", text)
			c.send("ZADD", "{z}set", "1", text)
		}
		c.skip(4000)
		orders := map[string]string{}
		for what, words := range map[string][]string{
			"keys": {"KEYS", "text*"}, "hash": {"HKEYS", "{h}ash"}, "set": {"SMEMBERS", "{s}et"}, "sorted set": {"ZSCAN", "{z}set", "0", "COUNT", "500"},
		} {
			reply, err := c.reply(words...)
			if err != nil {
				t.Fatal(err)
			}
			orders[what] = resp.Format(reply)
		}
		return orders
	}
	first, second := shown(), shown()
	for what, order := range first {
		if order == second[what] {
			t.Errorf("%s: two processes show the same order: %.100s", what, order)
		}
	}
}

// reply asks and reads the whole reply.
func (c *client) reply(words ...string) (resp.Reply, error) {
	c.t.Helper()
	c.send(words...)
	var framer resp.Framer
	var in []byte
	for buf := make([]byte, 64<<10); ; {
		n, err := framer.Frame(in)
		if err != nil {
			return resp.Nothing, err
		}
		if n > 0 {
			reply, _, err := resp.Decode(in[:n])
			return reply, err
		}
		if n, err = c.in.Read(buf); err != nil {
			return resp.Nothing, err
		}
		in = append(in, buf[:n]...)
	}
}

// P04: who has not logged in may not announce, nor send, anything large.
func TestAbuseUnauthenticated(t *testing.T) {
	t.Parallel()
	s := startAbused(t, "--requirepass", "secret")
	f := func(request, want string) {
		t.Helper()
		c := s.patient()
		c.conn.Write([]byte(request)) // the server may close before it has all
		line, _ := c.in.ReadString('\n')
		if strings.TrimSpace(line) != want {
			t.Errorf("%.60q is answered %q, want %s", request, line, want)
		}
		if !c.ended() {
			t.Errorf("after %.60q the link stays", request)
		}
	}
	const many, long = "-ERR Protocol error: unauthenticated multibulk length", "-ERR Protocol error: unauthenticated bulk length"
	for range 20 {
		f("*11\r\n$4\r\nAUTH\r\n", many)
		f("*1000000000\r\n", many)
		f("*2\r\n$4\r\nAUTH\r\n$16385\r\n", long)
		f("*2\r\n$4\r\nAUTH\r\n$536870912\r\n"+strings.Repeat("x", 100_000), long)
		f(strings.Repeat("x", 100_000), "-ERR Protocol error: too big inline request")
		f("\x00\x10\x00\x00"+strings.Repeat("x", 100_000), "") // DiceDB's protocol
	}
	s.wantMemory(40)
	c := s.patient()
	c.want("+OK", "AUTH", "secret")
	c.want("+OK", "SET", "k", strings.Repeat("x", 1<<20))
}

// payload is a DUMP of a value that is none.
func payload(value []byte) string {
	value = binary.LittleEndian.AppendUint16(value, 10)
	return string(binary.LittleEndian.AppendUint64(value, rdb.Checksum(0, value)))
}

// long is a length of RDB in eight bytes.
func long(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{0x81}, n) }

// bombs are values that are short and claim to be large.
func bombs() map[string][]byte {
	all := map[string][]byte{
		"a long text":                 append([]byte{0}, long(1<<62)...),
		"a text of 1 TB, compressed":  append(append(append([]byte{0, 0xc3}, 10), long(1<<40)...), make([]byte, 10)...),
		"a text of 500 MB compressed": append(append(append([]byte{0, 0xc3}, 10), long(500<<20)...), make([]byte, 10)...),
		"a listpack of 4 GB":          {16, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a listpack of many":          {16, 7, 7, 0, 0, 0, 0xfe, 0xff, 0xff},
		"an intset of many":           {11, 8, 8, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"a ziplist of 4 GB":           {13, 11, 0xff, 0xff, 0xff, 0xff, 10, 0, 0, 0, 0xff, 0xff, 0xff},
	}
	for name, kind := range map[string]byte{"list": 1, "set": 2, "sorted set": 3, "hash": 4, "sorted set 2": 5, "quicklist": 14, "stream": 15, "quicklist 2": 18, "stream 2": 19} {
		all["a "+name+" of many"] = append([]byte{kind}, long(1<<60)...)
		all["a "+name+" of four billion"] = append([]byte{kind}, 0x80, 0xff, 0xff, 0xff, 0xff)
	}
	return all
}

// Short values that claim to be large are refused, and nothing is made ready for
// them; be they restored or found in a file.
func TestAbuseBombs(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	c := s.patient()
	s.beside(40, func() {
		for name, bomb := range bombs() {
			for range 20 {
				if got := c.ask("RESTORE", "k", "0", payload(bomb)); got != "-ERR Bad data format" && got != "-ERR DUMP payload version or checksum are wrong" {
					t.Errorf("%s: %s", name, got)
				}
			}
		}
		c.want(":0", "EXISTS", "k")
	})
	for name, bomb := range bombs() {
		file := append([]byte("REDIS0010\xfe\x00\xfb"), append(long(1<<60), long(1<<60)...)...)
		file = append(append(append(file, bomb[0], 1, 'k'), bomb[1:]...), 0xff)
		file = binary.LittleEndian.AppendUint64(file, rdb.Checksum(0, file))
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "dump.rdb"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program(t), "server", "--port", freePort(t), "--bind", "127.0.0.1", "--appendonly", "no", "--dir", dir)
		cmd.Env = []string{"HOME=" + dir}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not started") {
			t.Errorf("%s in a file: %v\n%s", name, err, out)
		}
		// Its peak counts that of its parent before it became another program: of this
		// one, whose other tests may have made it large.
		var self syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
			t.Fatal(err)
		}
		if peak := int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10); peak > max(s.idle+40, int(self.Maxrss>>10)) {
			t.Errorf("%s in a file: %d MB", name, peak)
		}
	}
}

// What a file says about how much is in it is only a hint.
func TestAbuseFileHints(t *testing.T) {
	t.Parallel()
	file := append([]byte("REDIS0010\xfe\x00\xfb"), append(long(1<<60), long(1<<60)...)...)
	file = append(file, 0, 1, 'k', 1, 'v', 0xff)
	file = binary.LittleEndian.AppendUint64(file, rdb.Checksum(0, file))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dump.rdb"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := startAbused(t, "--dir", dir)
	s.patient().want(":1", "DBSIZE")
	if now := s.residentMB("VmHWM"); now > 100 {
		t.Errorf("it takes %d MB", now)
	}
}
