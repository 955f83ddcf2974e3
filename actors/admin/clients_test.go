package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// TestClientListFields holds that CLIENT LIST has all of Redis's fields, in
// its order, and which it has besides.
func TestClientListFields(t *testing.T) {
	t.Parallel()
	names := func(l *link) (all []string) {
		for _, word := range strings.Fields(l.ask("CLIENT LIST").Str()) {
			name, _, _ := strings.Cut(word, "=")
			all = append(all, name)
		}
		return all
	}
	ours, theirs := names(dial(t, start(t))), names(newLink(t, redistest.Start(t).Dial()))
	more := []string{"watch", "lib-name", "lib-ver", "live", "live-bytes"} // the first three of later versions, the last two ours
	common := slices.DeleteFunc(slices.Clone(ours), func(name string) bool { return slices.Contains(more, name) })
	if !slices.Equal(common, theirs) {
		t.Errorf("the fields are %v, want %v", common, theirs)
	}
}

func TestClientListTells(t *testing.T) {
	t.Parallel()
	system := start(t)
	l, other := dial(t, system), dial(t, system)
	for _, command := range []string{"CLIENT SETNAME it", "CLIENT SETINFO LIB-NAME lib", "SELECT 3", "WATCH a b", "MULTI", "PING"} {
		other.ask(command)
	}
	blocked := dial(t, system)
	blocked.ask("HELLO 3")
	blocked.send("WAIT", "1", "0")
	var lines []string
	eventually(t, "the third client waits", func() bool {
		lines = strings.Split(strings.TrimSuffix(l.ask("CLIENT LIST").Str(), "\n"), "\n")
		return len(lines) == 3 && strings.Contains(lines[2], " flags=b ")
	})
	f := func(line int, name, want string) {
		t.Helper()
		if got := fields(lines[line], " ", "=")[name]; got != want {
			t.Errorf("client %d: %s is %q, want %q", line, name, got, want)
		}
	}
	f(0, "addr", l.conn.LocalAddr().String())
	f(0, "laddr", l.conn.RemoteAddr().String())
	f(0, "cmd", "client|list")
	f(0, "flags", "N")
	f(0, "multi", "-1")
	f(1, "name", "it")
	f(1, "lib-name", "lib")
	f(1, "db", "3")
	f(1, "watch", "2")
	f(1, "multi", "1")
	f(1, "flags", "x")
	f(1, "cmd", "ping")
	f(2, "resp", "3")
	f(2, "cmd", "wait")
	if clients := l.info("clients"); clients["blocked_clients"] != "1" || clients["watching_clients"] != "1" || clients["total_watched_keys"] != "2" {
		t.Errorf("INFO tells %v", clients)
	}
	blocked.conn.Close()
	eventually(t, "the third client is given up", func() bool { return system.Server.Connected() == 2 })
}

// TestKillByAddress is the old form, which needs a client's address.
func TestKillByAddress(t *testing.T) {
	t.Parallel()
	system := start(t)
	l, other := dial(t, system), dial(t, system)
	other.ask("PING")
	l.want("CLIENT KILL "+other.conn.LocalAddr().String(), "+OK")
	other.gone()
	third := dial(t, system)
	third.ask("PING")
	l.want("CLIENT KILL ADDR "+third.conn.LocalAddr().String()+" LADDR "+third.conn.RemoteAddr().String(), ":1")
	third.gone()
	l.want("CLIENT KILL "+l.conn.LocalAddr().String(), "+OK")
	l.gone()
}

// TestDeepPipeline sends far more commands than one read holds.
func TestDeepPipeline(t *testing.T) {
	t.Parallel()
	const n = 100_000
	l := dial(t, start(t))
	var out []byte
	for i := range n {
		out = resp.V2.Append(out, resp.Strings("SET", fmt.Sprint("k", i), "v"))
	}
	var sending sync.WaitGroup
	sending.Go(func() { l.conn.Write(out) })
	var in []byte
	l.conn.SetReadDeadline(time.Now().Add(patience))
	for buf := make([]byte, 64<<10); len(in) < n*len("+OK\r\n"); {
		got, err := l.conn.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, buf[:got]...)
	}
	sending.Wait()
	if replies := bytes.Count(in, []byte("+OK\r\n")); replies != n {
		t.Errorf("%d commands are answered OK", replies)
	}
	if got := l.info("keyspace")["db0"]; got != fmt.Sprintf("keys=%d,expires=0,avg_ttl=0", n) {
		t.Errorf("INFO tells %s", got)
	}
}

