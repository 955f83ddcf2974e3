package config

import "math"

// Why some settings cannot be honoured yet.
const (
	noReplication = "there is no replication"
	noCluster     = "there is no cluster"
)

// directiveRows are what only a file or the command line can ask for. Min and
// Max bound the number of words.
var directiveRows = []Setting{
	{Name: "include", Kind: Directive, When: AtStart, Min: 1, Max: 1, Group: groupDirectives,
		Help: "Read another file here, or several (a pattern); the path begins at the file's own folder."},
	{Name: "rename-command", Kind: Directive, When: AtStart, Min: 2, Max: 2, Group: groupDirectives,
		Help: `Give a command another name; "" takes it away.`},
	{Name: "user", Kind: Directive, When: AtStart, Min: 1, Max: math.MaxInt32, Group: groupDirectives, Secret: true, parse: parseUser,
		Help: "A user, with the rules that say his passwords and rights."},
	{Name: "loadmodule", Kind: Directive, When: AtStart, Min: 1, Max: math.MaxInt32, Group: groupDirectives,
		Role: Reserved, Why: "there are no modules", Help: "Load a module."},
	{Name: "sentinel", Kind: Directive, When: AtStart, Min: 1, Max: math.MaxInt32, Group: groupDirectives,
		Role: Reserved, Why: "there is no sentinel mode", Help: "Watch other servers."},
}

// reservedRows are the settings that somebody would rely on, so that a value
// which asks for something is refused.
var reservedRows = []Setting{
	{Name: "replicaof", Alias: "slaveof", Kind: Words, When: AtStart, Group: groupReplication, Role: Reserved, Why: noReplication,
		parse: parseReplicaOf, Help: "The server to be a replica of."},
	{Name: "min-replicas-to-write", Alias: "min-slaves-to-write", Kind: Int, Default: "0", Max: intMax, Group: groupReplication,
		Role: Reserved, Why: noReplication, Help: "How many replicas must be there for writes to be taken."},
	{Name: "cluster-enabled", Kind: Bool, Default: "no", When: AtStart, Group: groupCluster, Role: Reserved, Why: noCluster,
		Help: "Be a node of a cluster."},
	{Name: "syslog-enabled", Kind: Bool, Default: "no", When: AtStart, Group: groupLog, Role: Reserved,
		Why: "the log goes to standard output or to logfile", Help: "Log to syslog."},
	{Name: "socket-mark-id", Kind: Int, Default: "0", Max: math.MaxUint32, When: AtStart, Group: groupNetwork, Role: Reserved,
		Why: "sockets are not marked", Help: "Mark of the sockets, for firewalls."},
}
