package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/resp/redistest"
)

// redis is a link to a redis-server, or the test is skipped.
func redis(t *testing.T, args ...string) *link {
	conn := redistest.Start(t, args...).Dial()
	t.Cleanup(func() { conn.Close() })
	return &link{t: t, conn: conn}
}

// Every setting that redis-server lists is known, with its default, and no
// other under a name of its own making.
func TestNamesAsRedis(t *testing.T) {
	t.Parallel()
	theirs := listed(redis(t).ask("CONFIG", "GET", "*"))
	c, _ := started(t, Sources{})
	ours := listed(local(t, c).ask("CONFIG", "GET", "*"))
	for name, want := range theirs {
		got, known := ours[name]
		if !known {
			t.Errorf("%s is not known", name)
		}
		if got != want && !differs[name] {
			t.Errorf("%s is %s by default, want %s", name, got, want)
		}
		delete(ours, name)
	}
	if len(theirs) < 100 {
		t.Errorf("redis-server lists %d settings, the test does not see them", len(theirs))
	}
	for _, name := range []string{"event-loops", "shards", "single-threaded", "transport", "logformat", "maxwatches", "maxwatches-per-client", "watch-max-result",
		"watch-linger", "watch-history-entries", "watch-history-bytes",
		"set-max-listpack-entries", "set-max-listpack-value", "journal-segment-size", "journal-backlog", // the last two are of Redis 7.2
		"tier", "tier-max-bytes", "handshake-timeout", "max-new-connections-per-second", "http", "http-tls", "http-allow-origin", "http-max-body",
		"otlp-endpoint", "otlp-sample"} {
		delete(ours, name)
	}
	if len(ours) > 0 {
		t.Errorf("redis-server does not know %v", ours)
	}
}

// differs are the settings whose default is another on purpose, or whose value
// here was given by the test.
var differs = map[string]bool{
	"port": true, "bind": true, "dir": true, "unixsocket": true, "enable-debug-command": true, "maxclients": true,
	"activedefrag": true, "active-defrag-ignore-bytes": true,
}

// listed are the names and values of a CONFIG GET.
func listed(reply string) map[string]string {
	words := strings.Split(strings.Trim(reply, "[]\n "), ",")
	all := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		all[strings.Trim(words[i], "\n \"")] = strings.Trim(words[i+1], "\n \"")
	}
	return all
}

// The same conversation with redis-server gives the same answers.
func TestSetAsRedis(t *testing.T) {
	t.Parallel()
	theirs := redis(t)
	c, _ := started(t, Sources{})
	ours := local(t, c)
	f := func(command string) {
		t.Helper()
		words, ok := splitLine("CONFIG " + command)
		if !ok {
			t.Fatalf("%s: quotes", command)
		}
		got, want := ours.ask(words...), theirs.ask(words...)
		if strings.HasPrefix(command, "GET") && maps.Equal(listed(got), listed(want)) {
			return // their order is that of a hash table
		}
		if got != want {
			t.Errorf("%s\n  %s\nwant\n  %s", command, got, want)
		}
	}
	for _, command := range strings.Split(strings.TrimSpace(sameAsRedis), "\n") {
		f(strings.TrimSpace(command))
	}
}

