package hll

import (
	"fmt"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PFDEBUG", Syntax: "<GETREG | DECODE | ENCODING | TODENSE> key", Arity: 3,
		Complexity: "O(n) for n bytes of the value",
		Summary:    "Looks into a HyperLogLog: its registers, its runs, its form, or makes it dense.",
		Group:      "hyperloglog", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Admin,
		Keys: []command.Keys{{First: 2, Flags: command.RW | command.Access}},
		Examples: "> PFADD k a b c\n:1\n" +
			"> PFDEBUG ENCODING k\n+sparse\n" +
			"> PFDEBUG DECODE k\n\"Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603\"\n" +
			"> PFDEBUG TODENSE k\n:1\n" +
			"> PFDEBUG ENCODING k\n+dense\n" +
			"> PFDEBUG DECODE k\n-ERR HLL encoding is not sparse\n" +
			"> PFDEBUG ENCODING nokey\n-ERR The specified key does not exist\n",
	},
	Run: pfdebug,
})

var (
	errNoKey     = resp.Error("ERR The specified key does not exist")
	errNotSparse = resp.Error("ERR HLL encoding is not sparse")
)

func pfdebug(tx *keyspace.Tx, a *command.Args) resp.Reply {
	verb := a.Bytes()
	v := tx.Find(a.Key())
	if v.Missing() {
		return errNoKey
	}
	s, mistake := sketchOf(v)
	switch {
	case mistake.IsError():
		return mistake
	case command.EqualFold(verb, "GETREG"):
		return showRegisters(tx, v, s)
	case command.EqualFold(verb, "DECODE"):
		return showRuns(s)
	case command.EqualFold(verb, "ENCODING"):
		return resp.Simple([]string{"dense", "sparse"}[s.form()])
	case command.EqualFold(verb, "TODENSE"):
		changed := s.form() == sparse
		if _, ok := makeDense(tx, v, s); !ok {
			return errCorrupt
		}
		return resp.Flag(changed)
	}
	return resp.Error(fmt.Sprintf("ERR Unknown PFDEBUG subcommand '%s'", verb))
}

// makeDense makes the sketch of v dense, if it is not, and returns it.
func makeDense(tx *keyspace.Tx, v keyspace.Value, s sketch) (d sketch, ok bool) {
	if s.form() == dense {
		return s, true
	}
	if d, ok = s.toDense(); ok {
		copy(tx.Resize(v, len(d), ""), d)
	}
	return d, ok
}

// showRegisters lists all registers of a sketch, which becomes dense by that.
func showRegisters(tx *keyspace.Tx, v keyspace.Value, s sketch) resp.Reply {
	d, ok := makeDense(tx, v, s)
	if !ok {
		return errCorrupt
	}
	list := make([]resp.Reply, registers)
	for i := range list {
		list[i] = resp.Int(int64(denseAt(d.registers(), i)))
	}
	return resp.Array(list...)
}

// showRuns lists the runs of a sparse sketch: z and Z for short and long ones
// of zeros, v for others, each with its length.
func showRuns(s sketch) resp.Reply {
	if s.form() != sparse {
		return errNotSparse
	}
	var list []byte
	ops := s.registers()
	for at := 0; at < len(ops); {
		r := runAt(ops, at)
		if at > 0 {
			list = append(list, ' ')
		}
		switch {
		case r.value > 0:
			list = fmt.Appendf(list, "v:%d,%d", r.value, r.length)
		case ops[at]&longZeros != 0:
			list = fmt.Appendf(list, "Z:%d", r.length)
		default:
			list = fmt.Appendf(list, "z:%d", r.length)
		}
		at += r.size
	}
	return resp.Bulk(list)
}
