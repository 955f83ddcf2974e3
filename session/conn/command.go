package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND", Arity: -1, Complexity: "O(N), where N is the number of commands",
		Summary: "Describes all commands for programs, as COMMAND INFO does.",
		Group:   "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"},
		Examples: "> COMMAND\n*\n> COMMAND NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try COMMAND HELP.\n",
	},
	Run: describeAll,
})

func describeAll(s *session.Session, _ *command.Args) resp.Reply {
	rows := s.Server().Catalogue.Commands()
	return s.Elsewhere(func() resp.Reply { return describe(rows) })
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "COMMAND|COUNT", Arity: 2, Complexity: "O(1)",
		Summary: "Tells the number of commands.",
		Group:   "server", Since: "0.1.0", Flags: anytime, Categories: []string{"connection"},
		Examples: "> COMMAND COUNT\n*\n> COMMAND COUNT all\n-ERR wrong number of arguments for 'command|count' command\n",
	},
	Run: countCommands,
})

func countCommands(s *session.Session, _ *command.Args) resp.Reply {
	return resp.Int(int64(len(s.Server().Catalogue.Commands())))
}
