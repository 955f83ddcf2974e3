package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|UNBLOCK", Syntax: "client-id [TIMEOUT | ERROR]", Arity: -3, Complexity: "O(1)",
		Summary: "Ends the waiting of another connection's blocking command, as if its time were up or with an error.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> CLIENT UNBLOCK 99\n:0\n> CLIENT UNBLOCK me\n-ERR value is not an integer or out of range\n" +
			"> CLIENT UNBLOCK 1 NOW\n-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR\n",
	},
	Run: unblock,
})

var errUnblockReason = resp.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")

func unblock(s *session.Session, a *command.Args) resp.Reply {
	withError := false
	switch words := a.Argv(); {
	case len(words) > 4:
		return session.WrongSubcommand(a)
	case len(words) == 4 && command.EqualFold(words[3], "ERROR"):
		withError = true
	case len(words) == 4 && !command.EqualFold(words[3], "TIMEOUT"):
		return errUnblockReason
	}
	id := a.Int()
	if a.Bad() {
		return a.Err()
	}
	one := s.Server().Session(uint64(id))
	return resp.Flag(one != nil && one.Unblock(withError))
}
