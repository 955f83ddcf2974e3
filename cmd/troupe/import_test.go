package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// tool runs a sub-command in this process, and returns what it prints and its
// exit code.
func tool(args ...string) (printed string, code int) {
	var out bytes.Buffer
	err := run(process{args: args, out: &out, log: io.Discard})
	exit := exitCode(0)
	switch {
	case errors.As(err, &exit):
		return out.String(), int(exit)
	case err != nil:
		return out.String() + err.Error(), exitFailure
	}
	return out.String(), 0
}

// mustTool is tool for what has to go well.
func mustTool(t *testing.T, args ...string) string {
	t.Helper()
	out, code := tool(args...)
	if code != 0 {
		t.Fatalf("%q ends with %d: %s", args, code, out)
	}
	return out
}

// original is a redis-server that keeps its files in a directory.
type original struct {
	*shardtest.Redis
	t   *testing.T
	dir string
}

func newOriginal(t *testing.T, dir string, args ...string) original {
	t.Helper()
	return original{shardtest.DialRedis(t, append([]string{"--dir", dir}, args...)...), t, dir}
}

func (o original) ask(words ...string) string {
	o.t.Helper()
	argv := make([][]byte, len(words))
	for i, word := range words {
		argv[i] = []byte(word)
	}
	reply, _, err := resp.Decode(o.Ask([][][]byte{argv})[0])
	if err != nil || reply.IsError() {
		o.t.Fatalf("%.100q is answered %s, %v", words, reply.Str(), err)
	}
	return resp.Format(reply)
}

// state is what tells one keyspace from another. What has ended is in a digest until
// somebody has looked for it.
func (o original) state() string {
	o.t.Helper()
	for _, db := range []string{"3", "15", "0"} {
		o.ask("SELECT", db)
		eventually(o.t, "the key has ended", func() bool { return o.ask("EXISTS", "dead") == ":0" })
	}
	return o.ask("DEBUG", "DIGEST") + o.ask("FUNCTION", "LIST", "WITHCODE")
}

// fill makes values of all types and forms in some databases.
func (o original) fill(rounds int) {
	o.t.Helper()
	o.ask("FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function('f', function() return 7 end)")
	for i := range rounds {
		n := strconv.Itoa(i)
		o.ask("SELECT", []string{"0", "3", "15"}[i%3])
		o.ask("SET", "text "+n, strings.Repeat("x", i*7))
		o.ask("SET", "mortal "+n, n, "PXAT", strconv.Itoa(4102444800000+i))
		o.ask("SET", "dead", "x", "PX", "1")
		o.ask("RPUSH", "list", n, strings.Repeat("y", 100), "\r\n\x00")
		o.ask("SADD", "numbers", n)
		o.ask("SADD", "set", "m"+n)
		o.ask("ZADD", "zset", fmt.Sprint(float64(i)/3), "m"+n, "inf", "most")
		o.ask("HSET", "hash", "f"+n, n)
		o.ask("XADD", "stream", "*", "f", n)
		o.ask("PFADD", "hll", n)
		o.ask("SETBIT", "bits", n, "1")
		o.ask("EVAL", "redis.call('INCR', 'counter') redis.call('INCR', 'other')", "0")
		o.ask("MULTI")
		o.ask("INCR", "n")
		o.ask("RENAME", "n", "n")
		o.ask("EXEC")
	}
	o.ask("SELECT", "0")
	o.ask("XGROUP", "DESTROY", "stream", "g")
	o.ask("XGROUP", "CREATE", "stream", "g", "0")
	o.ask("XREADGROUP", "GROUP", "g", "me", "COUNT", "3", "STREAMS", "stream", ">")
	o.ask("XTRIM", "stream", "MAXLEN", "5")
	o.ask("DEL", "born empty")
	o.ask("XGROUP", "CREATE", "born empty", "g", "$", "MKSTREAM")
}

// What redis-server has is imported from each of its files, and exported as each
// of its files is the same to another redis-server.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	redistest.Program(t, "redis-server")
	f := func(what, path string, from original) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "data")
		mustTool(t, "import", path, "--dir", dir)
		mustTool(t, "check", dir)
		rdb, aof := filepath.Join(t.TempDir(), "dump.rdb"), filepath.Join(t.TempDir(), "appendonly.aof")
		mustTool(t, "export", "--dir", dir, "--rdb", rdb)
		if got := newOriginal(t, filepath.Dir(rdb)).state(); got != from.state() {
			t.Errorf("%s: the RDB file has something else", what)
		}
		mustTool(t, "export", "--dir", dir, "--aof", aof, "--for", "redis-7.0")
		if got := newOriginal(t, filepath.Dir(aof), "--appendonly", "yes").state(); got != from.state() {
			t.Errorf("%s: the append-only file has something else", what)
		}
	}
	o := newOriginal(t, t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	o.fill(40)
	o.ask("SAVE")
	f("RDB", filepath.Join(o.dir, "dump.rdb"), o)
	f("append-only directory", filepath.Join(o.dir, "appendonlydir"), o)
	f("data directory", o.dir, o)
	for _, preamble := range []string{"yes", "no"} {
		o := newOriginal(t, t.TempDir(), "--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", preamble, "--aof-timestamp-enabled", "yes")
		o.fill(10)
		o.ask("BGREWRITEAOF")
		eventually(t, "the file is rewritten", func() bool {
			info := o.ask("INFO", "persistence")
			return strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0")
		})
		o.fill(10)
		f("rewritten, preamble "+preamble, o.dir, o)
	}
}

