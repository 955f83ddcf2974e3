package config

import "github.com/troupedb/troupe/keyspace/tier"

// tier is what the settings say of values on disk. The store's own memory is part
// of maxmemory, and so a part of it.
func (c *Config) tier() tier.Config {
	t := tier.Config{Dir: c.Text("tier"), MaxBytes: c.Int("tier-max-bytes")}
	if limit := c.Int("maxmemory"); limit > 0 {
		t.CacheBytes = min(max(limit/cacheShare, cacheMin), cacheMax)
		t.MemTableBytes = min(max(limit/memTableShare, memTableMin), memTableMax)
	}
	return t
}

// The store's cache and each of its tables in memory take one part in so many of
// maxmemory, within bounds.
const (
	cacheShare, cacheMin, cacheMax          = 32, 4 << 20, 512 << 20
	memTableShare, memTableMin, memTableMax = 64, 1 << 20, 64 << 20
)
