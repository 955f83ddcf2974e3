package admin

import (
	"math"
	"strconv"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "DEBUG|SLEEP", Syntax: "seconds", Arity: debugArity, Complexity: "O(1)",
		Summary: "Keeps all shards busy for so many seconds: no key can be read or written meanwhile, while links still get answers about other things.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags | command.AllShards | command.Heavy,
		Examples: "> DEBUG SLEEP 0\n+OK\n> DEBUG SLEEP\n-ERR unknown subcommand or wrong number of arguments for 'SLEEP'. Try DEBUG HELP.\n",
	},
	Run: takes(1, 1, debugSleep),
})

func debugSleep(_ View, a *command.Args) resp.Reply {
	seconds, _ := strconv.ParseFloat(string(a.Bytes()), 64) // as in Redis, no number is no time
	if seconds > 0 {
		time.Sleep(time.Duration(min(seconds, math.MaxInt64/2e9) * float64(time.Second)))
	}
	return resp.OK
}
