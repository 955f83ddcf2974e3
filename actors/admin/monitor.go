package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MONITOR", Arity: 1, Complexity: "O(1)",
		Summary: "Shows the connection every command that the server runs from here on, administration and passwords left out.",
		Group:   "server", Since: "0.1.0", Flags: operator | command.NoScript,
		Examples: "> MONITOR now\n-ERR wrong number of arguments for 'monitor' command\n> MONITOR\n+OK\n",
	},
	Run: monitor,
})

var errMonitorInExec = resp.Error("ERR MONITOR isn't allowed for DENY BLOCKING client")

// monitor answers OK before the first command is shown, as the answer goes
// out with the batch and what is shown waits for that. To a monitor it answers
// nothing, as Redis does.
func monitor(c Call, _ *command.Args) resp.Reply {
	switch {
	case c.Session.InExec():
		return errMonitorInExec
	case c.Session.Flags.Load()&session.FlagMonitor != 0:
		return resp.Nothing
	}
	c.Session.Server().StartMonitor(c.Session)
	return resp.OK
}
