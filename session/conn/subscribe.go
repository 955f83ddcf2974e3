package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SUBSCRIBE", Syntax: "channel [channel ...]", Arity: -2, Complexity: "O(1) for each channel",
		Summary: "Watches live queries by channels named \"__query__:GET k\", whose messages are JSON.",
		Group:   "pubsub", Since: "0.1.0", Flags: command.PubSub | command.Subscribed | command.NoScript | command.Loading | command.Stale,
		Examples: "> SUBSCRIBE \"__query__:GET k\"\n>[\"subscribe\", \"__query__:GET k\", :1]\n>[\"message\", \"__query__:GET k\", *]\n" +
			"> SUBSCRIBE \"__query__:SET k v\"\n-ERR OBSERVE not supported for 'SET'\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return s.Subscribe(a.Rest()) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "UNSUBSCRIBE", Syntax: "[channel [channel ...]]", Arity: -1, Complexity: "O(1) for each channel",
		Summary: "Ends the watching of the channels, or of all.",
		Group:   "pubsub", Since: "0.1.0", Flags: command.PubSub | command.Subscribed | command.NoScript | command.Loading | command.Stale,
		Examples: "> UNSUBSCRIBE\n>[\"unsubscribe\", _, :0]\n> UNSUBSCRIBE c\n>[\"unsubscribe\", \"c\", :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return s.Unsubscribe(a.Rest()) },
})
