package admin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// sectionsOf reads the names of INFO's fields, by section.
func sectionsOf(text string) map[string][]string {
	all := map[string][]string{}
	section := ""
	for _, line := range strings.Split(text, "\r\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			section = title
			all[section] = nil
			continue
		}
		if name, _, ok := strings.Cut(line, ":"); ok {
			all[section] = append(all[section], name)
		}
	}
	return all
}

// Fields of redis-server 7.0 that we leave out, by what they begin with, and
// why their meaning is not ours.
var leftOut = map[string]string{
	"monotonic_clock": "of the C program", "atomicvar_api": "of the C program", "gcc_version": "of the C program: see go_version",
	"hz": "nothing runs so many times a second", "configured_hz": "nothing runs so many times a second",
	"client_recent_max": "buffers belong to the transport", "number_of_": "there are no scripts yet", "used_memory_lua": "there are no scripts yet",
	"used_memory_vm": "there are no scripts yet", "used_memory_scripts": "there are no scripts yet", "used_memory_functions": "there are no scripts yet",
	"module_fork": "there are no modules", "expired_stale": "deadlines are kept in order", "expired_time_cap": "deadlines are kept in order",
	"expire_cycle": "deadlines are kept in order", "migrate_cached": "there is no MIGRATE", "slave_expires": "there are no replicas",
	"unexpected_error": "there are no replicas", "dump_payload": "there is no DUMP", "total_reads_processed": "reads are not counted",
	"total_writes_processed": "writes are not counted", "io_threaded": "every loop is its own thread", "reply_buffer": "buffers belong to the transport",
	"used_cpu_sys_main_thread": "there is no main thread", "used_cpu_user_main_thread": "there is no main thread",
}

func reasonToLeaveOut(field string) string {
	for start, reason := range leftOut {
		if strings.HasPrefix(field, start) {
			return reason
		}
	}
	return ""
}

func TestInfoFields(t *testing.T) {
	t.Parallel()
	ask := func(l *link) map[string][]string {
		l.ask("SET k v")
		l.ask("NONSENSE")
		return sectionsOf(l.ask("INFO everything").Str())
	}
	theirs := ask(newLink(t, redistest.Start(t).Dial()))
	ours := ask(dial(t, start(t)))
	for section, names := range theirs {
		got, there := ours[section]
		if !there {
			t.Errorf("there is no section %s", section)
		}
		for _, name := range names {
			has := slices.Contains(got, name)
			if reason := reasonToLeaveOut(name); has == (reason != "") {
				t.Errorf("%s: %s is there: %v; to leave it out: %q", section, name, has, reason)
			}
		}
	}
	f := func(section string, names ...string) {
		t.Helper()
		for _, name := range names {
			if !slices.Contains(ours[section], name) {
				t.Errorf("%s: there is no %s", section, name)
			}
		}
	}
	f("Server", "redis_version", "troupe_version", "run_id", "shards", "event_loops")
	f("Clients", "live_queries", "live_watches", "live_queries_kept", "live_queries_history_bytes", "maxwatches", "watching_clients")
	f("Stats", "live_query_evaluations", "live_query_pushes", "live_query_changes_covered", "live_query_evaluation_usec")
	f("Memory", "mem_slabs_used", "mem_go_heap")
}

func TestInfoSections(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	l.ask("PING")
	f := func(words string, titles ...string) {
		t.Helper()
		var got []string
		for _, line := range strings.Split(l.ask("INFO "+words).Str(), "\r\n") {
			if title, ok := strings.CutPrefix(line, "# "); ok {
				got = append(got, title)
			}
		}
		if !slices.Equal(got, titles) {
			t.Errorf("INFO %s has the sections %v, want %v", words, got, titles)
		}
	}
	usual := []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules", "Errorstats", "Cluster", "Keyspace"}
	all := []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Commandstats", "Errorstats", "Latencystats", "Cluster", "Keyspace"}
	everything := []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules", "Commandstats", "Errorstats", "Latencystats", "Cluster", "Keyspace"}
	f("", usual...)
	f("default", usual...)
	f("all", all...)
	f("everything", everything...)
	f("keyspace CPU cpu", "CPU", "Keyspace")
	f("default commandstats", "Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules", "Commandstats", "Errorstats", "Cluster", "Keyspace")
	f("nonsense")
}

// TestInfoCounts holds that what INFO counts is exact, over all shards.
func TestInfoCounts(t *testing.T) {
	t.Parallel()
	system := start(t)
	l := dial(t, system)
	l.ask("DEBUG POPULATE 100")
	for _, key := range []string{"key:0", "key:1", "key:2"} {
		l.ask("EXPIRE " + key + " 1000")
	}
	l.ask("SELECT 3")
	l.ask("SET k v")
	l.ask("GET k")
	l.ask("GET nokey")
	l.ask("INCR k")
	l.ask("NONSENSE")
	l.ask("GET")
	info := l.info("everything")
	f := func(name, want string) {
		t.Helper()
		if got := info[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	f("db0", "keys=100,expires=3,avg_ttl=0")
	f("db3", "keys=1,expires=0,avg_ttl=0")
	f("keyspace_hits", "1")
	f("keyspace_misses", "1")
	f("connected_clients", "1")
	f("total_connections_received", "1")
	f("total_error_replies", "3")
	f("errorstat_ERR", "count=3")
	f("shards", "3")
	f("total_commands_processed", "9")
	f("rdb_changes_since_last_save", "104")
	stat := fields(info["cmdstat_get"], ",", "=")
	if stat["calls"] != "2" || stat["rejected_calls"] != "1" || stat["failed_calls"] != "0" {
		t.Errorf("GET is counted %v", stat)
	}
	if stat = fields(info["cmdstat_incr"], ",", "="); stat["calls"] != "1" || stat["failed_calls"] != "1" {
		t.Errorf("INCR is counted %v", stat)
	}
	if got := info["latency_percentiles_usec_get"]; !strings.HasPrefix(got, "p50=") || !strings.Contains(got, ",p99.9=") {
		t.Errorf("the running times of GET are told as %q", got)
	}
	if port := number(t, info["tcp_port"]); port != int64(system.Port()) {
		t.Errorf("the port is told as %d", port)
	}
	if used := number(t, info["used_memory"]); used < number(t, info["mem_slabs_resident"])+number(t, info["mem_go_heap"]) {
		t.Errorf("the memory in use, %d, is less than its parts", used)
	}
	in, out := number(t, info["total_net_input_bytes"]), number(t, info["total_net_output_bytes"])
	if in < 300 || out < 100 {
		t.Errorf("%d bytes came in and %d went out", in, out)
	}
}

// TestInfoInTransaction: it sees what the transaction has done so far.
func TestInfoInTransaction(t *testing.T) {
	t.Parallel()
	l := dial(t, start(t))
	l.ask("MULTI")
	l.ask("SET k v")
	l.ask("INFO keyspace")
	got := l.ask("EXEC").Items()
	if len(got) != 2 || got[1].Str() != "# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0\r\n" {
		t.Errorf("EXEC answers %s", resp.Format(resp.Array(got...)))
	}
}

func TestResetStats(t *testing.T) {
	t.Parallel()
	system := start(t)
	l := dial(t, system)
	l.ask("GET k")
	l.ask("NONSENSE")
	system.Server.ResetStats()
	info := l.info("everything")
	f := func(name, want string) {
		t.Helper()
		if got := info[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	f("total_commands_processed", "0")
	f("total_error_replies", "0")
	f("cmdstat_get", "")
	if in := number(t, info["total_net_input_bytes"]); in > 100 {
		t.Errorf("%d bytes have come in since", in)
	}
}
