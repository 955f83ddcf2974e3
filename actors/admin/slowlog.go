package admin

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SLOWLOG", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about the log of commands that ran long.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> SLOWLOG\n-ERR wrong number of arguments for 'slowlog' command\n" +
			"> SLOWLOG NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try SLOWLOG HELP.\n",
	},
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SLOWLOG|GET", Syntax: "[count]", Arity: -2, Complexity: "O(N), where N is the number of entries returned",
		Summary: "Returns the newest entries, ten if no number is given, all for -1: number, time in seconds, microseconds it ran, " +
			"words, address and name of the client.",
		Group: "server", Since: "0.1.0", Flags: operator | command.Random,
		Examples: "> SLOWLOG GET 3\n[]\n> SLOWLOG GET -2\n-ERR count should be greater than or equal to -1\n" +
			"> SLOWLOG GET 1 2\n-ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.\n",
	},
	Run: slowlogGet,
})

const slowlogGetCount = 10

var errSlowlogCount = resp.Error("ERR count should be greater than or equal to -1")

func slowlogGet(c Call, a *command.Args) resp.Reply {
	count := int64(slowlogGetCount)
	switch a.Len() {
	case 0:
	case 1:
		if count = a.IntIn(-1, math.MaxInt64, errSlowlogCount); a.Bad() {
			return a.Err()
		}
	default:
		return session.WrongSubcommand(a)
	}
	entries := c.slow.newest(count)
	items := make([]resp.Reply, len(entries))
	for i, e := range entries {
		items[i] = resp.Array(resp.Int(e.id), resp.Int(e.when), resp.Int(e.took), resp.Strings(e.argv...),
			resp.BulkString(e.address), resp.BulkString(e.sessionName))
	}
	return resp.Array(items...)
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SLOWLOG|LEN", Arity: 2, Complexity: "O(1)",
		Summary: "Tells the number of entries.",
		Group:   "server", Since: "0.1.0", Flags: operator | command.Random,
		Examples: "> SLOWLOG LEN\n:0\n> SLOWLOG LEN 1\n-ERR wrong number of arguments for 'slowlog|len' command\n",
	},
	Run: func(c Call, _ *command.Args) resp.Reply { return resp.Int(int64(c.slow.len())) },
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SLOWLOG|RESET", Arity: 2, Complexity: "O(N), where N is the number of entries",
		Summary: "Empties the log.",
		Group:   "server", Since: "0.1.0", Flags: operator,
		Examples: "> SLOWLOG RESET\n+OK\n> SLOWLOG RESET 1\n-ERR wrong number of arguments for 'slowlog|reset' command\n",
	},
	Run: slowlogReset,
})

func slowlogReset(c Call, _ *command.Args) resp.Reply {
	c.slow.reset()
	return resp.OK
}
