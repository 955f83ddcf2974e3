package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ECHO", Syntax: "message", Arity: 2, Complexity: "O(1)",
		Summary: "Answers the message.",
		Group:   "connection", Since: "0.1.0", Flags: anytime | command.Fast,
		Examples: "> ECHO hello\n\"hello\"\n> ECHO\n-ERR wrong number of arguments for 'echo' command\n",
	},
	Run: echo,
})

func echo(_ *session.Session, a *command.Args) resp.Reply { return resp.Bulk(a.Bytes()) }
