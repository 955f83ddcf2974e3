package session

import (
	"net"
	"slices"
	"sync"
)

// DiceDB's clients have two links: on one they send commands, from the other
// they only read pushes. HANDSHAKE pairs them by an id that the client chooses.
//
// A client is the links that say the same id, as the same user, from the same
// machine: with an id that somebody else chose nobody is shown what that one
// watches, unless he has his password and sits where he sits. A link that has
// not said any id is a client of its own, and its own pushes come over it.

// diceKey names a client.
type diceKey struct{ user, host, id string }

// diceClients are the clients that have a link.
type diceClients struct {
	mu    sync.Mutex
	byKey map[diceKey]*diceClient
}

// diceClient is a client: its live queries, whichever link began them, and the
// links that pushes go to. Its links and the Subscriptions come here from their
// own turns.
type diceClient struct {
	key   diceKey
	named bool // by HANDSHAKE; else it is one link of its own
	links int  // of a named one; guarded by diceClients.mu

	mu      sync.Mutex // guards what follows, and the state of the watches
	watches []*diceWatch
	targets []*Session // links in watch mode; the last is the one that gets pushes
}

// enter gives the client of that name, with one link more.
func (c *diceClients) enter(key diceKey) *diceClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byKey[key]
	if one == nil {
		one = &diceClient{key: key, named: true}
		if c.byKey == nil {
			c.byKey = map[diceKey]*diceClient{}
		}
		c.byKey[key] = one
	}
	one.links++
	return one
}

func (c *diceClients) exit(one *diceClient) {
	if !one.named {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.links--; one.links == 0 {
		delete(c.byKey, one.key)
	}
}

// join gives the link's client: that of the id it said last, as the user who it
// is now.
func (d *diceLink) join() *diceClient {
	s := d.session
	key := diceKey{*s.User.Load(), hostOf(&s.Public), d.id}
	if d.client != nil && d.client.named == d.introduced && d.client.key == key {
		return d.client
	}
	d.leave()
	if d.introduced {
		d.client = s.server.dice.clients.enter(key)
	} else {
		d.client = &diceClient{key: key}
	}
	d.target(d.watches || !d.introduced)
	return d.client
}

// target says whether pushes to the client go over this link.
func (d *diceLink) target(on bool) {
	if d.paced != nil {
		d.paced.target = on
	}
	d.client.setTarget(d.session, on)
}

// leave ends what the link has begun, and takes it out of its client.
func (d *diceLink) leave() {
	c := d.client
	if c == nil {
		return
	}
	d.client = nil
	for _, w := range c.ownedBy(d.session) {
		w.end()
	}
	c.setTarget(d.session, false)
	d.session.server.dice.clients.exit(c)
}

// hostOf is the machine that a link comes from.
func hostOf(p *Public) string {
	if p.IsLocal() {
		return "local"
	}
	host, _, err := net.SplitHostPort(p.Address())
	if err != nil {
		return p.Address()
	}
	return host
}

// target is the link that gets pushes, or nil. The caller holds the lock.
func (c *diceClient) target() *Session {
	if len(c.targets) == 0 {
		return nil
	}
	return c.targets[len(c.targets)-1]
}

// setTarget makes a link the one that pushes go to, or one that they do not go
// to. What was told last goes to the link that is the target now, or waits for
// the next.
func (c *diceClient) setTarget(s *Session, watches bool) {
	c.mu.Lock()
	before := c.target()
	c.targets = slices.DeleteFunc(c.targets, func(have *Session) bool { return have == s })
	if watches {
		c.targets = append(c.targets, s)
	}
	if now := c.target(); now != before {
		for _, w := range c.watches {
			w.reroute(now)
		}
	}
	c.mu.Unlock()
}

// add notes a watch.
func (c *diceClient) add(w *diceWatch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches = append(c.watches, w)
}

// remove forgets a watch, and reports whether it was there.
func (c *diceClient) remove(w *diceWatch) (removed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.watches)
	c.watches = slices.DeleteFunc(c.watches, func(have *diceWatch) bool { return have == w })
	w.over = true
	return len(c.watches) < before
}

func (c *diceClient) ownedBy(s *Session) []*diceWatch {
	return c.those(func(w *diceWatch) bool { return w.owner == s })
}

// withFingerprint leaves out what is not answered yet: it began later.
func (c *diceClient) withFingerprint(fingerprint uint64) []*diceWatch {
	return c.those(func(w *diceWatch) bool { return w.begun && w.fingerprint == fingerprint })
}

func (c *diceClient) those(wanted func(*diceWatch) bool) (found []*diceWatch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.watches {
		if wanted(w) {
			found = append(found, w)
		}
	}
	return found
}