const sameAsRedis = `
	GET
	GET nope
	GET hz
	GET HZ hz Hz
	GET hz [h]z h?
	GET *max-ziplist-entries
	GET maxmemory-p*
	GET rdb-key-save-delay
	GET rename-command
	GET include
	GET ""
	GET user
	SET
	SET hz
	SET hz 10 timeout
	SET nope 1
	SET nope
	SET rename-command "a b"
	SET include x
	SET hz 5 nope 3
	SET nope 1 also 2
	SET databases 3
	SET daemonize no hz 5
	SET dir /
	SET hz 5 hz 6
	SET HZ 5 hz 6
	SET hz 5 timeout abc
	GET hz timeout
	SET timeout 7 hz 8
	GET hz timeout
	SET hz 0
	GET hz
	SET hz 501
	GET hz
	SET timeout -1
	SET timeout 99999999999
	SET timeout 007
	SET timeout "7 "
	SET timeout ""
	SET maxclients 0
	SET maxclients x
	SET proto-max-bulk-len 1
	SET proto-max-bulk-len 1xb
	SET proto-max-bulk-len 2MB
	GET proto-max-bulk-len
	SET proto-max-bulk-len 512mb
	SET appendonly maybe
	SET appendonly NO
	SET appendfsync sometimes
	SET appendfsync ALWAYS
	GET appendfsync
	SET maxmemory-policy lru
	SET maxmemory-policy allkeys-LFU
	GET maxmemory-policy
	SET maxmemory 0
	SET maxmemory -1
	SET maxmemory ""
	SET hash-max-listpack-value "" set-max-intset-entries 5
	GET hash-max-listpack-value
	SET hash-max-listpack-value 64
	SET proto-max-bulk-len ""
	SET client-query-buffer-limit kb
	SET maxmemory-clients ""
	SET client-output-buffer-limit "normal  0 0"
	SET tcp-keepalive ""
	SET tcp-keepalive -1
	SET tcp-keepalive 60
	GET tcp-keepalive
	SET tcp-keepalive 300
	SET maxmemory-clients 200%
	SET maxmemory-clients x%
	SET maxmemory-clients x
	SET save ""
	SET save "1 2 3"
	SET save "-1 2"
	SET save "   "
	SET save "1  2"
	GET save
	SET client-output-buffer-limit "foo 1 2 3"
	SET client-output-buffer-limit "normal 1 2"
	SET client-output-buffer-limit "normal 1mb -2 3"
	SET client-output-buffer-limit "normal 1mb 2 3 replica 1 2 3"
	SET client-output-buffer-limit ""
	GET client-output-buffer-limit
	SET oom-score-adj-values "1 2"
	SET oom-score-adj-values "1 2 a"
	SET oom-score-adj-values "1 2 3 4"
	SET notify-keyspace-events foo
	SET notify-keyspace-events ""
	SET latency-tracking-info-percentiles "101"
	SET latency-tracking-info-percentiles "a"
	SET latency-tracking-info-percentiles "1 2.50 100"
	GET latency-tracking-info-percentiles
	SET latency-tracking-info-percentiles ""
	GET latency-tracking-info-percentiles
	SET repl-diskless-load foo
	SET repl-backlog-size 0
	SET shutdown-on-sigterm "nosave foo"
	SET shutdown-on-sigterm ""
	SET shutdown-on-sigterm "save nosave"
	SET shutdown-on-sigterm "now nosave"
	GET shutdown-on-sig*
	SET cluster-announce-hostname a_b
	SET cluster-announce-hostname a-b.c
	SET slowlog-log-slower-than -2
	SET slowlog-max-len -1
	SET hash-max-listpack-entries 5 hash-max-ziplist-entries 6
	GET hash-max-listpack-entries hash-max-ziplist-entries
	SET list-max-ziplist-size x
	SET bind "1.2.3.4.5"
	SET loglevel NOTICE
	SET tls-port 0
	SET tls-port 1
	SET tls-auth-clients maybe
	SET tls-cert-file /nosuch tls-port 1
	GET tls-cert-file tls-port tls-auth-clients tls-session-caching
	SET tls-session-cache-size -1
	SET tls-port x
	SET masterauth "a b"
	GET masterauth
	SET replicaof "no one"
	REWRITE
	REWRITE x
	RESETSTAT
	RESETSTAT x
	HELP x
	nope
`

