package admin

import (
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SHUTDOWN", Syntax: "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]", Arity: -1, Complexity: "O(1)",
		Summary: "Stops the server when the commands that are under way have been answered.",
		Group:   "server", Since: "0.1.0", Flags: operator | command.NoScript | command.NoMulti | command.AllowBusy,
		Examples: "> SHUTDOWN ABORT\n-ERR No shutdown in progress.\n> SHUTDOWN SOON\n-ERR syntax error\n> SHUTDOWN NOSAVE SAVE\n-ERR syntax error\n",
	},
	Run: shutdown,
})

// errNoSaving: a shutdown that is told to save, and cannot, must not happen.
var errNoSaving = resp.Error("ERR Errors trying to SHUTDOWN. Check logs.")

// shutdown has no reply: the link closes when the server does. A stop that is
// under way has closed all links, so there is none to call it off from.
func shutdown(c Call, a *command.Args) resp.Reply {
	var save, noSave, now, force, abort bool
	for a.More() {
		switch {
		case a.Option("SAVE"):
			save = true
		case a.Option("NOSAVE"):
			noSave = true
		case a.Option("NOW"):
			now = true
		case a.Option("FORCE"):
			force = true
		case a.Option("ABORT"):
			abort = true
		default:
			a.Syntax()
		}
	}
	switch {
	case a.Bad():
		return a.Err()
	case save && noSave, abort && (save || noSave || now || force):
		return resp.ErrSyntax
	case abort:
		return resp.Error("ERR No shutdown in progress.")
	case save && c.system.Store == nil && !force:
		return errNoSaving
	}
	one := c.Session
	how := actors.Stop{Now: now, Save: save, NoSave: noSave, Force: force, Refused: func() {
		one.Send(&session.Answer{Reply: errNoSaving})
	}}
	if c.system.Saves(how) && !force {
		later := one.Later() // whether it can be saved has to be seen
		c.system.AskToStop(how)
		return later
	}
	c.system.AskToStop(how)
	one.CloseAfterReply()
	return resp.Nothing
}
