package script

import (
	"errors"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// Libraries are no keys, but are kept with them: each change of them is recorded
// by a command that makes it again.

// Libraries are the sources of all libraries, by their names.
func (e *Engine) Libraries() (codes [][]byte) {
	for _, lib := range e.sorted() {
		codes = append(codes, []byte(lib.code))
	}
	return codes
}

// LoadLibrary loads a library, in the place of one of its name.
func (e *Engine) LoadLibrary(code []byte) error {
	lib, mistake := e.newLibrary(string(code), func(string) bool { return false })
	if mistake == "" {
		if refusal := e.add([]*library{lib}, false, true); refusal.IsError() {
			mistake = refusal.Str()
		}
	}
	if mistake != "" {
		return errors.New("a library of functions: " + mistake)
	}
	return nil
}

// errNotKept: a command was recorded that is none about libraries.
var errNotKept = errors.New("no such command is recorded")

// Redo makes a change of libraries again that was recorded, here or by
// redis-server, or has a script known that it has recorded.
func (e *Engine) Redo(words [][]byte) error {
	if len(words) < 2 {
		return errNotKept
	}
	last := words[len(words)-1]
	switch strings.ToUpper(string(words[0]) + " " + string(words[1])) {
	case "FUNCTION LOAD":
		return e.LoadLibrary(last)
	case "FUNCTION DELETE":
		e.delete(string(last))
	case "FUNCTION FLUSH":
		e.add(nil, true, false)
	case "FUNCTION RESTORE":
		return e.redoRestore(words[2:])
	case "SCRIPT LOAD":
		if _, mistake := e.learn(last, true); mistake.IsError() {
			return errors.New(mistake.Str())
		}
	case "SCRIPT FLUSH":
		e.forget()
	default:
		return errNotKept
	}
	return nil
}

// redoRestore loads the libraries of a payload: those of the same names as were
// there, they replace.
func (e *Engine) redoRestore(words [][]byte) error {
	if len(words) == 0 || len(words[0]) < payloadFooter {
		return errNotKept
	}
	payload := words[0]
	libraries, mistake := e.readLibraries(payload[:len(payload)-payloadFooter])
	if mistake != "" {
		return errors.New("a library of functions: " + mistake)
	}
	flush := len(words) > 1 && strings.EqualFold(string(words[1]), "FLUSH")
	if refusal := e.add(libraries, flush, true); refusal.IsError() {
		return errors.New(refusal.Str())
	}
	return nil
}

// delete removes a library, and reports whether there was one.
func (e *Engine) delete(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	lib := e.libraries[name]
	if lib == nil {
		return false
	}
	delete(e.libraries, name)
	for _, f := range lib.functions {
		delete(e.functions, f.name)
	}
	return true
}

// dropMachines gives up the states that are kept for further runs, with what
// functions may have left in them.
func (e *Engine) dropMachines() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = nil
	e.spare.Store(nil)
}

// The commands that are recorded.
func loaded(code string) [][]byte  { return words("FUNCTION", "LOAD", "REPLACE", code) }
func deleted(name string) [][]byte { return words("FUNCTION", "DELETE", name) }

var flushed = words("FUNCTION", "FLUSH")

func words(texts ...string) (argv [][]byte) {
	for _, text := range texts {
		argv = append(argv, []byte(text))
	}
	return argv
}

// changed records changes of libraries, and answers reply; not before they are
// safe, if that is asked of answers.
func (h here) changed(reply resp.Reply, effects ...[][]byte) resp.Reply {
	node := h.session.Server().Node
	if !node.Holds() || h.session.InExec() {
		node.Note(func() {}, effects...)
		return reply
	}
	later := h.session.Later()
	node.Note(func() { h.session.Send(&session.Answer{Reply: reply}) }, effects...)
	return later
}
