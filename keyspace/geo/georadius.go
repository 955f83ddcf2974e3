package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const (
	shownSyntax = " [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]"
	storeSyntax = " [STORE key] [STOREDIST key]"
	meterSyntax = " radius <M | KM | FT | MI>"
)

// radiusKeys are those of a command whose options begin with a word.
func radiusKeys(options int) []command.Keys {
	return []command.Keys{
		{First: 1, Flags: command.RO | command.Access},
		{First: options, Keyword: "STORE", Flags: command.OW | command.Update},
		{First: options, Keyword: "STOREDIST", Flags: command.OW | command.Update},
	}
}

// nextRadiusKey finds the keys of such a command: every word that may turn out to
// be the destination, of which the last counts.
func nextRadiusKey(options int) func(argv [][]byte, behind int) command.KeyAt {
	return func(argv [][]byte, behind int) command.KeyAt {
		if behind == 0 && len(argv) > 1 {
			return command.KeyAt{Pos: 1, Flags: command.RO | command.Access}
		}
		for i := max(options, behind); i+1 < len(argv); i++ {
			if command.EqualFold(argv[i], "STORE") || command.EqualFold(argv[i], "STOREDIST") {
				return command.KeyAt{Pos: i + 1, Flags: command.OW | command.Update}
			}
		}
		return command.KeyAt{}
	}
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEORADIUS", Syntax: "key longitude latitude" + meterSyntax + shownSyntax + storeSyntax, Arity: -6,
		Complexity: searchComplexity,
		Summary:    "Finds, or stores, the members that lie in a circle: an old form of GEOSEARCH.",
		Group:      "geo", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: radiusKeys(6), NextKey: nextRadiusKey(6),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEORADIUS Sicily 15 37 200 km WITHDIST ASC\n[[\"Catania\", \"56.4413\"], [\"Palermo\", \"190.4424\"]]\n" +
			"> GEORADIUS Sicily 15 37 100 km STORE near\n:1\n" +
			"> ZRANGE near 0 -1\n[\"Catania\"]\n" +
			"> GEORADIUS Sicily 15 37 far km\n-ERR need numeric radius\n",
	},
	Run: georadius(true),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEORADIUS_RO", Syntax: "key longitude latitude" + meterSyntax + shownSyntax, Arity: -6,
		Complexity: searchComplexity,
		Summary:    "Finds the members that lie in a circle: an old form of GEOSEARCH.",
		Group:      "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEORADIUS_RO Sicily 15 37 200 km COUNT 1\n[\"Catania\"]\n" +
			"> GEORADIUS_RO Sicily 15 37 200 km STORE near\n-ERR syntax error\n",
	},
	Run: georadius(false),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEORADIUSBYMEMBER", Syntax: "key member" + meterSyntax + shownSyntax + storeSyntax, Arity: -5,
		Complexity: searchComplexity,
		Summary:    "Finds, or stores, the members that lie in a circle around one: an old form of GEOSEARCH.",
		Group:      "geo", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: radiusKeys(5), NextKey: nextRadiusKey(5),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEORADIUSBYMEMBER Sicily Palermo 200 km DESC\n[\"Catania\", \"Palermo\"]\n" +
			"> GEORADIUSBYMEMBER Sicily Palermo 200 km STOREDIST near\n:2\n" +
			"> GEORADIUSBYMEMBER Sicily Nowhere 200 km\n-ERR could not decode requested zset member\n",
	},
	Run: georadiusByMember(true),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEORADIUSBYMEMBER_RO", Syntax: "key member" + meterSyntax + shownSyntax, Arity: -5,
		Complexity: searchComplexity,
		Summary:    "Finds the members that lie in a circle around one: an old form of GEOSEARCH.",
		Group:      "geo", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEORADIUSBYMEMBER_RO Sicily Palermo 10 km WITHHASH\n[[\"Palermo\", :3479099956230698]]\n" +
			"> GEORADIUSBYMEMBER_RO Sicily Palermo -1 km\n-ERR radius cannot be negative\n",
	},
	Run: georadiusByMember(false),
})

type handler = func(*keyspace.Tx, *command.Args) resp.Reply

// georadius is a search around a place that stands before the options.
func georadius(stores bool) handler {
	return func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		q := query{dialect: dialect{stores: stores}}
		if !q.open(tx, a.Key()) {
			return resp.ErrWrongType
		}
		q.shape.center = readPlace(a)
		q.readRadius(a)
		return q.searchIn(tx, a)
	}
}

// georadiusByMember is a search around a member.
func georadiusByMember(stores bool) handler {
	return func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		q := query{dialect: dialect{stores: stores}}
		if !q.open(tx, a.Key()) {
			return resp.ErrWrongType
		}
		if q.readMember(a); q.missing { // then it does not matter how far
			a.Bytes()
			a.Bytes()
		} else {
			q.readRadius(a)
		}
		return q.searchIn(tx, a)
	}
}
