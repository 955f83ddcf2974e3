package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GEOADD", Syntax: "key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]", Arity: -5,
		Complexity: "O(log n) for each member, of a sorted set of n",
		Summary:    "Puts members of a sorted set at places on the earth and answers how many are new.",
		Group:      "geo", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n:2\n" +
			"> GEODIST Sicily Palermo Catania\n\"166274.1516\"\n" +
			"> GEOADD Sicily XX CH 13.361 38.115 Palermo 14 37 Enna\n:1\n" +
			"> GEOADD Sicily 14 86 Nowhere\n-ERR invalid longitude,latitude pair 14.000000,86.000000\n",
	},
	Run: geoadd,
})

func geoadd(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	how, changes := readHow(a)
	words := a.Rest()
	if len(words) == 0 || len(words)%3 != 0 || how == zset.NX|zset.XX {
		return resp.ErrSyntax
	}
	var room [8]float64
	scores, mistake := readScores(words, room[:0])
	if mistake.IsError() {
		return mistake
	}
	e, ok := zset.Open(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	added, updated, effect := 0, 0, newScored(len(scores))
	for i, score := range scores {
		o := e.Add(words[3*i+2], score, how)
		if !o.Changed() {
			continue
		}
		effect.add(score, words[3*i+2])
		if o.Added {
			added++
		} else {
			updated++
		}
	}
	if added+updated > 0 {
		e.Save("zadd")
		tx.EffectWith(effect.words, []byte("ZADD"), key)
	}
	if changes {
		added += updated
	}
	return resp.Int(int64(added))
}

func readHow(a *command.Args) (how zset.How, changes bool) {
	for {
		switch {
		case a.Option("NX"):
			how |= zset.NX
		case a.Option("XX"):
			how |= zset.XX
		case a.Option("CH"):
			changes = true
		default:
			return how, changes
		}
	}
}

// readScores reads places, each two words with a member behind, as scores.
func readScores(words [][]byte, scores []float64) (_ []float64, mistake resp.Reply) {
	var a command.Args
	for a.Reset(&noName, words); a.More(); {
		scores = append(scores, scoreOf(readPlace(&a)))
		if member := a.Bytes(); zset.TooLong(member) {
			a.Fail(resp.ErrStringSize)
		}
	}
	return scores, a.Err()
}

// noName is the command of words that are all arguments.
var noName command.Meta
