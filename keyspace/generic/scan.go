package generic

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SCAN", Syntax: "cursor [MATCH pattern] [COUNT count] [TYPE type]", Arity: -2,
		Complexity: "O(count) for a call; O(n) for a walk through all n keys of the database",
		Summary:    "Walks through the keys of the database, from cursor 0 until 0 is returned.",
		Group:      "generic", Since: "0.1.0", Flags: command.ReadOnly | command.ByCursor | command.Random,
		Examples: "> SCAN 0 COUNT 0\n-ERR syntax error\n" +
			"> SCAN 0 MATCH\n-ERR syntax error\n" +
			"> SCAN here\n-ERR invalid cursor\n" +
			"> SCAN 0 COUNT ten\n-ERR value is not an integer or out of range\n",
	},
	Run: scan,
})

// scanOptions are the words after the cursor.
type scanOptions struct {
	wanted   pattern
	typ      []byte // of any if nil
	count    int64
	anything bool // no pattern was given
}

// scan goes on through the shard at which the cursor stands, and through those
// after it if they are held too, as in a transaction.
func scan(tx *keyspace.Tx, a *command.Args) resp.Reply {
	cursor, ok := keyspace.ParseCursor(a.Bytes())
	if !ok {
		return resp.ErrCursor
	}
	opts := parseScan(a)
	if a.Bad() {
		return a.Err()
	}
	found := []resp.Reply{}
	for seen := int64(0); ; {
		cursor = tx.Scan(cursor, func(v keyspace.Value) {
			seen++
			if opts.want(v) {
				found = append(found, resp.Bulk(v.Key()))
			}
		})
		if cursor == 0 || seen >= opts.count || !tx.AtHand(cursor) {
			break
		}
	}
	return resp.Array(resp.BulkString(strconv.FormatUint(cursor, 10)), resp.Array(found...))
}

func parseScan(a *command.Args) scanOptions {
	o := scanOptions{count: 10, anything: true}
	for a.More() {
		switch {
		case a.OptionWith("COUNT", 1):
			if o.count = a.Int(); o.count < 1 {
				a.Syntax()
			}
		case a.OptionWith("MATCH", 1):
			o.wanted, o.anything = pattern(a.Bytes()), false
		case a.OptionWith("TYPE", 1):
			o.typ = a.Bytes()
		default:
			a.Syntax()
		}
	}
	return o
}

// want reports whether a key is one of those asked for. A type that does not
// exist is no mistake, it finds nothing.
func (o *scanOptions) want(v keyspace.Value) bool {
	if o.typ != nil && command.Lower(o.typ) != v.Type().String() {
		return false
	}
	return o.anything || o.wanted.match(v.Key())
}
