package command

import (
	"fmt"

	"github.com/troupedb/troupe/resp"
)

// Spec is a command: its description and its handler. C is where it runs: a
// keyspace transaction, a session, the hub, the server's administration.
type Spec[C any] struct {
	Meta
	Run func(C, *Args) resp.Reply
}

// Table is one family's commands in the order of their declaration.
type Table[C any] struct {
	specs []*Spec[C]
	names map[string]bool
}

// Add declares a command. A second command of the same name, or one that is
// plainly incomplete, is a mistake of the program and panics at its start.
func (t *Table[C]) Add(s Spec[C]) *Spec[C] {
	switch {
	case t.names[s.Name]:
		panic(fmt.Sprintf("command %s is declared twice", s.Name))
	case s.Name == "" || s.Arity == 0 || s.Group == "" || s.Summary == "" || s.Since == "":
		panic(fmt.Sprintf("command %q is declared without name, arity, group, summary or since", s.Name))
	case s.Run == nil && !s.Flags.Has(SubCommands):
		panic(fmt.Sprintf("command %s has no handler", s.Name))
	}
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[s.Name] = true
	s.setShape()
	t.specs = append(t.specs, &s)
	return &s
}

// Specs are the declared commands.
func (t *Table[C]) Specs() []*Spec[C] { return t.specs }
