package config

// storageRows are about what is kept on disk. Unlike Redis's, a server without
// configuration records every change, and writes no RDB file unless asked.
var storageRows = []Setting{
	{Name: "appendonly", Kind: Bool, Default: "yes", Group: groupPersistence, effect: restarting,
		Help: "Record every change in a journal, so that a restart finds it; no makes a pure cache, or one of RDB files."},
	{Name: "appendfsync", Kind: Enum, Default: "everysec", Values: []string{"everysec", "always", "no"}, Group: groupPersistence, effect: syncing,
		Help: "When the journal is on disk: within a second, before anybody is answered, or when the system sees fit."},
	{Name: "auto-aof-rewrite-percentage", Kind: Int, Default: "100", Max: intMax, Group: groupPersistence, effect: storing,
		Help: "How much the journal may grow beyond its snapshot, in percent of it, before a new one is taken; 0 never takes one."},
	{Name: "auto-aof-rewrite-min-size", Kind: Memory, Default: "64mb", Max: longMax, Group: groupPersistence, effect: storing,
		Help: "How large snapshot and journal have to be for that."},
	{Name: "save", Kind: Lines, Group: groupPersistence, effect: storing, parse: parseSave, format: formatSave,
		Help: "When to write an RDB file: pairs of seconds and changes."},
	{Name: "dbfilename", Kind: Text, Default: "dump.rdb", When: Protected, Group: groupPersistence, effect: storing, parse: single(parseFileName),
		Help: "Name of the RDB file that SAVE and BGSAVE write."},
	{Name: "rdbcompression", Kind: Bool, Default: "yes", Group: groupPersistence, effect: storing,
		Help: "Compress texts in snapshots."},
	{Name: "rdbchecksum", Kind: Bool, Default: "yes", Group: groupPersistence, When: AtStart,
		Help: "Write and check the checksums of RDB files."},
	{Name: "stop-writes-on-bgsave-error", Kind: Bool, Default: "yes", Group: groupPersistence, effect: storing,
		Help: "Refuse writes while the RDB file cannot be written that save asks for."},
	{Name: "appenddirname", Kind: Text, Default: "appendonlydir", When: AtStart, Group: groupPersistence, parse: single(parseFileName),
		Help: "Where redis-server has left an append-only file that is to be read when the journal is new."},
	{Name: "appendfilename", Kind: Text, Default: "appendonly.aof", When: AtStart, Group: groupPersistence, parse: single(parseFileName),
		Help: "Name of that file, or what the names of its parts begin with."},
	{Name: "aof-load-truncated", Kind: Bool, Default: "yes", Group: groupPersistence,
		Help: "Read such a file too if its end was not written whole, as far as it is; no refuses to start."},
	{Name: "journal-segment-size", Kind: Memory, Default: "64mb", Min: 1 << 16, Max: 1 << 40, When: AtStart, Group: groupPersistence,
		Help: "How large a file of the journal gets before the next one is begun."},
	{Name: "journal-backlog", Kind: Memory, Default: "64mb", Min: 1 << 16, Max: 1 << 40, When: AtStart, Group: groupPersistence,
		Help: "How much of the journal may wait in memory for the disk; then writes wait."},
}
