package web_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.ask("CONFIG", "SET", "requirepass", "owner")
	f := func(path string, status int, text string) {
		t.Helper()
		if got, answer := p.do("GET", path, "", "Host: strange.example", "Origin: https://strange.example"); got != status || !strings.HasPrefix(answer, text) {
			t.Errorf("%s is answered %d %s, want %d %s", path, got, answer, status, text)
		}
	}
	f("/livez", 200, "ok")
	f("/readyz", 200, `{"ready":true}`)
	p.system.Server.SetCondition(func(c *session.Condition) { c.Loading = resp.ErrLoading })
	f("/livez", 200, "ok")
	f("/readyz", 503, `{"ready":false,"reasons":["data are being loaded"]}`)
	if status, text := p.do("POST", "/command", `["GET","k"]`, "Authorization: Bearer owner"); status != 503 || !strings.HasPrefix(text, `{"error":"LOADING`) {
		t.Errorf("a command is answered %d %s", status, text)
	}
	p.system.Server.SetCondition(func(c *session.Condition) { *c = session.Condition{Writes: resp.Error("MISCONF no disk")} })
	f("/readyz", 503, `{"ready":false,"reasons":["writes are refused: MISCONF no disk"]}`)
	p.system.Server.SetCondition(func(c *session.Condition) { *c = session.Condition{} })
	f("/readyz", 200, `{"ready":true}`)
	p.web.Leave()
	f("/livez", 200, "ok")
	f("/readyz", 503, `{"ready":false,"reasons":["the server is stopping"]}`)
}

// Metrics and profiles are shown to those who may ask for the same by commands.
func TestOperatorsOnly(t *testing.T) {
	t.Parallel()
	p := withUsers(t)
	f := func(path string, status int, user string) {
		t.Helper()
		var headers []string
		if user != "" {
			headers = append(headers, "Authorization: Bearer "+user)
		}
		if got, answer := p.do("GET", path, "", headers...); got != status {
			t.Errorf("%s as %s is answered %d %.80s, want %d", path, user, got, answer, status)
		}
	}
	f("/metrics", 401, "")
	f("/metrics", 200, "ann:secret")
	f("/metrics", 200, "owner")
	f("/debug/pprof/", 401, "")
	f("/debug/pprof/", 403, "ann:secret")
	f("/debug/pprof/", 200, "ops:op:s")
	f("/debug/pprof/goroutine?debug=1", 200, "owner")
	f("/debug/pprof/cmdline", 200, "owner")
	f("/debug/pprof/nonsense", 404, "owner")
	if _, text := p.do("GET", "/debug/pprof/cmdline", "", "Authorization: Bearer owner"); text != os.Args[0] {
		t.Errorf("the command line is told as %q: flags may be passwords", text)
	}
	if status, _ := p.do("POST", "/metrics", "", "Authorization: Bearer owner"); status != 405 {
		t.Errorf("POST is answered %d", status)
	}
}

// TestMetrics: names and units are as Prometheus wants them, and numbers are what
// INFO says.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, "appendonly yes", "appendfsync always")
	for i := range 10 {
		p.ask("SET", fmt.Sprint("key", i), "v", "PX", "100000")
	}
	p.ask("GET", "key1")
	p.ask("GET", "none")
	p.ask("LPUSH", "key1", "x")
	p.ask("GET")
	s := p.watch("", "GET key1")
	s.want("state", `"v"`)
	p.ask("SET", "key1", "w")
	s.want("state", `"w"`)
	status, text := p.do("GET", "/metrics", "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	problems, err := promlint.New(strings.NewReader(text + "\n")).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	f := func(name, want string) {
		t.Helper()
		sum := 0.0
		for _, found := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(text, -1) {
			n := 0.0
			if _, err := fmt.Sscan(found[1], &n); err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if got := fmt.Sprint(sum); got != want {
			t.Errorf("%s is %s in all, want %s", name, got, want)
		}
	}
	f("troupe_shard_keys", "10")
	f("troupe_shard_keys_expiring", "9")
	f("troupe_keyspace_misses_total", "1")
	f("troupe_keys_changed_total", "11")
	f(`troupe_command_duration_seconds_count\{command="set"\}`, "11")
	f(`troupe_command_duration_seconds_bucket\{command="set",le="\+Inf"\}`, "11")
	f(`troupe_command_failed_total\{command="lpush"\}`, "1")
	f(`troupe_command_rejected_total\{command="get"\}`, "1")
	f(`troupe_errors_total\{code="WRONGTYPE"\}`, "1")
	f("troupe_live_watches", "1")
	f("troupe_live_query_pushes_total", "1")
	f(`troupe_actors\{kind="shard"\}`, "2")
	f("troupe_journal_failing", "0")
	f("troupe_ready", "1")
	for _, name := range []string{
		"troupe_info{", "troupe_shard_run_seconds_total{", "troupe_shard_messages_total{", "troupe_journal_fsync_seconds_total ",
		"troupe_memory_bytes{kind=\"slabs\"}", "troupe_snapshot_last_success_timestamp_seconds ", "go_goroutines ", "process_cpu_seconds_total ",
	} {
		if !strings.Contains(text, "\n"+name) {
			t.Errorf("%s is missing", name)
		}
	}
}
