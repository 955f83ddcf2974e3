package stream

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{Meta: command.Meta{
	Name: "XGROUP", Arity: -2, Complexity: "That of the subcommand",
	Summary: "Makes, changes and removes consumer groups.",
	Group:   "stream", Since: "0.1.0", Flags: command.SubCommands, Categories: []string{"-stream"},
	Examples: "> XGROUP\n-ERR wrong number of arguments for 'xgroup' command\n",
}})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|CREATE", Syntax: "key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read]", Arity: -5, Complexity: "O(1)",
		Summary: "Makes a group that reads on behind an ID, $ being the stream's last one.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Insert}},
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XGROUP CREATE s g 0\n-BUSYGROUP Consumer Group name already exists\n" +
			"> XLEN s\n:0\n" +
			"> XGROUP CREATE s h first\n-ERR Invalid stream ID specified as stream command argument\n",
	},
	Run: xgroupCreate,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|SETID", Syntax: "key group <id | $> [ENTRIESREAD entries-read]", Arity: -5, Complexity: "O(1)",
		Summary: "Makes a group read on behind another ID.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Update}},
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XGROUP SETID s g 5-0\n+OK\n" +
			"> XGROUP SETID s other 0\n-NOGROUP No such consumer group 'other' for key name 's'\n",
	},
	Run: xgroupSetID,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|DESTROY", Syntax: "key group", Arity: 4, Complexity: "O(n) for n entries that are not acknowledged",
		Summary: "Removes a group and reports whether it was there. Who waits for its entries is told.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Delete}},
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XGROUP DESTROY s g\n:1\n" +
			"> XGROUP DESTROY s g\n:0\n" +
			"> XGROUP DESTROY s\n-ERR wrong number of arguments for 'xgroup|destroy' command\n",
	},
	Run: xgroupDestroy,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|CREATECONSUMER", Syntax: "key group consumer", Arity: 5, Complexity: "O(1)",
		Summary: "Makes a consumer and reports whether it is new. Consumers that read are made without it.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Insert}},
		Examples: "> XGROUP CREATE s g $ MKSTREAM\n+OK\n" +
			"> XGROUP CREATECONSUMER s g ada\n:1\n" +
			"> XGROUP CREATECONSUMER s g ada\n:0\n" +
			"> XGROUP CREATECONSUMER s other ada\n-NOGROUP No such consumer group 'other' for key name 's'\n",
	},
	Run: xgroupCreateConsumer,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|DELCONSUMER", Syntax: "key group consumer", Arity: 5, Complexity: "O(n) for n entries that it has not acknowledged",
		Summary: "Removes a consumer and returns how many entries it had not acknowledged, which nobody has now.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Delete}},
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"v\"]]]}\n" +
			"> XGROUP DELCONSUMER s g ada\n:1\n" +
			"> XGROUP DELCONSUMER s other ada\n-NOGROUP No such consumer group 'other' for key name 's'\n",
	},
	Run: xgroupDelConsumer,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XGROUP|HELP", Arity: 2, Complexity: "O(1)",
		Summary: "Lists the subcommands.",
		Group:   "stream", Since: "0.1.0", Flags: command.Loading | command.Stale,
		Examples: "> XGROUP HELP me\n-ERR wrong number of arguments for 'xgroup|help' command\n",
	},
	Run: func(*keyspace.Tx, *command.Args) resp.Reply { return help(xgroupHelp) },
})

var xgroupHelp = []string{
	"XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
	"CREATE <key> <groupname> <id|$> [option]",
	"    Create a new consumer group. Options are:",
	"    * MKSTREAM",
	"      Create the empty stream if it does not exist.",
	"    * ENTRIESREAD entries_read",
	"      Set the group's entries_read counter (internal use).",
	"CREATECONSUMER <key> <groupname> <consumer>",
	"    Create a new consumer in the specified group.",
	"DELCONSUMER <key> <groupname> <consumer>",
	"    Remove the specified consumer.",
	"DESTROY <key> <groupname>",
	"    Remove the specified group.",
	"SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
	"    Set the current group ID and entries_read counter.",
	"HELP",
	"    Prints this help.",
}

// help answers with lines.
func help(lines []string) resp.Reply {
	items := make([]resp.Reply, len(lines))
	for i, line := range lines {
		items[i] = resp.Simple(line)
	}
	return resp.Array(items...)
}

var (
	errGroupExists = resp.Error("BUSYGROUP Consumer Group name already exists")
	errNeedsKey    = resp.Error("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.")
	errEntriesRead = resp.Error("ERR value for ENTRIESREAD must be positive or -1")
)

func errSubcommand(container string, sub []byte) resp.Reply {
	return resp.Error("ERR unknown subcommand or wrong number of arguments for '" + string(untilZero(sub)) + "'. Try " + container + " HELP.")
}

func errNoGroup(group, key []byte) resp.Reply {
	return resp.Error("NOGROUP No such consumer group '" + string(untilZero(group)) + "' for key name '" + string(untilZero(key)) + "'")
}

// groupArgs are the words of an XGROUP.
type groupArgs struct {
	key, group []byte
	last       []byte
	read       int64
	make       bool
}

