package list

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// moveKeys are the keys of the commands that move an element.
var moveKeys = []command.Keys{
	{First: 1, Flags: command.RW | command.Access | command.Delete},
	{First: 2, Flags: command.RW | command.Insert},
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LMOVE", Syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT>", Arity: 5, Complexity: "O(1)",
		Summary: "Moves an element from an end of a list to an end of another or the same, and returns it.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM, Keys: moveKeys,
		Examples: "> RPUSH a 1 2 3\n:3\n" +
			"> LMOVE a b LEFT RIGHT\n\"1\"\n" +
			"> LMOVE a a RIGHT LEFT\n\"3\"\n" +
			"> LRANGE a 0 -1\n[\"3\", \"2\"]\n" +
			"> LMOVE nokey b LEFT LEFT\n_\n" +
			"> LMOVE a b UP DOWN\n-ERR syntax error\n",
	},
	Run: lmove,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RPOPLPUSH", Syntax: "source destination", Arity: 3, Complexity: "O(1)",
		Summary: "Moves the last element of a list to the front of another or the same, and returns it.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM, Keys: moveKeys,
		Examples: "> RPUSH a 1 2 3\n:3\n" +
			"> RPOPLPUSH a b\n\"3\"\n" +
			"> LRANGE b 0 -1\n[\"3\"]\n" +
			"> SET k v\n+OK\n" +
			"> RPOPLPUSH a k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: rpoplpush,
})

// move is an element's way from an end of a list to an end of another.
type move struct {
	source, destination []byte
	from, to            side
}

// readSide reads which end of a list is meant.
func readSide(a *command.Args) side {
	switch {
	case a.Option("RIGHT"):
		return right
	case !a.Option("LEFT"):
		a.Syntax()
	}
	return left
}

// word is how commands call the side.
func (at side) word() []byte {
	if at == right {
		return []byte("RIGHT")
	}
	return []byte("LEFT")
}

func lmove(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: readSide(a), to: readSide(a)}
	if a.Bad() {
		return a.Err()
	}
	return m.make(tx)
}

func rpoplpush(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: right, to: left}
	return m.make(tx)
}

// make moves an element and answers it, null if there is none.
func (m *move) make(tx *keyspace.Tx) resp.Reply {
	var source edit
	switch {
	case !source.open(tx, m.source):
		return resp.ErrWrongType
	case source.v.Missing():
		return resp.Nil
	case bytes.Equal(m.source, m.destination):
		return source.rotate(m)
	}
	var destination edit
	if !destination.open(tx, m.destination) {
		return resp.ErrWrongType
	}
	source.open(tx, m.source) // the destination may just have gone at its deadline
	text := source.copyEnd(m.from)
	destination.push([][]byte{text}, m.to, m.to.pushed())
	source.open(tx, m.source)
	source.drop(1, m.from, m.from.popped())
	return resp.Bulk(text)
}

// copyEnd copies the element at an end to memory of its own.
func (e *edit) copyEnd(at side) []byte {
	w := e.walkFrom(at)
	return bytes.Clone(w.from(at))
}

// rotate moves an element from an end of a list to an end of the same list.
func (e *edit) rotate(m *move) resp.Reply {
	text := e.copyEnd(m.from)
	e.tx.Also(e.key, m.to.pushed())
	switch {
	case m.from == m.to || e.len() == 1:
		e.tx.Touch(e.v, m.from.popped())
	case e.large == nil:
		e.packed.rotate(m.from, text)
		e.tx.Touch(e.v, m.from.popped())
	default:
		e.large.pop(m.from)
		e.large.push(text, m.to, e.lim)
		e.save(m.from.popped())
	}
	return resp.Bulk(text)
}
