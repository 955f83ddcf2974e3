package script

import (
	"bytes"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
	lua "github.com/yuin/gopher-lua"
)

// A script has the rights of the user who runs it, as they are at each of its
// commands.

// denialsMost bounds how many refusals are kept until a run is known to count.
const denialsMost = acl.LogMost

// denied refuses a command that the user may not run. What a run that is undone
// was refused is not noted: it is run again, and refused again.
func (r *run) denied(row *session.Command, argv [][]byte) resp.Reply {
	caller, isUser := r.caller.(*session.Session)
	if !isUser {
		return resp.Nothing
	}
	d := caller.Denial(row, argv)
	switch {
	case !d.Denies():
		return resp.Nothing
	case !r.anew():
		caller.NoteDenial(&d, acl.InLua, r.calledBy())
	case len(r.denials) < denialsMost:
		kept := d
		kept.Word = bytes.Clone(d.Word)
		r.denials = append(r.denials, kept)
	}
	return d.InScript()
}

// noteDenials notes what was kept.
func (r *run) noteDenials() {
	if len(r.denials) == 0 {
		return
	}
	caller := r.caller.(*session.Session)
	for i := range r.denials {
		caller.NoteDenial(&r.denials[i], acl.InLua, r.calledBy())
	}
}

// calledBy describes the command that runs the script.
func (r *run) calledBy() *command.Meta {
	if row := r.engine.catalogue.Lookup(r.argv); row != nil {
		return row.Meta
	}
	return nil
}

// mayCall is acl_check_cmd: whether the user may run a command.
func (m *machine) mayCall(l *lua.LState) int {
	argv, mistake := m.words(l)
	if mistake != "" {
		return raise(l, mistake)
	}
	row := m.engine.catalogue.Lookup(argv)
	if row == nil {
		return raise(l, "Invalid command passed to redis.acl_check_cmd()")
	}
	allowed := lua.LTrue
	if m.run != nil {
		if caller, isUser := m.run.caller.(*session.Session); isUser {
			d := caller.Denial(row, argv)
			allowed = lua.LBool(!d.Denies())
		}
	}
	l.Push(allowed)
	return 1
}
