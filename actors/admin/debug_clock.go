package admin

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|ADVANCE", Syntax: "milliseconds", Arity: debugArity, Complexity: "O(1)",
		Summary: "Moves the shards' clock forward, so that a test need not wait.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> SET k v PX 60000\n+OK\n> DEBUG ADVANCE 60000\n+OK\n> GET k\n_\n> DEBUG ADVANCE -1\n-ERR value is out of range, must be positive\n",
	},
	Run: takes(1, 1, debugAdvance),
})

func debugAdvance(c Call, a *command.Args) resp.Reply {
	ms := a.IntIn(0, math.MaxInt32*1000, resp.ErrNotPositive)
	if a.Bad() {
		return a.Err()
	}
	c.system.Node.Advance(ms)
	return resp.OK
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|SET-ACTIVE-EXPIRE", Syntax: "<0 | 1>", Arity: debugArity, Complexity: "O(1)",
		Summary: "With 0, leaves keys that are past their deadline in memory until somebody looks for them; 1 ends that.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG SET-ACTIVE-EXPIRE 0\n+OK\n> DEBUG SET-ACTIVE-EXPIRE 1\n+OK\n" +
			"> DEBUG SET-ACTIVE-EXPIRE\n-ERR unknown subcommand or wrong number of arguments for 'SET-ACTIVE-EXPIRE'. Try DEBUG HELP.\n",
	},
	Run: takes(1, 1, debugActiveExpire),
})

func debugActiveExpire(c Call, a *command.Args) resp.Reply {
	n, _ := command.ParseInt(a.Bytes()) // as in Redis, no number is 0
	node := c.system.Node
	settings := *node.Settings()
	settings.ActiveExpire = n != 0
	node.SetSettings(&settings)
	return resp.OK
}
