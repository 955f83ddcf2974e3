package watch

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
)

// A Subscription under a random schedule: who has a turn next, the shard, the
// mailbox, a loop or a client, is drawn. Each watcher's history is compared with
// the one history of the key.

var seedFlag = flag.Uint64("seed", 0, "of the random tests; 0 draws one")

func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	for n := range uint64(300) {
		m := newModel(t, rand.New(rand.NewPCG(seed, n)))
		for range 400 {
			m.step()
		}
		m.finish()
		if t.Failed() {
			t.Fatalf("in run %d", n)
		}
	}
}

// model is a rig with its clients.
type model struct {
	*rig
	rng     *rand.Rand
	values  []string // of the key, after each change
	clients []*listener
	news    []*listener // told, and not dealt with by their loops
	behind  []*listener // held
}

// listener is a client that watches.
type listener struct {
	*Watcher
	asked  int // changes before it asked
	heard  []Frame
	closed bool
}

func newModel(t *testing.T, rng *rand.Rand) *model {
	m := &model{rig: newRig(t), rng: rng}
	m.registry.stage.spread = func(told []*Watcher) {
		for _, w := range told {
			m.news = append(m.news, m.of(w))
		}
	}
	return m
}

func (m *model) of(w *Watcher) *listener {
	return m.clients[slices.IndexFunc(m.clients, func(c *listener) bool { return c.Watcher == w })]
}

func (m *model) step() {
	switch draw := m.rng.IntN(100); {
	case draw < 20:
		m.write()
	case draw < 25:
		m.elsewhere()
	case draw < 32 && len(m.clients) < 50:
		m.clients = append(m.clients, &listener{Watcher: m.attach(), asked: len(m.values)})
	case draw < 36:
		m.leave()
	case draw < 60 && len(m.mailbox) > 0:
		m.wake()
	case draw < 72 && m.underway:
		m.void = m.rng.IntN(10) == 0
		m.read()
		m.values = append(m.values[:len(m.values):len(m.values)], m.valuesSince()...)
	case draw < 90:
		m.loop()
	default:
		m.drain()
	}
}

// valuesSince are those of changes that the shard has made by itself.
func (m *model) valuesSince() []string {
	if len(m.changes) > len(m.values) {
		return []string{m.value}
	}
	return nil
}

// write writes one of few values, so that many writes change nothing.
func (m *model) write() {
	m.change(strconv.Itoa(m.rng.IntN(3)))
	m.values = append(m.values, m.value)
}

func (m *model) leave() {
	if len(m.clients) == 0 {
		return
	}
	if c := m.clients[m.rng.IntN(len(m.clients))]; !c.closed {
		c.closed = true
		m.detach(c.Watcher)
	}
}

// wake has the Subscription receive a message; it must not evaluate for nobody.
func (m *model) wake() {
	was := m.underway
	m.receive()
	if was || !m.underway || m.anyWaits() {
		return
	}
	if !slices.ContainsFunc(m.clients, func(c *listener) bool { s := c.state.Load(); return s == free || s == over }) {
		m.t.Error("evaluated for nobody")
	}
}

// loop has a loop deal with a watcher that has news.
func (m *model) loop() {
	if len(m.news) == 0 {
		return
	}
	c := m.news[0]
	m.news = m.news[1:]
	if m.rng.IntN(4) == 0 {
		c.Hold()
		m.behind = append(m.behind, c)
		return
	}
	m.hear(c)
}

// drain has a link that was behind catch up.
func (m *model) drain() {
	if len(m.behind) == 0 {
		return
	}
	i := m.rng.IntN(len(m.behind))
	c := m.behind[i]
	m.behind = slices.Delete(m.behind, i, i+1)
	m.hear(c)
}

// hear has a client take what there is, and compares it with the history.
func (m *model) hear(c *listener) {
	f, ok := c.Take()
	switch {
	case ok && c.closed:
		m.t.Error("told after its end")
	case !ok:
		return
	}
	if got, want := f.Result.Str(), m.valueAt(f.Version); got != want {
		m.t.Errorf("at version %d the state is %q, want %q", f.Version, got, want)
	}
	if len(c.heard) == 0 {
		m.checkFirst(c, f)
	} else if last := c.heard[len(c.heard)-1]; f.Version <= last.Version {
		m.t.Errorf("version %d after %d", f.Version, last.Version)
	} else if want := m.changesIn(last.Version, f.Version); f.Covered != want {
		m.t.Errorf("from version %d to %d there were %d changes, not %d", last.Version, f.Version, want, f.Covered)
	}
	c.heard = append(c.heard, f)
}

// checkFirst: the first state was true at some time since it was asked for.
func (m *model) checkFirst(c *listener, f Frame) {
	since := m.values[max(c.asked-1, 0):]
	if c.asked > 0 && !slices.Contains(since, f.Result.Str()) || f.Covered != 0 {
		m.t.Errorf("the first state is %q, standing for %d changes; since it was asked for there were %q", f.Result.Str(), f.Covered, since)
	}
}

func (m *model) valueAt(version uint64) (value string) {
	for i, v := range m.changes {
		if v <= version {
			value = m.values[i]
		}
	}
	return value
}

func (m *model) changesIn(after, until uint64) (n int64) {
	for _, v := range m.changes {
		if v > after && v <= until {
			n++
		}
	}
	return n
}

// finish ends the writes and lets all others go on: everybody has the last
// state, whatever it missed before.
func (m *model) finish() {
	for len(m.mailbox) > 0 || m.underway || len(m.news) > 0 || len(m.behind) > 0 {
		m.settle()
		m.loop()
		m.drain()
	}
	for _, c := range m.clients {
		if c.closed {
			continue
		}
		if len(c.heard) == 0 {
			m.t.Error("a watcher was never told anything")
		} else if last := c.heard[len(c.heard)-1].Result.Str(); last != m.value {
			m.t.Errorf("a watcher was left with %q, and the value is %q", last, m.value)
		}
	}
	if n, h := m.crowd.notified.Load(), m.crowd.held.Load(); n != 0 || h != 0 {
		m.t.Errorf("at rest %d watchers count as notified and %d as held", n, h)
	}
	if m.door != nil {
		m.t.Error("somebody waits for ever")
	}
}