// TestUnblockedByTime: a command that waits is answered when its time is up,
// and not twice.
func TestUnblockedByTime(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	begun := time.Now()
	l.send("WAIT", "1", "50")
	l.send("PING")
	if got := resp.Format(l.receive()); got != ":0" {
		t.Errorf("WAIT is answered %s", got)
	}
	if took := time.Since(begun); took < 50*time.Millisecond {
		t.Errorf("WAIT was answered after %v", took)
	}
	if got := resp.Format(l.receive()); got != "+PONG" {
		t.Errorf("PING is answered %s", got)
	}
}

// loud fails a test when the client library has anything to say.
type loud struct{ t *testing.T }

func (l loud) Printf(_ context.Context, format string, v ...any) {
	l.t.Errorf("go-redis: "+format, v...)
}

// TestGoRedis connects with a library that greets in RESP3, names itself, and
// asks for what this server has not.
func TestGoRedis(t *testing.T) {
	system := start(t, "slowlog-log-slower-than 0")
	redis.SetLogger(loud{t})
	client := redis.NewClient(&redis.Options{Addr: system.Addresses()[0], ClientName: "test"})
	defer client.Close()
	ctx := context.Background()
	f := func(got any, err error, want any) {
		t.Helper()
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	pong, err := client.Ping(ctx).Result()
	f(pong, err, "PONG")
	f("", client.Set(ctx, "k", "v", time.Minute).Err(), "")
	value, err := client.Get(ctx, "k").Result()
	f(value, err, "v")
	f("", client.HSet(ctx, "h", "f", "1", "g", "2").Err(), "")
	all, err := client.HGetAll(ctx, "h").Result()
	f(all, err, map[string]string{"f": "1", "g": "2"})
	cmds, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "n")
		p.Incr(ctx, "n")
		return nil
	})
	f(len(cmds), err, 2)
	err = client.Watch(ctx, func(tx *redis.Tx) error {
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Incr(ctx, "n").Err() })
		return err
	}, "n")
	f("", err, "")
	line, err := client.ClientInfo(ctx).Result()
	if err != nil {
		t.Fatal(err)
	}
	f(line.Name, nil, "test")
	f(line.Resp, nil, 3)
	if !strings.HasPrefix(line.LibName, "go-redis") {
		t.Errorf("the library calls itself %q", line.LibName)
	}
	commands, err := client.Command(ctx).Result()
	if err != nil || commands["get"] == nil || commands["get"].FirstKeyPos != 1 {
		t.Errorf("COMMAND is read as %v, %v", commands["get"], err)
	}
	slow, err := client.SlowLogGet(ctx, 1).Result()
	if err != nil || len(slow) != 1 || slow[0].ClientName != "test" {
		t.Errorf("SLOWLOG GET is read as %v, %v", slow, err)
	}
}

// TestUnixSocket: how clients of a socket are told apart from others.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/s"
	system := start(t, "unixsocket "+path)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l, monitor := newLink(t, conn), dial(t, system)
	monitor.want("MONITOR", "+OK")
	line := fields(l.ask("CLIENT INFO").Str(), " ", "=")
	if line["addr"] != path+":0" || line["laddr"] != path+":0" || line["flags"] != "U" {
		t.Errorf("the client is told as %v", line)
	}
	if shown := monitor.receive().Str(); !strings.Contains(shown, "[0 unix:"+path+"]") {
		t.Errorf("MONITOR shows %s", shown)
	}
	l.want("CLIENT KILL "+path+":0", "+OK")
	l.gone()
}
