package admin

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "REPLICAOF", Syntax: "<host port | NO ONE>", Arity: 3, Complexity: "O(1)",
		Summary: "With NO ONE, which is always so, answers OK; to follow another server is refused.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript | command.Stale,
		Examples: "> REPLICAOF NO ONE\n+OK\n> REPLICAOF elsewhere ninety\n-ERR Invalid master port\n> REPLICAOF elsewhere 6379\n-" + noReplication + "\n",
	},
	Run: replicaOf,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SLAVEOF", Syntax: "<host port | NO ONE>", Arity: 3, Complexity: "O(1)",
		Summary: "The old name of REPLICAOF.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript | command.Stale,
		Examples: "> SLAVEOF no one\n+OK\n> SLAVEOF elsewhere 6379\n-" + noReplication + "\n",
	},
	Run: replicaOf,
})

const noReplication = "ERR Troupe cannot be a replica: replication is not built yet"

var (
	errNoReplication = resp.Error(noReplication)
)

func replicaOf(_ Call, a *command.Args) resp.Reply {
	if a.Option("NO") && a.Option("ONE") {
		return resp.OK
	}
	if port, ok := command.ParseInt(a.Argv()[2]); !ok || port < 0 || port > math.MaxUint16 {
		return resp.ErrMasterPort
	}
	return errNoReplication
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "FAILOVER", Syntax: "[TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]", Arity: -1, Complexity: "O(1)",
		Summary: "Would hand the server's part to a replica: is refused, as there is none.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript | command.Stale,
		Examples: "> FAILOVER\n-ERR FAILOVER requires connected replicas.\n> FAILOVER ABORT\n-ERR No failover in progress.\n" +
			"> FAILOVER TO elsewhere\n-ERR syntax error\n",
	},
	Run: failover,
})

var (
	errNoReplicas      = resp.Error("ERR FAILOVER requires connected replicas.")
	errNoFailover      = resp.Error("ERR No failover in progress.")
	errFailoverTimeout = resp.Error("ERR FAILOVER timeout must be greater than 0")
)

func failover(_ Call, a *command.Args) resp.Reply {
	if a.Len() == 1 && a.Option("ABORT") {
		return errNoFailover
	}
	for a.More() {
		switch {
		case a.OptionWith("TIMEOUT", 1):
			if a.Int() <= 0 {
				a.Fail(errFailoverTimeout)
			}
		case a.OptionWith("TO", 2):
			a.Bytes()
			a.Int()
		case a.Option("FORCE"):
		default:
			a.Syntax()
		}
	}
	if a.Bad() {
		return a.Err()
	}
	return errNoReplicas
}
