package hash

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HRANDFIELD", Syntax: "key [count [WITHVALUES]]", Arity: -2, Complexity: "O(n) for n fields, or for a hash of n fields if a large part of it is asked for",
		Summary: "Returns fields of a hash chosen at random, different ones unless the count is negative.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h f v\n:1\n" +
			"> HRANDFIELD h\n\"f\"\n" +
			"> HRANDFIELD h 5\n[\"f\"]\n" +
			"> HRANDFIELD h -2 WITHVALUES\n[[\"f\", \"v\"], [\"f\", \"v\"]]\n" +
			"> HRANDFIELD nokey\n_\n" +
			"> HRANDFIELD h 1 VALUES\n-ERR syntax error\n",
	},
	Run: hrandfield,
})

func hrandfield(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	if a.Len() == 0 {
		return hrandfieldOne(tx, key)
	}
	count, show := readCount(a)
	if a.Bad() {
		return a.Err()
	}
	h, ok := lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	var items []resp.Reply
	switch n := h.len(); {
	case n == 0 || count == 0:
		return resp.EmptyList
	case count >= int64(n):
		items = h.list(tx, show)
	case count > 0:
		items = h.sample(tx, int(count), show)
	default:
		if items, ok = h.draw(tx, -count, show); !ok {
			return resp.ErrOutOfRange
		}
	}
	if show == pairs {
		return resp.Twos(items...)
	}
	return resp.Array(items...)
}

// hrandfieldOne is the form without a count.
func hrandfieldOne(tx *keyspace.Tx, key []byte) resp.Reply {
	h, ok := lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case h.empty():
		return resp.Nil
	}
	field, _ := h.random(tx)
	return resp.Bulk(field)
}

var errCount = resp.Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")

// readCount reads the count and WITHVALUES.
func readCount(a *command.Args) (count int64, show shown) {
	count = a.Int()
	if count == math.MinInt64 {
		a.Fail(errCount)
	}
	if a.Option("WITHVALUES") {
		show = pairs
	}
	a.End()
	if show == pairs && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		a.Fail(resp.ErrOutOfRange) // as a flat array it could not be counted
	}
	return count, show
}
