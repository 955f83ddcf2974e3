package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "QUIT", Arity: -1, Complexity: "O(1)",
		Summary: "Closes the connection once all replies are out; what was sent behind it is not run.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.AtOnce | command.Subscribed | command.Fast | command.NoAuth | command.AllowBusy,
		Examples: "> QUIT\n+OK\n",
	},
	Run: quit,
})

func quit(s *session.Session, _ *command.Args) resp.Reply {
	s.CloseAfterReply()
	return resp.OK
}
