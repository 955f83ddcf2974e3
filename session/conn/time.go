package conn

import (
	"strconv"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "TIME", Arity: 1, Complexity: "O(1)",
		Summary: "Tells the server's time: seconds since 1970, and the microseconds of the present one.",
		Group:   "server", Since: "0.1.0", Flags: anytime | command.Fast | command.Random,
		Examples: "> TIME\n[*, *]\n> TIME now\n-ERR wrong number of arguments for 'time' command\n",
	},
	Run: tellTime,
})

func tellTime(s *session.Session, _ *command.Args) resp.Reply {
	now := s.Server().Micros()
	return resp.Strings(strconv.FormatInt(now/1e6, 10), strconv.FormatInt(now%1e6, 10))
}
