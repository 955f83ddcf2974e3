package keyspace

import (
	"strconv"
	"unsafe"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Tx is the keyspace as one command sees it: the keys of one database, in one
// shard or in all that were collected for it, at one instant. It is good for
// the command's turn only; so is all that it returns.
//
// What a handler changes through a Tx is logged, counted and told to those
// who watch, by the call that changes it.
type Tx struct {
	// DB is the selected database.
	DB int
	// Settings holds the thresholds and limits in force.
	Settings *Settings
	// Caller is who sent the command, for those that tell or ask about it.
	Caller Caller
	// Scripted says that a script has called the present command: nothing waits.
	Scripted bool

	only   *Shard   // the one shard at hand, nil when several are
	shards []*Shard // by number; nil where a shard isn't held
	total  int      // shards of the node, held or not
	now    int64
	rng    uint64
	stamp  uint32

	dirty       bool    // the present command has changed something
	changes     int     // commands of this turn that did, so far
	touched     []touch // who is to be told at the turn's end
	touchedKeys int     // watched keys that the present command has changed
	events      []Event // what happened, if Settings.Events asks for it
	effects     effects
	redoing     redoing
	trace       func(key []byte)
	clockRead   bool // since Trace was called
	noTouch     bool // the caller's reads don't mark keys as used

	tracking tracking

	bound *Bound // on memory; nil: there is none
	oom   bool   // the present command began when there was none

	hinted  *byte // the key whose hash is known, by its place
	hintLen int
	ahead   ahead
	warmed  byte

	batch    *Execute // being run, and which of its requests
	request  *Request
	tiered   bool      // there is a tier: values may be cold
	shielded bool      // see Shield
	light    bool      // the present command may be given up: see itemsLight
	undoes   bool      // what it has changed will be undone then
	looked   Stats     // the look-ups before it
	chance   uint64    // and the state of rng
	fed      []fed     // keys that somebody waits for
	served   []*Waiter // to be told at the turn's end

	args    command.Args
	scratch []byte
	number  [8]byte // being put
	items   []resp.Reply
}

// Caller is the session that a command came from, as far as a handler may
// know it.
type Caller interface {
	// ID is the session's number, as CLIENT ID tells it.
	ID() uint64
}

// Settings are the limits and thresholds that handlers obey. They are never
// changed: CONFIG SET publishes new ones.
type Settings struct {
	// BulkMax is the longest string, in bytes (proto-max-bulk-len). More than
	// TextMax counts as TextMax.
	BulkMax int
	// HashPackedEntries and HashPackedValue are how many fields, and how long
	// a field or value in bytes, a packed hash may have; likewise a packed set
	// and a packed sorted set.
	HashPackedEntries, HashPackedValue           int
	SetPackedEntries, SetPackedValue             int
	SortedSetPackedEntries, SortedSetPackedValue int
	// SetIntsetEntries is how many members a set of integers may have.
	SetIntsetEntries int
	// ListPackedSize bounds a block of a list (list-max-listpack-size): so
	// many elements, or if negative, -1 to -5 for 4, 8, 16, 32 and 64 KB.
	ListPackedSize int
	// StreamBlockBytes and StreamBlockEntries bound a block of a stream
	// (stream-node-max-bytes, stream-node-max-entries); 0 for no bound.
	StreamBlockBytes, StreamBlockEntries int
	// HLLSparseMax bounds a HyperLogLog's sparse form, in bytes.
	HLLSparseMax int
	// LFU says that access clocks count frequency instead of time (an LFU
	// maxmemory-policy); the other two are lfu-log-factor and lfu-decay-time.
	LFU                           bool
	LFULogFactor, LFUDecayMinutes int
	// Policy says which keys may go when memory is short, of Samples drawn at a
	// time, and Tenacity (0 to 100) how long a command may be held up for that.
	Policy            Policy
	Samples, Tenacity int
	// ActiveExpire is off only for tests: DEBUG SET-ACTIVE-EXPIRE.
	ActiveExpire bool
	// Compaction is how memory is compacted.
	Compaction Compaction
	// Events says that changes are recorded as Events; NewKeys and Misses, that
	// so are keys that come, and those that were looked for and are missing.
	Events, NewKeys, Misses bool
	// SpillMin is the shortest value, in bytes, that may become cold.
	SpillMin int
	// Kinds are the types of value that commands of other families may meet.
	Kinds Kinds
}

// TextMax is the longest key, string or element, in bytes, that a shard can
// keep: two of them must fit one allocation of its heap. Requests with longer
// words must not reach it.
const TextMax = 1 << 30

// TextMax is the longest string that a command may make.
func (s *Settings) TextMax() int { return min(s.BulkMax, TextMax) }

// Event is a change in the words of keyspace notifications.
type Event struct {
	DB   int
	Name string // "set", "expired", "del" …
	Key  string
}

// DefaultSettings are those of a server without configuration.
func DefaultSettings() *Settings {
	return &Settings{
		BulkMax: 512 << 20, HashPackedEntries: 512, HashPackedValue: 64,
		SetPackedEntries: 128, SetPackedValue: 64, SortedSetPackedEntries: 128, SortedSetPackedValue: 64,
		SetIntsetEntries: 512, ListPackedSize: -2, HLLSparseMax: 3000,
		StreamBlockBytes: 4096, StreamBlockEntries: 100,
		LFULogFactor: 10, LFUDecayMinutes: 1, Samples: 5, Tenacity: 10, ActiveExpire: true, SpillMin: 64,
		Compaction: Compaction{On: true, Ignore: 4 << 20, Lower: 10, Upper: 100, CycleMin: 1, CycleMax: 25},
	}
}

// touch is the watchers of a key, to be told of the turn's nth change. The list
// is the one at the time of the change.
type touch struct {
	watchers []Watcher
	change   int
}

// same reports whether two touches are of one key and the same watchers.
func (t *touch) same(other *touch) bool {
	return len(t.watchers) == len(other.watchers) && unsafe.SliceData(t.watchers) == unsafe.SliceData(other.watchers)
}

// Databases is the number of databases.
func (tx *Tx) Databases() (n int) {
	tx.EachShard(func(sh *Shard) { n = sh.Databases() })
	return n
}

// Now is the command's instant, Unix milliseconds. It never goes back within
// a shard and is the same for all of a command, transaction or script.
func (tx *Tx) Now() int64 {
	tx.clockRead = true
	return tx.now
}

// Rand is the next number of the turn's own random sequence (splitmix64 by
// Steele, Lea and Flood), which the turn's seed decides.
func (tx *Tx) Rand() uint64 {
	tx.rng += 0x9e3779b97f4a7c15
	z := tx.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// shardOf is the shard of a key. A key of a shard that isn't held is a
// mistake of the command's description and panics.
func (tx *Tx) shardOf(key []byte) *Shard {
	if tx.only != nil {
		return tx.only
	}
	sh := tx.shards[ShardOf(key, len(tx.shards))]
	if sh == nil {
		panic(undeclaredKey(key))
	}
	return sh
}

// undeclaredKey is the panic of a command that reached for a key which its
// description does not name.
type undeclaredKey string

func (k undeclaredKey) Error() string { return "undeclared key " + strconv.Quote(string(k)) }

// EachShard calls visit for every shard at hand, in rising order. Commands
// with the flag AllShards have all of them.
func (tx *Tx) EachShard(visit func(*Shard)) {
	if tx.only != nil {
		visit(tx.only)
		return
	}
	for _, sh := range tx.shards {
		if sh != nil {
			visit(sh)
		}
	}
}

// Lookup finds a key for a reading command: it counts a hit or a miss and
// marks the key as used. A key past its deadline is missing, and goes now.
func (tx *Tx) Lookup(key []byte) Value {
	v := tx.LookupOutline(key)
	if v.head.cold {
		tx.thaw(&v)
	}
	return v
}

// Glance is Lookup without marking the key as used, for commands that look at
// a key from outside, such as EXISTS and TTL. Its value is an Outline.
func (tx *Tx) Glance(key []byte) Value {
	v := tx.Outline(key)
	if v.slot == nil {
		tx.missed(key)
	} else {
		v.sh.Stats.Hits++
	}
	return v
}

// missed counts a key that is not there.
func (tx *Tx) missed(key []byte) {
	tx.shardOf(key).Stats.Misses++
	if tx.Settings.Misses {
		tx.Also(key, "keymiss")
	}
}

// Find is Lookup without counting, for commands that write.
func (tx *Tx) Find(key []byte) Value {
	v := tx.FindOutline(key)
	if v.head.cold {
		tx.thaw(&v)
	}
	v.disown()
	return v
}

// Peek is Find without marking the key as used, for commands that nobody
// should notice, such as OBJECT.
func (tx *Tx) Peek(key []byte) Value {
	v := tx.Outline(key)
	if v.head.cold {
		tx.thaw(&v)
	}
	return v
}

// Overdue reports whether a key, or a field of its value, is past its deadline
// and not yet gone. It leaves it there.
func (tx *Tx) Overdue(key []byte) bool {
	v := Value{home: tx.homeOf(key)}
	v.slot, v.head = v.find(key, v.sh.hash(key))
	return v.slot != nil && (v.overdue(keyEnds, tx.now) || v.overdue(fieldEnds, tx.now))
}

// Text is the text of a String. That of an Int is written to the turn's
// scratch buffer, which the next call of Text or Scratch uses again.
func (tx *Tx) Text(v Value) []byte {
	if v.head.enc != Int {
		return v.Packed()
	}
	tx.scratch = strconv.AppendInt(tx.scratch[:0], v.Int(), 10)
	return tx.scratch
}

// Int is the number of a String whose encoding is Int.
func (v Value) Int() int64 {
	b := v.Packed()
	return int64(getUint32(b)) | int64(getUint32(b[4:]))<<32
}

// scratchMax bounds, in bytes, the buffer that a shard keeps for its commands.
const scratchMax = 64 << 10

// Scratch is an empty buffer for building a value or a reply in. KeepScratch
// afterwards saves its growth for the next command, unless it grew large.
func (tx *Tx) Scratch() []byte { return tx.scratch[:0] }

// KeepScratch saves the growth of the buffer that Scratch gave.
func (tx *Tx) KeepScratch(used []byte) {
	if cap(used) <= scratchMax {
		tx.scratch = used
	}
}

// itemsMax bounds how many elements of replies a shard keeps room for.
const itemsMax = 4096

// Items is room for n elements of a reply, for a command that makes one array
// of known length. It is used again by the next call. A command asks before it
// changes anything: see itemsLight.
func (tx *Tx) Items(n int) []resp.Reply {
	if n > itemsLight && tx.light && (!tx.dirty || tx.undoes) {
		panic(tooLong{})
	}
	if n > itemsMax {
		return make([]resp.Reply, n)
	}
	tx.dropItems()
	if cap(tx.items) < n {
		tx.items = make([]resp.Reply, n)
	}
	tx.items = tx.items[:n]
	return tx.items
}

// dropItems forgets the elements of the reply before: they point into slabs,
// and what the garbage collector sees must not point to what is unmapped.
func (tx *Tx) dropItems() {
	clear(tx.items)
	tx.items = tx.items[:0]
}

// Deadline is when the value ends, in Unix milliseconds, or NoDeadline.
func (tx *Tx) Deadline(v Value) int64 {
	if !v.head.has(flagDeadline) {
		return NoDeadline
	}
	return v.deadline(keyEnds)
}

// Trace makes every look-up of the command report its key, until it is called
// with nil: a live query watches what its evaluation really read.
func (tx *Tx) Trace(report func(key []byte)) { tx.trace, tx.clockRead = report, false }

// ClockRead reports whether a command has asked for the time since Trace was
// called: its answer may change though no key does.
func (tx *Tx) ClockRead() bool { return tx.clockRead }

// Changed reports whether the present command has changed something, be it
// only that a key which it read was past its deadline.
func (tx *Tx) Changed() bool { return tx.dirty }

// Call runs a command within this one: of a transaction, of a script, of a
// live query. It has its own arguments and the same instant. Its reply must
// be encoded or cloned before the next Call.
func (tx *Tx) Call(spec *command.Spec[*Tx], argv [][]byte) resp.Reply {
	outer, db, edits := tx.args, tx.DB, tx.effects.edits
	tx.args.Reset(&spec.Meta, argv)
	reply := tx.handle(spec, argv)
	tx.args = outer
	tx.recordCommand(&spec.Meta, argv, db, edits)
	if tx.tracks() {
		tx.remember(&spec.Meta, argv)
	}
	return reply
}

// changed is called for each change of a key: the command counts as one that
// changed something, and whoever watches the key is noted. Notifications do
// not speak of a change whose event is "".
func (tx *Tx) changed(at home, key []byte, watched bool, event string) {
	tx.dirty = true
	at.sh.dirty = true
	at.sh.Stats.Changes++
	tx.effects.edits++
	if at.d.saving != nil {
		at.sh.checkKept(at, key)
	}
	if tx.Settings.Events && event != "" {
		tx.events = append(tx.events, Event{tx.DB, event, string(key)})
	}
	if tx.tracking.broadcast || len(at.sh.tracked) > 0 {
		tx.invalidate(at.sh, key, event)
	}
	if !watched {
		return
	}
	tx.touch(at.d.watched[string(key)])
}

// touch notes who is to be told of the present change.
func (tx *Tx) touch(watchers []Watcher) {
	tx.touchedKeys++
	tx.touched = append(tx.touched, touch{watchers, tx.changes})
}

// told is changed for a value that is at hand.
func (tx *Tx) told(v *Value, event string) {
	tx.changed(v.home, v.Key(), v.head.has(flagWatched), event)
}

// Also makes known a second thing that the present change of the key is, in
// the words of keyspace notifications: SET with EX is "set" and "expire".
func (tx *Tx) Also(key []byte, event string) {
	if tx.Settings.Events {
		tx.events = append(tx.events, Event{tx.DB, event, string(key)})
	}
}

// endCommand closes the present command, and serves who has waited for what
// it did.
func (tx *Tx) endCommand() {
	tx.closeChange()
	if len(tx.fed) > 0 {
		tx.serveFed()
	}
}

// closeChange closes a command's change: all that it changed shares one
// version.
func (tx *Tx) closeChange() {
	if tx.dirty {
		if tx.touchedKeys > 0 {
			tx.settleTouches()
		}
		tx.changes++
		tx.closeEffects()
		tx.dirty, tx.touchedKeys = false, 0
	}
}

// settleTouches has those read who follow the keys that the present change has
// touched, until that touches no more.
func (tx *Tx) settleTouches() {
	for touched := 0; touched != tx.touchedKeys; {
		if tx.touchedKeys > 1 {
			tx.touchOnce()
			tx.touchedKeys = 1
		}
		touched = tx.touchedKeys
		for _, w := range tx.touched[len(tx.touched)-1].watchers {
			if f, ok := w.(Follower); ok {
				f.Follow(tx, tx.changes)
			}
		}
	}
}

// touchOnce makes the present change touch each watcher once, though it
// changed several of its keys or one several times.
func (tx *Tx) touchOnce() {
	first := len(tx.touched) - tx.touchedKeys
	seen := map[Watcher]bool{}
	var all []Watcher
	for _, t := range tx.touched[first:] {
		for _, w := range t.watchers {
			if !seen[w] {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	clear(tx.touched[first:])
	tx.touched = append(tx.touched[:first], touch{all, tx.changes})
}
