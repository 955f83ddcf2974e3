package admin

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// noCluster is the answer of every command about clusters.
const noCluster = "ERR This instance has cluster support disabled"

var errNoCluster = resp.Error(noCluster)

func refuseCluster(Call, *command.Args) resp.Reply { return errNoCluster }

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "CLUSTER", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about a cluster, of which this server is no part.",
		Group:   "cluster", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> CLUSTER\n-ERR wrong number of arguments for 'cluster' command\n" +
			"> CLUSTER NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try CLUSTER HELP.\n",
	},
})

// The subcommands of CLUSTER by what they do: those that ask, and those that
// change the cluster.
var (
	clusterQueries = []clusterCommand{
		{"COUNTKEYSINSLOT", "slot", 3, 0}, {"GETKEYSINSLOT", "slot count", 4, command.Random}, {"INFO", "", 2, command.Random},
		{"KEYSLOT", "key", 3, 0}, {"LINKS", "", 2, command.Random}, {"MYID", "", 2, 0}, {"MYSHARDID", "", 2, command.Random},
		{"NODES", "", 2, command.Random}, {"SHARDS", "", 2, command.Random}, {"SLOTS", "", 2, command.Random},
		{"COUNT-FAILURE-REPORTS", "node-id", 3, command.Admin | command.Random},
		{"REPLICAS", "node-id", 3, command.Admin | command.Random}, {"SLAVES", "node-id", 3, command.Admin | command.Random},
	}
	clusterChanges = []clusterCommand{
		{"ADDSLOTS", "slot [slot ...]", -3, command.Admin},
		{"ADDSLOTSRANGE", "start-slot end-slot [start-slot end-slot ...]", -4, command.Admin},
		{"BUMPEPOCH", "", 2, command.Admin | command.Random},
		{"DELSLOTS", "slot [slot ...]", -3, command.Admin},
		{"DELSLOTSRANGE", "start-slot end-slot [start-slot end-slot ...]", -4, command.Admin},
		{"FAILOVER", "[FORCE | TAKEOVER]", -2, command.Admin}, {"FLUSHSLOTS", "", 2, command.Admin},
		{"FORGET", "node-id", 3, command.Admin}, {"MEET", "ip port [cluster-bus-port]", -4, command.Admin},
		{"REPLICATE", "node-id", 3, command.Admin}, {"RESET", "[HARD | SOFT]", -2, command.Admin | command.NoScript},
		{"SAVECONFIG", "", 2, command.Admin}, {"SET-CONFIG-EPOCH", "config-epoch", 3, command.Admin},
		{"SETSLOT", "slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>", -4, command.Admin},
	}
)

type clusterCommand struct {
	name, syntax string
	arity        int
	flags        command.Flag
}

func init() {
	declare := func(list []clusterCommand, summary string) {
		for _, c := range list {
			words := strings.TrimSpace("CLUSTER " + c.name + strings.Repeat(" 1", max(c.arity, -c.arity)-2))
			Commands.Add(command.Spec[Call]{
				Meta: command.Meta{
					Name: "CLUSTER|" + c.name, Syntax: c.syntax, Arity: c.arity, Complexity: "O(1)",
					Summary: summary, Group: "cluster", Since: "0.1.0", Flags: c.flags | command.Stale,
					Examples: "> " + words + "\n-" + noCluster + "\n",
				},
				Run: refuseCluster,
			})
		}
	}
	declare(clusterQueries, "Would tell about the cluster: is refused, as there is none.")
	declare(clusterChanges, "Would change the cluster: is refused, as there is none.")
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "CLUSTER|HELP", Arity: 2, Complexity: "O(1)",
		Summary: "Is refused as Redis does outside of a cluster.",
		Group:   "cluster", Since: "0.1.0", Flags: anytime,
		Examples: "> CLUSTER HELP\n-" + noCluster + "\n",
	},
	Run: refuseCluster,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "READONLY", Arity: 1, Complexity: "O(1)",
		Summary: "Would let a cluster's replica answer reads: is refused, as there is no cluster.",
		Group:   "cluster", Since: "0.1.0", Flags: anytime | command.Fast, Categories: []string{"connection"},
		Examples: "> READONLY\n-" + noCluster + "\n> READONLY 1\n-ERR wrong number of arguments for 'readonly' command\n",
	},
	Run: refuseCluster,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "READWRITE", Arity: 1, Complexity: "O(1)",
		Summary: "Would end READONLY: is refused, as there is no cluster.",
		Group:   "cluster", Since: "0.1.0", Flags: anytime | command.Fast, Categories: []string{"connection"},
		Examples: "> READWRITE\n-" + noCluster + "\n> READWRITE 1\n-ERR wrong number of arguments for 'readwrite' command\n",
	},
	Run: refuseCluster,
})
