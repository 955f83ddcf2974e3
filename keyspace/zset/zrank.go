package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANK", Syntax: "key member [WITHSCORE]", Arity: -3, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Returns the rank of a member of a sorted set, from 0 for the one with the lowest score.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZRANK z b\n:1\n" +
			"> ZRANK z c WITHSCORE\n[:2, ,30]\n" +
			"> ZRANK z d\n_\n" +
			"> ZRANK z a SCORE\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return rankOf(tx, a, false) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREVRANK", Syntax: "key member [WITHSCORE]", Arity: -3, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Returns the rank of a member of a sorted set from the end, from 0 for the one with the highest score.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZREVRANK z b\n:1\n" +
			"> ZREVRANK z a WITHSCORE\n[:2, ,10]\n" +
			"> ZREVRANK z d WITHSCORE\n_\n" +
			"> ZREVRANK z a SCORE\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return rankOf(tx, a, true) },
})

func rankOf(tx *keyspace.Tx, a *command.Args, fromEnd bool) resp.Reply {
	key, member := a.Key(), a.Bytes()
	if a.Len() > 1 {
		return resp.ErrArity(a.Meta().Name)
	}
	withScore, missing := false, resp.Nil
	if a.More() {
		if withScore = a.Option("WITHSCORE"); !withScore {
			return resp.ErrSyntax
		}
		missing = resp.NilArray
	}
	m, ok := Lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	at, score, found := m.RankOf(member)
	if !found {
		return missing
	}
	if fromEnd {
		at = m.Len() - 1 - at
	}
	if withScore {
		return resp.Array(resp.Int(int64(at)), resp.Double(score))
	}
	return resp.Int(int64(at))
}
