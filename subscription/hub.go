// Package subscription owns who has subscribed to what: the channels and
// patterns of pub/sub, and the messages on their way to each subscriber.
//
// It promises that whoever has subscribed misses no message from then on, that
// the messages of one publisher come in the order in which they were published,
// and that a publisher never waits for a subscriber: one that does not read is
// cut off at a bound.
package subscription

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/resp/command"
)

// Hub is the channels and patterns of a server. Its methods may be called from
// anywhere, and return at once: a change concerns one stripe of names, under a
// lock that is held for no longer than a look-up, and a message goes to the
// inboxes of those who were subscribed when it was published.
//
// It is not an actor: a change must have happened when the command that asked
// for it is answered, be it within a transaction.
type Hub struct {
	// Limits bound what may wait for a subscriber.
	Limits atomic.Pointer[Limits]

	channels, shards table
	patterns         patterns
	clock            func() int64
	classes          atomic.Uint32
	caches           caches
}

// Limits are client-output-buffer-limit for subscribers: one whose messages
// take more than Hard bytes, or more than Soft for so many Seconds, is cut off.
// 0 is no limit.
type Limits struct{ Hard, Soft, Seconds int64 }

// DefaultLimits are Redis's.
var DefaultLimits = Limits{Hard: 32 << 20, Soft: 8 << 20, Seconds: 60}

// NewHub makes a Hub. clock is Unix milliseconds and may be coarse.
func NewHub(clock func() int64) *Hub {
	h := &Hub{clock: clock}
	limits := DefaultLimits
	h.Limits.Store(&limits)
	h.channels.init()
	h.shards.init()
	h.patterns.rooms = map[string]*room{}
	return h
}

// Sort is one of the three ways to subscribe.
type Sort uint8

// The ways.
const (
	Channel Sort = iota
	Pattern
	ShardChannel
)

// Subscribe has the messages of a channel, or of all channels that match a
// pattern, sent to the inbox.
func (h *Hub) Subscribe(sort Sort, name string, to *Inbox) *Subscription {
	one := &Subscription{inbox: to}
	switch sort {
	case Channel:
		h.channels.add(name, one)
	case ShardChannel:
		h.shards.add(name, one)
	case Pattern:
		h.patterns.add(name, one)
	}
	return one
}

// Unsubscribe ends it. Messages that are in the inbox already are still good;
// End makes them void.
func (h *Hub) Unsubscribe(sort Sort, name string, one *Subscription) {
	switch sort {
	case Channel:
		h.channels.remove(name, one)
	case ShardChannel:
		h.shards.remove(name, one)
	case Pattern:
		h.patterns.remove(name, one)
	}
}

// Publish sends a message to the channel's subscribers and to those of the
// patterns that match it, and returns to how many.
func (h *Hub) Publish(channel, payload []byte) (receivers int) {
	f := newSpread(h)
	receivers = f.publish(channel, payload)
	f.wake()
	return receivers
}

// publish is Publish but for the waking.
func (f *spread) publish(channel, payload []byte) (receivers int) {
	if room := f.hub.channels.find(channel); room != nil {
		receivers += f.send(room.all(), encode("message", nil, channel, payload))
	}
	for _, chunk := range f.hub.patterns.list.all() {
		for _, p := range chunk {
			if pattern := []byte(p.name); command.Match(pattern, channel) {
				receivers += f.send(p.all(), encode("pmessage", pattern, channel, payload))
			}
		}
	}
	return receivers
}

// PublishShard is Publish for shard channels, which patterns do not see.
func (h *Hub) PublishShard(channel, payload []byte) (receivers int) {
	room := h.shards.find(channel)
	if room == nil {
		return 0
	}
	f := newSpread(h)
	receivers = f.send(room.all(), encode("smessage", nil, channel, payload))
	f.wake()
	return receivers
}

// Names are the channels of a sort that have subscribers and match the pattern;
// nil matches all. They are in no order.
func (h *Hub) Names(sort Sort, pattern []byte) []string {
	return h.tableOf(sort).names(pattern)
}

// Subscribers is how many have subscribed to a channel by its name.
func (h *Hub) Subscribers(sort Sort, channel []byte) int {
	if room := h.tableOf(sort).find(channel); room != nil {
		return room.length()
	}
	return 0
}

// Len is how many channels, or patterns, have subscribers.
func (h *Hub) Len(sort Sort) int {
	if sort == Pattern {
		return h.patterns.list.length()
	}
	return int(h.tableOf(sort).count.Load())
}

func (h *Hub) tableOf(sort Sort) *table {
	if sort == ShardChannel {
		return &h.shards
	}
	return &h.channels
}

// Subscription is one inbox's to one name.
type Subscription struct {
	inbox *Inbox
	place int  // in its room, guarded by the room's stripe
	ended bool // belongs to the inbox's loop
}

// End makes messages that are on their way void. It is called on the loop of the
// subscriber's link.
func (s *Subscription) End() { s.ended = true }

func (s *Subscription) at() *int { return &s.place }

// room is those who have subscribed to one name.
type room struct {
	roster[*Subscription]
	name  string
	place int // in the list of patterns
}

func (r *room) at() *int { return &r.place }

// stripes divide names, so that few ask for the same lock at once.
const stripes = 128

// table is rooms by name.
type table struct {
	count  atomic.Int64
	seed   maphash.Seed
	stripe [stripes]stripe
}

type stripe struct {
	mu    sync.RWMutex
	rooms map[string]*room
}

func (t *table) init() {
	t.seed = maphash.MakeSeed()
	for i := range t.stripe {
		t.stripe[i].rooms = map[string]*room{}
	}
}

// find is the room of a name, nil if nobody is there.
func (t *table) find(name []byte) *room {
	s := &t.stripe[maphash.Bytes(t.seed, name)%stripes]
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rooms[string(name)]
}

func (t *table) add(name string, one *Subscription) {
	s := &t.stripe[maphash.String(t.seed, name)%stripes]
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[name]
	if r == nil {
		r = &room{name: name}
		s.rooms[name] = r
		t.count.Add(1)
	}
	r.add(one)
}

func (t *table) remove(name string, one *Subscription) {
	s := &t.stripe[maphash.String(t.seed, name)%stripes]
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[name]
	if r.remove(one); r.length() == 0 {
		delete(s.rooms, name)
		t.count.Add(-1)
	}
}

func (t *table) names(pattern []byte) (all []string) {
	for i := range t.stripe {
		s := &t.stripe[i]
		s.mu.RLock()
		for name := range s.rooms {
			if pattern == nil || command.Match(pattern, []byte(name)) {
				all = append(all, name)
			}
		}
		s.mu.RUnlock()
	}
	return all
}

// patterns are rooms by pattern, and a list of them that can be walked without
// the lock.
type patterns struct {
	mu    sync.Mutex
	rooms map[string]*room
	list  roster[*room]
}

func (p *patterns) add(name string, one *Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rooms[name]
	if r == nil {
		r = &room{name: name}
		p.rooms[name] = r
		p.list.add(r)
	}
	r.add(one)
}

func (p *patterns) remove(name string, one *Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rooms[name]
	if r.remove(one); r.length() == 0 {
		delete(p.rooms, name)
		p.list.remove(r)
	}
}
