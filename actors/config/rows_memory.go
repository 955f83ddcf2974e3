package config

// memoryRows are about how much memory there is, and what goes when there is no
// more.
var memoryRows = []Setting{
	{Name: "maxmemory", Kind: Memory, Default: "0", Max: longMax, Group: groupMemory, effect: bounding, parse: single(parseLimit),
		Help: "The most memory to use, of all kinds; or a share of the machine's or the container's, as 75%. 0 is no bound."},
	{Name: "maxmemory-policy", Kind: Enum, Default: "noeviction", Group: groupMemory, effect: bounding, Values: []string{
		"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction"},
		Help: "Which keys go first when there is no more memory; noeviction refuses writes instead."},
	{Name: "maxmemory-samples", Kind: Int, Default: "5", Min: 1, Max: intMax, Group: groupMemory, effect: bounding,
		Help: "How many keys are drawn to find one that can be done without."},
	{Name: "maxmemory-eviction-tenacity", Kind: Int, Default: "10", Max: 100, Group: groupMemory, effect: bounding,
		Help: "How long a write may be held up to let keys go: 0 hardly, 100 up to some milliseconds."},
	{Name: "maxmemory-clients", Kind: Share, Default: "0", Max: longMax, Group: groupMemory, effect: bounding,
		Help: "The most memory that clients may use together, in bytes or as a share of maxmemory; the largest are closed. 0 is no bound."},
	{Name: "tier", Kind: Text, When: AtStart, Group: groupMemory, parse: single(parsePath),
		Help: "Folder on disk for values that have not been used for long, once maxmemory is reached; it is emptied at each start. None: all stay in memory."},
	{Name: "tier-max-bytes", Kind: Memory, Default: "0", Max: longMax, When: AtStart, Group: groupMemory,
		Help: "The most to keep in that folder; 0 is no bound."},
	{Name: "lfu-log-factor", Kind: Int, Default: "10", Max: intMax, Group: groupMemory, effect: limiting,
		Help: "How much harder a key's frequency grows the higher it is already, under an LFU policy."},
	{Name: "lfu-decay-time", Kind: Int, Default: "1", Max: intMax, Group: groupMemory, effect: limiting,
		Help: "Minutes after which an unused key's frequency falls by one; 0 never."},
}
