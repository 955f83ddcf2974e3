package stream

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{Meta: command.Meta{
	Name: "XINFO", Arity: -2, Complexity: "That of the subcommand",
	Summary: "Tells about streams, their groups and consumers.",
	Group:   "stream", Since: "0.1.0", Flags: command.SubCommands, Categories: []string{"-stream"},
	Examples: "> XINFO\n-ERR wrong number of arguments for 'xinfo' command\n",
}})

var infoKeys = []command.Keys{{First: 2, Flags: command.RO | command.Access}}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XINFO|STREAM", Syntax: "key [FULL [COUNT count]]", Arity: -3, Complexity: "O(n) for n blocks; FULL: for n entries that are shown",
		Summary: "Tells about a stream, and with FULL of its entries, groups and consumers.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly, Keys: infoKeys,
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XINFO STREAM s\n%{\"length\": :1, \"radix-tree-keys\": :1, \"radix-tree-nodes\": :2, \"last-generated-id\": \"1-1\", " +
			"\"max-deleted-entry-id\": \"0-0\", \"entries-added\": :1, \"recorded-first-entry-id\": \"1-1\", \"groups\": :0, " +
			"\"first-entry\": [\"1-1\", [\"f\", \"v\"]], \"last-entry\": [\"1-1\", [\"f\", \"v\"]]}\n" +
			"> XINFO STREAM nokey\n-ERR no such key\n" +
			"> XINFO STREAM s HALF\n-ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.\n",
	},
	Run: xinfoStream,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XINFO|GROUPS", Syntax: "key", Arity: 3, Complexity: "O(n) for n groups",
		Summary: "Lists the groups of a stream.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly, Keys: infoKeys,
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XINFO GROUPS s\n[%{\"name\": \"g\", \"consumers\": :0, \"pending\": :0, \"last-delivered-id\": \"0-0\", \"entries-read\": _, \"lag\": :0}]\n" +
			"> XINFO GROUPS nokey\n-ERR no such key\n",
	},
	Run: xinfoGroups,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XINFO|CONSUMERS", Syntax: "key group", Arity: 4, Complexity: "O(n) for n consumers",
		Summary: "Lists the consumers of a group.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly | command.Random, Keys: infoKeys,
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XINFO CONSUMERS s g\n[]\n" +
			"> XGROUP CREATECONSUMER s g ada\n:1\n" +
			"> XINFO CONSUMERS s other\n-NOGROUP No such consumer group 'other' for key name 's'\n",
	},
	Run: xinfoConsumers,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XINFO|HELP", Arity: 2, Complexity: "O(1)",
		Summary: "Lists the subcommands.",
		Group:   "stream", Since: "0.1.0", Flags: command.Loading | command.Stale,
		Examples: "> XINFO HELP me\n-ERR wrong number of arguments for 'xinfo|help' command\n",
	},
	Run: func(*keyspace.Tx, *command.Args) resp.Reply { return help(xinfoHelp) },
})

var xinfoHelp = []string{
	"XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
	"CONSUMERS <key> <groupname>",
	"    Show consumers of <groupname>.",
	"GROUPS <key>",
	"    Show the stream consumer groups.",
	"STREAM <key> [FULL [COUNT <count>]",
	"    Show information about the stream.",
	"HELP",
	"    Prints this help.",
}

// shownEntries is how many entries FULL shows, unless asked for more.
const shownEntries = 10

// lookupInfo finds the stream that an XINFO is about.
func lookupInfo(tx *keyspace.Tx, key []byte) (s *stream, mistake resp.Reply) {
	s, ok := lookup(tx, key)
	switch {
	case !ok:
		return nil, resp.ErrWrongType
	case s == nil:
		return nil, resp.ErrNoSuchKey
	}
	return s, resp.Nothing
}

// readFull reads the options of XINFO STREAM: how many entries are shown, 0 for
// all.
func readFull(a *command.Args) (full bool, count int64) {
	n := a.Len()
	if n == 0 {
		return false, 0
	}
	if n != 1 && n != 3 || !a.Option("FULL") || n == 3 && !a.OptionWith("COUNT", 1) {
		a.Fail(errSubcommand("XINFO", a.Argv()[1]))
		return false, 0
	}
	if n == 1 {
		return true, shownEntries
	}
	if count = a.Int(); count < 0 {
		count = shownEntries
	}
	return true, count
}

func xinfoStream(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, mistake := lookupInfo(tx, a.Key())
	if mistake.IsError() {
		return mistake
	}
	full, count := readFull(a)
	if a.Bad() {
		return a.Err()
	}
	items := []resp.Reply{
		resp.BulkString("length"), resp.Int(int64(s.length)),
		resp.BulkString("radix-tree-keys"), resp.Int(int64(s.blocks())),
		resp.BulkString("radix-tree-nodes"), resp.Int(s.treeNodes()),
		resp.BulkString("last-generated-id"), s.last.reply(),
		resp.BulkString("max-deleted-entry-id"), s.tomb.reply(),
		resp.BulkString("entries-added"), resp.Int(int64(s.added)),
		resp.BulkString("recorded-first-entry-id"), s.first.reply(),
	}
	if !full {
		return resp.Map(append(items,
			resp.BulkString("groups"), resp.Int(int64(len(s.groups))),
			resp.BulkString("first-entry"), s.edgeEntry(false),
			resp.BulkString("last-entry"), s.edgeEntry(true))...)
	}
	w := s.walk(interval{ID{}, maxID})
	entries, _ := w.entries(nil, count, nil)
	groups := make([]resp.Reply, len(s.groups))
	for i, g := range s.groups {
		groups[i] = s.fullGroup(g, count)
	}
	return resp.Map(append(items, resp.BulkString("entries"), entries, resp.BulkString("groups"), resp.Array(groups...))...)
}

