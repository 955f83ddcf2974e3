package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LPUSH", Syntax: "key element [element ...]", Arity: -3, Complexity: "O(n) for n elements",
		Summary: "Puts elements in front of a list, one after the other, and returns its length.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> LPUSH l a b\n:2\n" +
			"> LRANGE l 0 -1\n[\"b\", \"a\"]\n" +
			"> SET k v\n+OK\n" +
			"> LPUSH k a\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return push(tx, a, left) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RPUSH", Syntax: "key element [element ...]", Arity: -3, Complexity: "O(n) for n elements",
		Summary: "Puts elements at the end of a list, one after the other, and returns its length.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> RPUSH l a b\n:2\n" +
			"> LRANGE l 0 -1\n[\"a\", \"b\"]\n" +
			"> RPUSH l\n-ERR wrong number of arguments for 'rpush' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return push(tx, a, right) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LPUSHX", Syntax: "key element [element ...]", Arity: -3, Complexity: "O(n) for n elements",
		Summary: "Puts elements in front of a list that exists, and returns its length, 0 if it does not.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> LPUSHX l a\n:0\n" +
			"> RPUSH l a\n:1\n" +
			"> LPUSHX l b c\n:3\n" +
			"> LRANGE l 0 -1\n[\"c\", \"b\", \"a\"]\n" +
			"> LPUSHX l\n-ERR wrong number of arguments for 'lpushx' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return pushToExisting(tx, a, left) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RPUSHX", Syntax: "key element [element ...]", Arity: -3, Complexity: "O(n) for n elements",
		Summary: "Puts elements at the end of a list that exists, and returns its length, 0 if it does not.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> RPUSHX l a\n:0\n" +
			"> RPUSH l a\n:1\n" +
			"> RPUSHX l b c\n:3\n" +
			"> LRANGE l 0 -1\n[\"a\", \"b\", \"c\"]\n" +
			"> RPUSHX l\n-ERR wrong number of arguments for 'rpushx' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return pushToExisting(tx, a, right) },
})

// pushed is what keyspace notifications call a push at that end.
func (at side) pushed() string {
	if at == left {
		return "lpush"
	}
	return "rpush"
}

func push(tx *keyspace.Tx, a *command.Args, at side) resp.Reply {
	var e edit
	if !e.open(tx, a.Key()) {
		return resp.ErrWrongType
	}
	return e.pushWords(a, at)
}

func pushToExisting(tx *keyspace.Tx, a *command.Args, at side) resp.Reply {
	var e edit
	switch {
	case !e.open(tx, a.Key()):
		return resp.ErrWrongType
	case e.v.Missing():
		return resp.Zero
	}
	return e.pushWords(a, at)
}

// pushWords puts the words that are left at an end, and answers how many
// elements there are.
func (e *edit) pushWords(a *command.Args, at side) resp.Reply {
	words := a.Rest()
	n := e.len() + len(words)
	e.push(words, at, at.pushed())
	return resp.Int(int64(n))
}
