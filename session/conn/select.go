package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SELECT", Syntax: "index", Arity: 2, Complexity: "O(1)",
		Summary: "Makes another database the one that the connection's commands work on.",
		Group:   "connection", Since: "0.1.0", Flags: anytime | command.Selects | command.Fast,
		Examples: "> SELECT 1\n+OK\n> SELECT 99\n-ERR DB index is out of range\n> SELECT one\n-ERR value is not an integer or out of range\n",
	},
	Run: selectDB,
})

func selectDB(s *session.Session, a *command.Args) resp.Reply {
	n := a.Int32()
	switch {
	case a.Bad():
		return a.Err()
	case n < 0 || n >= s.Server().Databases:
		return resp.ErrDBIndex
	}
	s.Select(n)
	return resp.OK
}
