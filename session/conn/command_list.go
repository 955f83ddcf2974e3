package conn

import (
	"slices"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|LIST", Syntax: "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]", Arity: -2,
		Complexity: "O(N), where N is the number of commands",
		Summary:    "Lists the names of the commands, subcommands included.",
		Group:      "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"},
		Examples: "> COMMAND LIST FILTERBY PATTERN ech?\n[\"echo\"]\n> COMMAND LIST FILTERBY MODULE json\n[]\n> COMMAND LIST FILTERBY\n-ERR syntax error\n",
	},
	Run: listCommands,
})

func listCommands(s *session.Session, a *command.Args) resp.Reply {
	wanted := readFilter(a)
	if a.Bad() {
		return a.Err()
	}
	var names []resp.Reply
	list := func(row *session.Command) {
		if wanted(row) {
			names = append(names, resp.BulkString(row.Lower()))
		}
	}
	for _, row := range s.Server().Catalogue.Commands() {
		list(row)
		for _, sub := range row.Subcommands() {
			list(sub)
		}
	}
	return resp.Array(names...)
}

func readFilter(a *command.Args) (wanted func(*session.Command) bool) {
	wanted = func(*session.Command) bool { return true }
	if a.OptionWith("FILTERBY", 2) {
		switch {
		case a.Option("MODULE"):
			a.Bytes()
			wanted = func(*session.Command) bool { return false } // there are no modules
		case a.Option("ACLCAT"):
			category := command.Lower(a.Bytes())
			wanted = func(row *session.Command) bool { return slices.Contains(row.ACL(), category) }
		case a.Option("PATTERN"):
			pattern := a.Bytes()
			wanted = func(row *session.Command) bool { return command.MatchFold(pattern, []byte(row.Lower())) }
		}
	}
	a.End()
	return wanted
}
