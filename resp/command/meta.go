// Package command describes commands: what each is called, how many words it
// takes, which of them are keys, what it may do, and examples that run as
// tests. It reads arguments, and knows no command by name.
package command

import "strings"

// Meta is all that is known of a command without running it. Everything that
// is told about commands (COMMAND, HELP, ACL categories, the README's table,
// routing, arity) comes from here.
type Meta struct {
	// Name in capitals; a subcommand is "OBJECT|ENCODING".
	Name string
	// Syntax of the arguments as redis.io writes it: "key value [NX | XX]".
	Syntax string
	// Summary is one sentence.
	Summary string
	// Complexity is "O(1)" and the like.
	Complexity string
	// Group is Redis's: string, generic, hash, connection, server …
	Group string
	// Since is the version of Troupe that has it first.
	Since string
	// Arity counts the words, the name (of a subcommand: both) included;
	// negative: at least that many, and at most Most if that is not 0.
	Arity, Most int
	Flags       Flag
	// Keys says which words are keys; none for commands without.
	Keys []Keys
	// NextKey, if set, finds the keys where Keys, which describe them to others,
	// would miss some: the first behind a place, which is 0 at first; Pos is 0 if
	// there is none.
	NextKey func(argv [][]byte, behind int) KeyAt
	// Channels says which words are names of channels.
	Channels Channels
	// Reaches, if set, reports whether a command with these words reaches keys
	// that are not among them.
	Reaches func(argv [][]byte) bool
	// Categories beside those that flags and group imply, such as "dangerous";
	// "-keyspace" takes one of these away.
	Categories []string
	// Secrets, if set, tells which words only its sender may see.
	Secrets Secrets
	// HoldsCommand: among the words, from some place on, is another command.
	HoldsCommand bool
	// Examples in the transcript notation of package resp: at least one good
	// case and one mistake. They run as tests against a fresh server.
	Examples string

	id    int
	words int // of the name
	shape shape
}

// Channels says which words of a command are names of channels, for those who
// check rights.
type Channels uint8

// The choices of Channels.
const (
	NoChannels      Channels = iota
	OneChannel               // the first word after the name
	ManyChannels             // all of them
	ChannelPatterns          // all of them, and they are patterns
)

// Flag says what a command does and where it may run.
type Flag uint32

// The flags. Those that Redis has too are shown by COMMAND INFO under its name.
const (
	Write           Flag = 1 << iota // may change data
	ReadOnly                         // reads data and never changes it; for its .WATCH form see session.Command.Watchable
	DenyOOM                          // may need memory: refused above maxmemory
	Admin                            // for operators
	PubSub                           // about channels
	NoScript                         // not from scripts
	Blocking                         // may wait for another client
	Loading                          // allowed while data is loading
	Stale                            // allowed on a stale replica
	SkipMonitor                      // not shown by MONITOR
	SkipSlowlog                      // never in the slow log
	Fast                             // O(1) or O(log n): never worth timing alone
	NoAuth                           // allowed before AUTH
	NoMulti                          // refused inside MULTI
	Random                           // its answer depends on chance or time, so it can't be watched
	AllShards                        // works on the whole database, not on the keys it names
	Heavy                            // may run over a millisecond: enters by a worker, never on an event loop
	AllowBusy                        // allowed while a script is busy
	MayReplicate                     // propagates though it changes no key
	ByCursor                         // works on the shard at which the cursor in word 1 stands, and those after it
	SubCommands                      // a container: its first argument names the command
	Marks                            // marks keys as used, which is all it is for: to watch its answer makes no sense
	BareInMulti                      // refused inside MULTI if it has arguments
	AtOnce                           // in MULTI it runs at once and is not queued
	Subscribed                       // allowed on a RESP2 link that messages come over
	Executes                         // runs what MULTI has queued
	Selects                          // the database in word 1 is that of the commands which follow
	NoMandatoryKeys                  // may name keys and need not: scripts
	TellsHealth                      // refused while nothing can be written, though it writes nothing: PING
	Strays                           // may come to use keys that it doesn't name: see keyspace.Tx.Everywhere
	KeysOnly                         // mostly does without the values of its keys: see keyspace.Tx.Outline
)

