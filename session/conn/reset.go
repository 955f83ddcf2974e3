package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "RESET", Arity: 1, Complexity: "O(1)",
		Summary: "Makes the connection as new: no transaction, no locks, no subscriptions, database 0, RESP2, logged out.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.AtOnce | command.Subscribed | command.Fast | command.NoAuth | command.AllowBusy,
		Examples: "> MULTI\n+OK\n> RESET\n+RESET\n> EXEC\n-ERR EXEC without MULTI\n" +
			"> RESET now\n-ERR wrong number of arguments for 'reset' command\n",
	},
	Run: reset,
})

func reset(s *session.Session, _ *command.Args) resp.Reply {
	s.Reset()
	return resp.Simple("RESET")
}
