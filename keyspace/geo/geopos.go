package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEOPOS", Syntax: "key [member [member ...]]", Arity: -2,
		Complexity: "O(1) for each member",
		Summary:    "Returns the longitudes and latitudes of members.",
		Group:      "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo\n:1\n" +
			"> GEOPOS Sicily Palermo Nowhere\n[[,13.36138933897018433, ,38.11555639549629859], _]\n" +
			"> HSET h f v\n:1\n" +
			"> GEOPOS h f\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: geopos,
})

func geopos(tx *keyspace.Tx, a *command.Args) resp.Reply {
	set, ok := zset.Lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	members := a.Rest()
	list := tx.Items(len(members))
	room := make([]resp.Reply, 0, 2*len(members))
	for i, member := range members {
		score, found := set.Score(member)
		if !found {
			list[i] = resp.NilArray
			continue
		}
		p := placeOf(score)
		room = append(room, resp.Plain(p.longitude), resp.Plain(p.latitude))
		list[i] = resp.Array(room[len(room)-2:]...)
	}
	return resp.Array(list...)
}
