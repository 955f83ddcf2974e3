package session

import (
	"strings"

	"github.com/troupedb/troupe/resp"
)

// QueryChannel begins the names of the channels that carry live queries:
// whoever subscribes to "__query__:GET k" gets the states of GET k, as JSON.
const QueryChannel = "__query__:"

// Subscribe is SUBSCRIBE. Every channel is checked before any is subscribed
// to; each is confirmed, and its first state follows.
func (s *Session) Subscribe(channels [][]byte) resp.Reply {
	rows, words := make([]*Command, len(channels)), make([][][]byte, len(channels))
	for i, channel := range channels {
		var err resp.Reply
		if rows[i], words[i], err = s.channelQuery(channel); rows[i] == nil {
			return err
		}
	}
	fresh := 0
	for _, channel := range channels {
		if s.watching.byChannel[string(channel)] == nil {
			fresh++
		}
	}
	if refusal := s.mayWatch(fresh); refusal.IsError() {
		return refusal
	}
	for i, channel := range channels {
		refusal := s.watch(rows[i], words[i][rows[i].Words():], asChannel, string(channel))
		if refusal.IsError() {
			s.answerPart(refusal)
			continue
		}
		s.confirm("subscribe", resp.Bulk(channel))
	}
	return resp.Nothing
}

// channelQuery reads the query out of a channel's name, whose words are quoted
// as on the command line.
func (s *Session) channelQuery(channel []byte) (row *Command, words [][]byte, err resp.Reply) {
	text, ok := strings.CutPrefix(string(channel), QueryChannel)
	if !ok {
		return nil, nil, resp.Error("ERR only live queries can be subscribed to: " + QueryChannel + "<command>")
	}
	words, ok = resp.SplitLine([]byte(text))
	if !ok || len(words) == 0 {
		return nil, nil, resp.Error("ERR unbalanced quotes or no command in the channel's name")
	}
	row, err = s.observable(words)
	return row, words, err
}

// Unsubscribe is UNSUBSCRIBE: of the channels named, or of all.
func (s *Session) Unsubscribe(channels [][]byte) resp.Reply {
	if len(channels) == 0 {
		for name := range s.watching.byChannel {
			channels = append(channels, []byte(name))
		}
	}
	for _, channel := range channels {
		if one := s.watching.byChannel[string(channel)]; one != nil {
			s.endWatch(one)
		}
		s.confirm("unsubscribe", resp.Bulk(channel))
	}
	if len(channels) == 0 {
		s.confirm("unsubscribe", resp.Nil)
	}
	return resp.Nothing
}

// confirm answers one step of SUBSCRIBE or UNSUBSCRIBE.
func (s *Session) confirm(what string, channel resp.Reply) {
	s.answerPart(resp.Push(resp.BulkString(what), channel, resp.Int(int64(s.Channels.Load()))))
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
