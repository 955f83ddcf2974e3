package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|ID", Arity: 2, Complexity: "O(1)",
		Summary: "Tells the connection's number. Numbers rise and are never used again.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT ID\n:1\n> CLIENT ID 1\n-ERR wrong number of arguments for 'client|id' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return resp.Int(int64(s.ID())) },
})
