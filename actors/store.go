package actors

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Storage is how a server keeps its data on disk.
type Storage struct {
	// FS is the disk; nil: the machine's.
	FS journal.FS
	// Journal records every change; without it there are only snapshots, when
	// they are asked for.
	Journal bool
	// Policy says when the journal is on disk.
	Policy journal.Policy
	// SegmentBytes and BacklogMax are as for journal.Config.
	SegmentBytes, BacklogMax int64
	// Redis says how files of redis-server are called that may be there.
	Redis persist.RedisFiles
	// ReadOnly, Import, Merge and ReportEvery are as for persist.Config.
	ReadOnly    bool
	Import      []persist.Foreign
	Merge       bool
	ReportEvery time.Duration
	// Options are what may change later.
	Options persist.Options
}

// openStore takes the data directory, if there is one. It is read later, when
// the server can already say that it is loading.
func (s *System) openStore(catalogue *session.Catalogue) (err error) {
	o := s.options
	if o.Dir == "" {
		return nil
	}
	s.Store, err = persist.Open(persist.Config{
		FS: o.Storage.FS, Dir: o.Dir, Journal: o.Storage.Journal, Policy: o.Storage.Policy,
		SegmentBytes: o.Storage.SegmentBytes, BacklogMax: o.Storage.BacklogMax,
		Redis: o.Storage.Redis, ReadOnly: o.Storage.ReadOnly, Import: o.Storage.Import, Merge: o.Storage.Merge, ReportEvery: o.Storage.ReportEvery,
		Node: s.Node, Functions: s.Scripts, Spec: specs(catalogue), Version: s.version.Load,
		Condition: s.storeCondition, Release: session.Version, Log: o.Log.Named("store"),
	}, o.Storage.Options)
	if err == nil {
		s.Server.Watches.Past = s.Store
	}
	return err
}

// specs finds the commands that effects call for, by the names that they are
// declared with.
func specs(c *session.Catalogue) func(words [][]byte) *command.Spec[*keyspace.Tx] {
	byName := map[string]*command.Spec[*keyspace.Tx]{}
	for _, row := range c.List() {
		if row.Data != nil {
			byName[row.Data.Name] = row.Data
		}
	}
	return func(words [][]byte) *command.Spec[*keyspace.Tx] {
		if spec := byName[string(words[0])]; spec != nil {
			return spec
		}
		name := strings.ToUpper(string(words[0]))
		if len(words) > 1 {
			if spec := byName[name+"|"+strings.ToUpper(string(words[1]))]; spec != nil {
				return spec
			}
		}
		return byName[name]
	}
}

// load reads the data directory, while clients are told that it is being read,
// and has all changes recorded from then on.
func (s *System) load() error {
	if s.Store == nil {
		return nil
	}
	loaded := make(chan struct{})
	defer close(loaded)
	go s.heedHalt(loaded)
	if err := s.Store.Load(); err != nil {
		return err
	}
	if err := s.Store.Start(); err != nil {
		return err
	}
	s.Server.SetCondition(func(c *session.Condition) { c.Loading = resp.Nothing })
	return nil
}

// heedHalt has loading given up when the server is to stop.
func (s *System) heedHalt(loaded <-chan struct{}) {
	select {
	case <-s.options.Halt:
	case how := <-s.Asked: // by a client
		defer s.AskToStop(how) // loading may be over by now
	case <-loaded:
		return
	}
	s.Store.Halt()
}

// storeCondition is told by the store whether writes can be kept.
func (s *System) storeCondition(trouble error, full bool) {
	refusal := resp.Nothing
	var unsaved *persist.UnsavedError
	switch {
	case trouble == nil:
	case errors.As(trouble, &unsaved):
		refusal = errUnsaved
	default:
		refusal = resp.Error("MISCONF Errors writing to the AOF file: " + oneLine(trouble))
	}
	s.Server.SetCondition(func(c *session.Condition) { c.Writes, c.Full = refusal, full })
}

// oneLine is an error's text for a reply.
func oneLine(err error) string {
	return strings.NewReplacer("\r", " ", "\n", "; ").Replace(err.Error())
}

// errUnsaved is Redis's text.
var errUnsaved = resp.Error("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
	"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
	"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.")

// CloseStore writes what is left and lets the data directory go. It is part of
// Close, and all that a process needs which is about to end with links at work:
// their writes wait from then on.
func (s *System) CloseStore() {
	if s.Store == nil {
		return
	}
	s.Server.SetCondition(func(c *session.Condition) { c.Full = true })
	s.Node.VisitEach(func(*keyspace.Tx) {}) // all that was let in before
	if err := s.Store.Close(); err != nil {
		s.options.Log.Error("the data directory was not closed well", "error", err)
		s.unwritten.Store(true)
	}
}

// Unwritten reports, once the store was closed, whether something is not on disk
// that should be.
func (s *System) Unwritten() bool { return s.unwritten.Load() }

// isStuck reports whether what was changed can't be got on disk now.
func (s *System) isStuck() bool { return s.Store != nil && s.Store.Status().Trouble != nil }

// Records reports whether changes are recorded in a journal.
func (s *System) Records() bool { return s.Store != nil && s.Store.Records() }

// SyncedAt notes what has changed by now, and reports when asked whether that is
// on disk: never, if nothing is recorded.
func (s *System) SyncedAt() func() bool {
	if !s.Records() {
		return func() bool { return false }
	}
	return s.Store.SyncedAt()
}

// rebuild puts together again the shards in which a handler has failed.
func (s *System) rebuild(b *keyspace.Broken) {
	s.options.Log.Error("a command failed by a mistake of the program, its shards are rebuilt",
		"command", b.Command, "reason", b.Reason, "shards", fmt.Sprint(b.Shards), "stack", string(b.Stack))
	s.Rebuilds.Add(1)
	if err := s.Store.Rebuild(b.Shards); err != nil {
		s.options.Log.Error("the shards could not be rebuilt", "error", err)
		s.giveUp(b)
	}
}
