package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEODIST", Syntax: "key member1 member2 [M | KM | FT | MI]", Arity: -4, Complexity: "O(1)",
		Summary: "Returns how far two members are from each other.",
		Group:   "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEODIST Sicily Palermo Catania\n\"166274.1516\"\n" +
			"> GEODIST Sicily Palermo Catania mi\n\"103.3182\"\n" +
			"> GEODIST Sicily Palermo Nowhere\n_\n" +
			"> GEODIST Sicily Palermo Catania miles\n-ERR unsupported unit provided. please use M, KM, FT, MI\n",
	},
	Run: geodist,
})

func geodist(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, member1, member2, unit := a.Key(), a.Bytes(), a.Bytes(), 1.0
	switch a.Len() {
	case 0:
	case 1:
		unit = readUnit(a)
	default:
		a.Syntax()
	}
	if a.Bad() {
		return a.Err()
	}
	set, ok := zset.Lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	score1, found1 := set.Score(member1)
	score2, found2 := set.Score(member2)
	if !found1 || !found2 {
		return resp.Nil
	}
	from, to := newOrigin(placeOf(score1)), placeOf(score2)
	text := appendDistance(tx.Scratch(), from.told(to, from.haversine(to), unit))
	tx.KeepScratch(text)
	return resp.Bulk(text)
}
