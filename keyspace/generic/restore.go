package generic

import (
	"bytes"
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RESTORE", Arity: -4, Complexity: "O(n) for a value of n bytes; O(n log n) for a sorted set",
		Syntax:  "key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
		Summary: "Makes a key of what DUMP has returned, here or by Redis 7.4 and before, to end in ttl milliseconds, never if 0.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: command.OneKey(command.OW | command.Update), Categories: []string{"dangerous"},
		Examples: `> RESTORE k 0 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"` + "\n+OK\n" +
			"> GET k\n\"10\"\n" +
			`> RESTORE k 0 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"` + "\n-BUSYKEY Target key name already exists.\n" +
			`> RESTORE k 5000 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb" REPLACE` + "\n+OK\n" +
			"> RESTORE other 0 text\n-ERR DUMP payload version or checksum are wrong\n",
	},
	Run: restore,
})

// RESTORE-ASKING is how a node of a Redis Cluster says RESTORE to another.
var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RESTORE-ASKING", Arity: -4, Complexity: "O(n) for a value of n bytes; O(n log n) for a sorted set",
		Syntax:  "key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
		Summary: "Does what RESTORE does, for nodes of a Redis Cluster that send their keys here.",
		Group:   "server", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: command.OneKey(command.OW | command.Update), Categories: []string{"keyspace", "dangerous"},
		Examples: `> RESTORE-ASKING k 0 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"` + "\n+OK\n" +
			"> RESTORE-ASKING k 0 text\n-BUSYKEY Target key name already exists.\n",
	},
	Run: restore,
})

// restoreOptions are the words after the payload.
type restoreOptions struct {
	replace  bool
	absolute bool  // the time to live is a time
	idle     int64 // seconds; -1 if it was not given
	uses     int64 // likewise
}

var (
	errBusyKey    = resp.Error("BUSYKEY Target key name already exists.")
	errTTL        = resp.Error("ERR Invalid TTL value, must be >= 0")
	errIdle       = resp.Error("ERR Invalid IDLETIME value, must be >= 0")
	errUses       = resp.Error("ERR Invalid FREQ value, must be >= 0 and <= 255")
	errBadFooter  = resp.Error("ERR DUMP payload version or checksum are wrong")
	errBadPayload = resp.Error("ERR Bad data format")
)

func restore(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, ttl, payload := a.Key(), a.Bytes(), a.Bytes()
	o := readRestore(a)
	switch {
	case a.Bad():
		return a.Err()
	case !o.replace && !tx.FindOutline(key).Missing():
		return errBusyKey
	}
	deadline := o.deadline(tx, a, ttl)
	if a.Bad() {
		return a.Err()
	}
	value, err := rdb.Open(payload)
	if err != nil {
		return errBadFooter
	}
	if tx.Kind(value.Type()) == nil || value.Check() != nil {
		return errBadPayload
	}
	if deadline != keyspace.NoDeadline && deadline <= tx.Now() {
		if tx.Delete(key, "del") {
			tx.Effect([]byte("DEL"), key)
		}
		return resp.OK
	}
	return o.put(tx, key, dumped{value, payload, deadline})
}

// dumped is what a key is to be made of.
type dumped struct {
	rdb.Payload
	bytes    []byte
	deadline int64
}

// put makes the key what was dumped.
func (o *restoreOptions) put(tx *keyspace.Tx, key []byte, d dumped) (mistake resp.Reply) {
	kind, existed := tx.Kind(d.Type()), !tx.Outline(key).Missing()
	if kind.PutParts != nil {
		mistake = kind.PutParts(tx, key, d.Stream(), d.deadline, "restore")
	} else {
		mistake = kind.Put(tx, key, d.Elements(), d.deadline, "restore")
	}
	if mistake.IsError() {
		return errBadPayload
	}
	v := tx.Peek(key)
	if v.Missing() { // since all fields of a hash have ended
		if existed {
			tx.Effect([]byte("DEL"), key)
		}
		return resp.OK
	}
	tx.Restamp(v, o.idle, o.uses)
	o.effect(tx, key, d)
	return resp.OK
}

// effect records what was restored, less the fields that have ended.
func (o *restoreOptions) effect(tx *keyspace.Tx, key []byte, d dumped) {
	words := [][]byte{[]byte("RESTORE"), key, strconv.AppendInt(nil, max(d.deadline, 0), 10), d.bytes, []byte("REPLACE"), []byte("ABSTTL")}
	switch {
	case o.idle >= 0:
		words = append(words, []byte("IDLETIME"), strconv.AppendInt(nil, o.idle, 10))
	case o.uses >= 0:
		words = append(words, []byte("FREQ"), strconv.AppendInt(nil, o.uses, 10))
	}
	tx.Effect(words...)
	if d.Type() != keyspace.Hash {
		return
	}
	var ended [][]byte
	for e := range d.Elements() {
		if e.Deadline != 0 && e.Deadline <= tx.Now() {
			ended = append(ended, bytes.Clone(e.Text))
		}
	}
	if ended != nil {
		tx.EffectWith(ended, []byte("HDEL"), key)
	}
}

func readRestore(a *command.Args) restoreOptions {
	o := restoreOptions{idle: -1, uses: -1}
	for a.More() {
		switch {
		case a.Option("REPLACE"):
			o.replace = true
		case a.Option("ABSTTL"):
			o.absolute = true
		case o.uses < 0 && a.OptionWith("IDLETIME", 1):
			if o.idle = a.Int(); o.idle < 0 {
				a.Fail(errIdle)
			}
		case o.idle < 0 && a.OptionWith("FREQ", 1):
			if o.uses = a.Int(); o.uses < 0 || o.uses > math.MaxUint8 {
				a.Fail(errUses)
			}
		default:
			a.Syntax()
		}
	}
	return o
}

// deadline is when the key is to end. A time to live that leads past what can
// be counted leads to its end.
func (o *restoreOptions) deadline(tx *keyspace.Tx, a *command.Args, ttl []byte) int64 {
	millis, ok := command.ParseInt(ttl)
	switch {
	case !ok:
		a.Fail(resp.ErrNotInteger)
	case millis < 0:
		a.Fail(errTTL)
	case millis == 0:
		return keyspace.NoDeadline
	case o.absolute:
		return millis
	}
	return tx.Now() + min(millis, math.MaxInt64-tx.Now())
}
