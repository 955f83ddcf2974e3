package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|STRINGMATCH-LEN", Syntax: "pattern string", Arity: debugArity, Complexity: "O(N*M), N and M being the lengths of both",
		Summary: "Tells whether a string matches a pattern of KEYS.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG STRINGMATCH-LEN user:* user:17\n:1\n> DEBUG STRINGMATCH-LEN user:? user:17\n:0\n" +
			"> DEBUG STRINGMATCH-LEN a\n-ERR unknown subcommand or wrong number of arguments for 'STRINGMATCH-LEN'. Try DEBUG HELP.\n",
	},
	Run: takes(2, 2, func(_ Call, a *command.Args) resp.Reply { return resp.Flag(command.Match(a.Bytes(), a.Bytes())) }),
})
