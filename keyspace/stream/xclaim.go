package stream

import (
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XCLAIM", Arity: -6, Complexity: "O(log n) for each ID and n entries that are not acknowledged",
		Syntax:  "key group consumer min-idle-time id [id ...] [IDLE ms] [TIME unix-time-milliseconds] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID id]",
		Summary: "Makes entries that were delivered so long ago, and not acknowledged, another consumer's, and returns them.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"v\"]]]}\n" +
			"> XCLAIM s g grace 60000 1-1\n[]\n" +
			"> XCLAIM s g grace 0 1-1\n[[\"1-1\", [\"f\", \"v\"]]]\n" +
			"> XCLAIM s g grace 0 1-1 JUSTID\n[\"1-1\"]\n" +
			"> XCLAIM s g grace 0 1-1 NOW\n-ERR Unrecognized XCLAIM option 'NOW'\n",
	},
	Run: xclaim,
})

// The mistakes of XCLAIM.
var (
	errClaimIdle  = resp.Error("ERR Invalid min-idle-time argument for XCLAIM")
	errIdleOption = resp.Error("ERR Invalid IDLE option argument for XCLAIM")
	errTimeOption = resp.Error("ERR Invalid TIME option argument for XCLAIM")
	errRetryCount = resp.Error("ERR Invalid RETRYCOUNT option argument for XCLAIM")
)

// claim is what a consumer claims, and how.
type claim struct {
	*edit
	g        *group
	name     []byte
	consumer *consumer // nil until something is claimed
	idle     int64     // the least that a delivery was made ago, milliseconds
	now      int64
	when     int64 // what is noted as the time of delivery
	count    int64 // and as the number of deliveries; negative if not given
	force    bool
	justID   bool
	lastID   ID
	ids      []ID
	items    []resp.Reply
	claimed  [][]byte // IDs
	gone     [][]byte // likewise, of those that are deleted
}

// openGroup finds the stream and group of a command.
func (e *edit) openGroup(tx *keyspace.Tx, key, name []byte) (g *group, mistake resp.Reply) {
	if !e.open(tx, key) {
		return nil, resp.ErrWrongType
	}
	if e.stream != nil {
		g = e.group(name)
	}
	if g == nil {
		return nil, errNoKeyOrGroup(key, name)
	}
	return g, resp.Nothing
}

// readOptions reads the IDs and what follows them.
func (c *claim) readOptions(a *command.Args) {
	for a.More() {
		id, ok := parseID(a.Peek(), 0)
		if !ok {
			break
		}
		a.Bytes()
		c.ids = append(c.ids, id)
	}
	given := false
	for a.More() {
		switch {
		case a.Option("FORCE"):
			c.force = true
		case a.Option("JUSTID"):
			c.justID = true
		case a.OptionWith("IDLE", 1):
			c.when, given = c.now-a.IntOr(errIdleOption), true
		case a.OptionWith("TIME", 1):
			c.when, given = a.IntOr(errTimeOption), true
		case a.OptionWith("RETRYCOUNT", 1):
			c.count = a.IntOr(errRetryCount)
		case a.OptionWith("LASTID", 1):
			c.lastID = readID(a)
		default:
			a.Fail(resp.Error("ERR Unrecognized XCLAIM option '" + string(untilZero(a.Peek())) + "'"))
		}
	}
	if !given || c.when < 0 || c.when > c.now {
		c.when = c.now
	}
}

func xclaim(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, name := a.Key(), a.Bytes()
	var e edit
	g, mistake := e.openGroup(tx, key, name)
	if mistake.IsError() {
		return mistake
	}
	c := claim{edit: &e, g: g, now: tx.Now(), count: -1, name: a.Bytes()}
	c.idle = max(a.IntOr(errClaimIdle), 0)
	c.readOptions(a)
	if a.Bad() {
		return a.Err()
	}
	if g.last.less(c.lastID) {
		g.last = c.lastID
		e.changed("")
		set := groupArgs{key: key, group: name, read: g.read}
		set.effect(tx, g.last, "SETID")
	}
	for _, id := range c.ids {
		c.claim(id)
	}
	c.effect(name)
	return resp.Array(c.items...)
}

// effect records what was claimed, with the time of delivery, and what no longer
// waits to be acknowledged.
func (c *claim) effect(group []byte) {
	if c.gone != nil {
		c.tx.EffectWith(c.gone, []byte("XACK"), c.key, group)
	}
	if c.claimed == nil {
		return
	}
	options := [][]byte{[]byte("TIME"), strconv.AppendInt(nil, c.when, 10)}
	if c.count >= 0 {
		options = append(options, []byte("RETRYCOUNT"), strconv.AppendInt(nil, c.count, 10))
	}
	if c.force {
		options = append(options, []byte("FORCE"))
	}
	if c.justID {
		options = append(options, []byte("JUSTID"))
	}
	c.tx.EffectWith(append(c.claimed, options...), []byte("XCLAIM"), c.key, group, c.name, []byte("0"))
}

