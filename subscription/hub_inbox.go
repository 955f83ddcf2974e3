package subscription

import (
	"sync"
	"sync/atomic"
)

// Outlet is a subscriber's link, as the hub reaches it. All but News may be
// called from anywhere.
type Outlet interface {
	// Loop is the number of the link's event loop.
	Loop() int
	// Post runs task on it.
	Post(task func())
	// News is called on the loop: there is something in the inbox. It is not
	// called again until that has been taken.
	News()
	// Unsent is how many bytes wait in the link itself.
	Unsent() int64
	// Overrun tells that too much waits for the link: it is to be closed.
	Overrun()
}

// Inbox is what waits for one link: texts that all receivers share, in the order
// in which they came. Any goroutine may add; the link's loop takes.
type Inbox struct {
	outlet  Outlet
	waiting atomic.Bool

	mu     sync.Mutex // guards what follows
	queue  []letter
	bytes  int64 // of the texts, those being taken included
	called bool  // the outlet knows, or soon will
	closed bool
	above  int64 // since when more than Limits.Soft waits, Unix milliseconds; 0: it does not

	taking []letter // being taken; belongs to the loop
	next   int
}

// letter is a message in an inbox.
type letter struct {
	from *Subscription // of a channel or a pattern, else nil
	text []byte
	kind letterKind
}

type letterKind uint8

const (
	message    letterKind = iota // a push of RESP3; in RESP2 a list
	invalidate                   // the names of keys, a list
	broken                       // a push that RESP2 does not have
)

// NewInbox makes the inbox of a link.
func NewInbox(outlet Outlet) *Inbox { return &Inbox{outlet: outlet} }

// put adds a letter and reports whether the outlet must be told.
func (b *Inbox) put(h *Hub, l letter) (tell bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.queue = append(b.queue, l)
	b.bytes += int64(len(l.text))
	if b.over(h) {
		b.closed, b.queue = true, nil
		b.outlet.Overrun()
		return false
	}
	tell = !b.called
	b.called = true
	b.waiting.Store(true)
	return tell
}

// over reports whether too much waits.
func (b *Inbox) over(h *Hub) bool {
	limits := h.Limits.Load()
	if limits.Hard == 0 && limits.Soft == 0 {
		return false
	}
	waits := b.bytes + b.outlet.Unsent()
	if limits.Hard > 0 && waits > limits.Hard {
		return true
	}
	if limits.Soft == 0 || waits <= limits.Soft {
		b.above = 0
		return false
	}
	now := h.clock()
	if b.above == 0 {
		b.above = now
	}
	return now-b.above > limits.Seconds*1000
}

// Waiting reports whether there is anything to take. Any goroutine may ask.
func (b *Inbox) Waiting() bool { return b.waiting.Load() }

// Protocol is how letters look on a link.
type Protocol struct {
	Version int
	// Subscriber says that the link listens to messages, by which RESP2 carries
	// invalidations.
	Subscriber bool
}

// Take appends what waits, but no further message once dst is longer than most,
// and reports whether something is left. It is called on the link's loop.
func (b *Inbox) Take(dst []byte, p Protocol, most int) (_ []byte, more bool) {
	taken := int64(0)
	for len(dst) < most {
		if b.next == len(b.taking) && !b.fetch() {
			break
		}
		l := &b.taking[b.next]
		b.next++
		taken += int64(len(l.text))
		if l.from == nil || !l.from.ended {
			dst = l.append(dst, p)
		}
	}
	return dst, b.settle(taken)
}

// fetch changes the letters taken for those that have come meanwhile.
func (b *Inbox) fetch() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	done := b.taking
	clear(done)
	if cap(done) > keepLetters {
		done = nil
	}
	b.taking, b.next = b.queue, 0
	b.queue = done[:0]
	return len(b.taking) > 0
}

// keepLetters is the longest list that an inbox keeps for later.
const keepLetters = 1024

// settle notes how many bytes have been taken. If nothing is left, the outlet is
// told of the next letter.
func (b *Inbox) settle(taken int64) (more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes -= taken
	if more = b.next < len(b.taking) || len(b.queue) > 0; !more {
		b.called = false
		b.waiting.Store(false)
	}
	return more
}

// Close throws away what waits and what comes.
func (b *Inbox) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.queue = true, nil
}

// spread is a message on its way: whom to tell of it, by event loop.
type spread struct {
	hub    *Hub
	byLoop []*call
}

var spreads = sync.Pool{New: func() any { return &spread{} }}

func newSpread(h *Hub) *spread {
	f := spreads.Get().(*spread)
	f.hub = h
	return f
}

// send puts a text into the inboxes of all subscribers and returns how many
// there are.
func (f *spread) send(to [][]*Subscription, text []byte) (receivers int) {
	for _, chunk := range to {
		receivers += len(chunk)
		for _, one := range chunk {
			f.put(one.inbox, letter{one, text, message})
		}
	}
	return receivers
}

func (f *spread) put(to *Inbox, l letter) {
	if !to.put(f.hub, l) {
		return
	}
	loop := to.outlet.Loop()
	for loop >= len(f.byLoop) {
		f.byLoop = append(f.byLoop, nil)
	}
	if f.byLoop[loop] == nil {
		f.byLoop[loop] = newCall()
	}
	c := f.byLoop[loop]
	c.outlets = append(c.outlets, to.outlet)
}

// wake sends each loop one task, if any of its links has been given something.
func (f *spread) wake() {
	for loop, c := range f.byLoop {
		if c != nil {
			f.byLoop[loop] = nil
			c.outlets[0].Post(c.run)
		}
	}
	f.hub = nil
	spreads.Put(f)
}

// call is the links of one event loop that have news.
type call struct {
	outlets []Outlet
	next    int
	run     func() // made once
}

var calls sync.Pool

func newCall() *call {
	if c, ok := calls.Get().(*call); ok {
		return c
	}
	c := &call{}
	c.run = c.tell
	return c
}

// callPart is how many links a loop tells in one of its turns.
const callPart = 256

// tell tells a part of the links. One that has moved to another loop is told
// there.
func (c *call) tell() {
	loop := c.outlets[c.next].Loop()
	part := c.outlets[c.next:min(c.next+callPart, len(c.outlets))]
	c.next += len(part)
	for _, o := range part {
		if o.Loop() == loop {
			o.News()
		} else {
			o.Post(o.News)
		}
	}
	if c.next < len(c.outlets) {
		c.outlets[c.next].Post(c.run)
		return
	}
	clear(c.outlets)
	if c.outlets, c.next = c.outlets[:0], 0; cap(c.outlets) <= keepLetters {
		calls.Put(c)
	}
}
