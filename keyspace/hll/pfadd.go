package hll

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PFADD", Syntax: "key [element [element ...]]", Arity: -2,
		Complexity: "O(1) for each element",
		Summary:    "Adds elements to a HyperLogLog, which is made if it is missing, and answers 1 if that changed it.",
		Group:      "hyperloglog", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> PFADD k a b c\n:1\n" +
			"> PFADD k b c\n:0\n" +
			"> PFCOUNT k\n:3\n" +
			"> SET s text\n+OK\n" +
			"> PFADD s a\n-WRONGTYPE Key is not a valid HyperLogLog string value.\n",
	},
	Run: pfadd,
})

func pfadd(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, elements := a.Key(), a.Rest()
	v := tx.Find(key)
	if v.Missing() {
		return create(tx, key, elements)
	}
	s, mistake := sketchOf(v)
	switch {
	case mistake.IsError():
		return mistake
	case s.form() == sparse:
		return addSparse(tx, v, s, elements)
	}
	if !addDense(s, elements) {
		return resp.Zero
	}
	s.spoil()
	tx.Touch(v, "pfadd")
	return resp.One
}

// create makes a sketch of its own of elements.
func create(tx *keyspace.Tx, key []byte, elements [][]byte) resp.Reply {
	work := newSketch(tx.Scratch())
	s := work
	for _, element := range elements {
		s, _, _ = s.add(tx, element)
	}
	tx.PutRaw(key, s, keyspace.NoDeadline, "pfadd")
	tx.KeepScratch(work)
	return resp.One
}

// add adds an element: see raiseSparse.
func (s sketch) add(tx *keyspace.Tx, element []byte) (after sketch, raised, ok bool) {
	index, rank := place(element)
	if s.form() == sparse {
		return s.raiseSparse(index, rank, tx.Settings.HLLSparseMax)
	}
	return s, raiseDense(s.registers(), index, rank), true
}

func addDense(s sketch, elements [][]byte) (raised bool) {
	for _, element := range elements {
		index, rank := place(element)
		raised = raiseDense(s.registers(), index, rank) || raised
	}
	return raised
}

// addSparse adds elements to the sketch of v, which is only read up to the
// first one that changes it.
func addSparse(tx *keyspace.Tx, v keyspace.Value, s sketch, elements [][]byte) resp.Reply {
	for i, element := range elements {
		index, rank := place(element)
		here, r, ok := find(s.registers(), index)
		switch {
		case !ok:
			return errCorrupt
		case r.value < rank:
			return changeSparse(tx, v, s, change{target{here, r, index, rank}, elements[i+1:]})
		}
	}
	return resp.Zero
}

// change is a register to raise, and elements to add after that.
type change struct {
	first target
	rest  [][]byte
}

// changeSparse works on a copy, so that a corrupt sketch stays as it is.
func changeSparse(tx *keyspace.Tx, v keyspace.Value, s sketch, c change) resp.Reply {
	work := append(sketch(tx.Scratch()), s...)
	after, ok := work.raiseAt(c.first, tx.Settings.HLLSparseMax)
	for _, element := range c.rest {
		if ok {
			after, _, ok = after.add(tx, element)
		}
	}
	if !ok {
		return errCorrupt
	}
	copy(tx.Resize(v, len(after), "pfadd"), after)
	if after.form() == sparse { // else it lies in memory of its own
		work = after
	}
	tx.KeepScratch(work)
	return resp.One
}
