package config

import (
	"strconv"
	"strings"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
)

// parseLimit reads a memory size, or a share of what the machine or the container
// has, which becomes one.
func parseLimit(s *Setting, word string) (string, error) {
	number, isPercent := strings.CutSuffix(word, "%")
	if !isPercent {
		return parseMemory(s, word)
	}
	percent, err := strconv.ParseInt(number, 10, 64)
	switch there := actors.MachineMemory(); {
	case err != nil || percent < 0:
		return "", errMemory
	case percent > 100:
		return "", errPercent
	case there == 0:
		return "", errMemoryUnknown
	default:
		return decimal(there / 100 * percent), nil
	}
}

// bound bounds memory, and says what goes when there is no more.
func bound(c *Config, s *actors.System) error {
	set := *s.Node.Settings()
	set.Policy = keyspace.ParsePolicy(c.Text("maxmemory-policy"))
	set.LFU = set.Policy.CountsUses()
	set.Samples, set.Tenacity = int(c.Int("maxmemory-samples")), int(c.Int("maxmemory-eviction-tenacity"))
	s.Node.SetSettings(&set)
	s.SetMemory(c.Int("maxmemory"))
	if s.Store != nil {
		s.Store.SetBacklogMax(c.backlog())
	}
	s.Server.SetClientMemory(c.share("maxmemory-clients", c.Int("maxmemory")))
	return nil
}

// share is the value of a setting that is bytes, or a percentage of a whole.
func (c *Config) share(name string, whole int64) int64 {
	number, isPercent := strings.CutSuffix(c.Text(name), "%")
	n, _ := strconv.ParseInt(number, 10, 64) // parseShare has read it
	if isPercent {
		return whole / 100 * n
	}
	return n
}
