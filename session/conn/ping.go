package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PING", Syntax: "[message]", Arity: -1, Complexity: "O(1)",
		Summary: "Answers PONG, or the message if there is one.",
		Group:   "connection", Since: "0.1.0", Flags: command.Fast | command.Subscribed | command.TellsHealth,
		Examples: "> PING\n+PONG\n> PING hello\n\"hello\"\n> PING a b\n-ERR wrong number of arguments for 'ping' command\n",
	},
	Run: ping,
})

// ping answers a link that messages come over in RESP2 by a list like theirs,
// as such a link's clients expect nothing else.
func ping(s *session.Session, a *command.Args) resp.Reply {
	if a.Len() > 1 {
		return resp.ErrArity(a.Meta().Name)
	}
	message := a.Peek()
	if s.Protocol() == 2 && s.Flags.Load()&session.FlagPubSub != 0 {
		return resp.Array(resp.BulkString("pong"), resp.Bulk(message))
	}
	if a.Len() == 0 {
		return resp.Pong
	}
	return resp.Bulk(message)
}
