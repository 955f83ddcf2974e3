package config

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription"
)

// effect is how settings are put in force in a running server. Several
// settings may share one, which then runs once for all of them.
type effect uint8

const (
	none effect = iota
	securing
	listening
	protecting
	admitting
	idling
	authenticating
	limiting
	compacting
	logging
	timing
	watching
	probing
	messaging
	notifying
	scripting
	granting
	storing
	syncing
	restarting
	bounding
)

// effects does them. One that fails has changed nothing.
var effects = map[effect]func(*Config, *actors.System) error{
	securing: secure, listening: listen, protecting: protect, admitting: admit, idling: idle,
	authenticating: authenticate, limiting: limit, compacting: compact, logging: setLevel, timing: timeSlow, watching: limitWatches,
	probing: probe, messaging: limitMessages, notifying: notify,
	scripting: limitScripts, granting: grant, storing: store, syncing: syncJournal, restarting: restart, bounding: bound,
}

// atStart are those that are needed before the first link is let in: the rest
// the system was told by its Options.
var atStart = []effect{securing, granting, protecting, admitting, idling, authenticating, limiting, compacting, timing, watching, messaging, notifying, scripting, bounding}

// Options are what to start the system with.
func (c *Config) Options(log hclog.Logger) actors.Options {
	to := c.endpoints()
	o := actors.Options{
		Binds: to.Binds, Port: to.Port, TLSBinds: to.TLSBinds, TLSPort: to.TLSPort, Unix: to.Unix, UnixMode: fs.FileMode(c.Int("unixsocketperm")),
		Backlog:    int(c.Int("tcp-backlog")),
		KeepAlive:  c.keepAlive(),
		Goroutines: c.Text("transport") == "goroutines",
		Loops:      int(c.Int("event-loops")), Shards: int(c.Int("shards")),
		Databases: int(c.Int("databases")), Clients: int(c.Int("maxclients")),
		Log: log, Families: []actors.Family{c.family}, Ready: c.attach,
		Dir: c.Text("dir"), Storage: c.storage(), OwnsHeap: true,
		Tier: c.tier(),
	}
	if c.Bool("single-threaded") {
		o.Loops, o.Shards = 1, 1
	}
	for _, words := range c.directive("rename-command") {
		o.Renames = append(o.Renames, actors.Rename{From: words[0], To: words[1], IfExists: isRedisCommand(words[0])})
	}
	return o
}

// endpoints are where to listen.
func (c *Config) endpoints() actors.Endpoints {
	to := actors.Endpoints{Port: int(c.Int("port")), TLSPort: int(c.Int("tls-port")), Unix: c.Text("unixsocket")}
	if c.sockets.Plain {
		to.Port, to.Unix = 0, ""
	}
	if c.sockets.TLS {
		to.TLSPort = 0
	}
	if to.Port != 0 {
		to.Binds = c.Words("bind")
	}
	if to.TLSPort != 0 {
		to.TLSBinds = c.Words("bind")
	}
	return to
}

// attach puts the settings in force in a system that is about to serve.
func (c *Config) attach(s *actors.System) error {
	c.system = s
	for _, e := range atStart {
		if err := effects[e](c, s); err != nil {
			return err
		}
	}
	return c.addUsers(s)
}

func listen(c *Config, s *actors.System) error {
	if !s.HasTLS() {
		if err := secure(c, s); err != nil {
			return err
		}
	}
	err := s.Listen(c.endpoints())
	if err != nil {
		s.Server.Log.Warn("could not listen where CONFIG SET asked for", "error", err)
	}
	return err
}

func protect(c *Config, s *actors.System) error {
	s.Server.SetProtected(c.Bool("protected-mode"))
	return nil
}

func (c *Config) keepAlive() time.Duration {
	return time.Duration(c.Int("tcp-keepalive")) * time.Second
}

func probe(c *Config, s *actors.System) error {
	s.SetKeepAlive(c.keepAlive())
	return nil
}

func admit(c *Config, s *actors.System) error {
	wanted := c.Int("maxclients")
	if most, known := clientsPossible(); known && wanted > most {
		return fmt.Errorf("The operating system is not able to handle the specified number of clients, try with %d", most)
	}
	s.Server.Clients.Store(wanted)
	s.Server.SetRate(c.Int("max-new-connections-per-second"))
	return nil
}

func idle(c *Config, s *actors.System) error {
	s.SetIdle(time.Duration(c.Int("timeout")) * time.Second)
	s.SetHandshake(time.Duration(c.Int("handshake-timeout")) * time.Second)
	return nil
}

// grant says what new users may hear, and how much of what is refused is noted.
func grant(c *Config, s *actors.System) error {
	s.Server.Users.SetHearsAll(c.Text("acl-pubsub-default") == "allchannels")
	s.Server.Users.Log.Most.Store(c.Int("acllog-max-len"))
	return nil
}

// authenticate gives the default user the password. It cannot fail, and is done
// last: what he had before cannot be put back.
func authenticate(c *Config, s *actors.System) error {
	s.Server.Users.SetPassword(c.Text("requirepass"))
	return nil
}

