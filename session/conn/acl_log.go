package conn

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "ACL|LOG", Syntax: "[count | RESET]", Arity: -2, Complexity: "O(N), where N is the number of entries shown",
		Summary: "Shows what was refused for want of rights and which logins failed, the latest first; RESET forgets it.",
		Group:   "server", Since: "0.1.0", Flags: ruling,
		Examples: "> AUTH nobody secret\n-WRONGPASS invalid username-password pair or user is disabled.\n" +
			"> ACL LOG 1\n[%{\"count\": :1, \"reason\": \"auth\", \"context\": \"toplevel\", \"object\": \"AUTH\", \"username\": \"nobody\", \"age-seconds\": *, \"client-info\": *}]\n" +
			"> ACL LOG RESET\n+OK\n> ACL LOG\n[]\n> ACL LOG all\n-ERR value is not an integer or out of range\n",
	},
	Run: refusals,
})

// refusalsShown is how many entries ACL LOG shows if it is not told.
const refusalsShown = 10

func refusals(s *session.Session, a *command.Args) resp.Reply {
	log, count := &s.Server().Users.Log, int64(refusalsShown)
	switch {
	case a.Len() > 1:
		return session.WrongSubcommand(a)
	case a.Option("RESET"):
		log.Reset()
		return resp.OK
	case a.Len() == 1:
		count = a.Int()
	}
	if a.Bad() {
		return a.Err()
	}
	var list []resp.Reply
	now := s.Server().Millis()
	for _, e := range log.Latest(int(min(max(count, 0), math.MaxInt32))) {
		list = append(list, pairs(
			"count", resp.Int(e.Count), "reason", resp.BulkString(e.Reason.String()), "context", resp.BulkString(string(e.Context)),
			"object", resp.BulkString(e.Object), "username", resp.BulkString(e.Username),
			"age-seconds", resp.Double(float64(now-e.At)/1000), "client-info", resp.BulkString(e.Client)))
	}
	return resp.Array(list...)
}
