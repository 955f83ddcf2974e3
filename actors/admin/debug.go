package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// DEBUG's subcommands that take words look at how many they are themselves, as
// Redis's do: they are declared with the arity of their names.
const (
	debugArity = -2
	debugFlags = operator | command.NoScript
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands for tests of the server; none may be run unless the setting enable-debug-command allows it.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags | command.SubCommands,
		Examples: "> DEBUG\n-ERR wrong number of arguments for 'debug' command\n",
	},
	Run: unknownDebug,
})

func unknownDebug(_ Call, a *command.Args) resp.Reply { return session.WrongSubcommand(a) }

var errDebugOff = resp.Error(`ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, ` +
	"otherwise you need to set this option in the configuration file, and then restart the server.")

// mayDebug guards all of DEBUG.
func (s *Server) mayDebug(one *session.Session) resp.Reply {
	if s.settings.Allows("enable-debug-command", one.IsLocal()) {
		return resp.Nothing
	}
	return errDebugOff
}

// takes makes a handler refuse more or fewer words than it takes.
func takes[C any](least, most int, run func(C, *command.Args) resp.Reply) func(C, *command.Args) resp.Reply {
	return func(c C, a *command.Args) resp.Reply {
		if n := a.Len(); n < least || n > most {
			return session.WrongSubcommand(a)
		}
		return run(c, a)
	}
}
