package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "OBSERVE", Syntax: "[RESUME token] [EVERY] [DELTA] [MAXRATE milliseconds] [PROGRESS milliseconds] command [arg [arg ...]]", Arity: -2, Complexity: "As the command",
		Summary: "Watches a reading command: pushes its result now and whenever it changes.",
		Group:   "connection", Since: "0.1.0", Flags: command.Subscribed | command.NoScript | command.NoMulti, HoldsCommand: true,
		Examples: "> SET k v\n+OK\n> OBSERVE GET k\n" +
			">[\"observe\", \"fingerprint\", \"380d3c1e1f9803f0\", \"result\", \"v\", \"version\", :1, \"covered\", :0, \"kind\", \"state\", \"token\", *]\n" +
			"> OBSERVE MAXRATE 0 GET k\n-ERR MAXRATE must be between 1 and 86400000 milliseconds\n" +
			"> OBSERVE SET k v\n-ERR OBSERVE not supported for 'SET'\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return s.Observe(a.Rest()) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "UNOBSERVE", Syntax: "fingerprint [fingerprint ...]", Arity: -2, Complexity: "O(1) for each fingerprint",
		Summary: "Ends live queries of this link, and tells how many.",
		Group:   "connection", Since: "0.1.0", Flags: command.Subscribed | command.NoScript | command.NoMulti | command.Fast,
		Examples: "> UNOBSERVE 0000000000000000\n:0\n> UNOBSERVE\n-ERR wrong number of arguments for 'unobserve' command\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return resp.Int(int64(s.Unobserve(a.Rest()...))) },
})
