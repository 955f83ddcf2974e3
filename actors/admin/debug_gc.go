package admin

import (
	"runtime"
	"runtime/metrics"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|GC", Arity: 2, Complexity: "O(N), where N is the size of Go's heap",
		Summary: "Collects Go's garbage, and tells the nanoseconds of processor time that this took.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG GC\n*\n> DEBUG GC now\n-ERR wrong number of arguments for 'debug|gc' command\n",
	},
	Run: debugGC,
})

func debugGC(c Call, _ *command.Args) resp.Reply {
	return c.Session.Elsewhere(func() resp.Reply { return resp.Int(collect()) })
}

// collect runs a collection and returns its processor time in nanoseconds, by
// the runtime's own account.
func collect() int64 {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	runtime.GC() // so that what was under way is in the account before
	metrics.Read(sample)
	before := sample[0].Value.Float64()
	runtime.GC()
	metrics.Read(sample)
	return int64((sample[0].Value.Float64() - before) * 1e9)
}
