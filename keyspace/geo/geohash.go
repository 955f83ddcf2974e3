package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEOHASH", Syntax: "key [member [member ...]]", Arity: -2,
		Complexity: "O(1) for each member",
		Summary:    "Returns the places of members as geohashes of eleven letters.",
		Group:      "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEOHASH Sicily Palermo Catania Nowhere\n[\"sqc8b49rny0\", \"sqdtr74hyu0\", _]\n" +
			"> HSET h f v\n:1\n" +
			"> GEOHASH h f\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: geohash,
})

func geohash(tx *keyspace.Tx, a *command.Args) resp.Reply {
	set, ok := zset.Lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	members := a.Rest()
	list := tx.Items(len(members))
	letters := make([]byte, 0, hashLetters*len(members))
	for i, member := range members {
		list[i] = resp.Nil
		if score, found := set.Score(member); found {
			hash := placeOf(score).geohash()
			letters = append(letters, hash[:]...)
			list[i] = resp.Bulk(letters[len(letters)-hashLetters:])
		}
	}
	return resp.Array(list...)
}