// CONFIG SET changes what the running server does, all of it or nothing.
func TestSetApplies(t *testing.T) {
	t.Parallel()
	c, system := started(t, Sources{})
	client := local(t, c)
	f := func(want string, words ...string) {
		t.Helper()
		if got := client.ask(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	f("+OK", "CONFIG", "SET", "requirepass", "secret", "protected-mode", "no", "slowlog-log-slower-than", "5",
		"proto-max-bulk-len", "1mb", "hash-max-listpack-value", "9", "maxclients", "77", "maxmemory-policy", "volatile-lfu", "tcp-keepalive", "60")
	wantPassword(t, system, "secret")
	if got := system.Server.Stats.Slow.Load(); got != 5000 {
		t.Errorf("slow is %d ns", got)
	}
	set := system.Node.Settings()
	if set.BulkMax != 1<<20 || set.HashPackedValue != 9 || !set.LFU || system.Server.Clients.Load() != 77 {
		t.Errorf("%+v, %d clients", set, system.Server.Clients.Load())
	}
	// The second is not taken, so the first isn't either.
	f(`-ERR CONFIG SET failed (possibly related to argument 'min-replicas-to-write') - "1" is not supported yet: there is no replication`,
		"CONFIG", "SET", "requirepass", "other", "min-replicas-to-write", "1")
	wantPassword(t, system, "secret")
	// Nor if it cannot be put in force.
	f("-ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses.",
		"CONFIG", "SET", "requirepass", "other", "port", "1", "bind", "192.0.2.1")
	wantPassword(t, system, "secret")
	if port := c.Int("port"); port != 0 {
		t.Errorf("the port is %d", port)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	f("-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.",
		"CONFIG", "SET", "requirepass", "other", "port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port))
	wantPassword(t, system, "secret")
	other := dial(t, "unix", c.Text("unixsocket")) // it listens there again
	if got := other.ask("PING"); got != "-NOAUTH Authentication required." {
		t.Errorf("a new client: %s", got)
	}
}

// CONFIG SET port moves the server; links live on.
func TestSetPort(t *testing.T) {
	t.Parallel()
	c, system := started(t, Sources{Flags: []Flag{{"bind", []string{"127.0.0.1"}}}})
	client := local(t, c)
	for range 2 {
		port := freePort(t)
		if got := client.ask("CONFIG", "SET", "port", port); got != "+OK" {
			t.Fatal(got)
		}
		if got := dial(t, "tcp", "127.0.0.1:"+port).ask("PING"); got != "+PONG" {
			t.Errorf("port %s: %s", port, got)
		}
		if got := strconv.Itoa(system.Port()); got != port {
			t.Errorf("the system is at port %s, want %s", got, port)
		}
	}
	if got := client.ask("PING"); got != "+PONG" {
		t.Error(got)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// What is said to a neighbour of the package is said now and at each change.
func TestOnChange(t *testing.T) {
	t.Parallel()
	c, _ := started(t, Sources{})
	var heard []string
	c.OnChange("slowlog-max-len", func(value string) { heard = append(heard, value) })
	for _, change := range []Change{{"slowlog-max-len", "5"}, {"hz", "7"}, {"slowlog-max-len", "x"}} {
		_ = c.Set([]Change{change}, false)
	}
	if got := strings.Join(heard, " "); got != "128 5" {
		t.Errorf("heard %s", got)
	}
}

// Protected settings can be changed by those whom the start has allowed it to.
func TestProtected(t *testing.T) {
	t.Parallel()
	f := func(whom, want string) {
		t.Helper()
		c, _ := started(t, Sources{Flags: []Flag{{"enable-protected-configs", []string{whom}}}})
		if got := local(t, c).ask("CONFIG", "SET", "dbfilename", "x.rdb"); got != want {
			t.Errorf("%s: %s, want %s", whom, got, want)
		}
	}
	f("no", "-ERR CONFIG SET failed (possibly related to argument 'dbfilename') - can't set protected config")
	f("yes", "+OK")
	f("local", "+OK")
}

// CONFIG GET is a map in RESP3; what it says can be written by CONFIG REWRITE.
func TestOverSocket(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "troupe.conf", "# ours\nslowlog-max-len 5\n")
	c, _ := started(t, Sources{File: path})
	client := local(t, c)
	f := func(want string, words ...string) {
		t.Helper()
		if got := client.ask(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	f("+OK", "CONFIG", "SET", "slowlog-max-len", "6")
	f("+OK", "CONFIG", "REWRITE")
	back, err := Load(Sources{File: path})
	if err != nil || back.Int("slowlog-max-len") != 6 {
		t.Errorf("%v", err)
	}
	client.ask("HELLO", "3")
	f(`%{"slowlog-max-len": "6", "hz": "10"}`, "CONFIG", "GET", "slowlog-max-l*", "hz")
	f("%{}", "CONFIG", "GET", "nope")
}

// RESETSTAT is seen by what its own client asks afterwards.
func TestResetStat(t *testing.T) {
	t.Parallel()
	c, system := started(t, Sources{})
	client := local(t, c)
	for range 3 {
		client.ask("GET", "nosuchkey")
	}
	if got := client.ask("CONFIG", "RESETSTAT"); got != "+OK" {
		t.Fatal(got)
	}
	if n := system.Server.Stats.Command(system.Server.Catalogue.Named("GET")).Calls.Load(); n != 0 {
		t.Errorf("GET was called %d times", n)
	}
}

// Renamed commands are gone under their names, with their live forms.
func TestRename(t *testing.T) {
	t.Parallel()
	from := Sources{File: "-", Stdin: strings.NewReader("rename-command GET \"\"\nrename-command set put\nrename-command object thing\nrename-command config \"\"\n")}
	c, _ := started(t, from)
	client := local(t, c)
	f := func(want string, words ...string) {
		t.Helper()
		if got := client.ask(words...); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	f(`-"ERR unknown command 'GET'`, "GET", "k")
	f(`-"ERR unknown command 'GET.WATCH'`, "GET.WATCH", "k")
	f(`-"ERR unknown command 'SET'`, "SET", "k", "v")
	f("+OK", "PUT", "k", "v")
	f(`-"ERR unknown command 'OBJECT.WATCH'`, "OBJECT.WATCH", "ENCODING", "k")
	f("[\n  \"observe\"", "THING.WATCH", "ENCODING", "k")
	f(`-"ERR unknown command 'CONFIG'`, "CONFIG", "GET", "port")
	f(`-"ERR unknown command 'config|get'`, "config|get", "x", "port")
}

// A command of redis-server's can be renamed whether it exists here or not.
func TestRenameUnknown(t *testing.T) {
	t.Parallel()
	started(t, Sources{File: "-", Stdin: strings.NewReader("rename-command MIGRATE \"\"\nrename-command failover x\n")})
	c, err := Load(Sources{File: "-", Stdin: strings.NewReader("rename-command FLUSHAL \"\"\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := actors.Start(c.Options(hclog.NewNullLogger())); err == nil || !strings.Contains(err.Error(), "no such command: FLUSHAL") {
		t.Error(err)
	}
	for _, name := range strings.FieldsFunc(redis(t).ask("COMMAND", "LIST"), func(r rune) bool { return strings.ContainsRune("[]\", \n", r) }) {
		if !strings.Contains(name, "|") && !isRedisCommand(name) {
			t.Errorf("%s is a command of redis-server's", name)
		}
	}
}

// What is still arriving is bounded.
func TestQueryBufferLimit(t *testing.T) {
	t.Parallel()
	c, system := started(t, Sources{Flags: []Flag{{"client-query-buffer-limit", []string{"1mb"}}}})
	client := local(t, c)
	half := make([]byte, 2<<20)
	copy(half, "*2\r\n$4\r\nECHO\r\n$4000000\r\n")
	client.conn.Write(half) // the server may close before it has taken all
	if err := client.conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := client.next(); got != "-ERR Protocol error: the request is longer than client-query-buffer-limit" {
		t.Error(got)
	}
	if n, err := client.conn.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v: the link is to be closed", n, err)
	}
	if got := system.Server.Stats.QueryCut.Load(); got != 1 {
		t.Errorf("%d links were closed", got)
	}
	if got := local(t, c).ask("PING"); got != "+PONG" {
		t.Error(got)
	}
}

// wantPassword fails if the password is not the only one of the default user.
func wantPassword(t *testing.T, system *actors.System, password string) {
	t.Helper()
	sum := sha256.Sum256([]byte(password))
	if got := system.Server.Users.Default.Now().Passwords(); len(got) != 1 || got[0] != hex.EncodeToString(sum[:]) {
		t.Errorf("the passwords are %v, want that of %q", got, password)
	}
}
