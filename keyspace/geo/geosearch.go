package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const (
	searchSyntax = "<FROMMEMBER member | FROMLONLAT longitude latitude> " +
		"<BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]]"
	searchComplexity = "O(log n + m) for a sorted set of n members, m of them in the cells of the grid around the shape"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEOSEARCH", Syntax: "key " + searchSyntax + " [WITHCOORD] [WITHDIST] [WITHHASH]", Arity: -7,
		Complexity: searchComplexity,
		Summary:    "Finds the members that lie in a circle or a box.",
		Group:      "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEOSEARCH Sicily FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHDIST\n[[\"Catania\", \"56.4413\"], [\"Palermo\", \"190.4424\"]]\n" +
			"> GEOSEARCH Sicily FROMMEMBER Palermo BYBOX 100 100 km WITHHASH\n[[\"Palermo\", :3479099956230698]]\n" +
			"> GEOSEARCH Sicily FROMMEMBER Nowhere BYRADIUS 1 km\n-ERR could not decode requested zset member\n" +
			"> GEOSEARCH Sicily FROMLONLAT 15 37 FROMMEMBER Palermo BYRADIUS 1 km\n-ERR syntax error\n",
	},
	Run: geosearch,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEOSEARCHSTORE", Syntax: "destination source " + searchSyntax + " [STOREDIST]", Arity: -8,
		Complexity: searchComplexity,
		Summary:    "Stores the members that lie in a circle or a box as a set of places, or with their distances.",
		Group:      "geo", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{
			{First: 1, Flags: command.OW | command.Update},
			{First: 2, Flags: command.RO | command.Access},
		},
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEOSEARCHSTORE near Sicily FROMLONLAT 15 37 BYRADIUS 100 km\n:1\n" +
			"> GEOSEARCH near FROMLONLAT 15 37 BYRADIUS 100 km\n[\"Catania\"]\n" +
			"> GEOSEARCHSTORE near Sicily FROMLONLAT 15 37 BYRADIUS 100 km WITHDIST\n" +
			"-ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options\n",
	},
	Run: geosearchstore,
})

func geosearch(tx *keyspace.Tx, a *command.Args) resp.Reply {
	q := query{dialect: dialect{modern: true}}
	return q.searchBy(tx, a)
}

func geosearchstore(tx *keyspace.Tx, a *command.Args) resp.Reply {
	q := query{dialect: dialect{modern: true, stores: true}, to: a.Key()}
	return q.searchBy(tx, a)
}

// searchBy reads a search of which everything is an option, and answers it.
func (q *query) searchBy(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if !q.open(tx, a.Key()) {
		return resp.ErrWrongType
	}
	return q.searchIn(tx, a)
}
