package subscription

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Tracker is a client that keeps a cache: CLIENT TRACKING. It hears which keys
// have changed that it has read, or with prefixes, all that begin like them.
//
// Shards keep Trackers in mind for as long as the keys that they have read do not
// change, which may be for ever. So one that has ended holds on to nothing of its
// client.
type Tracker struct {
	// ID is the client's number.
	ID uint64
	// NoLoop says that it needs not hear of its own changes; Redirect, which
	// other client is to be told instead, 0 for none.
	NoLoop   atomic.Bool
	Redirect atomic.Uint64

	ends      atomic.Pointer[TrackerEnds] // nil: it has ended
	broadcast bool
	place     int
	prefixes  []*membership
}

// TrackerEnds is how a Tracker reaches clients.
type TrackerEnds struct {
	// Own is the client's inbox.
	Own *Inbox
	// Find is the inbox of another client; nil if that is gone.
	Find func(id uint64) *Inbox
	// Broken is called, from anywhere, when the client that invalidations are
	// redirected to is gone.
	Broken func()
}

// NewTracker makes the Tracker of a client; Track has it hear.
func NewTracker(id uint64, ends TrackerEnds) *Tracker {
	t := &Tracker{ID: id}
	t.ends.Store(&ends)
	return t
}

func (t *Tracker) at() *int { return &t.place }

// Ended implements keyspace.Tracker.
func (t *Tracker) Ended() bool { return t.ends.Load() == nil }

// Broadcast reports whether it hears of all keys with certain prefixes.
func (t *Tracker) Broadcast() bool { return t.broadcast }

// Prefixes are those that it has asked for.
func (t *Tracker) Prefixes() (all []string) {
	for _, m := range t.prefixes {
		all = append(all, m.room.prefix)
	}
	return all
}

// membership is one prefix of a Tracker.
type membership struct {
	tracker *Tracker
	room    *prefixRoom
	place   int
}

func (m *membership) at() *int { return &m.place }

// prefixRoom is those who hear of the keys with one prefix.
type prefixRoom struct {
	roster[*membership]
	prefix string
	place  int
}

func (r *prefixRoom) at() *int { return &r.place }

// caches is who keeps a cache.
type caches struct {
	mu       sync.Mutex // guards changes
	trackers roster[*Tracker]
	rooms    map[string]*prefixRoom
	prefixes roster[*prefixRoom]

	keys, items, most atomic.Int64
}

// Track has a tracker hear of changes: of what it reads, or with broadcast of the
// keys with the prefixes.
func (h *Hub) Track(t *Tracker, broadcast bool, prefixes []string) {
	c := &h.caches
	c.mu.Lock()
	defer c.mu.Unlock()
	t.broadcast = broadcast
	c.trackers.add(t)
	c.join(t, prefixes)
}

// TrackAlso adds prefixes.
func (h *Hub) TrackAlso(t *Tracker, prefixes []string) {
	h.caches.mu.Lock()
	defer h.caches.mu.Unlock()
	h.caches.join(t, prefixes)
}

func (c *caches) join(t *Tracker, prefixes []string) {
	for _, prefix := range prefixes {
		room := c.rooms[prefix]
		if room == nil {
			room = &prefixRoom{prefix: prefix}
			if c.rooms == nil {
				c.rooms = map[string]*prefixRoom{}
			}
			c.rooms[prefix] = room
			c.prefixes.add(room)
		}
		m := &membership{tracker: t, room: room}
		room.add(m)
		t.prefixes = append(t.prefixes, m)
	}
}

// Untrack ends it. What shards keep in mind for it goes when the keys change, or
// are read by many others.
func (h *Hub) Untrack(t *Tracker) {
	c := &h.caches
	c.mu.Lock()
	defer c.mu.Unlock()
	t.ends.Store(nil)
	c.trackers.remove(t)
	for _, m := range t.prefixes {
		if m.room.remove(m); m.room.length() == 0 {
			delete(c.rooms, m.room.prefix)
			c.prefixes.remove(m.room)
		}
	}
	t.prefixes = nil
}

