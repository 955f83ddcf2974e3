package generic

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{Meta: command.Meta{
	Name: "OBJECT", Arity: -2, Complexity: "That of the subcommand",
	Summary: "Looks at how values are kept and used.",
	Group:   "generic", Since: "0.1.0", Flags: command.SubCommands,
	Examples: "> OBJECT\n-ERR wrong number of arguments for 'object' command\n",
}})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "OBJECT|ENCODING", Syntax: "key", Arity: 3, Complexity: "O(1)",
		Summary: "Tells in which form a value is kept, in Redis's terms.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.KeysOnly,
		Keys: []command.Keys{{First: 2, Flags: command.RO}},
		Examples: "> SET k 5\n+OK\n" +
			"> OBJECT ENCODING k\n\"int\"\n" +
			"> SET k five\n+OK\n" +
			"> OBJECT ENCODING k\n\"embstr\"\n" +
			"> OBJECT ENCODING nokey\n_\n" +
			"> OBJECT ENCODING\n-ERR wrong number of arguments for 'object|encoding' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return object(tx, a, func(v keyspace.Value) resp.Reply { return resp.BulkString(v.Encoding().String()) })
	},
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "OBJECT|REFCOUNT", Syntax: "key", Arity: 3, Complexity: "O(1)",
		Summary: "Tells how often a value is shared: never here, but small integers count as in Redis.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.KeysOnly,
		Keys: []command.Keys{{First: 2, Flags: command.RO}},
		Examples: "> SET k v\n+OK\n" +
			"> OBJECT REFCOUNT k\n:1\n" +
			"> OBJECT REFCOUNT\n-ERR wrong number of arguments for 'object|refcount' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return object(tx, a, refcount) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "OBJECT|IDLETIME", Syntax: "key", Arity: 3, Complexity: "O(1)",
		Summary: "Tells for how many seconds a key has not been used.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Random | command.KeysOnly,
		Keys: []command.Keys{{First: 2, Flags: command.RO}},
		Examples: "> SET k v\n+OK\n" +
			"> OBJECT IDLETIME k\n:0\n" +
			"> OBJECT IDLETIME nokey\n_\n" +
			"> OBJECT IDLETIME\n-ERR wrong number of arguments for 'object|idletime' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return object(tx, a, func(v keyspace.Value) resp.Reply {
			if tx.Settings.LFU {
				return errLFU
			}
			return resp.Int(tx.Idle(v))
		})
	},
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "OBJECT|FREQ", Syntax: "key", Arity: 3, Complexity: "O(1)",
		Summary: "Tells how often a key is used, on a logarithmic scale; under an LFU maxmemory-policy only.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Random | command.KeysOnly,
		Keys: []command.Keys{{First: 2, Flags: command.RO}},
		Examples: "> SET k v\n+OK\n" +
			"> OBJECT FREQ nokey\n_\n" +
			"> OBJECT FREQ k\n-ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
			"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return object(tx, a, func(v keyspace.Value) resp.Reply {
			if !tx.Settings.LFU {
				return errNoLFU
			}
			return resp.Int(tx.Frequency(v))
		})
	},
})

const lfuNote = "Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."

var (
	errLFU   = resp.Error("ERR An LFU maxmemory policy is selected, idle time not tracked. " + lfuNote)
	errNoLFU = resp.Error("ERR An LFU maxmemory policy is not selected, access frequency not tracked. " + lfuNote)
)

// object answers a question about a value, null if it is missing.
func object(tx *keyspace.Tx, a *command.Args, tell func(keyspace.Value) resp.Reply) resp.Reply {
	v := tx.Outline(a.Key())
	if v.Missing() {
		return resp.Nil
	}
	return tell(v)
}

// sharedInts is how many integers, from 0, Redis keeps ready and shares.
const sharedInts = 10000

func refcount(v keyspace.Value) resp.Reply {
	if v.Encoding() == keyspace.Int && v.Int() >= 0 && v.Int() < sharedInts {
		return resp.Int(math.MaxInt32)
	}
	return resp.One
}
