package hash

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const expireFlags = command.Write | command.DenyOOM | command.Fast

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HEXPIRE", Syntax: "key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]", Arity: -6,
		Complexity: "O(n) for n fields",
		Summary:    "Lets fields of a hash end after some seconds; at once if there are none.",
		Group:      "hash", Since: "0.1.0", Flags: expireFlags, Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HEXPIRE h 100 FIELDS 2 a x\n[:1, :-2]\n" +
			"> HEXPIRE h 50 GT FIELDS 2 a b\n[:0, :0]\n" +
			"> HTTL h FIELDS 2 a b\n[:100, :-1]\n" +
			"> HEXPIRE h 0 FIELDS 1 b\n[:2]\n" +
			"> HKEYS h\n[\"a\"]\n" +
			"> HEXPIRE h -1 FIELDS 1 a\n-ERR invalid expire time, must be >= 0\n" +
			"> HEXPIRE h 10 FIELDS 2 a\n-ERR The `numfields` parameter must match the number of arguments\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return hexpire(tx, a, 1000, tx.Now()) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HPEXPIRE", Syntax: "key milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]", Arity: -6,
		Complexity: "O(n) for n fields",
		Summary:    "Lets fields of a hash end after some milliseconds; at once if there are none.",
		Group:      "hash", Since: "0.1.0", Flags: expireFlags, Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1\n:1\n" +
			"> HPEXPIRE h 100000 FIELDS 1 a\n[:1]\n" +
			"> HTTL h FIELDS 1 a\n[:100]\n" +
			"> HPEXPIRE nokey 100000 FIELDS 1 a\n[:-2]\n" +
			"> HPEXPIRE h soon FIELDS 1 a\n-ERR value is not an integer or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return hexpire(tx, a, 1, tx.Now()) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HEXPIREAT", Syntax: "key unix-time-seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]", Arity: -6,
		Complexity: "O(n) for n fields",
		Summary:    "Lets fields of a hash end at a time, in seconds; at once if that has passed.",
		Group:      "hash", Since: "0.1.0", Flags: expireFlags, Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1\n:1\n" +
			"> HEXPIREAT h 33177117420 FIELDS 1 a\n[:1]\n" +
			"> HEXPIRETIME h FIELDS 1 a\n[:33177117420]\n" +
			"> HEXPIREAT h 1 FIELDS 1 a\n[:2]\n" +
			"> HLEN h\n:0\n" +
			"> HEXPIREAT h 9223372036854775807 FIELDS 1 a\n-ERR invalid expire time in 'hexpireat' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return hexpire(tx, a, 1000, 0) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HPEXPIREAT", Syntax: "key unix-time-milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]", Arity: -6,
		Complexity: "O(n) for n fields",
		Summary:    "Lets fields of a hash end at a time, in milliseconds; at once if that has passed.",
		Group:      "hash", Since: "0.1.0", Flags: expireFlags, Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1\n:1\n" +
			"> HPEXPIREAT h 33177117420000 NX FIELDS 1 a\n[:1]\n" +
			"> HPEXPIREAT h 33177117420001 NX FIELDS 1 a\n[:0]\n" +
			"> HPEXPIRETIME h FIELDS 1 a\n[:33177117420000]\n" +
			"> HPEXPIREAT h 1 NX 1 a\n-ERR Mandatory argument FIELDS is missing or not at the right position\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return hexpire(tx, a, 1, 0) },
})

// condition says which fields' deadlines may be replaced.
type condition uint8

const (
	always  condition = iota
	none              // NX: a field without one
	some              // XX: a field with one
	later             // GT: one that is earlier than the new one
	earlier           // LT: one that is later, or none
)

func readCondition(a *command.Args) condition {
	for c, word := range []string{none: "NX", some: "XX", later: "GT", earlier: "LT"} {
		if word != "" && a.Option(word) {
			return condition(c)
		}
	}
	return always
}

// allows compares the present deadline, 0 for none, with the new one.
func (c condition) allows(present, deadline int64) bool {
	switch c {
	case none:
		return present == 0
	case some:
		return present != 0
	case later:
		return present != 0 && present < deadline
	case earlier:
		return present == 0 || present > deadline
	}
	return true
}

// What is answered of a field whose deadline was to be set.
const (
	noField    = -2
	noDeadline = -1
	notAllowed = 0
	expiring   = 1
	expired    = 2
)

// hexpire gives fields their deadline: so many units, of so many milliseconds,
// after base.
func hexpire(tx *keyspace.Tx, a *command.Args, millis, base int64) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	deadline := readDeadline(a, millis, base)
	allowed := readCondition(a)
	names := readFields(a, errFieldsGreater)
	if a.Bad() {
		return a.Err()
	}
	items := tx.Items(len(names))
	var room [few][]byte
	treated, all := room[:0], notAllowed
	for i, field := range names {
		result := e.expire(field, deadline, allowed)
		if result > 0 {
			treated, all = append(treated, field), result
		}
		items[i] = resp.Int(int64(result))
	}
	e.saveEnds(treated, all, deadline)
	return resp.Array(items...)
}

// few is how many fields are seldom exceeded by one command.
const few = 4

// saveEnds saves the hash after fields were given another end, if there are any,
// with the same result for all, and records what they were given: a deadline, 0 for
// none.
func (e *edit) saveEnds(fields [][]byte, result int, deadline int64) {
	var digits, count [intMax]byte
	n := strconv.AppendInt(count[:0], int64(len(fields)), 10)
	switch {
	case result == expired:
		e.save("hdel")
		e.tx.EffectWith(fields, []byte("HDEL"), e.key)
	case result == expiring && deadline == 0:
		e.save("hpersist")
		e.tx.EffectWith(fields, []byte("HPERSIST"), e.key, []byte("FIELDS"), n)
	case result == expiring:
		e.save("hexpire")
		e.tx.EffectWith(fields, []byte("HPEXPIREAT"), e.key, strconv.AppendInt(digits[:0], deadline, 10), []byte("FIELDS"), n)
	}
}

// expire lets a field end at a time, or removes it if that has passed, and says
// what has become of it.
func (e *edit) expire(field []byte, deadline int64, allowed condition) (result int) {
	_, present, found := e.find(field, true)
	switch {
	case !found:
		return noField
	case !allowed.allows(present, deadline):
		return notAllowed
	case deadline <= e.tx.Now():
		e.remove(field)
		return expired
	}
	e.setDeadline(field, deadline)
	return expiring
}
