package conn

import (
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
