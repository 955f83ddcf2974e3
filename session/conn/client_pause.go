package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|PAUSE", Syntax: "timeout [WRITE | ALL]", Arity: -3, Complexity: "O(1)",
		Summary: "Lets all commands wait, or those that may write, for so many milliseconds.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> CLIENT PAUSE 1\n+OK\n> CLIENT PAUSE 1 WRITE\n+OK\n> CLIENT PAUSE soon\n-ERR timeout is not an integer or out of range\n" +
			"> CLIENT PAUSE -1\n-ERR timeout is negative\n> CLIENT PAUSE 1 READ\n-ERR CLIENT PAUSE mode must be WRITE or ALL\n",
	},
	Run: pause,
})

var errPauseMode = resp.Error("ERR CLIENT PAUSE mode must be WRITE or ALL")

func pause(s *session.Session, a *command.Args) resp.Reply {
	all := true
	switch words := a.Argv(); {
	case len(words) > 4:
		return session.WrongSubcommand(a)
	case len(words) == 4 && command.EqualFold(words[3], "WRITE"):
		all = false
	case len(words) == 4 && !command.EqualFold(words[3], "ALL"):
		return errPauseMode
	}
	d := session.ReadTimeout(a)
	if a.Bad() {
		return a.Err()
	}
	s.Server().Pause(d, all)
	return resp.OK
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "CLIENT|UNPAUSE", Arity: 2, Complexity: "O(N), where N is the number of connections that wait",
		Summary: "Ends CLIENT PAUSE.",
		Group:   "connection", Since: "0.1.0", Flags: control | command.Admin,
		Examples: "> CLIENT UNPAUSE\n+OK\n> CLIENT UNPAUSE now\n-ERR wrong number of arguments for 'client|unpause' command\n",
	},
	Run: unpause,
})

func unpause(s *session.Session, _ *command.Args) resp.Reply {
	s.Server().Unpause()
	return resp.OK
}
