package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ROLE", Arity: 1, Complexity: "O(1)",
		Summary: "Tells the server's part in replication: a master, how far its log is, and its replicas.",
		Group:   "server", Since: "0.1.0", Flags: control | command.Fast, Categories: []string{"admin", "dangerous"},
		Examples: "> ROLE\n[\"master\", :0, []]\n> ROLE me\n-ERR wrong number of arguments for 'role' command\n",
	},
	Run: role,
})

func role(*session.Session, *command.Args) resp.Reply {
	return resp.Array(resp.BulkString("master"), resp.Zero, resp.EmptyList)
}
