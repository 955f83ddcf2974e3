package session

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/subscription"
)

// QueryChannel begins the names of the channels that carry live queries:
// whoever subscribes to "__query__:GET k" gets the states of GET k, as JSON.
const QueryChannel = "__query__:"

// channels is what a link has subscribed to in the hub, by name.
type channels struct {
	inbox atomic.Pointer[subscription.Inbox] // made when it is needed
	of    [3]map[string]*subscription.Subscription
}

// The words by which the sorts of subscriptions are confirmed.
var (
	subscribed   = [...]string{subscription.Channel: "subscribe", subscription.Pattern: "psubscribe", subscription.ShardChannel: "ssubscribe"}
	unsubscribed = [...]string{subscription.Channel: "unsubscribe", subscription.Pattern: "punsubscribe", subscription.ShardChannel: "sunsubscribe"}
)

var errNotInExec = resp.Error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")

// Subscribe is SUBSCRIBE, PSUBSCRIBE and SSUBSCRIBE: each name is confirmed, and
// what is published from then on follows. Those of live queries are all checked
// before anything is subscribed to; the first state follows the confirmation.
func (s *Session) Subscribe(sort subscription.Sort, names [][]byte) resp.Reply {
	if sort == subscription.ShardChannel && s.inExec {
		return errNotInExec // as in Redis
	}
	rows, words := make([]*Command, len(names)), make([][][]byte, len(names))
	fresh := 0
	for i, name := range names {
		if !isQueryChannel(name) {
			continue
		}
		if sort != subscription.Channel {
			return errQuerySort
		}
		var err resp.Reply
		if rows[i], words[i], err = s.channelQuery(name); rows[i] == nil {
			return err
		}
		if s.watching.byChannel[string(name)] == nil {
			fresh++
		}
	}
	if refusal := s.mayWatch(fresh); fresh > 0 && refusal.IsError() {
		return refusal
	}
	for i, name := range names {
		if rows[i] == nil {
			s.subscribe(sort, string(name))
		} else if refusal := s.watch(rows[i], words[i][rows[i].Words():], watchedBy{as: asChannel, channel: string(name)}); refusal.IsError() {
			s.answerPart(refusal)
			continue
		}
		s.confirm(subscribed[sort], sort, resp.Bulk(name))
	}
	return resp.Nothing
}

// errQuerySort is said where nothing would ever come.
var errQuerySort = resp.Error("ERR live queries, " + QueryChannel + "NAME args, are told to SUBSCRIBE, not by patterns or shards")

func isQueryChannel(name []byte) bool { return strings.HasPrefix(string(name), QueryChannel) }

// Publish is PUBLISH and SPUBLISH: it returns how many links get the message.
// Any goroutine may call it.
func (s *Session) Publish(sort subscription.Sort, channel, payload []byte) resp.Reply {
	hub := s.server.Hub
	switch {
	case isQueryChannel(channel):
		return resp.Error("ERR channels whose names begin with " + QueryChannel + " tell the states of live queries")
	case sort == subscription.ShardChannel:
		return resp.Int(int64(hub.PublishShard(channel, payload)))
	}
	return resp.Int(int64(hub.Publish(channel, payload)))
}

// subscribe asks the hub for a name, once.
func (s *Session) subscribe(sort subscription.Sort, name string) {
	mine := &s.channels.of[sort]
	if (*mine)[name] != nil {
		return
	}
	if *mine == nil {
		*mine = map[string]*subscription.Subscription{}
	}
	(*mine)[name] = s.server.Hub.Subscribe(sort, name, s.inbox())
	s.countChannels()
}

// unsubscribe takes a subscription back. What was published before is still
// told, and nothing after that.
func (s *Session) unsubscribe(sort subscription.Sort, name string) {
	one := s.channels.of[sort][name]
	if one == nil {
		return
	}
	s.server.Hub.Unsubscribe(sort, name, one)
	if !s.inExec {
		s.tellMailNow()
	}
	one.End()
	delete(s.channels.of[sort], name)
	s.countChannels()
}

// channelQuery reads the query out of a channel's name, whose words are quoted
// as on the command line.
func (s *Session) channelQuery(channel []byte) (row *Command, words [][]byte, err resp.Reply) {
	words, refusal := queryWords(channel)
	if refusal.IsError() {
		return nil, nil, refusal
	}
	row, err = s.observable(words)
	return row, words, err
}

// queryWords are the words in the name of a channel that tells a query. Where C ends a
// text, which SplitLine obeys as Redis does, there is no end of a name: one that goes on
// would be another query's.
func queryWords(channel []byte) (words [][]byte, refusal resp.Reply) {
	line := channel[len(QueryChannel):]
	if bytes.IndexByte(line, 0) >= 0 {
		return nil, resp.Error(`ERR a zero byte in the channel's name: it is written "\x00", in quotes`)
	}
	words, ok := resp.SplitLine(line)
	if !ok || len(words) == 0 {
		return nil, resp.Error("ERR unbalanced quotes or no command in the channel's name")
	}
	return words, resp.Nothing
}

// Unsubscribe is UNSUBSCRIBE and its kin: of the names given, or of all.
func (s *Session) Unsubscribe(sort subscription.Sort, names [][]byte) resp.Reply {
	if len(names) == 0 {
		for _, name := range slices.Sorted(maps.Keys(s.channels.of[sort])) {
			names = append(names, []byte(name))
		}
		if sort == subscription.Channel {
			for _, name := range slices.Sorted(maps.Keys(s.watching.byChannel)) {
				names = append(names, []byte(name))
			}
		}
	}
	for _, name := range names {
		if one := s.watching.byChannel[string(name)]; one != nil && sort == subscription.Channel {
			s.endWatch(one)
		} else {
			s.unsubscribe(sort, string(name))
		}
		s.confirm(unsubscribed[sort], sort, resp.Bulk(name))
	}
	if len(names) == 0 {
		s.confirm(unsubscribed[sort], sort, resp.Nil)
	}
	return resp.Nothing
}

// endChannels takes back all subscriptions, without a word.
func (s *Session) endChannels() {
	for sort, mine := range s.channels.of {
		for name, one := range mine {
			s.server.Hub.Unsubscribe(subscription.Sort(sort), name, one)
			one.End()
		}
		s.channels.of[sort] = nil
	}
	s.countChannels()
}

// countChannels shows how many subscriptions there are. A RESP2 link that has
// any, or a live query, may only say what such links may.
func (s *Session) countChannels() {
	of := &s.channels.of
	patterns, shards := len(of[subscription.Pattern]), len(of[subscription.ShardChannel])
	all := len(of[subscription.Channel]) + patterns + len(s.watching.byChannel)
	s.Channels.Store(int32(all))
	s.Patterns.Store(int32(patterns))
	s.ShardChannels.Store(int32(shards))
	s.SetFlag(FlagPubSub, all+shards+len(s.watching.byFingerprint) > 0)
}

// confirm answers one step of subscribing and unsubscribing.
func (s *Session) confirm(what string, sort subscription.Sort, name resp.Reply) {
	count := s.Channels.Load()
	if sort == subscription.ShardChannel {
		count = s.ShardChannels.Load()
	}
	s.answerPart(resp.Push(resp.BulkString(what), name, resp.Int(int64(count))))
}

// answerPart is one of the several replies of a command. In a transaction that
// is being run they stand where its one reply would, as in Redis.
func (s *Session) answerPart(reply resp.Reply) {
	switch {
	case !s.inExec:
		s.answer(nil, reply)
	case !s.muted():
		s.out = s.encoder.Append(s.out, reply)
	}
}
