package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|GETREDIR", Arity: 2, Complexity: "O(1)",
		Summary: "Tells to which connection the invalidations of tracked keys go: -1 while nothing is tracked.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT GETREDIR\n:-1\n> CLIENT GETREDIR 1\n-ERR wrong number of arguments for 'client|getredir' command\n",
	},
	Run: func(*session.Session, *command.Args) resp.Reply { return resp.Int(-1) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|TRACKINGINFO", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how the connection's reads are tracked.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT TRACKINGINFO\n%{\"flags\": ~[\"off\"], \"redirect\": :-1, \"prefixes\": []}\n> CLIENT TRACKINGINFO now\n-ERR wrong number of arguments for 'client|trackinginfo' command\n",
	},
	Run: trackingInfo,
})

func trackingInfo(*session.Session, *command.Args) resp.Reply {
	return resp.Map(
		resp.BulkString("flags"), resp.Set(resp.BulkString("off")),
		resp.BulkString("redirect"), resp.Int(-1),
		resp.BulkString("prefixes"), resp.EmptyList,
	)
}