// edgeEntry is the first entry, or the last one; null if there is none.
func (s *stream) edgeEntry(reverse bool) resp.Reply {
	w := walk{reverse: reverse}
	w.begin(s, interval{ID{}, maxID})
	e, ok := w.next()
	if !ok {
		return resp.Nil
	}
	return e.reply()
}

// treeNodes is how many nodes Redis's radix tree of the blocks' first IDs has:
// one for each that the tree ends or branches at, and one for each path of more
// than a byte between two of these.
func (s *stream) treeNodes() (nodes int64) {
	const leaf = 16 // bytes of an ID
	var open []int  // the depths of the branches that lead to the present ID
	var before ID
	path := func(from, to int) int64 {
		if to-from > 1 {
			return 2
		}
		return 1
	}
	closeTo := func(depth int) {
		below := leaf
		for len(open) > 0 && open[len(open)-1] > depth {
			nodes += path(open[len(open)-1], below)
			below = open[len(open)-1]
			open = open[:len(open)-1]
		}
		if depth < 0 || len(open) > 0 && open[len(open)-1] == depth {
			nodes += path(depth, below)
			return
		}
		nodes += path(depth, below)
		open = append(open, depth)
	}
	first := true
	for _, c := range s.chunks {
		for i := range c {
			if id := c[i].first; !first {
				closeTo(sameBytes(before, id))
			}
			before, first = c[i].first, false
		}
	}
	if first {
		return 1
	}
	closeTo(-1)
	return nodes
}

// sameBytes is with how many equal bytes two IDs begin.
func sameBytes(a, b ID) int {
	if x := a.Time ^ b.Time; x != 0 {
		return bits.LeadingZeros64(x) / 8
	}
	return 8 + bits.LeadingZeros64(a.Seq^b.Seq)/8
}

// counted is a count that may be unknown.
func counted(n int64, known bool) resp.Reply {
	if !known {
		return resp.Nil
	}
	return resp.Int(n)
}

// fullGroup is a group as FULL shows it.
func (s *stream) fullGroup(g *group, count int64) resp.Reply {
	pending := []resp.Reply{}
	g.pending.from(ID{}, func(d *delivery) bool {
		pending = append(pending, resp.Array(d.id.reply(), resp.BulkString(g.owner(d).name), resp.Int(d.when), resp.Int(int64(d.count))))
		return count == 0 || int64(len(pending)) < count
	})
	consumers := make([]resp.Reply, len(g.consumers))
	for i, c := range g.consumers {
		consumers[i] = g.fullConsumer(c, count)
	}
	return resp.Map(
		resp.BulkString("name"), resp.BulkString(g.name),
		resp.BulkString("last-delivered-id"), g.last.reply(),
		resp.BulkString("entries-read"), counted(g.read, g.read != unknown),
		resp.BulkString("lag"), counted(s.lag(g)),
		resp.BulkString("pel-count"), resp.Int(int64(g.pending.length)),
		resp.BulkString("pending"), resp.Array(pending...),
		resp.BulkString("consumers"), resp.Array(consumers...))
}

// fullConsumer is a consumer as FULL shows it.
func (g *group) fullConsumer(c *consumer, count int64) resp.Reply {
	pending := []resp.Reply{}
	c.pending.from(ID{}, func(id *ID) bool {
		d := g.pending.get(*id)
		pending = append(pending, resp.Array(d.id.reply(), resp.Int(d.when), resp.Int(int64(d.count))))
		return count == 0 || int64(len(pending)) < count
	})
	return resp.Map(
		resp.BulkString("name"), resp.BulkString(c.name),
		resp.BulkString("seen-time"), resp.Int(c.seen),
		resp.BulkString("pel-count"), resp.Int(int64(c.pending.length)),
		resp.BulkString("pending"), resp.Array(pending...))
}

func xinfoGroups(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, mistake := lookupInfo(tx, a.Key())
	if mistake.IsError() {
		return mistake
	}
	groups := make([]resp.Reply, len(s.groups))
	for i, g := range s.groups {
		groups[i] = resp.Map(
			resp.BulkString("name"), resp.BulkString(g.name),
			resp.BulkString("consumers"), resp.Int(int64(len(g.consumers))),
			resp.BulkString("pending"), resp.Int(int64(g.pending.length)),
			resp.BulkString("last-delivered-id"), g.last.reply(),
			resp.BulkString("entries-read"), counted(g.read, g.read != unknown),
			resp.BulkString("lag"), counted(s.lag(g)))
	}
	return resp.Array(groups...)
}

func xinfoConsumers(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, name := a.Key(), a.Bytes()
	s, mistake := lookupInfo(tx, key)
	if mistake.IsError() {
		return mistake
	}
	g := s.group(name)
	if g == nil {
		return errNoGroup(name, key)
	}
	consumers := make([]resp.Reply, len(g.consumers))
	for i, c := range g.consumers {
		consumers[i] = resp.Map(
			resp.BulkString("name"), resp.BulkString(c.name),
			resp.BulkString("pending"), resp.Int(int64(c.pending.length)),
			resp.BulkString("idle"), resp.Int(max(tx.Now()-c.seen, 0)))
	}
	return resp.Array(consumers...)
}
