// Package acl owns users: their passwords and their rights, the rules that say
// them, and the log of what was refused. It is plain data: it reads no clock,
// no file and no link, and knows commands only by their descriptions.
//
// A User is one user at one moment and is never changed: an Account points to
// the present one, so that whoever checks a command reads one pointer, and
// nobody ever sees half of a change. What rules mean, how users are described
// and what is refused in which words is Redis's (7.0).
package acl

import "github.com/troupedb/troupe/resp/command"

// Reason says what a command is refused for. Of several, the highest is told.
type Reason uint8

// The reasons.
const (
	None          Reason = iota
	DeniedCommand        // the command itself
	DeniedKey            // a key among its words
	DeniedAuth           // a login: in the log only
	DeniedChannel        // a channel among its words
	Reasons              // their number
)

var reasonNames = [...]string{DeniedCommand: "command", DeniedKey: "key", DeniedAuth: "auth", DeniedChannel: "channel"}

// String is the name that ACL LOG shows.
func (r Reason) String() string { return reasonNames[r] }

// Access is what may be done to a key.
type Access uint8

// The kinds of access.
const (
	Read Access = 1 << iota
	Write
	readWrite = Read | Write
)

// accessOf is what a command needs to be allowed to do to a key. Commands that
// only ask about a key from outside (EXISTS) need any one of the two.
func accessOf(flags command.KeyFlag) (need Access) {
	if flags&command.Access != 0 {
		need |= Read
	}
	if flags&(command.Insert|command.Delete|command.Update) != 0 {
		need |= Write
	}
	return need
}
