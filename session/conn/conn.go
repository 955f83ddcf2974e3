// Package conn holds the commands that run in the session that sends them:
// those about the connection, about transactions, and about the commands
// themselves.
//
// They promise Redis's words for every mistake, and that what one session
// tells of another is what that other published, never its private state.
package conn

import (
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

// onOff reads the word ON or OFF.
func onOff(a *command.Args) bool {
	on := a.Option("ON")
	if !on && !a.Option("OFF") {
		a.Syntax()
	}
	return on
}
