package admin

import (
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "WAITAOF", Syntax: "numlocal numreplicas timeout", Arity: 4, Complexity: "O(1)",
		Summary: "Waits until what was written so far is on this server's disk and so many replicas', or the time is up, and tells which have it.",
		Group:   "connection", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> WAITAOF 0 0 10\n[:0, :0]\n> WAITAOF 2 0 10\n-ERR value is out of range, value must between 0 and 1\n",
	},
	Run: waitAOF,
})

var (
	errLocal     = resp.Error("ERR value is out of range, value must between 0 and 1")
	errNoJournal = resp.Error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")
)

// waitAOF waits for this server's disk. There are no replicas, so to wait for
// one is to wait until the time is up.
func waitAOF(c Call, a *command.Args) resp.Reply {
	local, replicas := a.Int(), a.Int()
	timeout := session.ReadTimeout(a)
	switch {
	case a.Bad():
		return a.Err()
	case local < 0 || local > 1:
		return errLocal
	case replicas < 0:
		return resp.Error("ERR value is out of range, must be positive")
	case local == 1 && !c.system.Records():
		return errNoJournal
	case c.Session.InExec(), local == 0 && replicas == 0:
		return onDisk(c.system.SyncedAt()())
	}
	return c.awaitDisk(local == 1, replicas > 0, timeout)
}

// onDisk is the answer to WAITAOF.
func onDisk(local bool) resp.Reply {
	n := resp.Zero
	if local {
		n = resp.Int(1)
	}
	return resp.Array(n, resp.Zero)
}

// awaitDisk answers when the disk has what was written by now, unless replicas
// are waited for too; and when the time is up.
func (c Call) awaitDisk(local, replicas bool, timeout time.Duration) resp.Reply {
	synced := c.system.SyncedAt()
	if local && synced() && !replicas {
		return onDisk(true)
	}
	wait := c.Session.Wait(0, onDisk(false))
	if timeout > 0 {
		time.AfterFunc(timeout, func() { wait.Answer(onDisk(synced())) })
	}
	if local && !replicas {
		c.system.Store.WhenSynced(func() { wait.Answer(onDisk(true)) })
	}
	return resp.Nothing
}
