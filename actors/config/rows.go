package config

import (
	"math"
	"os"
	"path/filepath"
)

// The settings that do something here, by group. Defaults are Redis's, except
// those that a comment explains.

const (
	intMax   = math.MaxInt32
	longMax  = math.MaxInt64
	permsMax = 0o777
)

// networkRows are about where and how clients come in. The port is our own,
// and without configuration nobody outside this machine is served.
var networkRows = []Setting{
	{Name: "bind", Kind: Words, Default: "127.0.0.1 -::1", Group: groupNetwork, effect: listening,
		Help: "Addresses to listen on; * is any of IPv4, ::* any of IPv6, and a - in front allows it to be missing."},
	{Name: "port", Kind: Int, Default: "7379", Max: 65535, Group: groupNetwork, effect: listening,
		Help: "TCP port; 0 listens on none."},
	{Name: "unixsocket", Kind: Text, When: AtStart, Group: groupNetwork, parse: single(parsePath),
		Help: "Path of a unix socket to listen on too."},
	{Name: "unixsocketperm", Kind: Octal, Default: "0", Max: permsMax, When: AtStart, Group: groupNetwork,
		Help: "Permissions of the unix socket, octal; 0 leaves them to the umask."},
	{Name: "tcp-backlog", Kind: Int, Default: "511", Max: intMax, When: AtStart, Group: groupNetwork,
		Help: "How many connections may wait to be accepted."},
	{Name: "tcp-keepalive", Kind: Int, Default: "300", Max: intMax, Group: groupNetwork, effect: probing,
		Help: "Seconds of silence after which TCP asks whether a client that comes from now on is still there; 0 never asks."},
	{Name: "transport", Kind: Enum, Default: "loops", Values: []string{"loops", "goroutines"}, When: AtStart, Group: groupNetwork,
		Help: "How links are served: event loops, or a goroutine each."},
	{Name: "protected-mode", Kind: Bool, Default: "yes", Group: groupNetwork, effect: protecting,
		Help: "Without a password, serve this machine's own clients only."},
}

// serverRows are about the process.
var serverRows = []Setting{
	{Name: "event-loops", Kind: Int, Default: "0", Max: 1024, When: AtStart, Group: groupServer,
		Help: "Number of event loops; 0 is one a core."},
	{Name: "shards", Kind: Int, Default: "0", Max: 1024, When: AtStart, Group: groupServer,
		Help: "Number of shards of the keyspace; 0 is one a core."},
	{Name: "single-threaded", Kind: Bool, Default: "no", When: AtStart, Group: groupServer,
		Help: "One event loop and one shard, so that commands run one after the other."},
	{Name: "databases", Kind: Int, Default: "16", Min: 1, Max: 1 << 16, When: AtStart, Group: groupServer,
		Help: "Number of databases."},
	{Name: "dir", Kind: Text, Default: defaultDir(), When: Protected, effect: restarting, Group: groupServer, parse: single(parsePath),
		Help: "Folder of the data; it is made if it is missing."},
	{Name: "pidfile", Kind: Text, When: AtStart, Group: groupServer, parse: single(parsePath),
		Help: "File that holds the process's number while it runs."},
	{Name: "daemonize", Kind: Bool, Default: "no", When: AtStart, Group: groupServer,
		Help: "Go to the background: the command returns when the server serves, or with the reason why it does not. Not if systemd has started it."},
	{Name: "supervised", Kind: Enum, Default: "no", Values: []string{"upstart", "systemd", "auto", "no"}, When: AtStart,
		Group: groupServer, Role: Reserved, Allowed: []string{"systemd", "auto"},
		Why:  "upstart's way to tell that a server is ready does not exist here",
		Help: "Who starts the server; whatever is said, systemd is told when it is ready, if it asks."},
	{Name: "shutdown-timeout", Kind: Int, Default: "10", Max: intMax, Group: groupServer,
		Help: "Seconds that commands under way and unread replies are given when the server stops."},
	{Name: "shutdown-on-sigint", Kind: EnumSet, Default: "default", Values: shutdownWords, Group: groupServer, parse: parseShutdown,
		Help: "What SIGINT does; now waits for nothing."},
	{Name: "shutdown-on-sigterm", Kind: EnumSet, Default: "default", Values: shutdownWords, Group: groupServer, parse: parseShutdown,
		Help: "What SIGTERM does; now waits for nothing."},
	{Name: "enable-debug-command", Kind: Enum, Default: "no", Values: whom, When: AtStart, Group: groupServer,
		Help: "Who may use DEBUG; local is this machine's own clients."},
	{Name: "enable-protected-configs", Kind: Enum, Default: "no", Values: whom, When: AtStart, Group: groupServer,
		Help: "Who may change protected settings; local is this machine's own clients."},
}

