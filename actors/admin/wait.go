package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "WAIT", Syntax: "numreplicas timeout", Arity: 3, Complexity: "O(1)",
		Summary: "Waits until so many replicas have what this connection has written, or the time is up, and tells how many have.",
		Group:   "connection", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> WAIT 0 0\n:0\n> WAIT 1 10\n:0\n> WAIT 1 -1\n-ERR timeout is negative\n> WAIT one 0\n-ERR value is not an integer or out of range\n",
	},
	Run: wait,
})

// wait has no replicas to wait for, so it answers 0: when that is enough or
// no time may pass, at once.
func wait(c Call, a *command.Args) resp.Reply {
	wanted := a.Int()
	timeout := session.ReadTimeout(a)
	switch {
	case a.Bad():
		return a.Err()
	case wanted <= 0 || c.Session.InExec():
		return resp.Zero
	}
	c.Session.Wait(timeout, resp.Zero)
	return resp.Nothing
}