// A server begins with what redis-server has left in its directory: its
// append-only file if it keeps a journal, else its RDB file. Nothing of it is
// changed, and it is read once.
func TestTakingOver(t *testing.T) {
	t.Parallel()
	redistest.Program(t, "redis-server")
	o := newOriginal(t, t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	o.ask("SET", "from", "RDB")
	o.ask("SAVE")
	o.ask("SET", "from", "AOF")
	before := listing(t, o.dir)
	f := func(want, appendonly string, dir string) {
		t.Helper()
		s := startServer(t, shape{shards: 2}, config.Flag{Name: "dir", Words: []string{dir}}, config.Flag{Name: "appendonly", Words: []string{appendonly}})
		defer s.stop()
		s.client().want(want, "GET", "from")
		s.client().ask("SET", "from", "us")
	}
	f(`"RDB"`, "no", o.dir)
	f(`"AOF"`, "yes", o.dir)
	f(`"us"`, "yes", o.dir)
	after := listing(t, o.dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	old := t.TempDir()
	writeFile(t, filepath.Join(old, "appendonly.aof"), "*3\r\n$3\r\nSET\r\n$4\r\nfrom\r\n$3\r\nold\r\n*3\r\n$3\r\nSET\r\n$4\r\nfr")
	f(`"old"`, "yes", old)
	f(`"us"`, "yes", old)
}

// listing is the files below a directory with what they hold.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// aofOf is an append-only file of commands.
func aofOf(commands ...string) string {
	var b strings.Builder
	for _, line := range commands {
		b.Write(request(strings.Fields(line)...))
	}
	return b.String()
}

// Of several files later ones win, key by key, also if they are commands; and so
// it is with what a directory holds.
func TestImportMerges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second, third := filepath.Join(dir, "first.aof"), filepath.Join(dir, "second.aof"), filepath.Join(dir, "third.aof")
	writeFile(t, first, aofOf("RPUSH list a b", "SET one 1", "HSET h f 1", "SET gone 1"))
	writeFile(t, second, aofOf("RPUSH list c", "SELECT 2", "SET two 2", "SELECT 0", "SADD h m"))
	writeFile(t, third, aofOf("SET three 3", "SET gone x PXAT 1000"))
	data := filepath.Join(dir, "data")
	out := mustTool(t, "import", first, second, "--dir", data)
	if !strings.Contains(out, "7 commands") || !strings.Contains(out, "5 keys") {
		t.Error(out)
	}
	if out, code := tool("import", third, "--dir", data); code != exitFailure || !strings.Contains(out, "--merge") {
		t.Error(code, out)
	}
	out = mustTool(t, "import", third, "--dir", data, "--merge")
	if !strings.Contains(out, "left out   1 keys") {
		t.Error(out)
	}
	s := startServer(t, shape{shards: 3}, config.Flag{Name: "dir", Words: []string{data}}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	c := s.client()
	c.want(`["c"]`, "LRANGE", "list", "0", "-1")
	c.want(`"1"`, "GET", "one")
	c.want("+set", "TYPE", "h")
	c.want(`"3"`, "GET", "three")
	c.want("_", "GET", "gone")
	c.want("+OK", "SELECT", "2")
	c.want(`"2"`, "GET", "two")
}

// What can't be read to its end is not imported at all, and it is said where the
// mistake is.
func TestImportMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := func(code int, want, text string, args ...string) {
		t.Helper()
		path, data := filepath.Join(dir, "file"), filepath.Join(t.TempDir(), "data")
		writeFile(t, path, text)
		out, got := tool(append([]string{"import", path, "--dir", data}, args...)...)
		if got != code || !strings.Contains(out, want) {
			t.Errorf("%q ends with %d: %s; want %d, %s", text, got, out, code, want)
		}
		if files := listing(t, data); code != 0 && len(files) > 1 { // the lock
			t.Errorf("%q leaves %d files", text, len(files))
		}
	}
	set := aofOf("SET k v")
	f(1, "neither an RDB file, an append-only file", "text")
	f(1, "file at offset 27 (whole up to 27)", set+"text")
	f(1, "file at offset 27 (whole up to 27): \"NONSENSE x\"", set+aofOf("NONSENSE x"))
	f(1, "file at offset 27 (whole up to 27): GET has 3 words", set+aofOf("GET k k"))
	f(1, "BLPOP may wait", aofOf("BLPOP k 0"))
	f(1, "start with --databases 31", aofOf("SELECT 30", "SET k v"))
	f(0, "1 keys", aofOf("SELECT 30", "SET k v"), "--databases", "31")
	f(1, "its end was not written whole", set+set[:20], "--whole")
	f(0, "1 commands", set+set[:20])
	f(0, "refused    1 commands, the first one: \"LPUSH k x\": WRONGTYPE", set+aofOf("LPUSH k x"))
	f(1, "file at offset 10 (whole up to 9)", "REDIS0009\xf0")
	f(1, "version", "REDIS0099")
	if _, code := tool("import", filepath.Join(dir, "nothing"), "--dir", dir); code != exitUsage {
		t.Error(code)
	}
	if _, code := tool("import", t.TempDir(), "--dir", dir); code != exitUsage {
		t.Error(code)
	}
	if _, code := tool("import"); code != exitUsage {
		t.Error(code)
	}
}

// Scripts that were written down as such, as before Redis 5, and libraries are run
// and kept.
func TestImportScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, data := filepath.Join(dir, "a.aof"), filepath.Join(dir, "data")
	var b strings.Builder
	for _, words := range [][]string{
		{"SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])"},
		{"EVAL", "redis.call('SET', KEYS[1], ARGV[1]) redis.call('SET', KEYS[2], ARGV[1])", "2", "a", "b", "5"},
		{"EVALSHA", "f0fa8ee4d7c2d2f1e5c3a1f5d3e7b1d0b9c3c2a1", "1", "a"},
		{"FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 7 end)"},
		{"FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function('f', function() return 8 end)"},
		{"SCRIPT", "FLUSH"},
	} {
		b.Write(request(words...))
	}
	writeFile(t, path, b.String())
	out := mustTool(t, "import", path, "--dir", data)
	if !strings.Contains(out, "refused    1 commands") || !strings.Contains(out, "NOSCRIPT") {
		t.Error(out)
	}
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "dir", Words: []string{data}}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	s.client().want(`["5", "5"]`, "MGET", "a", "b")
	s.client().want(":8", "FCALL", "f", "0")
}