// TrackCounts are the numbers that INFO shows.
type TrackCounts struct{ Clients, Keys, Items, Prefixes int64 }

// TrackCounts counts trackers and what they have read.
func (h *Hub) TrackCounts() TrackCounts {
	c := &h.caches
	return TrackCounts{int64(c.trackers.length()), c.keys.Load(), c.items.Load(), int64(c.prefixes.length())}
}

// SetTrackedMost bounds how many keys shards keep in mind; 0 is no bound.
func (h *Hub) SetTrackedMost(n int64) { h.caches.most.Store(n) }

// Broadcasts implements keyspace.Ears.
func (h *Hub) Broadcasts() bool { return h.caches.prefixes.length() > 0 }

// Tracked implements keyspace.Ears.
func (h *Hub) Tracked(keys, items int) (excess int) {
	c := &h.caches
	c.items.Add(int64(items))
	have, most := c.keys.Add(int64(keys)), c.most.Load()
	if most == 0 {
		return 0
	}
	return int(max(have-most, 0))
}

// Invalidate implements keyspace.Ears: it tells the caches what has changed.
func (h *Hub) Invalidate(all []keyspace.Invalid, flushed bool) {
	f := newSpread(h)
	for i := range all {
		f.tellReaders(&all[i])
	}
	for _, chunk := range h.caches.prefixes.all() {
		for _, room := range chunk {
			f.tellRoom(room, all)
		}
	}
	if flushed {
		for _, chunk := range h.caches.trackers.all() {
			for _, t := range chunk {
				f.invalidate(t, nil)
			}
		}
	}
	f.wake()
}

func (f *spread) tellReaders(one *keyspace.Invalid) {
	var text []byte
	for _, reader := range one.Readers {
		t := reader.(*Tracker)
		if t.Ended() || t.NoLoop.Load() && t.ID == one.By {
			continue
		}
		if text == nil {
			text = resp.V2.Append(nil, resp.Strings(one.Key))
		}
		f.invalidate(t, text)
	}
}

// tellRoom tells those with a prefix which of its keys have changed, each once.
func (f *spread) tellRoom(room *prefixRoom, all []keyspace.Invalid) {
	text := keysText(room.prefix, all, 0)
	if text == nil {
		return
	}
	for _, chunk := range room.all() {
		for _, m := range chunk {
			t := m.tracker
			if !t.NoLoop.Load() {
				f.invalidate(t, text)
			} else if others := keysText(room.prefix, all, t.ID); others != nil {
				f.invalidate(t, others)
			}
		}
	}
}

// keysText is the list of the keys with a prefix that somebody else than the
// client has changed; nil if there is none.
func keysText(prefix string, all []keyspace.Invalid, but uint64) []byte {
	var keys []string
	seen := map[string]bool{}
	for i := range all {
		one := &all[i]
		if one.Forgotten || but != 0 && one.By == but || !strings.HasPrefix(one.Key, prefix) || seen[one.Key] {
			continue
		}
		seen[one.Key] = true
		keys = append(keys, one.Key)
	}
	if keys == nil {
		return nil
	}
	return resp.V2.Append(nil, resp.Strings(keys...))
}

// invalidate tells a tracker, or whom it redirects to. A nil text means all keys.
func (f *spread) invalidate(t *Tracker, text []byte) {
	ends := t.ends.Load()
	if ends == nil {
		return
	}
	to := ends.Own
	if other := t.Redirect.Load(); other != 0 {
		if to = ends.Find(other); to == nil {
			ends.Broken()
			f.put(ends.Own, letter{text: brokenText(other), kind: broken})
			return
		}
	}
	f.put(to, letter{text: text, kind: invalidate})
}

func brokenText(id uint64) []byte {
	return resp.V3.Append(nil, resp.Push(resp.BulkString("tracking-redir-broken"), resp.Int(int64(id))))
}