// readOptions reads what follows the ID of a group.
func (g *groupArgs) readOptions(a *command.Args, create bool) {
	for a.More() {
		switch {
		case create && a.Option("MKSTREAM"):
			g.make = true
		case a.OptionWith("ENTRIESREAD", 1):
			if g.read = a.Int(); !a.Bad() && g.read < unknown {
				a.Fail(errEntriesRead)
			}
		default:
			a.Fail(errSubcommand("XGROUP", a.Argv()[1]))
		}
	}
}

// id is the ID that the group is to have, of a stream or of none yet. Where
// Redis overlooks it, - and + are IDs too.
func (g *groupArgs) id(s *stream, lax bool) (id ID, mistake resp.Reply) {
	switch {
	case lax && isWord(g.last, '-'):
		return ID{}, resp.Nothing
	case lax && isWord(g.last, '+'):
		return maxID, resp.Nothing
	case isWord(g.last, '$') && s == nil:
		return id, resp.Nothing
	case isWord(g.last, '$'):
		return s.last, resp.Nothing
	}
	id, ok := parseID(g.last, 0)
	if !ok {
		return id, errID
	}
	return id, resp.Nothing
}

// open finds the stream that an XGROUP is about, and but for CREATE its group.
func (g *groupArgs) open(tx *keyspace.Tx, e *edit) (mistake resp.Reply) {
	switch ok := e.open(tx, g.key); {
	case !ok:
		return resp.ErrWrongType
	case e.stream == nil && !g.make:
		return errNeedsKey
	}
	return resp.Nothing
}

// openGroup is open for a group that must exist.
func (g *groupArgs) openGroup(tx *keyspace.Tx, e *edit) (found *group, mistake resp.Reply) {
	if mistake = g.open(tx, e); mistake.IsError() {
		return nil, mistake
	}
	if found = e.group(g.group); found == nil {
		return nil, errNoGroup(g.group, g.key)
	}
	return found, resp.Nothing
}

func xgroupCreate(tx *keyspace.Tx, a *command.Args) resp.Reply {
	args := groupArgs{key: a.Key(), group: a.Bytes(), last: a.Bytes(), read: unknown}
	args.readOptions(a, true)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	if mistake := args.open(tx, &e); mistake.IsError() {
		return mistake
	}
	id, mistake := args.id(e.stream, false)
	switch {
	case mistake.IsError():
		return mistake
	case e.stream != nil && e.group(args.group) != nil:
		return errGroupExists
	case e.stream == nil:
		e.create("xgroup-create")
	default:
		e.changed("xgroup-create")
	}
	e.addGroup(args.group, id, args.read)
	args.effect(tx, id, "CREATE")
	return resp.OK
}

// effect records what a group was made, or set to.
func (g *groupArgs) effect(tx *keyspace.Tx, id ID, sub string) {
	words := [][]byte{[]byte("XGROUP"), []byte(sub), g.key, g.group, []byte(id.String())}
	if g.make {
		words = append(words, []byte("MKSTREAM"))
	}
	if g.read != unknown {
		words = append(words, []byte("ENTRIESREAD"), strconv.AppendInt(nil, g.read, 10))
	}
	tx.Effect(words...)
}

func xgroupSetID(tx *keyspace.Tx, a *command.Args) resp.Reply {
	args := groupArgs{key: a.Key(), group: a.Bytes(), last: a.Bytes(), read: unknown}
	args.readOptions(a, false)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	g, mistake := args.openGroup(tx, &e)
	if mistake.IsError() {
		return mistake
	}
	id, mistake := args.id(e.stream, true)
	if mistake.IsError() {
		return mistake
	}
	g.last, g.read = id, args.read
	e.changed("xgroup-setid")
	args.effect(tx, id, "SETID")
	return resp.OK
}

func xgroupDestroy(tx *keyspace.Tx, a *command.Args) resp.Reply {
	args := groupArgs{key: a.Key(), group: a.Bytes()}
	var e edit
	if mistake := args.open(tx, &e); mistake.IsError() {
		return mistake
	}
	if !e.removeGroup(args.group) {
		return resp.Zero
	}
	e.changed("xgroup-destroy")
	e.tx.Feed(e.key)
	return resp.One
}

func xgroupCreateConsumer(tx *keyspace.Tx, a *command.Args) resp.Reply {
	args := groupArgs{key: a.Key(), group: a.Bytes()}
	var e edit
	g, mistake := args.openGroup(tx, &e)
	if mistake.IsError() {
		return mistake
	}
	_, added := g.addConsumer(a.Bytes(), tx.Now())
	if added {
		e.changed("xgroup-createconsumer")
	}
	return resp.Flag(added)
}

func xgroupDelConsumer(tx *keyspace.Tx, a *command.Args) resp.Reply {
	args := groupArgs{key: a.Key(), group: a.Bytes()}
	var e edit
	g, mistake := args.openGroup(tx, &e)
	if mistake.IsError() {
		return mistake
	}
	name := a.Bytes()
	if g.consumer(name) == nil {
		return resp.Zero
	}
	pending := g.removeConsumer(name)
	e.changed("xgroup-delconsumer")
	return resp.Int(int64(pending))
}
