package conn

import (
	"bytes"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|INFO", Syntax: "[command-name [command-name ...]]", Arity: -2,
		Complexity: "O(N), where N is the number of commands described",
		Summary:    "Describes commands for programs: arity, flags, keys, categories, subcommands.",
		Group:      "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"},
		Examples: "> COMMAND INFO echo nonsense\n" +
			`[["echo", :2, ~[+loading, +stale, +fast], :0, :0, :0, ~[+@fast, +@connection], ~[], ~[], ~[]], _]` + "\n",
	},
	Run: commandInfo,
})

func commandInfo(s *session.Session, a *command.Args) resp.Reply {
	rows := namedOrAll(s.Server().Catalogue, a)
	return s.Elsewhere(func() resp.Reply { return describe(rows) })
}

// namedOrAll are the commands that the words name, nil for a name that is
// none; without words all commands.
func namedOrAll(c *session.Catalogue, a *command.Args) []*session.Command {
	if a.Len() == 0 {
		return c.Commands()
	}
	var rows []*session.Command
	for _, name := range a.Rest() {
		rows = append(rows, find(c, name))
	}
	return rows
}

// find is the command with the name, "object|encoding" for a subcommand.
func find(c *session.Catalogue, name []byte) *session.Command {
	row := c.Lookup(bytes.SplitN(name, []byte("|"), 2))
	if row == nil || row.Words() == 1 && bytes.IndexByte(name, '|') >= 0 {
		return nil
	}
	return row
}

// describe describes commands as COMMAND INFO does.
func describe(rows []*session.Command) resp.Reply {
	items := make([]resp.Reply, len(rows))
	for i, row := range rows {
		items[i] = resp.Nil
		if row != nil {
			items[i] = describeOne(row)
		}
	}
	return resp.Array(items...)
}

func describeOne(row *session.Command) resp.Reply {
	span, whole := spanOf(row.Keys)
	flags := row.Flags.Names()
	if !whole {
		flags = append(flags, "movablekeys")
	}
	var categories []string
	for _, c := range row.ACL() {
		categories = append(categories, "@"+c)
	}
	keys := make([]resp.Reply, len(row.Keys))
	for i := range row.Keys {
		keys[i] = describeKeys(&row.Keys[i])
	}
	subs := describe(row.Subcommands())
	return resp.Array(
		resp.BulkString(row.Lower()), resp.Int(int64(row.Arity)), statusSet(flags),
		resp.Int(int64(span.First)), resp.Int(int64(span.Last)), resp.Int(int64(span.Step)),
		statusSet(categories), bulkSet(tips(row)), resp.Set(keys...), resp.Set(subs.Items()...),
	)
}

func statusSet(words []string) resp.Reply {
	items := make([]resp.Reply, len(words))
	for i, word := range words {
		items[i] = resp.Simple(word)
	}
	return resp.Set(items...)
}

func bulkSet(words []string) resp.Reply { return resp.Set(resp.Strings(words...).Items()...) }

// tips are hints for clients and proxies, as far as the declaration tells.
func tips(row *session.Command) (tips []string) {
	if row.Flags.Has(command.Random) {
		tips = append(tips, "nondeterministic_output")
	}
	if row.Flags.Has(command.AllShards) || row.Flags.Has(command.ByCursor) {
		tips = append(tips, "request_policy:all_shards")
	}
	return tips
}

// spanOf is the old way to tell a command's keys: first, last and step, all 0
// if they don't follow from their places. whole is false if there are keys
// outside of the span. Here Last is a place, not relative to First.
func spanOf(keys []command.Keys) (span command.Keys, whole bool) {
	whole = true
	for i := range keys {
		k := &keys[i]
		if k.Keyword != "" || k.Counted || k.Limit > 1 || k.Search != nil {
			whole = false
			continue
		}
		last := k.Last
		if last >= 0 {
			last += k.First
		}
		switch step := max(k.Step, 1); {
		case span.Step == 0:
			span = command.Keys{First: k.First, Last: last, Step: step}
		case step == 1 && span.Step == 1 && k.First == span.Last+1:
			span.Last = last
		default:
			whole = false
		}
	}
	return span, whole
}

// describeKeys describes one key specification.
func describeKeys(k *command.Keys) resp.Reply {
	search := []resp.Reply{resp.BulkString("index"), resp.Int(int64(k.First))}
	searchType := "index"
	if k.Keyword != "" {
		searchType = "keyword"
		search = []resp.Reply{resp.BulkString("keyword"), resp.BulkString(k.Keyword), resp.BulkString("startfrom"), resp.Int(int64(k.First))}
	}
	found := []resp.Reply{
		resp.BulkString("lastkey"), resp.Int(int64(k.Last)), resp.BulkString("keystep"), resp.Int(int64(max(k.Step, 1))),
		resp.BulkString("limit"), resp.Int(int64(k.Limit)),
	}
	findType := "range"
	if k.Counted {
		findType = "keynum"
		found = []resp.Reply{
			resp.BulkString("keynumidx"), resp.Zero, resp.BulkString("firstkey"), resp.One,
			resp.BulkString("keystep"), resp.Int(int64(max(k.Step, 1))),
		}
	}
	if k.Search != nil {
		searchType, findType = "unknown", "unknown"
		search, found = nil, nil
	}
	part := func(kind string, spec []resp.Reply) resp.Reply {
		return resp.Map(resp.BulkString("type"), resp.BulkString(kind), resp.BulkString("spec"), resp.Map(spec...))
	}
	return resp.Map(
		resp.BulkString("flags"), statusSet(k.Flags.Names()),
		resp.BulkString("begin_search"), part(searchType, search),
		resp.BulkString("find_keys"), part(findType, found),
	)
}
