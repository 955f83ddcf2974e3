package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|NO-EVICT", Syntax: "<ON | OFF>", Arity: 3, Complexity: "O(1)",
		Summary: "Keeps this connection open when others are closed for want of memory.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> CLIENT NO-EVICT ON\n+OK\n> CLIENT NO-EVICT yes\n-ERR syntax error\n",
	},
	Run: noEvict,
})

func noEvict(s *session.Session, a *command.Args) resp.Reply {
	on := onOff(a)
	if a.Bad() {
		return a.Err()
	}
	s.SetFlag(session.FlagNoEvict, on)
	return resp.OK
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|NO-TOUCH", Syntax: "<ON | OFF>", Arity: 3, Complexity: "O(1)",
		Summary: "Lets this connection's commands leave no mark of when a key was last used.",
		Group:   "connection", Since: "0.1.0", Flags: control,
		Examples: "> CLIENT NO-TOUCH ON\n+OK\n> CLIENT NO-TOUCH yes\n-ERR syntax error\n",
	},
	Run: noTouch,
})

func noTouch(s *session.Session, a *command.Args) resp.Reply {
	on := onOff(a)
	if a.Bad() {
		return a.Err()
	}
	s.SetNoTouch(on)
	return resp.OK
}
