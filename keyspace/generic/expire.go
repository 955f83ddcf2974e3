package generic

import (
	"bytes"
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "EXPIRE", Syntax: "key seconds [NX | XX | GT | LT]", Arity: -3, Complexity: "O(log n) for n keys that have an end",
		Summary: "Lets a key end after some seconds; at once if they are not positive.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> EXPIRE k 100\n:1\n" +
			"> EXPIRE k 50 GT\n:0\n" +
			"> TTL k\n:100\n" +
			"> EXPIRE k 100 NX XX\n-ERR NX and XX, GT or LT options at the same time are not compatible\n" +
			"> EXPIRE k 9223372036854775807\n-ERR invalid expire time in 'expire' command\n" +
			"> EXPIRE k -1\n:1\n" +
			"> EXISTS k\n:0\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return expire(tx, a, 1000, tx.Now()) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PEXPIRE", Syntax: "key milliseconds [NX | XX | GT | LT]", Arity: -3, Complexity: "O(log n) for n keys that have an end",
		Summary: "Lets a key end after some milliseconds; at once if they are not positive.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> PEXPIRE k 100000\n:1\n" +
			"> TTL k\n:100\n" +
			"> PEXPIRE nokey 100000\n:0\n" +
			"> PEXPIRE k soon\n-ERR value is not an integer or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return expire(tx, a, 1, tx.Now()) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "EXPIREAT", Syntax: "key unix-time-seconds [NX | XX | GT | LT]", Arity: -3, Complexity: "O(log n) for n keys that have an end",
		Summary: "Lets a key end at a time, in seconds; at once if that has passed.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> EXPIREAT k 33177117420\n:1\n" +
			"> EXPIRETIME k\n:33177117420\n" +
			"> EXPIREAT k 1 NOW\n-ERR Unsupported option NOW\n" +
			"> EXPIREAT k 1\n:1\n" +
			"> EXISTS k\n:0\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return expire(tx, a, 1000, 0) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PEXPIREAT", Syntax: "key unix-time-milliseconds [NX | XX | GT | LT]", Arity: -3, Complexity: "O(log n) for n keys that have an end",
		Summary: "Lets a key end at a time, in milliseconds; at once if that has passed.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> PEXPIREAT k 33177117420000\n:1\n" +
			"> PEXPIRETIME k\n:33177117420000\n" +
			"> PEXPIREAT k 1 GT LT\n-ERR GT and LT options at the same time are not compatible\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return expire(tx, a, 1, 0) },
})

// deadlineDigits is the longest deadline, in decimal.
const deadlineDigits = 19

// conditions are the words after the time: which deadlines may be replaced.
type conditions struct {
	none, some, later, earlier bool // NX XX GT LT
}

// expire gives a key its deadline: so many units, of so many milliseconds,
// after base. The options are looked at before the number, as in Redis.
func expire(tx *keyspace.Tx, a *command.Args, millis, base int64) resp.Reply {
	key, word := a.Key(), a.Bytes()
	cond := readConditions(a)
	deadline := deadlineAfter(a, word, millis, base)
	if a.Bad() {
		return a.Err()
	}
	v := tx.FindOutline(key)
	switch {
	case v.Missing(), !cond.allow(tx.Deadline(v), deadline):
		return resp.Zero
	case deadline <= tx.Now():
		tx.Remove(v, "del")
		tx.Effect([]byte("DEL"), key)
	default:
		tx.Expire(v, deadline, "expire")
		var digits [deadlineDigits]byte
		tx.Effect([]byte("PEXPIREAT"), key, strconv.AppendInt(digits[:0], deadline, 10))
	}
	return resp.One
}

func readConditions(a *command.Args) (c conditions) {
	for a.More() {
		switch {
		case a.Option("NX"):
			c.none = true
		case a.Option("XX"):
			c.some = true
		case a.Option("GT"):
			c.later = true
		case a.Option("LT"):
			c.earlier = true
		default:
			shown, _, _ := bytes.Cut(a.Bytes(), []byte{0}) // as a string of C's
			a.Fail(resp.Error("ERR Unsupported option " + string(bytes.TrimRight(shown, "\r\n"))))
		}
	}
	switch {
	case c.none && (c.some || c.later || c.earlier):
		a.Fail(resp.ErrExpireNXGT)
	case c.later && c.earlier:
		a.Fail(resp.ErrExpireGTLT)
	}
	return c
}

// deadlineAfter is base and word units, in milliseconds. A time in the past is
// none, one that cannot be counted is a mistake.
func deadlineAfter(a *command.Args, word []byte, millis, base int64) int64 {
	n, ok := command.ParseInt(word)
	if !ok {
		a.Fail(resp.ErrNotInteger)
	}
	if n > math.MaxInt64/millis || n < math.MinInt64/millis || n*millis > math.MaxInt64-base {
		a.Fail(resp.ErrExpireTime(a.Meta().Name))
	}
	return n*millis + base
}

// allow compares the present deadline with the new one. A key without one
// counts as one that ends never.
func (c *conditions) allow(present, deadline int64) bool {
	endless := present == keyspace.NoDeadline
	switch {
	case c.none && !endless,
		c.some && endless,
		c.later && (endless || deadline <= present),
		c.earlier && !endless && deadline >= present:
		return false
	}
	return true
}
