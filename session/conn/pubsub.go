package conn

import (
	"slices"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/subscription"
)

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about channels and who listens to them.",
		Group:   "pubsub", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> PUBSUB\n-ERR wrong number of arguments for 'pubsub' command\n> PUBSUB NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try PUBSUB HELP.\n",
	},
})

// asking are the flags of what only tells of channels.
const asking = anytime | command.PubSub

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB|CHANNELS", Syntax: "[pattern]", Arity: -2, Complexity: "O(N), where N is the number of channels",
		Summary: "Lists the channels that somebody listens to, by their names.",
		Group:   "pubsub", Since: "0.1.0", Flags: asking,
		Examples: "> PUBSUB CHANNELS\n[]\n> PUBSUB CHANNELS n* s*\n-ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP.\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return channelNames(s, a, subscription.Channel) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB|SHARDCHANNELS", Syntax: "[pattern]", Arity: -2, Complexity: "O(N), where N is the number of channels",
		Summary: "Lists the channels of this node that somebody listens to.",
		Group:   "pubsub", Since: "0.1.0", Flags: asking,
		Examples: "> PUBSUB SHARDCHANNELS\n[]\n> PUBSUB SHARDCHANNELS a b\n-ERR unknown subcommand or wrong number of arguments for 'SHARDCHANNELS'. Try PUBSUB HELP.\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return channelNames(s, a, subscription.ShardChannel)
	},
})

// channelNames lists channels in the order of their names.
func channelNames(s *session.Session, a *command.Args, sort subscription.Sort) resp.Reply {
	if a.Len() > 1 {
		return session.WrongSubcommand(a)
	}
	names := s.Server().Hub.Names(sort, a.Peek())
	slices.Sort(names)
	return resp.Strings(names...)
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB|NUMSUB", Syntax: "[channel [channel ...]]", Arity: -2, Complexity: "O(N), where N is the number of channels named",
		Summary: "Tells how many listen to each of the channels, by its name.",
		Group:   "pubsub", Since: "0.1.0", Flags: asking,
		Examples: "> PUBSUB NUMSUB\n[]\n> PUBSUB NUMSUB a b\n[\"a\", :0, \"b\", :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply { return subscribers(s, a, subscription.Channel) },
})

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB|SHARDNUMSUB", Syntax: "[shardchannel [shardchannel ...]]", Arity: -2,
		Complexity: "O(N), where N is the number of channels named",
		Summary:    "Tells how many listen to each of the channels of this node.",
		Group:      "pubsub", Since: "0.1.0", Flags: asking,
		Examples: "> PUBSUB SHARDNUMSUB\n[]\n> PUBSUB SHARDNUMSUB a\n[\"a\", :0]\n",
	},
	Run: func(s *session.Session, a *command.Args) resp.Reply {
		return subscribers(s, a, subscription.ShardChannel)
	},
})

// subscribers counts those of each channel named.
func subscribers(s *session.Session, a *command.Args, sort subscription.Sort) resp.Reply {
	var list []resp.Reply
	for a.More() {
		name := a.Bytes()
		list = append(list, resp.Bulk(name), resp.Int(int64(s.Server().Hub.Subscribers(sort, name))))
	}
	return resp.Array(list...)
}

var _ = Commands.Add(command.Spec[*session.Session]{
	Meta: command.Meta{
		Name: "PUBSUB|NUMPAT", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how many distinct patterns somebody listens by.",
		Group:   "pubsub", Since: "0.1.0", Flags: asking,
		Examples: "> PUBSUB NUMPAT\n:0\n> PUBSUB NUMPAT all\n-ERR wrong number of arguments for 'pubsub|numpat' command\n",
	},
	Run: func(s *session.Session, _ *command.Args) resp.Reply {
		return resp.Int(int64(s.Server().Hub.Len(subscription.Pattern)))
	},
})
