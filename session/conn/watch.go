package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "WATCH", Syntax: "key [key ...]", Arity: -2, Complexity: "O(1) for each key",
		Summary: "Lets the next EXEC run only if none of the keys has changed by then.",
		Group:   "transactions", Since: "0.1.0", Flags: control | command.AtOnce | command.Fast | command.AllowBusy,
		Keys: []command.Keys{{First: 1, Last: -1, Step: 1, Flags: command.RO}},
		Examples: "> WATCH k\n+OK\n> SET k v\n+OK\n> MULTI\n+OK\n> PING\n+QUEUED\n> EXEC\n_\nresp2 *-1\n" +
			"> MULTI\n+OK\n> WATCH k\n-ERR WATCH inside MULTI is not allowed\n",
	},
	Run: watch,
})

func watch(s *session.Session, a *command.Args) resp.Reply {
	if s.InMulti() {
		return resp.ErrWatchInMulti
	}
	return s.WatchKeys(a.Rest())
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "UNWATCH", Syntax: "[fingerprint]", Arity: -1, Most: 2, Complexity: "O(1)",
		Summary: "Forgets the keys under WATCH, or ends the live query with the fingerprint.",
		Group:   "transactions", Since: "0.1.0", Flags: control | command.Subscribed | command.BareInMulti | command.Fast | command.AllowBusy,
		Examples: "> WATCH k\n+OK\n> SET k v\n+OK\n> UNWATCH\n+OK\n> MULTI\n+OK\n> PING\n+QUEUED\n> EXEC\n[+PONG]\n" +
			"> UNWATCH 0000000000000000\n-ERR no live query has this fingerprint on this link\n",
	},
	Run: unwatch,
})

func unwatch(s *session.Session, a *command.Args) resp.Reply {
	switch {
	case a.Len() == 0:
		s.DropLock()
	case s.Unobserve(a.Bytes()) == 0:
		return resp.Error("ERR no live query has this fingerprint on this link")
	}
	return resp.OK
}
