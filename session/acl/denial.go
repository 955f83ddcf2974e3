package acl

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Denial is why a user may not run a command. The zero Denial denies nothing.
type Denial struct {
	Reason Reason
	Meta   *command.Meta
	Word   []byte // the key or the channel; it belongs to the command
}

// Denies reports whether the command is refused.
func (d *Denial) Denies() bool { return d.Reason != None }

// Object is what the log shows: the command's name, the key or the channel.
func (d *Denial) Object() string {
	if d.Reason == DeniedCommand {
		return d.Meta.Lower()
	}
	return string(d.Word)
}

// Refusal is the answer to a client.
func (d *Denial) Refusal() resp.Reply {
	switch d.Reason {
	case DeniedCommand:
		return resp.Error("NOPERM this user has no permissions to run the '" + d.Meta.Lower() + "' command")
	case DeniedKey:
		return resp.Error("NOPERM this user has no permissions to access one of the keys used as arguments")
	}
	return resp.Error("NOPERM this user has no permissions to access one of the channels used as arguments")
}

// AtExec is the answer in the place of a command that was allowed when it was
// queued, and is not any more.
func (d *Denial) AtExec() resp.Reply {
	why := "no permission to access one of the channels used as arguments"
	switch d.Reason {
	case DeniedCommand:
		why = "no permission to execute the command or subcommand"
	case DeniedKey:
		why = "no permission to touch the specified keys"
	}
	return resp.Error("NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: " + why)
}

// InScript is the error that a script gets.
func (d *Denial) InScript() resp.Reply {
	why := "can't publish to the channel mentioned in the command"
	switch d.Reason {
	case DeniedCommand:
		why = "can't run this command or subcommand"
	case DeniedKey:
		why = "can't access at least one of the keys mentioned in the command arguments"
	}
	return resp.Error("ERR The user executing the script " + why)
}

// Foretold is what ACL DRYRUN says.
func (d *Denial) Foretold() resp.Reply {
	switch d.Reason {
	case None:
		return resp.OK
	case DeniedCommand:
		return resp.BulkString("This user has no permissions to run the '" + d.Meta.Lower() + "' command")
	case DeniedKey:
		return resp.BulkString("This user has no permissions to access the '" + string(d.Word) + "' key")
	}
	return resp.BulkString("This user has no permissions to access the '" + string(d.Word) + "' channel")
}