var (
	shutdownWords = []string{"default", "save", "nosave", "now", "force"}
	whom          = []string{"no", "yes", "local"}
)

// clientRows are about what a client may do.
var clientRows = []Setting{
	{Name: "maxclients", Kind: Int, Default: "10000", Min: 1, Max: math.MaxUint32, Group: groupClients, effect: admitting,
		Help: "The most clients at once."},
	{Name: "timeout", Kind: Int, Default: "0", Max: intMax, Group: groupClients, effect: idling,
		Help: "Seconds after which an idle client is let go; 0 is never."},
	{Name: "handshake-timeout", Kind: Int, Default: "60", Max: intMax, Group: groupClients, effect: idling,
		Help: "Seconds that a client has for the handshake of TLS, and then to log in if it must; 0 is for ever."},
	{Name: "max-new-connections-per-second", Kind: Int, Default: "0", Max: longMax, Group: groupClients, effect: admitting,
		Help: "The most connections that one address may open in a second; 0 is no limit."},
	{Name: "requirepass", Kind: Text, Secret: true, Group: groupClients, effect: authenticating,
		Help: "Password that clients must give: the default user's."},
	{Name: "aclfile", Kind: Text, When: AtStart, Group: groupClients, parse: single(parsePath),
		Help: "File of users and their rights, which ACL LOAD reads and ACL SAVE writes."},
	{Name: "acllog-max-len", Kind: Int, Default: "128", Max: longMax, Group: groupClients, effect: granting,
		Help: "How many refusals ACL LOG holds."},
	{Name: "acl-pubsub-default", Kind: Enum, Default: "resetchannels", Values: []string{"allchannels", "resetchannels"}, Group: groupClients,
		effect: granting, Help: "Which channels new users may use: all or none."},
	{Name: "proto-max-bulk-len", Kind: Memory, Default: "512mb", Min: 1 << 20, Max: longMax, Group: groupClients, effect: limiting,
		Help: "The longest argument and the longest string."},
	{Name: "client-output-buffer-limit", Kind: Words, parse: parseBufferLimits, format: formatBufferLimits, Group: groupClients, effect: messaging,
		Default: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
		Help:    "When a client that does not read is cut off, by what it does (normal, pubsub, watch): at so many unread bytes, or at fewer that last for so many seconds."},
	{Name: "notify-keyspace-events", Kind: Text, Group: groupKeyspace, effect: notifying, parse: single(parseEvents),
		Help: "Which changes of keys are published, by Redis's letters."},
	{Name: "tracking-table-max-keys", Kind: Int, Default: "1000000", Max: longMax, Group: groupClients, effect: messaging,
		Help: "The most keys that are kept in mind for the caches of clients (CLIENT TRACKING); 0 is no limit."},
	{Name: "maxwatches", Kind: Int, Default: "1000000", Max: longMax, Group: groupClients, effect: watching,
		Help: "The most watches of live queries at once, of all clients; each takes about half a kilobyte."},
	{Name: "maxwatches-per-client", Kind: Int, Default: "10000", Max: math.MaxInt32, Group: groupClients, effect: watching,
		Help: "The most watches of live queries of one client."},
	{Name: "watch-max-result", Kind: Memory, Default: "1mb", Min: 1, Max: longMax, Group: groupClients, effect: watching,
		Help: "The longest result that a live query pushes; in place of a longer one it pushes an error."},
	{Name: "watch-linger", Kind: Int, Default: "30000", Max: 86400000, Group: groupClients, effect: watching,
		Help: "Milliseconds that a live query is kept when nobody watches it any more, so that whoever was cut off can resume; 0 keeps none."},
	{Name: "watch-history-entries", Kind: Int, Default: "1000", Min: 1, Max: math.MaxInt32, Group: groupClients, effect: watching,
		Help: "The most states that a live query keeps for those who want every one, or deltas."},
	{Name: "watch-history-bytes", Kind: Memory, Default: "32mb", Min: 1, Max: longMax, Group: groupClients, effect: watching,
		Help: "About how much memory the states that live queries keep may take, of all together; above it each keeps its newest only."},
	{Name: "busy-reply-threshold", Alias: "lua-time-limit", Kind: Int, Default: "5000", Max: longMax, Group: groupClients, effect: scripting,
		Help: "Milliseconds after which a script that still runs lets other clients know; 0 is never."},
	{Name: "client-query-buffer-limit", Kind: Memory, Default: "1gb", Min: 1 << 20, Max: longMax, Group: groupClients, effect: limiting,
		Help: "The most bytes of a request that is still arriving."},
}

