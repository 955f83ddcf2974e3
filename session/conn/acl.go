package conn

import (
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about users and their rights.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> ACL\n-ERR wrong number of arguments for 'acl' command\n" +
			"> ACL NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try ACL HELP.\n",
	},
})

// ruling are the flags of the commands that show and change users.
const ruling = control | command.Admin
