package admin

import (
	"runtime"
	"runtime/metrics"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|GC", Arity: debugArity, Complexity: "O(N), where N is the size of Go's heap",
		Summary: "Collects Go's garbage, and tells the nanoseconds of processor time that this took.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG GC now\n-ERR unknown subcommand or wrong number of arguments for 'GC'. Try DEBUG HELP.\n",
	},
	Run: takes(0, 0, debugGC),
})

// debugGC collects on a goroutine of its own, as it takes too long for a loop;
// in a transaction, which must be answered at once, the loop has to.
func debugGC(c Call, _ *command.Args) resp.Reply {
	if c.Session.InExec() {
		return resp.Int(collect())
	}
	later, one := c.Session.Later(), c.Session
	go func() { one.Send(&session.Answer{Reply: resp.Int(collect())}) }()
	return later
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
