package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBLISH", Syntax: "channel message", Arity: 3,
		Complexity: "O(N+M), where N is the number of the channel's subscribers and M that of all patterns",
		Summary:    "Sends a message to all who listen to the channel, and tells how many they are.",
		Group:      "pubsub", Since: "0.1.0", Flags: anytime | command.PubSub | command.Fast, Channels: command.OneChannel,
		Examples: "> PUBLISH news hello\n:0\n> PUBLISH news\n-ERR wrong number of arguments for 'publish' command\n" +
			"> PUBLISH \"__query__:GET k\" x\n-ERR channels whose names begin with __query__: tell the states of live queries\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Publish(subscription.Channel, a.Bytes(), a.Bytes())
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SPUBLISH", Syntax: "shardchannel message", Arity: 3, Complexity: "O(N), where N is the number of the channel's subscribers",
		Summary: "Sends a message to all who listen to the channel of this node, and tells how many they are.",
		Group:   "pubsub", Since: "0.1.0", Flags: anytime | command.PubSub | command.Fast, Keys: shardKeys(0), Channels: command.OneChannel,
		Examples: "> SPUBLISH c hello\n:0\n> SPUBLISH c\n-ERR wrong number of arguments for 'spublish' command\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Publish(subscription.ShardChannel, a.Bytes(), a.Bytes())
	},
})
