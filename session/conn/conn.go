// Package conn holds the commands that run in the session that sends them:
// those about the connection, about transactions, and about the commands
// themselves.
//
// They promise Redis's words for every mistake, and that what one session
// tells of another is what that other published, never its private state.
package conn

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*session.Session]

// The flags that most of these commands share: not from scripts, allowed while
// data is loading and on a stale replica.
const (
	anytime = command.Loading | command.Stale
	control = anytime | command.NoScript
)

// readInt32 reads a number that Redis keeps in 32 bits.
func readInt32(a *command.Args) int {
	n := a.Int()
	if !a.Bad() && (n < math.MinInt32 || n > math.MaxInt32) {
		a.Fail(errInt32)
	}
	return int(n)
}

var errInt32 = resp.Error("ERR value is out of range, value must between -2147483648 and 2147483647")

// onOff reads the word ON or OFF.
func onOff(a *command.Args) bool {
	on := a.Option("ON")
	if !on && !a.Option("OFF") {
		a.Syntax()
	}
	return on
}

// wrongSubcommand is the answer to a subcommand with more words than it takes,
// where Redis looks at that only in the handler.
func wrongSubcommand(a *command.Args) resp.Reply {
	container, _ := a.Meta().Container()
	return resp.Error("ERR unknown subcommand or wrong number of arguments for '" + string(a.Argv()[1]) + "'. Try " + container + " HELP.")
}
