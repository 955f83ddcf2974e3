package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZSCORE", Syntax: "key member", Arity: 3, Complexity: "O(1)",
		Summary: "Returns the score of a member of a sorted set.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 1.5 a\n:1\n" +
			"> ZSCORE z a\n,1.5\n" +
			"> ZSCORE z b\n_\n" +
			"> SET k v\n+OK\n" +
			"> ZSCORE k a\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: zscore,
})

func zscore(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m, ok := Lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return m.scoreReply(a.Bytes())
}

// scoreReply is the score of a member, or null.
func (m *Members) scoreReply(member []byte) resp.Reply {
	score, found := m.Score(member)
	if !found {
		return resp.Nil
	}
	return resp.Double(score)
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZMSCORE", Syntax: "key member [member ...]", Arity: -3, Complexity: "O(n) for n members",
		Summary: "Returns the scores of members of a sorted set, null for those that are not there.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 1 a 2 b\n:2\n" +
			"> ZMSCORE z b c a\n[,2, _, ,1]\n" +
			"> ZMSCORE z\n-ERR wrong number of arguments for 'zmscore' command\n",
	},
	Run: zmscore,
})

func zmscore(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m, ok := Lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	members := a.Rest()
	items := tx.Items(len(members))
	for i, member := range members {
		items[i] = m.scoreReply(member)
	}
	return resp.Array(items...)
}
