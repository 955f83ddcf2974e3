package str

import (
	"bytes"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SET", Arity: -3, Complexity: "O(1)",
		Syntax:  "key value [NX | XX | IFEQ comparison-value] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
		Summary: "Sets the string value of a key, whatever it held before.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 1, Flags: command.RW | command.Access | command.Update | command.Variable, Vary: setUse}},
		Examples: "> SET k v\n+OK\n" +
			"> SET k w NX\n_\n" +
			"> SET k w GET\n\"v\"\n" +
			"> SET k x IFEQ nope\n_\n" +
			"> SET k x IFEQ w EX 10\n+OK\n" +
			"> TTL k\n:10\n" +
			"> SET k v EX ten\n-ERR value is not an integer or out of range\n" +
			"> SET k v EX 0\n-ERR invalid expire time in 'set' command\n" +
			"> SET k v NX XX\n-ERR syntax error\n",
	},
	Run: set,
})

// setUse is what a SET does to its key: it tells of the old value if it is asked
// to answer with it or to compare it.
func setUse(argv [][]byte) command.KeyFlag {
	for _, word := range argv[min(len(argv), 3):] {
		if command.EqualFold(word, "GET") || command.EqualFold(word, "IFEQ") {
			return command.RW | command.Access | command.Update
		}
	}
	return command.OW | command.Update
}

// setOptions are the words after the value.
type setOptions struct {
	onlyNew, onlyOld, onlyEqual bool
	comparison                  []byte // of onlyEqual (IFEQ)
	get, keep                   bool
	ending                      ending
}

func set(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	if a.Len() == 0 { // the common form, which needs no look at the old value
		tx.PutText(key, value, keyspace.NoDeadline, "set")
		return resp.OK
	}
	opts := parseSetOptions(a)
	deadline := opts.ending.deadline(tx, a, keyspace.NoDeadline)
	if a.Bad() {
		return a.Err()
	}
	if opts.keep {
		deadline = keyspace.KeepDeadline
	}
	reply, allowed := opts.allow(tx, key)
	if !allowed {
		return reply
	}
	tx.PutText(key, value, deadline, "set")
	if opts.ending.unit != nil {
		tx.Also(key, "expire")
	}
	setEffect(tx, key, value, deadline)
	return reply
}

// setEffect records that a key was made a text, whatever the conditions were.
func setEffect(tx *keyspace.Tx, key, text []byte, deadline int64) {
	switch {
	case deadline >= 0:
		var digits [deadlineDigits]byte
		tx.Effect([]byte("SET"), key, text, []byte("PXAT"), strconv.AppendInt(digits[:0], deadline, 10))
	case deadline == keyspace.KeepDeadline:
		tx.Effect([]byte("SET"), key, text, []byte("KEEPTTL"))
	default:
		tx.Effect([]byte("SET"), key, text)
	}
}

func parseSetOptions(a *command.Args) (o setOptions) {
	for a.More() {
		switch {
		case !o.onlyOld && !o.onlyEqual && a.Option("NX"):
			o.onlyNew = true
		case !o.onlyNew && !o.onlyEqual && a.Option("XX"):
			o.onlyOld = true
		case !o.onlyNew && !o.onlyOld && !o.onlyEqual && a.OptionWith("IFEQ", 1):
			o.onlyEqual, o.comparison = true, a.Bytes()
		case a.Option("GET"):
			o.get = true
		case o.ending.unit == nil && a.Option("KEEPTTL"):
			o.keep = true
		case !o.keep && o.ending.read(a):
		default:
			a.Syntax()
		}
	}
	return o
}

// allow looks at the old value, if the options say so: whether it lets the
// write happen, and what the reply is.
func (o *setOptions) allow(tx *keyspace.Tx, key []byte) (reply resp.Reply, allowed bool) {
	var v keyspace.Value
	switch {
	case o.get:
		v = tx.Lookup(key)
	case o.onlyNew || o.onlyOld:
		v = tx.FindOutline(key)
	case o.onlyEqual:
		v = tx.Find(key)
	default:
		return resp.OK, true
	}
	switch {
	case (o.get || o.onlyEqual) && otherType(v):
		return resp.ErrWrongType, false
	case o.onlyNew:
		allowed = v.Missing()
	case o.onlyOld:
		allowed = !v.Missing()
	case o.onlyEqual:
		allowed = !v.Missing() && bytes.Equal(tx.Text(v), o.comparison)
	default:
		allowed = true
	}
	switch {
	case o.get && !v.Missing():
		return kept(tx, v), allowed
	case o.get || !allowed:
		return resp.Nil, allowed
	}
	return resp.OK, true
}
