package config

import "math"

// ignoredPart is settings that mean nothing here for one reason. They are
// Redis 7's, so that its files load and its tools can ask for them.
type ignoredPart struct {
	group, why string
	rows       []Setting
}

var ignoredParts = []ignoredPart{
	{groupPersistence, "the journal and its files are made in another way", persistenceRows},
	{groupReplication, noReplication, replicationRows},
	{groupCluster, noCluster, clusterRows},
	{groupKeyspace, "memory is laid out and freed in another way", layoutRows},
	{groupClients, "there are no modules, and scripts run in one way", otherClientRows},
	{groupServer, "it concerns the inner workings of redis-server", innerRows},
}

var persistenceRows = []Setting{
	{Name: "no-appendfsync-on-rewrite", Kind: Bool, Default: "no"},
	{Name: "aof-use-rdb-preamble", Kind: Bool, Default: "yes"},
	{Name: "aof-timestamp-enabled", Kind: Bool, Default: "no"},
	{Name: "aof-rewrite-incremental-fsync", Kind: Bool, Default: "yes"},
	{Name: "aof-disable-auto-gc", Kind: Bool, Default: "no"},
	{Name: "rdb-del-sync-files", Kind: Bool, Default: "no"},
	{Name: "rdb-save-incremental-fsync", Kind: Bool, Default: "yes"},
	{Name: "rdb-key-save-delay", Kind: Int, Default: "0", Min: math.MinInt32, Max: intMax, Hidden: true},
	{Name: "key-load-delay", Kind: Int, Default: "0", Min: math.MinInt32, Max: intMax, Hidden: true},
	{Name: "loading-process-events-interval-bytes", Kind: Int, Default: "2097152", Min: 1024, Max: intMax, Hidden: true},
	{Name: "sanitize-dump-payload", Kind: Enum, Default: "no", Values: []string{"no", "yes", "clients"}},
}

var replicationRows = []Setting{
	{Name: "masterauth", Secret: true},
	{Name: "masteruser", Secret: true},
	{Name: "replica-serve-stale-data", Alias: "slave-serve-stale-data", Kind: Bool, Default: "yes"},
	{Name: "replica-read-only", Alias: "slave-read-only", Kind: Bool, Default: "yes"},
	{Name: "replica-lazy-flush", Alias: "slave-lazy-flush", Kind: Bool, Default: "no"},
	{Name: "replica-ignore-maxmemory", Alias: "slave-ignore-maxmemory", Kind: Bool, Default: "yes"},
	{Name: "replica-ignore-disk-write-errors", Kind: Bool, Default: "no"},
	{Name: "replica-priority", Alias: "slave-priority", Kind: Int, Default: "100", Max: intMax},
	{Name: "replica-announce-ip", Alias: "slave-announce-ip"},
	{Name: "replica-announce-port", Alias: "slave-announce-port", Kind: Int, Default: "0", Max: 65535},
	{Name: "replica-announced", Kind: Bool, Default: "yes"},
	{Name: "repl-diskless-sync", Kind: Bool, Default: "yes"},
	{Name: "repl-diskless-sync-delay", Kind: Int, Default: "5", Max: intMax},
	{Name: "repl-diskless-sync-max-replicas", Kind: Int, Default: "0", Max: intMax},
	{Name: "repl-diskless-load", Kind: Enum, Default: "disabled", Values: []string{"disabled", "on-empty-db", "swapdb"}},
	{Name: "repl-disable-tcp-nodelay", Kind: Bool, Default: "no"},
	{Name: "repl-ping-replica-period", Alias: "repl-ping-slave-period", Kind: Int, Default: "10", Min: 1, Max: intMax},
	{Name: "repl-timeout", Kind: Int, Default: "60", Min: 1, Max: intMax},
	{Name: "repl-backlog-size", Kind: Memory, Default: "1mb", Min: 1, Max: longMax},
	{Name: "repl-backlog-ttl", Kind: Int, Default: "3600", Max: longMax},
	{Name: "min-replicas-max-lag", Alias: "min-slaves-max-lag", Kind: Int, Default: "10", Max: intMax},
	{Name: "propagation-error-behavior", Kind: Enum, Default: "ignore", Values: []string{"ignore", "panic", "panic-on-replicas"}},
	{Name: "bind-source-addr"},
}

