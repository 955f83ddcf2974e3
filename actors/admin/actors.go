package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "ACTORS", Syntax: "[FAILURES]", Arity: -1, Complexity: "O(N), where N is the number of actors",
		Summary: "Lists the actors: sessions, shards and live queries, each with the number of messages in its mailbox; or the newest failures of actors.",
		Group:   "server", Since: "0.1.0", Flags: operator | command.Random,
		Examples: "> ACTORS\n*\n> ACTORS all\n-ERR syntax error\n> ACTORS FAILURES\n[]\n",
	},
	Run: listActors,
})

// listActors answers -1 where nobody knows how many messages wait.
func listActors(c Call, a *command.Args) resp.Reply {
	failures := a.Option("FAILURES")
	if a.End(); a.Bad() {
		return a.Err()
	}
	if failures {
		return listFailures(c)
	}
	var pairs []resp.Reply
	for _, actor := range c.system.Actors() {
		pairs = append(pairs, resp.BulkString(actor.Path), resp.Int(int64(actor.Waiting)))
	}
	return resp.Map(pairs...)
}

// listFailures answers a map a failure, the last one first.
func listFailures(c Call) resp.Reply {
	var all []resp.Reply
	for _, failure := range c.system.Failures() {
		all = append(all, resp.Map(
			resp.BulkString("actor"), resp.BulkString(failure.Path),
			resp.BulkString("reason"), resp.BulkString(failure.Reason),
			resp.BulkString("time"), resp.Int(failure.At.Unix()),
		))
	}
	return resp.Array(all...)
}
