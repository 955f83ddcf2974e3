package conn

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|DOCS", Syntax: "[command-name [command-name ...]]", Arity: -2,
		Complexity: "O(N), where N is the number of commands described",
		Summary:    "Describes commands for people and their tools: what each does, since when, with which arguments.",
		Group:      "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"},
		Examples: "> COMMAND DOCS nonsense\n%{}\n",
	},
	Run: commandDocs,
})

// commandDocs reads the syntaxes anew each time, which nobody waits for but the
// client that asks: to keep what it makes of them would cost more memory than
// all the commands do.
func commandDocs(s *session.Session, a *command.Args) resp.Reply {
	rows := namedOrAll(s.Server().Catalogue, a)
	return s.Elsewhere(func() resp.Reply {
		var pairs []resp.Reply
		for _, row := range rows {
			if row != nil {
				pairs = append(pairs, resp.BulkString(row.Lower()), docsOf(row))
			}
		}
		return resp.Map(pairs...)
	})
}

// docsOf describes a command. A Syntax that can't be read is a mistake of the
// command's declaration, which a test finds; it is then shown without
// arguments.
func docsOf(row *session.Command) resp.Reply {
	pairs := []resp.Reply{
		resp.BulkString("summary"), resp.BulkString(strings.TrimSuffix(row.Summary, ".")),
		resp.BulkString("since"), resp.BulkString(row.Since),
		resp.BulkString("group"), resp.BulkString(row.Group),
		resp.BulkString("complexity"), resp.BulkString(row.Complexity),
	}
	if args, err := argumentsOf(row.Meta); err == nil && len(args) > 0 {
		pairs = append(pairs, resp.BulkString("arguments"), describeArguments(args))
	}
	if row.Subs != nil {
		var subs []resp.Reply
		for _, sub := range row.Subcommands() {
			subs = append(subs, resp.BulkString(sub.Lower()), docsOf(sub))
		}
		pairs = append(pairs, resp.BulkString("subcommands"), resp.Map(subs...))
	}
	return resp.Map(pairs...)
}

func describeArguments(args []*argument) resp.Reply {
	items := make([]resp.Reply, len(args))
	for i, arg := range args {
		items[i] = arg.describe()
	}
	return resp.Array(items...)
}

func (arg *argument) describe() resp.Reply {
	pairs := []resp.Reply{resp.BulkString("name"), resp.BulkString(arg.name), resp.BulkString("type"), resp.BulkString(arg.kind)}
	add := func(field string, value resp.Reply) { pairs = append(pairs, resp.BulkString(field), value) }
	if arg.text != "" {
		add("display_text", resp.BulkString(arg.text))
	}
	if arg.kind == kindKey {
		add("key_spec_index", resp.Int(int64(arg.keySpec)))
	}
	if arg.token != "" {
		add("token", resp.BulkString(strings.Trim(arg.token, `"`)))
	}
	if flags := arg.flags(); len(flags) > 0 {
		add("flags", resp.Set(flags...))
	}
	if len(arg.arguments) > 0 {
		add("arguments", describeArguments(arg.arguments))
	}
	return resp.Map(pairs...)
}

func (arg *argument) flags() (flags []resp.Reply) {
	for _, f := range []struct {
		name string
		set  bool
	}{{"optional", arg.optional}, {"multiple", arg.multiple}, {"multiple_token", arg.repeatsToken}} {
		if f.set {
			flags = append(flags, resp.Simple(f.name))
		}
	}
	return flags
}