// limit changes the bounds of requests and those that handlers obey.
func limit(c *Config, s *actors.System) error {
	limits := session.DefaultLimits
	limits.BulkMax = min(int(c.Int("proto-max-bulk-len")), keyspace.TextMax)
	limits.QueryMax = int(c.Int("client-query-buffer-limit"))
	s.Server.SetLimits(limits)
	set := *s.Node.Settings()
	set.BulkMax = limits.BulkMax
	set.LFULogFactor, set.LFUDecayMinutes = int(c.Int("lfu-log-factor")), int(c.Int("lfu-decay-time"))
	limitForms(c, &set)
	s.Node.SetSettings(&set)
	return nil
}

// limitForms says up to what size collections are packed.
func limitForms(c *Config, set *keyspace.Settings) {
	set.HashPackedEntries = int(c.Int("hash-max-listpack-entries"))
	set.HashPackedValue = int(c.Int("hash-max-listpack-value"))
	set.SetPackedEntries = int(c.Int("set-max-listpack-entries"))
	set.SetPackedValue = int(c.Int("set-max-listpack-value"))
	set.SetIntsetEntries = int(c.Int("set-max-intset-entries"))
	set.SortedSetPackedEntries = int(c.Int("zset-max-listpack-entries"))
	set.SortedSetPackedValue = int(c.Int("zset-max-listpack-value"))
	set.ListPackedSize = int(c.Int("list-max-listpack-size"))
	set.StreamBlockBytes = int(c.Int("stream-node-max-bytes"))
	set.StreamBlockEntries = int(c.Int("stream-node-max-entries"))
	set.HLLSparseMax = int(c.Int("hll-sparse-max-bytes"))
}

func setLevel(c *Config, s *actors.System) error {
	s.Server.Log.SetLevel(c.LogLevel())
	return nil
}

func timeSlow(c *Config, s *actors.System) error {
	slow := c.Int("slowlog-log-slower-than")
	if slow > 0 {
		slow = min(slow, longMax/1000) * 1000
	}
	s.Server.Stats.Slow.Store(slow)
	return nil
}

// limitWatches bounds live queries. What is being watched stays.
func limitWatches(c *Config, s *actors.System) error {
	limits := &s.Server.Watches.Limits
	limits.Watches.Store(c.Int("maxwatches"))
	limits.Client.Store(c.Int("maxwatches-per-client"))
	limits.Result.Store(c.Int("watch-max-result"))
	limits.Linger.Store(c.Int("watch-linger"))
	history := &s.Server.Watches.History
	history.Entries.Store(c.Int("watch-history-entries"))
	history.Bytes.Store(c.Int("watch-history-bytes"))
	s.Server.Watches.Tidy()
	return nil
}

// limitMessages bounds what may wait for a link that listens.
func limitMessages(c *Config, s *actors.System) error {
	s.Server.Hub.SetTrackedMost(c.Int("tracking-table-max-keys"))
	of := map[string]subscription.Limits{}
	words := strings.Fields(c.Text("client-output-buffer-limit"))
	for i := 0; i+3 < len(words); i += 4 {
		var n [3]int64
		for k := range n {
			n[k], _ = strconv.ParseInt(words[i+1+k], 10, 64) // parseBufferLimits has read them
		}
		of[words[i]] = subscription.Limits{Hard: n[0], Soft: n[1], Seconds: n[2]}
	}
	pubsub := of["pubsub"]
	s.Server.Hub.Limits.Store(&pubsub)
	s.Server.SetOutputBounds(session.OutputBounds{Normal: of["normal"], Watch: of["watch"]})
	return nil
}

// notify says which events are recorded, and published.
func notify(c *Config, s *actors.System) error {
	classes := subscription.ParseClasses(c.Text("notify-keyspace-events"))
	set := *s.Node.Settings()
	set.Events = classes.Any()
	set.NewKeys, set.Misses = set.Events && classes&subscription.NewKeys != 0, set.Events && classes&subscription.Misses != 0
	s.Server.Hub.SetClasses(classes)
	s.Node.SetSettings(&set)
	return nil
}

// levels are the names of log levels in the terms of our logger.
var levels = map[string]hclog.Level{
	"trace": hclog.Trace, "debug": hclog.Debug, "verbose": hclog.Debug, "notice": hclog.Info, "info": hclog.Info,
	"warning": hclog.Warn, "warn": hclog.Warn, "error": hclog.Error, "nothing": hclog.Off, "off": hclog.Off,
}

// LogLevel is the setting loglevel in the terms of our logger.
func (c *Config) LogLevel() hclog.Level { return levels[c.Text("loglevel")] }

// limitScripts sets after how long a script counts as busy.
func limitScripts(c *Config, s *actors.System) error {
	s.Scripts.SetThreshold(time.Duration(min(c.Int("busy-reply-threshold"), thresholdMax)) * time.Millisecond)
	return nil
}

// thresholdMax is longer than any script runs, in milliseconds.
const thresholdMax = 1 << 40
