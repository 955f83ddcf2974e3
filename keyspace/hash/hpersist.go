package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HPERSIST", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Lets fields of a hash never end.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.Fast, Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HEXPIRE h 100 FIELDS 1 a\n[:1]\n" +
			"> HPERSIST h FIELDS 3 a b x\n[:1, :-1, :-2]\n" +
			"> HTTL h FIELDS 1 a\n[:-1]\n" +
			"> HPERSIST h FIELDS 2 a\n-ERR The `numfields` parameter must match the number of arguments\n",
	},
	Run: hpersist,
})

func hpersist(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	names := readFields(a, errFieldCount)
	if a.Bad() {
		return a.Err()
	}
	items := tx.Items(len(names))
	var room [few][]byte
	treated, all := room[:0], notAllowed
	for i, field := range names {
		result := e.persist(field)
		if result > 0 {
			treated, all = append(treated, field), result
		}
		items[i] = resp.Int(int64(result))
	}
	e.saveEnds(treated, all, 0)
	return resp.Array(items...)
}

// persist lets a field never end, and says whether it would have.
func (e *edit) persist(field []byte) (result int) {
	_, deadline, found := e.find(field, true)
	switch {
	case !found:
		return noField
	case deadline == 0:
		return noDeadline
	}
	e.setDeadline(field, 0)
	return expiring
}
