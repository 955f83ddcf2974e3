package hll

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PFMERGE", Syntax: "destkey [sourcekey [sourcekey ...]]", Arity: -2,
		Complexity: "O(n) for n keys, with a large constant: registers are gone over",
		Summary:    "Adds to a HyperLogLog, which is made if it is missing, all that others have seen.",
		Group:      "hyperloglog", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{
			{First: 1, Flags: command.RW | command.Access | command.Insert},
			{First: 2, Last: -1, Flags: command.RO | command.Access},
		},
		Examples: "> PFADD a x y z\n:1\n" +
			"> PFADD b y z w\n:1\n" +
			"> PFMERGE d a b\n+OK\n" +
			"> PFCOUNT d\n:4\n" +
			"> SET s text\n+OK\n" +
			"> PFMERGE d s\n-WRONGTYPE Key is not a valid HyperLogLog string value.\n",
	},
	Run: pfmerge,
})

func pfmerge(tx *keyspace.Tx, a *command.Args) resp.Reply {
	keys := a.Rest()
	var u union
	anyDense, mistake := u.addKeys(tx, keys)
	if mistake.IsError() {
		return mistake
	}
	v := tx.Peek(keys[0])
	work := sketch(tx.Scratch())
	if v.Missing() {
		work = newSketch(work)
	} else {
		work = append(work, v.Packed()...)
	}
	s := work.merged(&u, anyDense, tx.Settings.HLLSparseMax)
	s.spoil()
	// Redis calls it so, as a mass of additions.
	if v.Missing() {
		tx.PutRaw(keys[0], s, keyspace.NoDeadline, "pfadd")
	} else {
		copy(tx.Resize(v, len(s), "pfadd"), s)
	}
	tx.KeepScratch(work)
	return resp.OK
}

// merged is a sketch with all that is in the union, in which it is itself.
func (s sketch) merged(u *union, toDense bool, sparseMost int) sketch {
	for index := 0; index < registers && !toDense; index++ {
		if u[index] > 0 {
			s, _, _ = s.raiseSparse(index, u[index], sparseMost)
			toDense = s.form() == dense
		}
	}
	if !toDense {
		return s
	}
	d := s
	if s.form() == sparse {
		d = make(sketch, denseSize)
		copy(d, s[:headerSize])
		d[len(magic)] = byte(dense)
	}
	u.pack(d.registers())
	return d
}