// claim claims an entry. One that is deleted is no longer waited for.
func (c *claim) claim(id ID) {
	entry, _, found := c.lookup(id)
	d := c.g.pending.get(id)
	switch {
	case !found:
		if c.g.acknowledge(id) {
			c.changed("")
			c.gone = append(c.gone, []byte(id.String()))
		}
	case d != nil && c.fresh(d):
	case d == nil && !c.force:
	case d == nil:
		c.begin()
		c.g.deliver(id, c.consumer, c.now)
		c.take(id, &entry)
	default:
		c.begin()
		c.take(id, &entry)
	}
}

// fresh reports whether a delivery was made too short a time ago to be claimed.
func (c *claim) fresh(d *delivery) bool { return c.idle > 0 && c.now-d.when < c.idle }

// begin finds the consumer when the first entry is claimed.
func (c *claim) begin() {
	if c.consumer == nil {
		c.consumer = c.edit.consumer(c.g, c.name, c.now)
		c.consumer.seen = c.now
		c.changed("")
	}
}

// take makes a delivery the consumer's.
func (c *claim) take(id ID, entry *entry) {
	d := c.g.pending.edit(id)
	c.g.give(d, c.consumer)
	c.claimed = append(c.claimed, []byte(d.id.String()))
	d.when = c.when
	switch {
	case c.count >= 0:
		d.count = uint64(c.count)
	case !c.justID:
		d.count++
	}
	if c.justID {
		c.items = append(c.items, d.id.reply())
	} else {
		c.items = append(c.items, entry.reply())
	}
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XAUTOCLAIM", Syntax: "key group consumer min-idle-time start [COUNT count] [JUSTID]", Arity: -6,
		Complexity: "O(n) for a count of n",
		Summary:    "Claims the entries behind an ID that were delivered so long ago, and tells where to go on and which ones are deleted.",
		Group:      "stream", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"v\"]]]}\n" +
			"> XAUTOCLAIM s g grace 0 0\n[\"0-0\", [[\"1-1\", [\"f\", \"v\"]]], []]\n" +
			"> XDEL s 1-1\n:1\n" +
			"> XAUTOCLAIM s g grace 0 0\n[\"0-0\", [], [\"1-1\"]]\n" +
			"> XAUTOCLAIM s g grace 0 0 COUNT 0\n-ERR COUNT must be > 0\n",
	},
	Run: xautoclaim,
})

var (
	errAutoClaimIdle  = resp.Error("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	errAutoClaimCount = resp.Error("ERR COUNT must be > 0")
	errAutoClaimHuge  = resp.Error("ERR Insufficient memory, failed allocating transient memory, COUNT too high.")
)

const (
	autoClaimCount = 100     // unless another one is asked for
	autoClaimTries = 10      // entries that are looked at for each that is asked for
	autoClaimHuge  = 1 << 43 // Redis has no memory for the list of so many
)

func xautoclaim(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, name := a.Key(), a.Bytes()
	c := claim{edit: &edit{}, now: tx.Now(), count: -1, name: a.Bytes()}
	c.when = c.now
	c.idle = max(a.IntOr(errAutoClaimIdle), 0)
	var span interval
	span.readFirst(a)
	count := int64(autoClaimCount)
	for a.More() {
		switch {
		case a.OptionWith("COUNT", 1):
			count = a.IntIn(1, math.MaxInt64/16, errAutoClaimCount)
		case a.Option("JUSTID"):
			c.justID = true
		default:
			a.Syntax()
		}
	}
	if a.Bad() {
		return a.Err()
	}
	var mistake resp.Reply
	if c.g, mistake = c.openGroup(tx, key, name); mistake.IsError() {
		return mistake
	}
	if count >= autoClaimHuge {
		return errAutoClaimHuge
	}
	next, deleted := c.sweep(span.first, count)
	c.effect(name)
	return resp.Array(next.reply(), resp.Array(c.items...), resp.Array(deleted...))
}

// sweep claims up to count entries from an ID on, and returns where to go on
// and what is deleted.
func (c *claim) sweep(from ID, count int64) (next ID, deleted []resp.Reply) {
	left, tries := count, count*autoClaimTries
	var gone []ID
	c.g.pending.from(from, func(d *delivery) bool {
		if left == 0 || tries == 0 {
			next = d.id
			return false
		}
		tries--
		entry, _, found := c.lookup(d.id)
		switch {
		case !found:
			gone = append(gone, d.id)
			left--
		case !c.fresh(d):
			c.begin()
			c.take(d.id, &entry)
			left--
		}
		return true
	})
	for _, id := range gone {
		c.g.acknowledge(id)
		deleted = append(deleted, id.reply())
		c.gone = append(c.gone, []byte(id.String()))
	}
	if len(gone) > 0 {
		c.changed("")
	}
	return next, deleted
}
