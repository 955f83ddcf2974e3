package bits

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BITOP", Syntax: "<AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE> destkey key [key ...]", Arity: -4,
		Complexity: "O(n) for n bytes of all the strings",
		Summary:    "Combines strings bit by bit, the shorter ones with zeros behind them, stores the result and returns its length.",
		Group:      "bitmap", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: []command.Keys{
			{First: 2, Flags: command.OW | command.Update},
			{First: 3, Last: -1, Flags: command.RO | command.Access},
		},
		Examples: "> MSET a foobar b abcdef\n+OK\n" +
			"> BITOP AND d a b\n:6\n" +
			"> GET d\n\"`bc`ab\"\n" +
			"> BITOP DIFF d a b\n:6\n" +
			"> GET d\n\"\\x06\\r\\x0c\\x02\\x00\\x10\"\n" +
			"> BITOP OR d nokey\n:0\n" +
			"> EXISTS d\n:0\n" +
			"> BITOP NOT d a b\n-ERR BITOP NOT must be called with a single source key.\n" +
			"> BITOP DIFF d a\n-ERR BITOP DIFF must be called with at least two source keys.\n" +
			"> BITOP NAND d a b\n-ERR syntax error\n",
	},
	Run: bitop,
})

var errNot = resp.Error("ERR BITOP NOT must be called with a single source key.")

func bitop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	op := readOperation(a)
	dest, keys := a.Key(), a.Rest()
	switch {
	case a.Bad():
		return a.Err()
	case op == not && len(keys) != 1:
		return errNot
	case op.oneAgainstOthers() && len(keys) < 2:
		return resp.Error("ERR BITOP " + operations[op] + " must be called with at least two source keys.")
	}
	var room [8][]byte
	sources, err := texts(tx, keys, room[:0])
	if err.IsError() {
		return err
	}
	size := longest(sources)
	if size == 0 {
		tx.Delete(dest, "del")
		return resp.Zero
	}
	out := tx.Scratch()
	if cap(out) < size {
		out = make([]byte, size)
	}
	out = out[:size]
	op.combine(out, sources)
	tx.PutRaw(dest, out, keyspace.NoDeadline, "set")
	tx.KeepScratch(out)
	return resp.Int(int64(size))
}

func readOperation(a *command.Args) operation {
	for op, name := range operations {
		if a.Option(name) {
			return operation(op)
		}
	}
	a.Syntax()
	return 0
}

// texts are those of the keys. A number is copied, since all of them are
// written to the same buffer.
func texts(tx *keyspace.Tx, keys, list [][]byte) (texts [][]byte, err resp.Reply) {
	for _, key := range keys {
		v := tx.Lookup(key)
		if otherType(v) {
			return nil, resp.ErrWrongType
		}
		b := text(tx, v)
		if !v.Missing() && v.Encoding() == keyspace.Int {
			b = bytes.Clone(b)
		}
		list = append(list, b)
	}
	return list, resp.Nothing
}

func longest(texts [][]byte) (size int) {
	for _, b := range texts {
		size = max(size, len(b))
	}
	return size
}
