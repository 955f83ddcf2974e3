package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|ERROR", Syntax: "message", Arity: debugArity, Complexity: "O(1)",
		Summary: "Answers with the error.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG ERROR \"CODE and text\"\n-CODE and text\n" +
			"> DEBUG ERROR\n-ERR unknown subcommand or wrong number of arguments for 'ERROR'. Try DEBUG HELP.\n",
	},
	Run: takes(1, 1, func(_ Call, a *command.Args) resp.Reply { return resp.Error(string(a.Bytes())) }),
})
