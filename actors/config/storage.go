package config

import (
	"errors"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
)

// policies are the values of appendfsync.
var policies = map[string]journal.Policy{"everysec": journal.EverySecond, "always": journal.Always, "no": journal.No}

// storage is what the settings say of what is kept on disk.
func (c *Config) storage() actors.Storage {
	return actors.Storage{
		Journal: c.Bool("appendonly"), Policy: policies[c.Text("appendfsync")],
		SegmentBytes: c.Int("journal-segment-size"), BacklogMax: c.backlog(),
		Redis: persist.RedisFiles{
			AppendDir: c.Text("appenddirname"), AppendFile: c.Text("appendfilename"), Whole: !c.Bool("aof-load-truncated"),
		},
		Options: c.storageOptions(),
	}
}

// backlog is how much of the journal may wait in memory: no large part of a
// memory that has a limit.
func (c *Config) backlog() int64 {
	most := c.Int("journal-backlog")
	if limit := c.Int("maxmemory"); limit > 0 {
		most = max(min(most, limit/backlogPart), backlogLeast)
	}
	return most
}

const (
	backlogPart  = 16
	backlogLeast = 1 << 20
)

func (c *Config) storageOptions() persist.Options {
	return persist.Options{
		FileName: c.Text("dbfilename"), SavePoints: savePoints(c.Text("save")),
		RewritePercent: c.Int("auto-aof-rewrite-percentage"), RewriteMin: c.Int("auto-aof-rewrite-min-size"),
		Plain: !c.Bool("rdbcompression"), Unchecked: !c.Bool("rdbchecksum"),
		ServeUnsaved: !c.Bool("stop-writes-on-bgsave-error"),
	}
}

// savePoints reads the value of save, which parseSave has checked.
func savePoints(value string) (points []persist.SavePoint) {
	words := strings.Fields(value)
	for i := 0; i+1 < len(words); i += 2 {
		seconds, _ := strconv.ParseInt(words[i], 10, 64)
		changes, _ := strconv.ParseInt(words[i+1], 10, 64)
		points = append(points, persist.SavePoint{Seconds: seconds, Changes: changes})
	}
	return points
}

func store(c *Config, s *actors.System) error {
	if s.Store != nil {
		s.Store.SetOptions(c.storageOptions())
	}
	return nil
}

func syncJournal(c *Config, s *actors.System) error {
	if s.Store != nil {
		s.Store.SetPolicy(policies[c.Text("appendfsync")])
	}
	return nil
}

// errRestart: what a running server keeps on disk, and where, stays.
var errRestart = errors.New("it can be changed at a start only")

// restart refuses to change what needs one.
func restart(c *Config, s *actors.System) error {
	if s.Store == nil || s.Store.Dir == c.Text("dir") && s.Store.Journal == c.Bool("appendonly") {
		return nil
	}
	return errRestart
}
