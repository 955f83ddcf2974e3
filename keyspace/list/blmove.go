package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const blockingMove = command.Write | command.DenyOOM | command.NoScript | command.Blocking

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BLMOVE", Syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout", Arity: 6, Complexity: "O(1)",
		Summary: "Moves an element from an end of a list, or waits for one, to an end of another or the same, and returns it.",
		Group:   "list", Since: "0.1.0", Flags: blockingMove, Keys: moveKeys,
		Examples: "> RPUSH a 1 2 3\n:3\n" +
			"> BLMOVE a b LEFT RIGHT 0\n\"1\"\n" +
			"> BLMOVE a b UP DOWN 0\n-ERR syntax error\n",
	},
	Run: blmove,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BRPOPLPUSH", Syntax: "source destination timeout", Arity: 4, Complexity: "O(1)",
		Summary: "Moves the last element of a list, or waits for one, to the front of another or the same, and returns it.",
		Group:   "list", Since: "0.1.0", Flags: blockingMove, Keys: moveKeys,
		Examples: "> RPUSH a 1 2 3\n:3\n" +
			"> BRPOPLPUSH a b 0\n\"3\"\n" +
			"> BRPOPLPUSH a b soon\n-ERR timeout is not a float or out of range\n",
	},
	Run: brpoplpush,
})

func blmove(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: readSide(a), to: readSide(a)}
	return m.makeOrWait(tx, a, serveMove)
}

func brpoplpush(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: right, to: left}
	return m.makeOrWait(tx, a, serveRpoplpush)
}

// makeOrWait makes a move, once there is an element to move. serve makes it
// then.
func (m *move) makeOrWait(tx *keyspace.Tx, a *command.Args, serve func(*keyspace.Tx, *command.Args, []byte) resp.Reply) resp.Reply {
	millis := keyspace.ReadSeconds(a)
	if a.Bad() {
		return a.Err()
	}
	if reply := m.make(tx); !reply.IsNull() {
		return m.made(tx, reply)
	}
	return tx.Block(keyspace.Wait{
		Type: keyspace.List, Keys: []int{1}, Also: 2, Millis: millis, TimedOut: resp.NilArray, AtOnce: resp.Nil, Serve: serve,
	})
}

// made records a move that was not refused as one that does not wait.
func (m *move) made(tx *keyspace.Tx, reply resp.Reply) resp.Reply {
	if !reply.IsError() {
		tx.Effect([]byte("LMOVE"), m.source, m.destination, m.from.word(), m.to.word())
	}
	return reply
}

func serveMove(tx *keyspace.Tx, a *command.Args, _ []byte) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: readSide(a), to: readSide(a)}
	return m.made(tx, m.make(tx))
}

func serveRpoplpush(tx *keyspace.Tx, a *command.Args, _ []byte) resp.Reply {
	m := move{source: a.Key(), destination: a.Key(), from: right, to: left}
	return m.made(tx, m.make(tx))
}
