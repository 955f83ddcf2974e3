package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "MULTI", Arity: 1, Complexity: "O(1)",
		Summary: "Begins a transaction: the commands that follow are queued until EXEC.",
		Group:   "transactions", Since: "0.1.0", Flags: control | command.AtOnce | command.Fast | command.AllowBusy,
		Examples: "> MULTI\n+OK\n> PING\n+QUEUED\n> EXEC\n[+PONG]\n> MULTI\n+OK\n> MULTI\n-ERR MULTI calls can not be nested\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return s.StartMulti() },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "EXEC", Arity: 1, Complexity: "Depends on the commands of the transaction",
		Summary: "Runs the queued commands as one change, unless a key under WATCH has changed or a command was refused.",
		Group:   "transactions", Since: "0.1.0", Flags: control | command.AtOnce | command.Executes | command.SkipSlowlog,
		Examples: "> MULTI\n+OK\n> SET k v\n+QUEUED\n> GET k\n+QUEUED\n> EXEC\n[+OK, \"v\"]\n> EXEC\n-ERR EXEC without MULTI\n" +
			"> MULTI\n+OK\n> SET k\n-ERR wrong number of arguments for 'set' command\n" +
			"> EXEC\n-EXECABORT Transaction discarded because of previous errors.\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return s.ExecMulti(a) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "DISCARD", Arity: 1, Complexity: "O(N), where N is the number of queued commands",
		Summary: "Forgets the queued commands, and the keys under WATCH.",
		Group:   "transactions", Since: "0.1.0", Flags: control | command.AtOnce | command.Fast | command.AllowBusy,
		Examples: "> MULTI\n+OK\n> SET k v\n+QUEUED\n> DISCARD\n+OK\n> GET k\n_\n> DISCARD\n-ERR DISCARD without MULTI\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply { return s.DiscardMulti() },
})
