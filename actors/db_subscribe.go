package actors

import (
	"context"

	"github.com/troupedb/troupe/resp"
)

// Message is what was published on a channel.
type Message struct {
	Channel string
	// Pattern is the pattern that has matched the channel, of PSubscribe.
	Pattern string
	Payload string
}

// Publish sends a message to all who have subscribed to the channel, in this
// process and over links, and returns how many these are. It waits for none of
// them.
func (db *DB) Publish(ctx context.Context, channel, payload string) (int64, error) {
	r, err := db.Do(ctx, "PUBLISH", channel, payload)
	return r.Int(), err
}

// Subscribe sends what is published on the channels from then on to the returned
// one, which is closed when the context ends, the database is closed, or its
// reader is so far behind that its messages take more than a subscriber's may
// (client-output-buffer-limit pubsub).
func (db *DB) Subscribe(ctx context.Context, channels ...string) (<-chan Message, error) {
	return db.subscribe(ctx, "SUBSCRIBE", channels)
}

// PSubscribe is Subscribe for all channels whose names match a pattern, as "news.*".
func (db *DB) PSubscribe(ctx context.Context, patterns ...string) (<-chan Message, error) {
	return db.subscribe(ctx, "PSUBSCRIBE", patterns)
}

func (db *DB) subscribe(ctx context.Context, command string, names []string) (<-chan Message, error) {
	c, err := db.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer c.end() // Close waits for it, and then for the group
	l, err := dialLink(db)
	if err != nil {
		return nil, db.explain(ctx, err)
	}
	stop := context.AfterFunc(ctx, l.close)
	early, err := l.subscribe(command, names)
	if err != nil {
		stop()
		l.close()
		return nil, db.explain(ctx, err)
	}
	s := &subscriber{db: db, link: l, messages: make(chan Message)}
	db.group.Go(func() {
		defer stop()
		s.serve(ctx, early)
	})
	return s.messages, nil
}

// subscribe asks for the names, and returns what has come before all of them were
// confirmed.
func (l *link) subscribe(command string, names []string) (early []Message, err error) {
	c := &words{}
	c.text(command)
	c.texts(names)
	if err := l.send(c.list(0, len(c.ends))); err != nil {
		return nil, err
	}
	for confirmed := 0; confirmed < max(len(names), 1); {
		reply, err := l.wire.Read()
		switch {
		case err != nil:
			return nil, err
		case reply.IsError():
			return nil, commandError(reply.Str())
		}
		if m, ok := messageOf(reply); ok {
			early = append(early, m)
		} else {
			confirmed++
		}
	}
	return early, nil
}

// subscriber brings messages to a channel.
type subscriber struct {
	db       *DB
	link     *link
	messages chan Message
}

func (s *subscriber) serve(ctx context.Context, early []Message) {
	defer close(s.messages)
	defer s.link.close()
	for _, m := range early {
		if !s.send(ctx, m) {
			return
		}
	}
	for {
		reply, err := s.link.wire.Read()
		if err != nil {
			return
		}
		if m, ok := messageOf(reply); ok && !s.send(ctx, m) {
			return
		}
	}
}

func (s *subscriber) send(ctx context.Context, m Message) (sent bool) {
	select {
	case s.messages <- m:
		return true
	case <-ctx.Done():
	case <-s.db.done:
	}
	return false
}

// messageOf reads a message out of what a subscriber is sent.
func messageOf(reply resp.Reply) (m Message, ok bool) {
	items := reply.Items()
	switch {
	case reply.Kind() != resp.Out, len(items) < 3:
		return m, false
	case items[0].Str() == "message":
		return Message{Channel: items[1].Str(), Payload: items[2].Str()}, true
	case items[0].Str() == "pmessage" && len(items) == 4:
		return Message{Pattern: items[1].Str(), Channel: items[2].Str(), Payload: items[3].Str()}, true
	}
	return m, false
}