var clusterRows = []Setting{
	{Name: "cluster-config-file", Default: "nodes.conf", When: AtStart},
	{Name: "cluster-port", Kind: Int, Default: "0", Max: 65535, When: AtStart},
	{Name: "cluster-node-timeout", Kind: Int, Default: "15000", Max: longMax},
	{Name: "cluster-announce-ip"},
	{Name: "cluster-announce-hostname", parse: single(parseHostname)},
	{Name: "cluster-announce-human-nodename", Hidden: true},
	{Name: "cluster-announce-port", Kind: Int, Default: "0", Max: 65535},
	{Name: "cluster-announce-tls-port", Kind: Int, Default: "0", Max: 65535},
	{Name: "cluster-announce-bus-port", Kind: Int, Default: "0", Max: 65535},
	{Name: "cluster-preferred-endpoint-type", Kind: Enum, Default: "ip", Values: []string{"ip", "hostname", "unknown-endpoint"}},
	{Name: "cluster-replica-validity-factor", Alias: "cluster-slave-validity-factor", Kind: Int, Default: "10", Max: intMax},
	{Name: "cluster-replica-no-failover", Alias: "cluster-slave-no-failover", Kind: Bool, Default: "no"},
	{Name: "cluster-migration-barrier", Kind: Int, Default: "1", Max: intMax},
	{Name: "cluster-allow-replica-migration", Kind: Bool, Default: "yes"},
	{Name: "cluster-require-full-coverage", Kind: Bool, Default: "yes"},
	{Name: "cluster-allow-reads-when-down", Kind: Bool, Default: "no"},
	{Name: "cluster-allow-pubsubshard-when-down", Kind: Bool, Default: "yes"},
	{Name: "cluster-link-sendbuf-limit", Kind: Memory, Default: "0", Max: longMax},
}

var layoutRows = []Setting{
	{Name: "lazyfree-lazy-eviction", Kind: Bool, Default: "no"},
	{Name: "list-compress-depth", Kind: Int, Default: "0", Max: intMax},
	{Name: "list-max-ziplist-entries", Kind: Directive, When: AtStart, Min: 1, Max: 1},
	{Name: "list-max-ziplist-value", Kind: Directive, When: AtStart, Min: 1, Max: 1},
	{Name: "activerehashing", Kind: Bool, Default: "yes"},
	{Name: "active-defrag-max-scan-fields", Kind: Int, Default: "1000", Min: 1, Max: longMax},
	{Name: "active-expire-effort", Kind: Int, Default: "1", Min: 1, Max: 10},
	{Name: "lazyfree-lazy-expire", Kind: Bool, Default: "no"},
	{Name: "lazyfree-lazy-server-del", Kind: Bool, Default: "no"},
	{Name: "lazyfree-lazy-user-del", Kind: Bool, Default: "no"},
	{Name: "lazyfree-lazy-user-flush", Kind: Bool, Default: "no"},
	{Name: "jemalloc-bg-thread", Kind: Bool, Default: "yes"},
}

var otherClientRows = []Setting{
	{Name: "enable-module-command", Kind: Enum, Default: "no", Values: whom, When: AtStart},
	{Name: "lua-enable-deprecated-api", Kind: Bool, Default: "no", When: AtStart, Hidden: true},
	{Name: "lua-replicate-commands", Kind: Directive, When: AtStart, Min: 1, Max: 1},
}

var innerRows = []Setting{
	{Name: "hz", Kind: Int, Default: "10", Max: intMax, parse: single(parseHz)},
	{Name: "dynamic-hz", Kind: Bool, Default: "yes"},
	{Name: "io-threads", Kind: Int, Default: "1", Min: 1, Max: 128, When: AtStart, Help: "See event-loops."},
	{Name: "io-threads-do-reads", Kind: Bool, Default: "no", When: AtStart, Help: "See event-loops."},
	{Name: "latency-tracking", Kind: Bool, Default: "yes"},
	{Name: "set-proc-title", Kind: Bool, Default: "yes", When: AtStart},
	{Name: "proc-title-template", Default: "{title} {listen-addr} {server-mode}"},
	{Name: "locale-collate", Hidden: true},
	{Name: "oom-score-adj", Kind: Enum, Default: "no", Values: []string{"no", "yes", "relative", "absolute"}},
	{Name: "oom-score-adj-values", Kind: Words, Default: "0 200 800", parse: parseOOMScores},
	{Name: "disable-thp", Kind: Bool, Default: "yes", When: AtStart},
	{Name: "server_cpulist", When: AtStart},
	{Name: "bio_cpulist", When: AtStart},
	{Name: "aof_rewrite_cpulist", When: AtStart},
	{Name: "bgsave_cpulist", When: AtStart},
	{Name: "syslog-ident", Default: "redis", When: AtStart},
	{Name: "syslog-facility", Kind: Enum, Default: "local0", When: AtStart,
		Values: []string{"user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"}},
	{Name: "crash-log-enabled", Kind: Bool, Default: "yes"},
	{Name: "crash-memcheck-enabled", Kind: Bool, Default: "yes"},
	{Name: "use-exit-on-panic", Kind: Bool, Default: "no", Hidden: true},
	{Name: "enable-debug-assert", Kind: Bool, Default: "no", When: AtStart, Hidden: true},
	{Name: "watchdog-period", Kind: Int, Default: "0", Max: intMax, Hidden: true},
	{Name: "ignore-warnings"},
}
