package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "ACTORS", Arity: 1, Complexity: "O(N), where N is the number of actors",
		Summary: "Lists the actors: sessions, shards and live queries, each with the number of messages in its mailbox.",
		Group:   "server", Since: "0.1.0", Flags: operator | command.Random,
		Examples: "> ACTORS\n*\n> ACTORS all\n-ERR wrong number of arguments for 'actors' command\n",
	},
	Run: listActors,
})

// listActors answers -1 where nobody knows how many messages wait.
func listActors(c Call, _ *command.Args) resp.Reply {
	var pairs []resp.Reply
	for _, actor := range c.system.Actors() {
		pairs = append(pairs, resp.BulkString(actor.Path), resp.Int(int64(actor.Waiting)))
	}
	return resp.Map(pairs...)
}
