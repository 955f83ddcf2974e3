package str

import (
	"bytes"

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
		Keys: []command.Keys{{First: 1, Flags: command.RW | command.Access | command.Update | command.Variable}},
		Examples: "> SET k v\n+OK\n> SET k w NX\n_\n> SET k w GET\n\"v\"\n> SET k x IFEQ nope\n_\n" +
			"> SET k v EX ten\n-ERR value is not an integer or out of range\n",
	},
	Run: set,
})

// setOptions are the words after the value.
type setOptions struct {
	onlyNew, onlyOld, get bool
	equals                []byte // IFEQ
	deadline              int64
}

func set(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	if a.Len() == 0 { // the common form, which needs no look at the old value
		tx.PutText(key, value, keyspace.NoDeadline, "set")
		return resp.OK
	}
	opts := parseSetOptions(tx, a)
	if a.Bad() {
		return a.Err()
	}
	old := resp.OK
	if opts.get || opts.onlyNew || opts.onlyOld || opts.equals != nil {
		reply, allowed := opts.allow(tx, key)
		if !allowed {
			return reply
		}
		if opts.get {
			old = reply.Clone() // the write may reuse its memory
		}
	}
	tx.PutText(key, value, opts.deadline, "set")
	return old
}

// allow looks at the old value: whether the conditions let the write happen,
// and the reply if they don't, or with GET.
func (o *setOptions) allow(tx *keyspace.Tx, key []byte) (reply resp.Reply, allowed bool) {
	v := tx.Find(key)
	if (o.get || o.equals != nil) && !v.Missing() && !v.Is(keyspace.String) {
		return resp.ErrWrongType, false
	}
	reply = resp.Nil
	if o.get && !v.Missing() {
		reply = resp.Bulk(tx.Text(v))
	}
	switch {
	case o.onlyNew && !v.Missing(), o.onlyOld && v.Missing():
		return reply, false
	case o.equals != nil && (v.Missing() || !bytes.Equal(tx.Text(v), o.equals)):
		return reply, false
	}
	return reply, true
}

func parseSetOptions(tx *keyspace.Tx, a *command.Args) (o setOptions) {
	o.deadline = keyspace.NoDeadline
	timed := false
	for a.More() {
		switch {
		case !o.onlyOld && o.equals == nil && a.Option("NX"):
			o.onlyNew = true
		case !o.onlyNew && o.equals == nil && a.Option("XX"):
			o.onlyOld = true
		case !o.onlyNew && !o.onlyOld && a.OptionWith("IFEQ", 1):
			o.equals = a.Bytes()
		case a.Option("GET"):
			o.get = true
		case !timed && a.Option("KEEPTTL"):
			o.deadline, timed = keyspace.KeepDeadline, true
		case !timed:
			timed = true
			if !readDeadline(tx, a, &o.deadline) {
				a.Syntax()
			}
		default:
			a.Syntax()
		}
	}
	return o
}

// readDeadline reads EX, PX, EXAT or PXAT with its number.
func readDeadline(tx *keyspace.Tx, a *command.Args, deadline *int64) (found bool) {
	for _, unit := range []struct {
		word       string
		millis     int64
		sinceEpoch bool
	}{{"EX", 1000, false}, {"PX", 1, false}, {"EXAT", 1000, true}, {"PXAT", 1, true}} {
		if a.OptionWith(unit.word, 1) {
			*deadline = tx.ReadDeadline(a, unit.millis, unit.sinceEpoch)
			return true
		}
	}
	return false
}
