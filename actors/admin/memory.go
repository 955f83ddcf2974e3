package admin

import (
	"runtime/debug"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MEMORY", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about the use of memory.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> MEMORY\n-ERR wrong number of arguments for 'memory' command\n" +
			"> MEMORY NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try MEMORY HELP.\n",
	},
})

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "MEMORY|USAGE", Syntax: "key [SAMPLES count]", Arity: -3, Complexity: "O(1)",
		Summary: "Tells how many bytes a key and its value take. Nothing is estimated, so SAMPLES changes nothing.",
		Group:   "server", Since: "0.1.0", Flags: command.ReadOnly | command.KeysOnly,
		Keys: []command.Keys{{First: 2, Flags: command.RO}},
		Examples: "> MEMORY USAGE nokey\n_\n> SET k v\n+OK\n> MEMORY USAGE k SAMPLES\n-ERR syntax error\n" +
			"> MEMORY USAGE k SAMPLES many\n-ERR value is not an integer or out of range\n",
	},
	Run: memoryUsage,
})

func memoryUsage(v View, a *command.Args) resp.Reply {
	key := a.Key()
	for a.More() {
		if !a.OptionWith("SAMPLES", 1) {
			a.Syntax()
		}
		if a.Int() < 0 {
			a.Syntax()
		}
	}
	found := v.Tx.Outline(key)
	switch {
	case a.Bad():
		return a.Err()
	case found.Missing():
		return resp.Nil
	}
	return resp.Int(found.Bytes())
}

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "MEMORY|STATS", Arity: 2, Complexity: "O(N), where N is the number of connections",
		Summary: "Tells where the server's memory is, in numbers.",
		Group:   "server", Since: "0.1.0", Flags: command.AllShards | command.Random,
		Examples: "> MEMORY STATS\n*\n> MEMORY STATS all\n-ERR wrong number of arguments for 'memory|stats' command\n",
	},
	Run: memoryStats,
})

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "MEMORY|DOCTOR", Arity: 2, Complexity: "O(N), where N is the number of connections",
		Summary: "Says in words what is odd about the use of memory.",
		Group:   "server", Since: "0.1.0", Flags: command.AllShards | command.Random,
		Examples: "> MEMORY DOCTOR\n*\n> MEMORY DOCTOR now\n-ERR wrong number of arguments for 'memory|doctor' command\n",
	},
	Run: memoryDoctor,
})

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "MEMORY|MALLOC-STATS", Arity: 2, Complexity: "O(N), where N is the number of shards",
		Summary: "Tells what Go's heap and each shard's slabs hold.",
		Group:   "server", Since: "0.1.0", Flags: command.AllShards | command.Random,
		Examples: "> MEMORY MALLOC-STATS\n*\n> MEMORY MALLOC-STATS now\n-ERR wrong number of arguments for 'memory|malloc-stats' command\n",
	},
	Run: mallocStats,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MEMORY|PURGE", Arity: 2, Complexity: "O(N), where N is the number of keys and of elements of large values",
		Summary: "Compacts memory that has gaps, and gives what is not in use back to the system; it does so in slices, and does not wait for the end.",
		Group:   "server", Since: "0.1.0",
		Examples: "> MEMORY PURGE\n+OK\n> MEMORY PURGE now\n-ERR wrong number of arguments for 'memory|purge' command\n",
	},
	Run: memoryPurge,
})

// memoryPurge collects Go's garbage, and has each shard compact and trim its
// slabs, in slices; nobody waits for the shards.
func memoryPurge(c Call, _ *command.Args) resp.Reply {
	node := c.Session.Server().Node
	return c.Session.Elsewhere(func() resp.Reply {
		node.Purge()
		debug.FreeOSMemory()
		return resp.OK
	})
}
