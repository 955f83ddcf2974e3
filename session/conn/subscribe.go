package conn

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription"
)

// subscribing are the flags of the commands by which a link listens.
const subscribing = control | command.PubSub | command.Subscribed

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SUBSCRIBE", Syntax: "channel [channel ...]", Arity: -2, Complexity: "O(N), where N is the number of channels",
		Summary: "Listens to channels; those named like \"__query__:GET k\" tell the states of a live query, as JSON.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing, Channels: command.ManyChannels,
		Examples: "> SUBSCRIBE news \"__query__:GET k\"\n>[\"subscribe\", \"news\", :1]\n>[\"subscribe\", \"__query__:GET k\", :2]\n>[\"message\", \"__query__:GET k\", *]\n" +
			"> SUBSCRIBE \"__query__:SET k v\"\n-ERR OBSERVE not supported for 'SET'\n> SUBSCRIBE\n-ERR wrong number of arguments for 'subscribe' command\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Subscribe(subscription.Channel, a.Rest())
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "UNSUBSCRIBE", Syntax: "[channel [channel ...]]", Arity: -1, Complexity: "O(N), where N is the number of channels",
		Summary: "Stops listening to the channels, or to all.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing,
		Examples: "> UNSUBSCRIBE\n>[\"unsubscribe\", _, :0]\n> UNSUBSCRIBE c\n>[\"unsubscribe\", \"c\", :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Unsubscribe(subscription.Channel, a.Rest())
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PSUBSCRIBE", Syntax: "pattern [pattern ...]", Arity: -2, Complexity: "O(N), where N is the number of patterns",
		Summary: "Listens to all channels whose names match one of the patterns.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing, Channels: command.ChannelPatterns,
		Examples: "> PSUBSCRIBE n* *s\n>[\"psubscribe\", \"n*\", :1]\n>[\"psubscribe\", \"*s\", :2]\n" +
			"> PSUBSCRIBE\n-ERR wrong number of arguments for 'psubscribe' command\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Subscribe(subscription.Pattern, a.Rest())
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUNSUBSCRIBE", Syntax: "[pattern [pattern ...]]", Arity: -1, Complexity: "O(N), where N is the number of patterns",
		Summary: "Stops listening by the patterns, or by all.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing,
		Examples: "> PSUBSCRIBE n*\n>[\"psubscribe\", \"n*\", :1]\n> PUNSUBSCRIBE n*\n>[\"punsubscribe\", \"n*\", :0]\n> PUNSUBSCRIBE\n>[\"punsubscribe\", _, :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Unsubscribe(subscription.Pattern, a.Rest())
	},
})

// shardKeys routes shard channels by their names, like keys.
func shardKeys(last int) []command.Keys {
	return []command.Keys{{First: 1, Last: last, Step: 1, Flags: command.NotKey}}
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SSUBSCRIBE", Syntax: "shardchannel [shardchannel ...]", Arity: -2, Complexity: "O(N), where N is the number of channels",
		Summary: "Listens to channels of this node, which are apart from all others.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing, Keys: shardKeys(-1), Channels: command.ManyChannels,
		Examples: "> SSUBSCRIBE c\n>[\"ssubscribe\", \"c\", :1]\n> SSUBSCRIBE\n-ERR wrong number of arguments for 'ssubscribe' command\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Subscribe(subscription.ShardChannel, a.Rest())
	},
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "SUNSUBSCRIBE", Syntax: "[shardchannel [shardchannel ...]]", Arity: -1, Complexity: "O(N), where N is the number of channels",
		Summary: "Stops listening to channels of this node, or to all of them.",
		Group:   "pubsub", Since: "0.1.0", Flags: subscribing, Keys: shardKeys(-1),
		Examples: "> SUNSUBSCRIBE\n>[\"sunsubscribe\", _, :0]\n> SUNSUBSCRIBE c\n>[\"sunsubscribe\", \"c\", :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return s.Unsubscribe(subscription.ShardChannel, a.Rest())
	},
})