// Has reports whether all of want are set.
func (f Flag) Has(want Flag) bool { return f&want == want }

// redisNames are the names that COMMAND INFO shows, in Redis's order.
var redisNames = []struct {
	flag Flag
	name string
}{
	{Write, "write"}, {ReadOnly, "readonly"}, {DenyOOM, "denyoom"}, {Admin, "admin"},
	{PubSub, "pubsub"}, {NoScript, "noscript"}, {Blocking, "blocking"}, {Loading, "loading"},
	{Stale, "stale"}, {SkipMonitor, "skip_monitor"}, {SkipSlowlog, "skip_slowlog"},
	{Fast, "fast"}, {NoAuth, "no_auth"}, {MayReplicate, "may_replicate"},
	{NoMulti, "no_multi"}, {AllowBusy, "allow_busy"}, {NoMandatoryKeys, "no_mandatory_keys"},
}

// Names lists the flags as COMMAND INFO does.
func (f Flag) Names() []string {
	var names []string
	for _, n := range redisNames {
		if f.Has(n.flag) {
			names = append(names, n.name)
		}
	}
	return names
}

// ID is the command's number, dense from 0 in the order of declaration within
// its catalogue; counters are kept in slices by it. See SetID.
func (m *Meta) ID() int { return m.id }

// SetID numbers the command; the catalogue does so once, at the start.
func (m *Meta) SetID(id int) { m.id = id }

// Lower is the name as Redis shows it: "get", "object|encoding".
func (m *Meta) Lower() string { return strings.ToLower(m.Name) }

// Container splits "OBJECT|ENCODING" into its two words; sub is "" for others.
func (m *Meta) Container() (name, sub string) {
	name, sub, _ = strings.Cut(m.Name, "|")
	return name, sub
}

// Words is how many words the name takes: 2 for a subcommand, else 1.
func (m *Meta) Words() int { return m.words }

// ArityOK reports whether a command of n words, the name included, is complete.
func (m *Meta) ArityOK(n int) bool {
	if m.Arity >= 0 {
		return n == m.Arity
	}
	return n >= -m.Arity && (m.Most == 0 || n <= m.Most)
}

// groupCategory maps a group to the ACL category of its data type.
var groupCategory = map[string]string{
	"string": "string", "hash": "hash", "list": "list", "set": "set", "sorted-set": "sortedset",
	"stream": "stream", "bitmap": "bitmap", "hyperloglog": "hyperloglog", "geo": "geo",
	"generic": "keyspace", "connection": "connection", "transactions": "transaction",
	"scripting": "scripting",
}

// ACL lists the ACL categories without "@": those of the flags and the group (a
// container has none of the group),
// and those declared, in the order that Redis prints them.
func (m *Meta) ACL() []string {
	have := map[string]bool{}
	if c := groupCategory[m.Group]; c != "" && !m.Flags.Has(SubCommands) {
		have[c] = true
	}
	for _, c := range m.Categories {
		name, away := strings.CutPrefix(c, "-")
		have[name] = !away
	}
	have["write"] = m.Flags.Has(Write)
	have["read"] = m.Flags.Has(ReadOnly) && m.Group != "scripting"
	if m.Flags.Has(Admin) {
		have["admin"], have["dangerous"] = true, true
	}
	if m.Flags.Has(PubSub) {
		have["pubsub"] = true
	}
	if m.Flags.Has(Blocking) {
		have["blocking"] = true
	}
	have["fast"] = m.Flags.Has(Fast)
	have["slow"] = !m.Flags.Has(Fast)
	var cats []string
	for _, c := range Categories {
		if have[c] {
			cats = append(cats, c)
		}
	}
	return cats
}

// Categories are all ACL categories, in Redis's order.
var Categories = []string{
	"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
	"hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking",
	"dangerous", "connection", "transaction", "scripting",
}
