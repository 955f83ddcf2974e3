package admin

import (
	"errors"
	"strings"

	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var (
	errNoDir  = resp.Error("ERR the server keeps nothing on disk: it was started without a data directory")
	errSaving = resp.Error("ERR " + persist.ErrSaving.Error())
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "SAVE", Arity: 1, Complexity: "O(N) where N is the total number of keys in all databases",
		Summary: "Writes all data to the RDB file and answers when that is done. Others are served meanwhile.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript | command.NoMulti,
		Examples: "> SAVE\n+OK\n> SAVE now\n-ERR wrong number of arguments for 'save' command\n",
	},
	Run: func(c Call, a *command.Args) resp.Reply {
		if c.system.Store == nil {
			return errNoDir
		}
		one := c.Session
		later := one.Later()
		err := c.system.Store.Save(false, func(err error) { one.Send(&session.Answer{Reply: savedReply(err)}) })
		if err != nil {
			one.Send(&session.Answer{Reply: savedReply(err)})
		}
		return later
	},
})

// savedReply is the answer to SAVE.
func savedReply(err error) resp.Reply {
	switch {
	case err == nil:
		return resp.OK
	case errors.Is(err, persist.ErrSaving):
		return errSaving
	}
	return resp.Error("ERR " + strings.Map(printable, err.Error()))
}

// whenCut answers once the moment of the snapshot has come that has begun: what
// the client does next must not be in it.
func (c Call) whenCut(reply resp.Reply) resp.Reply {
	if c.Session.InExec() {
		return reply
	}
	one := c.Session
	later := one.Later()
	c.system.Store.WhenCut(func() { one.Send(&session.Answer{Reply: reply}) })
	return later
}

// printable keeps an error on one line.
func printable(r rune) rune {
	if r == '\r' || r == '\n' {
		return ' '
	}
	return r
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "BGSAVE", Syntax: "[SCHEDULE]", Arity: -1, Complexity: "O(1)",
		Summary: "Begins to write all data to the RDB file; SCHEDULE waits for another snapshot that is being written.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> BGSAVE SCHEDULE\n*+\"Background saving *\"\n> BGSAVE LATER\n-ERR syntax error\n",
	},
	Run: func(c Call, a *command.Args) resp.Reply {
		schedule := a.Option("SCHEDULE")
		if a.More() || a.Bad() {
			return resp.ErrSyntax
		}
		if c.system.Store == nil {
			return errNoDir
		}
		busy := c.system.Store.Status().Busy()
		if err := c.system.Store.Save(schedule, nil); err != nil {
			return savedReply(err)
		}
		if busy {
			return resp.Simple("Background saving scheduled")
		}
		return c.whenCut(resp.Simple("Background saving started"))
	},
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LASTSAVE", Arity: 1, Complexity: "O(1)",
		Summary: "Tells when the RDB file was last written, or the server started, in seconds of Unix time.",
		Group:   "server", Since: "0.1.0", Flags: anytime | command.Fast | command.Random, Categories: []string{"admin", "dangerous"},
		Examples: "> LASTSAVE\n*\n> LASTSAVE now\n-ERR wrong number of arguments for 'lastsave' command\n",
	},
	Run: func(c Call, _ *command.Args) resp.Reply {
		if c.system.Store == nil {
			return resp.Int((c.system.Server.Millis() - c.system.Server.Uptime().Milliseconds()) / 1000)
		}
		return resp.Int(c.system.Store.Saved().Unix())
	},
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "BGREWRITEAOF", Arity: 1, Complexity: "O(1)",
		Summary: "Begins to write a new snapshot for the journal, which then begins anew.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> BGREWRITEAOF\n-ERR there is no journal to rewrite: appendonly is no\n> BGREWRITEAOF now\n-ERR wrong number of arguments for 'bgrewriteaof' command\n",
	},
	Run: func(c Call, _ *command.Args) resp.Reply {
		if c.system.Store == nil {
			return errNoDir
		}
		status := c.system.Store.Status()
		if status.Rewriting {
			return resp.Error("ERR Background append only file rewriting already in progress")
		}
		switch err := c.system.Store.Rewrite(true); {
		case errors.Is(err, persist.ErrNoJournal):
			return resp.Error("ERR there is no journal to rewrite: appendonly is no")
		case err != nil:
			return savedReply(err)
		case status.Busy():
			return resp.Simple("Background append only file rewriting scheduled")
		}
		return c.whenCut(resp.Simple("Background append only file rewriting started"))
	},
})
