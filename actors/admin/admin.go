// Package admin holds the commands for operators: INFO, SLOWLOG, LATENCY,
// MEMORY, MONITOR, DEBUG, and those about modules, clusters and replication
// that a single server has an answer to.
//
// They promise Redis's field names wherever the meaning is Redis's, and numbers
// of the keyspace that are exact, since they are read while all shards are held.
package admin

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Settings is the configuration in force; actors/config keeps it. Any
// goroutine may ask.
type Settings interface {
	// Text and Int are the value of a setting that the program knows.
	Text(name string) string
	Int(name string) int64
	// OnChange calls f with a setting's value, now and whenever it changes.
	OnChange(name string, f func(value string))
	// Allows reports whether a setting that says whom something is allowed to
	// (no, yes, local) allows it; local is a client of this machine.
	Allows(name string, local bool) bool
	// File is the path of the file of settings, or "".
	File() string
}

// Server is what the commands work on: a running system, and what is noted
// about it for operators.
type Server struct {
	settings Settings
	system   *actors.System
	runID    string // 40 hexadecimal digits, new at each start
	slow     slowLog
	spikes   spikes
	pace     pace
	memory   memoryMarks
	process  processMeter
	turns    turnTimes
}

// Call is a command that runs in the session which sent it.
type Call struct {
	*Server
	Session *session.Session
}

// View is a command that runs in the shards.
type View struct {
	*Server
	Tx *keyspace.Tx
}

// Commands are those that run in sessions, KeyspaceCommands those that run in
// the shards; each is declared in its own file.
var (
	Commands         command.Table[Call]
	KeyspaceCommands command.Table[View]
)

// The flags that most of these commands share.
const (
	anytime  = command.Loading | command.Stale
	operator = anytime | command.Admin
)

// New makes what the commands of one system work on.
func New(settings Settings) *Server {
	s := &Server{settings: settings, runID: randomID()}
	settings.OnChange("slowlog-max-len", s.slow.limit)
	return s
}

// randomID is 40 random hexadecimal digits, the form of Redis's run IDs.
func randomID() string {
	var b [20]byte
	rand.Read(b[:]) // never fails: see its documentation
	return hex.EncodeToString(b[:])
}

// Join adds the commands to a system that is about to be started.
func (s *Server) Join(o *actors.Options) {
	o.Families = append(o.Families, s.family)
	before := o.Ready
	o.Ready = func(system *actors.System) error {
		if before != nil {
			if err := before(system); err != nil {
				return err
			}
		}
		s.attach(system)
		return nil
	}
}

func (s *Server) family(system *actors.System, c *session.Catalogue) {
	s.system = system
	session.AddFor(c, &Commands, func(one *session.Session) Call { return Call{s, one} })
	session.AddDataFor(c, &KeyspaceCommands, func(tx *keyspace.Tx) View { return View{s, tx} })
	c.Guard("DEBUG", s.mayDebug)
}

// attach begins to note what the server does.
func (s *Server) attach(system *actors.System) {
	stats := &system.Server.Stats
	log, spike := session.SlowLog(s.slow.add), session.SpikeLog(s.spikes.add)
	stats.Log.Store(&log)
	stats.Spike.Store(&spike)
	s.settings.OnChange("latency-monitor-threshold", func(string) {
		stats.Late.Store(lateness(s.settings.Int("latency-monitor-threshold")))
	})
	s.memory.start(system)
}
