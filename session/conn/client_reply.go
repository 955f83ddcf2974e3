package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|REPLY", Syntax: "<ON | OFF | SKIP>", Arity: 3, Complexity: "O(1)",
		Summary: "Says whether commands are answered: all from here on, none, or all but the next one.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT REPLY ON\n+OK\n> CLIENT REPLY maybe\n-ERR syntax error\n",
	},
	Run: reply,
})

func reply(s *session.Session, a *command.Args) resp.Reply {
	switch {
	case a.Option("ON"):
		s.ReplyOn()
		return resp.OK
	case a.Option("OFF"):
		s.ReplyOff()
	case a.Option("SKIP"):
		s.ReplySkip()
	default:
		return resp.ErrSyntax
	}
	return resp.Nothing
}
