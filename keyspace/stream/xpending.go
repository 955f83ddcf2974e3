package stream

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XPENDING", Syntax: "key group [[IDLE min-idle-time] start end count [consumer]]", Arity: -3,
		Complexity: "O(n) for n consumers, or for n entries that are looked at",
		Summary:    "Tells what a group has delivered and what is not acknowledged: in sum, or entry by entry.",
		Group:      "stream", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"v\"]]]}\n" +
			"> XPENDING s g\n[:1, \"1-1\", \"1-1\", [[\"ada\", \"1\"]]]\n" +
			"> XPENDING s g IDLE 60000 - + 10\n[]\n" +
			"> XPENDING s other\n-NOGROUP No such key 's' or consumer group 'other'\n",
	},
	Run: xpending,
})

func errNoKeyOrGroup(key, group []byte) resp.Reply {
	return resp.Error("NOGROUP No such key '" + string(untilZero(key)) + "' or consumer group '" + string(untilZero(group)) + "'")
}

// pendingArgs are the words of XPENDING beside the key and the group.
type pendingArgs struct {
	listed   bool
	idle     int64
	span     interval
	count    int64
	consumer []byte // nil for all
}

func (p *pendingArgs) read(a *command.Args) {
	if p.listed = a.Len() > 0; !p.listed {
		return
	}
	if a.Len() < 3 || a.Len() > 6 {
		a.Syntax()
		return
	}
	if a.Option("IDLE") {
		p.idle = a.Int()
		if a.Len() < 3 {
			a.Syntax()
		}
	}
	count := *a // it is checked before the interval
	count.Bytes()
	count.Bytes()
	if p.count = max(count.Int(), 0); count.Bad() {
		a.Fail(count.Err())
	}
	p.span.readFirst(a)
	p.span.readLast(a)
	a.Bytes()
	if a.Len() > 0 {
		p.consumer = a.Bytes()
	}
}

func xpending(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, name := a.Key(), a.Bytes()
	var args pendingArgs
	args.read(a)
	if a.Bad() {
		return a.Err()
	}
	s, ok := lookup(tx, key)
	var g *group
	switch {
	case !ok:
		return resp.ErrWrongType
	case s != nil:
		g = s.group(name)
	}
	switch {
	case g == nil:
		return errNoKeyOrGroup(key, name)
	case args.listed:
		return args.list(g, tx.Now())
	}
	return g.summary()
}

// summary is how many entries are not acknowledged, the first and the last of
// them, and how many each consumer has.
func (g *group) summary() resp.Reply {
	if g.pending.length == 0 {
		return resp.Array(resp.Zero, resp.Nil, resp.Nil, resp.NilArray)
	}
	var consumers []resp.Reply
	for _, c := range g.consumers {
		if n := c.pending.length; n > 0 {
			consumers = append(consumers, resp.Array(resp.BulkString(c.name), resp.BulkString(strconv.Itoa(n))))
		}
	}
	return resp.Array(resp.Int(int64(g.pending.length)), g.pending.first().id.reply(), g.pending.last().id.reply(), resp.Array(consumers...))
}

// list lists deliveries.
func (p *pendingArgs) list(g *group, now int64) resp.Reply {
	items := []resp.Reply{}
	visit := func(d *delivery) bool {
		if p.span.last.less(d.id) || int64(len(items)) >= p.count {
			return false
		}
		if idle := max(now-d.when, 0); idle >= p.idle {
			items = append(items, resp.Array(d.id.reply(), resp.BulkString(g.owner(d).name), resp.Int(idle), resp.Int(int64(d.count))))
		}
		return true
	}
	if p.consumer == nil {
		g.pending.from(p.span.first, visit)
		return resp.Array(items...)
	}
	if c := g.consumer(p.consumer); c != nil {
		c.pending.from(p.span.first, func(id *ID) bool { return visit(g.pending.get(*id)) })
	}
	return resp.Array(items...)
}