// Times to live of fields are left out where they can't be read, and counted.
func TestExportForOlder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "dir", Words: []string{data}}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	c := s.client()
	for i := range 3000 {
		c.ask("HSET", "large", fmt.Sprint("field:", i), "v")
	}
	c.ask("HSET", "small", "a", "1", "b", "2")
	c.want("[:1]", "HEXPIRE", "small", "10000", "FIELDS", "1", "a")
	c.want("[:1, :1]", "HEXPIRE", "large", "10000", "FIELDS", "2", "field:1", "field:2")
	s.stop()
	out := filepath.Join(t.TempDir(), "dump.rdb")
	if text := mustTool(t, "export", "--dir", data, "--rdb", out); !strings.Contains(text, "version 12") {
		t.Error(text)
	}
	if text := mustTool(t, "export", "--dir", data, "--rdb", out, "--for", "redis-7.0"); !strings.Contains(text, "of 3 fields") {
		t.Error(text)
	}
	o := newOriginal(t, filepath.Dir(out))
	if got := o.ask("HLEN", "large") + o.ask("HGETALL", "small"); got != `:3000["a", "1", "b", "2"]` {
		t.Error(got)
	}
	again := filepath.Join(t.TempDir(), "appendonly.aof")
	if text := mustTool(t, "export", "--dir", data, "--aof", again); strings.Contains(text, "left out") {
		t.Error(text)
	}
	back := t.TempDir()
	mustTool(t, "import", again, "--dir", back)
	b := startServer(t, shape{shards: 1}, config.Flag{Name: "dir", Words: []string{back}}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	if got := b.client().ask("HTTL", "large", "FIELDS", "2", "field:1", "field:3"); got == "[:-1, :-1]" || !strings.HasSuffix(got, ":-1]") {
		t.Error(got)
	}
}

// An export leaves the directory as it is, also one that a crash has left.
func TestExportOnlyReads(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "dir", Words: []string{data}}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	s.client().ask("SET", "k", "v")
	if out, code := tool("export", "--dir", data, "--rdb", filepath.Join(t.TempDir(), "x")); code != exitFailure || !strings.Contains(out, "in use") {
		t.Error(code, out)
	}
	s.stop()
	for path, text := range listing(t, data) {
		if strings.Contains(path, "journal-") {
			writeFile(t, path, text+"torn")
		}
	}
	before := listing(t, data)
	mustTool(t, "export", "--dir", data, "--rdb", filepath.Join(t.TempDir(), "x"))
	after := listing(t, data)
	for path, text := range before {
		if filepath.Base(path) != "lock" && after[path] != text || len(after) != len(before) {
			t.Errorf("%s was changed", path)
		}
	}
	for _, args := range [][]string{{"--dir", data}, {"--dir", data, "--rdb", "a", "--aof", "b"}, {"--dir", data + "x", "--rdb", "a"}, {"--dir", data, "--rdb", "a", "--for", "redis-6"}} {
		if _, code := tool(append([]string{"export"}, args...)...); code != exitUsage {
			t.Errorf("%q ends with %d", args, code)
		}
	}
}
