package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about client connections.",
		Group:   "connection", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> CLIENT\n-ERR wrong number of arguments for 'client' command\n" +
			"> CLIENT NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try CLIENT HELP.\n",
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|HELP", Arity: 2, Complexity: "O(1)",
		Summary: "Lists the subcommands.",
		Group:   "connection", Since: "0.1.0", Flags: anytime,
		Examples: "> CLIENT HELP\n*\n> CLIENT HELP me\n-ERR wrong number of arguments for 'client|help' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return s.Server().Catalogue.Help("CLIENT") },
})