// keyspaceRows are about data.
var keyspaceRows = []Setting{
	{Name: "hash-max-listpack-entries", Alias: "hash-max-ziplist-entries", Kind: Int, Default: "512", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many fields a packed hash may have."},
	{Name: "hash-max-listpack-value", Alias: "hash-max-ziplist-value", Kind: Memory, Default: "64", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many bytes a field or value of a packed hash may have."},
	{Name: "list-max-listpack-size", Alias: "list-max-ziplist-size", Kind: Int, Default: "-2", Min: math.MinInt32, Max: intMax, Group: groupKeyspace, effect: limiting,
		Help: "How large a block of a list may be: so many elements, or -1 to -5 for 4, 8, 16, 32 and 64 KB."},
	{Name: "stream-node-max-bytes", Kind: Memory, Default: "4096", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many bytes a block of a stream may have; 0 for any number."},
	{Name: "stream-node-max-entries", Kind: Int, Default: "100", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many entries a block of a stream may have, deleted ones included; 0 for any number."},
	{Name: "set-max-intset-entries", Kind: Int, Default: "512", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many members a set of integers may have until it becomes one of texts."},
	{Name: "set-max-listpack-entries", Kind: Int, Default: "128", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many members a packed set may have."},
	{Name: "set-max-listpack-value", Kind: Memory, Default: "64", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many bytes a member of a packed set may have."},
	{Name: "zset-max-listpack-entries", Alias: "zset-max-ziplist-entries", Kind: Int, Default: "128", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many members a packed sorted set may have."},
	{Name: "zset-max-listpack-value", Alias: "zset-max-ziplist-value", Kind: Memory, Default: "64", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How many bytes a member of a packed sorted set may have."},
	{Name: "hll-sparse-max-bytes", Kind: Memory, Default: "3000", Max: longMax, Group: groupKeyspace, effect: limiting,
		Help: "How large the sparse form of a HyperLogLog may be."},
}

// logRows are about what the server tells. logformat is our own.
var logRows = []Setting{
	{Name: "loglevel", Kind: Enum, Default: "notice", Group: groupLog, effect: logging,
		Values: []string{"debug", "verbose", "notice", "warning", "nothing", "trace", "info", "warn", "error", "off"},
		Help:   "The least important messages that are logged."},
	{Name: "logfile", Kind: Text, When: AtStart, Group: groupLog, parse: single(parsePath),
		Help: "File for the log; empty is standard output."},
	{Name: "logformat", Kind: Enum, Default: "text", Values: []string{"text", "json"}, When: AtStart, Group: groupLog,
		Help: "Form of the log's lines."},
	{Name: "always-show-logo", Kind: Bool, Default: "no", When: AtStart, Group: groupLog,
		Help: "Show the name at the start even if the output is no terminal."},
	{Name: "slowlog-log-slower-than", Kind: Int, Default: "10000", Min: -1, Max: longMax, Group: groupLog, effect: timing,
		Help: "Microseconds from which on a command is noted in the slow log; -1 notes none."},
	{Name: "slowlog-max-len", Kind: Int, Default: "128", Max: longMax, Group: groupLog,
		Help: "How many commands the slow log holds."},
	{Name: "latency-monitor-threshold", Kind: Int, Default: "0", Max: longMax, Group: groupLog,
		Help: "Milliseconds from which on an event is noted by LATENCY; 0 notes none."},
	{Name: "latency-tracking-info-percentiles", Kind: Words, Default: "50 99 99.9", Group: groupLog, parse: parsePercentiles,
		Help: "The percentiles of commands' running times that INFO latencystats shows."},
}

// The headings of help.
const (
	groupNetwork     = "Network"
	groupServer      = "Server"
	groupClients     = "Clients"
	groupKeyspace    = "Keyspace"
	groupMemory      = "Memory"
	groupLog         = "Log"
	groupDirectives  = "Directives"
	groupPersistence = "Persistence"
	groupReplication = "Replication"
	groupCluster     = "Cluster"
	groupTLS         = "TLS"
	groupHTTP        = "HTTP"
	groupTrace       = "Traces"
)

// Groups are the headings in their order.
var Groups = []string{
	groupNetwork, groupServer, groupClients, groupKeyspace, groupMemory, groupLog, groupPersistence,
	groupReplication, groupCluster, groupTLS, groupHTTP, groupTrace, groupDirectives,
}

// defaultDir is troupe-data in the user's state folder (XDG), or in that of
// the system for users without a home.
func defaultDir() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore others
		home, err := os.UserHomeDir()
		if err != nil {
			return "/var/lib/troupe-data"
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "troupe-data")
}
