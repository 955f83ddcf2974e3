package admin_test

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// What is noted of commands: the slow log, the latency monitor, MONITOR.

func TestSlowLogTrims(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t, "slowlog-log-slower-than 0", "slowlog-max-len 2"))
	l.ask("ECHO " + strings.Repeat("x", 200))
	l.ask("DEL " + strings.Repeat("k ", 39) + "k")
	entries := l.ask("SLOWLOG GET").Items()
	if len(entries) != 2 {
		t.Fatalf("there are %d entries", len(entries))
	}
	words := func(i int) []resp.Reply { return entries[i].Items()[3].Items() }
	if n, last := len(words(0)), words(0)[31].Str(); n != 32 || last != "... (10 more arguments)" {
		t.Errorf("of DEL %d words are kept, the last is %q", n, last)
	}
	if got, want := words(1)[1].Str(), strings.Repeat("x", 128)+"... (72 more bytes)"; got != want {
		t.Errorf("of ECHO is kept %q, want %q", got, want)
	}
	if id := entries[0].Items()[0].Int(); id != entries[1].Items()[0].Int()+1 {
		t.Errorf("the newest has the number %d", id)
	}
	if address := entries[0].Items()[4].Str(); address != l.conn.LocalAddr().String() {
		t.Errorf("the client's address is %q", address)
	}
}

func TestSlowLogInTransaction(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t, "slowlog-log-slower-than 0"))
	for _, command := range []string{"MULTI", "SET k v", "CLIENT GETNAME", "EXEC"} {
		l.ask(command)
	}
	var names []string
	for _, entry := range l.ask("SLOWLOG GET -1").Items() {
		names = append(names, entry.Items()[3].Items()[0].Str())
	}
	if got := strings.Join(names, " "); !strings.Contains(got, "SET") || !strings.Contains(got, "CLIENT") || strings.Contains(got, "EXEC") {
		t.Errorf("the log holds %s", got)
	}
}

func TestLatencyMonitor(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t, "latency-monitor-threshold 2"))
	l.ask("PING")
	l.want("LATENCY LATEST", "[]")
	if text := l.ask("LATENCY DOCTOR").Str(); !strings.Contains(text, "Nothing has taken 2 ms") {
		t.Errorf("LATENCY DOCTOR says %q", text)
	}
	l.ask("DEBUG SLEEP 0.003")
	latest := l.ask("LATENCY LATEST").Items()
	if len(latest) != 1 || latest[0].Items()[0].Str() != "command" || latest[0].Items()[2].Int() < 3 {
		t.Fatalf("LATENCY LATEST is answered %s", resp.Format(resp.Array(latest...)))
	}
	if history := l.ask("LATENCY HISTORY command").Items(); len(history) != 1 {
		t.Errorf("LATENCY HISTORY has %d moments", len(history))
	}
	if graph := l.ask("LATENCY GRAPH command").Str(); !strings.HasPrefix(graph, "command - high ") {
		t.Errorf("LATENCY GRAPH draws %q", graph)
	}
	if text := l.ask("LATENCY DOCTOR").Str(); !strings.Contains(text, "command: 1 latency spikes") {
		t.Errorf("LATENCY DOCTOR says %q", text)
	}
	l.want("LATENCY RESET nonsense", ":0")
	l.want("LATENCY RESET", ":1")
	l.want("LATENCY LATEST", "[]")
}

func TestLatencyHistogram(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	for range 20 {
		l.ask("SET k v")
	}
	l.ask("CLIENT ID")
	l.ask("CLIENT GETNAME")
	f := func(names string, want map[string]int64) {
		t.Helper()
		pairs := l.ask("LATENCY HISTOGRAM " + names).Items()
		got := map[string]int64{}
		for i := 0; i+1 < len(pairs); i += 2 {
			classes := field(pairs[i+1], "histogram_usec").Items()
			last := classes[len(classes)-1].Int()
			if got[pairs[i].Str()] = field(pairs[i+1], "calls").Int(); got[pairs[i].Str()] != last {
				t.Errorf("%s: the last class counts %d", pairs[i].Str(), last)
			}
		}
		for name, calls := range want {
			if got[name] != calls {
				t.Errorf("%s is counted %d times, want %d", name, got[name], calls)
			}
			delete(got, name)
		}
		if names != "" && len(got) > 0 {
			t.Errorf("HISTOGRAM %s shows %v besides", names, got)
		}
	}
	f("set nonsense get", map[string]int64{"set": 20})
	f("client", map[string]int64{"client|id": 1, "client|getname": 1})
	f("client|id", map[string]int64{"client|id": 1})
	f("", map[string]int64{"set": 20, "client|id": 1})
}

func TestMonitor(t *testing.T) {
	t.Parallel()
	system := start(t)
	monitor, l := dial(t, system), dial(t, system)
	monitor.want("MONITOR", "+OK")
	l.send("SET", "k", "a\r\n\x00é")
	l.receive()
	l.send("SUBSCRIBE", "__query__:AUTH secret")
	l.receive()
	for _, command := range []string{
		"AUTH nobody secret", "HELLO 2 AUTH nobody secret", "OBSERVE EVERY AUTH secret", "COMMAND GETKEYS HELLO 2 AUTH nobody secret",
		"OBSERVE GET k AUTH", "SLOWLOG LEN", "NONSENSE", "GET",
		"MULTI", "SELECT 2", "GET k", "EXEC", "DISCARD", "PING",
	} {
		l.ask(command)
	}
	f := func(db, command string) {
		t.Helper()
		line := monitor.receive().Str()
		_, rest, _ := strings.Cut(line, " ")
		if want := "[" + db + " " + l.conn.LocalAddr().String() + "] " + command; rest != want {
			t.Errorf("MONITOR shows %s, want %s", rest, want)
		}
	}
	f("0", `"SET" "k" "a\r\n\x00\xc3\xa9"`)
	f("0", `"SUBSCRIBE" "(redacted)"`)
	f("0", `"AUTH" "(redacted)" "(redacted)"`)
	f("0", `"HELLO" "2" "AUTH" "(redacted)" "(redacted)"`)
	f("0", `"OBSERVE" "EVERY" "AUTH" "(redacted)"`)
	f("0", `"COMMAND" "GETKEYS" "HELLO" "2" "AUTH" "(redacted)" "(redacted)"`)
	f("0", `"OBSERVE" "GET" "k" "AUTH"`)
	f("0", `"MULTI"`)
	f("2", `"SELECT" "2"`)
	f("2", `"GET" "k"`)
	f("2", `"EXEC"`)
	f("2", `"DISCARD"`)
	f("2", `"PING"`)
	monitor.send("RESET")
	if reply := monitor.receive(); reply.Str() != "RESET" && !strings.Contains(reply.Str(), "RESET") {
		t.Errorf("RESET is answered %s", resp.Format(reply))
	}
}
