package admin

import (
	"fmt"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|MAILBOX", Syntax: "actor", Arity: debugArity, Complexity: "O(1)",
		Summary: "Tells the number of messages in an actor's mailbox.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG MAILBOX shard/0\n:0\n> DEBUG MAILBOX shard/x\n-" + noActor + "\n",
	},
	Run: takes(1, 1, debugMailbox),
})

const noActor = "ERR no such actor"

var errNoActor = resp.Error(noActor)

func debugMailbox(c Call, a *command.Args) resp.Reply {
	actor, ok := c.system.Actor(string(a.Bytes()))
	if !ok {
		return errNoActor
	}
	return resp.Int(int64(actor.Waiting))
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|CRASH", Syntax: "actor", Arity: debugArity, Complexity: "O(1)",
		Summary: "Makes an actor fail as by a mistake of the program: a session's link closes, a shard ends the server.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG CRASH shard/x\n-" + noActor + "\n" +
			"> DEBUG CRASH\n-ERR unknown subcommand or wrong number of arguments for 'CRASH'. Try DEBUG HELP.\n",
	},
	Run: takes(1, 1, debugCrash),
})

func debugCrash(c Call, a *command.Args) resp.Reply {
	path, node := string(a.Bytes()), c.system.Node
	if one := c.system.SessionAt(path); one != nil {
		one.Send(crash{})
		return resp.OK
	}
	shard, ok := actors.Numbered(path, "shard")
	if !ok || shard >= uint64(node.Len()) {
		return errNoActor
	}
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(*keyspace.Tx) resp.Reply {
		panic(fmt.Sprintf("DEBUG CRASH %s", path))
	}}}}
	x.Visit(int(shard))
	if c.Session.InExec() {
		node.Post(x, keyspace.Nobody{})
		return resp.ErrInternal
	}
	later := c.Session.Later()
	if node.Post(x, victim{c.Session}) {
		victim{c.Session}.Executed(x)
	}
	return later
}

// crash is a message that no actor knows.
type crash struct{}

// victim answers the client whose command has made a shard fail.
type victim struct{ client *session.Session }

// Executed is called by the shard.
func (v victim) Executed(*keyspace.Execute) {
	v.client.Send(&session.Answer{Reply: resp.ErrInternal})
}
