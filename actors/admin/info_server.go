package admin

import (
	"cmp"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/troupedb/troupe/session"
)

func (r *report) server() {
	server := r.system.Server
	commit, dirty := gitRevision()
	uptime := int64(server.Uptime().Seconds())
	r.Add("redis_version", session.RedisVersion)
	r.Add("troupe_version", session.Version)
	r.Add("redis_git_sha1", commit)
	r.Add("redis_git_dirty", dirty)
	r.Add("redis_build_id", commit)
	r.Add("redis_mode", "standalone")
	r.Add("os", operatingSystem())
	r.Add("arch_bits", 32<<(^uint(0)>>63))
	r.Add("multiplexing_api", multiplexing(r.settings.Text("transport")))
	r.Add("go_version", runtime.Version())
	r.Add("process_id", os.Getpid())
	r.Add("process_supervised", cmp.Or(r.system.Supervisor(), "no"))
	r.Add("run_id", r.runID)
	r.Add("tcp_port", cmp.Or(r.system.Port(), r.system.TLSPort())) // as in Redis
	r.Add("tls_port", r.system.TLSPort())
	r.Add("server_time_usec", server.Micros())
	r.Add("uptime_in_seconds", uptime)
	r.Add("uptime_in_days", uptime/86400)
	r.Add("lru_clock", server.Millis()/1000&(1<<24-1))
	r.Add("executable", executable())
	r.Add("config_file", r.settings.File())
	r.Add("io_threads_active", 0)
	r.Add("shards", server.Node.Len())
	r.Add("event_loops", r.system.Loops())
	r.Add("cores", r.system.Cores())
}

// gitRevision is what INFO shows of the commit that the program was built from.
func gitRevision() (commit string, dirty int) {
	commit, modified := session.Revision()
	if len(commit) < 8 {
		return "00000000", 0
	}
	if modified {
		dirty = 1
	}
	return commit[:8], dirty
}

var operatingSystem = sync.OnceValue(func() string {
	kind, release := firstLine("/proc/sys/kernel/ostype"), firstLine("/proc/sys/kernel/osrelease")
	if kind == "" {
		kind = runtime.GOOS
	}
	return strings.Join(strings.Fields(kind+" "+release+" "+runtime.GOARCH), " ")
})

// multiplexing is how links are served, in Redis's word for event loops.
func multiplexing(transport string) string {
	if transport == "goroutines" || runtime.GOOS != "linux" {
		return "goroutines"
	}
	return "epoll"
}

func executable() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

func (r *report) clients() {
	var blocked, pubsub, watching, locks int64
	connected := 0
	for _, one := range r.system.Server.Sessions() {
		connected++
		flags := one.Flags.Load()
		if flags&session.FlagBlocked != 0 {
			blocked++
		}
		if flags&session.FlagPubSub != 0 {
			pubsub++
		}
		if n := one.Locks.Load(); n > 0 {
			watching++
			locks += int64(n)
		}
	}
	r.Add("connected_clients", connected)
	r.Add("cluster_connections", 0)
	r.Add("maxclients", r.system.Server.Clients.Load())
	r.Add("blocked_clients", blocked)
	r.Add("tracking_clients", r.system.Server.Hub.TrackCounts().Clients)
	r.Add("pubsub_clients", pubsub)
	r.Add("watching_clients", watching)
	r.Add("clients_in_timeout_table", blocked)
	r.Add("total_watched_keys", locks)
	_, queries, watches := r.system.Server.Watches.Stats()
	r.Add("maxwatches", r.system.Server.Watches.Limits.Watches.Load())
	r.Add("live_queries", queries)
	r.Add("live_watches", watches)
	r.Add("live_queries_kept", r.system.Server.Watches.Kept())
	r.Add("live_queries_history_bytes", r.system.Server.Watches.History.Used.Load())
}
