package transport

import (
	"slices"
	"time"
)

// linkTable finds links by the slot and tag of their events. The tag tells an
// event of a link that has gone from one of its slot's next link.
type linkTable struct {
	slots []linkSlot
	free  []int32
}

type linkSlot struct {
	link *eventLink
	tag  int32
}

func (t *linkTable) at(slot, tag int32) *eventLink {
	if s := &t.slots[slot]; s.tag == tag {
		return s.link
	}
	return nil
}

func (t *linkTable) add(link *eventLink) (slot, tag int32) {
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		slot = int32(len(t.slots))
		t.slots = append(t.slots, linkSlot{})
	}
	t.slots[slot].link = link
	return slot, t.slots[slot].tag
}

func (t *linkTable) remove(slot int32) {
	t.slots[slot].link = nil
	t.slots[slot].tag++
	t.free = append(t.free, slot)
}

// A link that is closed after its writes lingers: the peer is told that nothing
// more comes, and what it still sends is read and thrown away. Closed at once,
// the unread bytes would make the kernel reset the connection, and the peer
// might lose the reply that tells it why it was closed.
// It does so for lingerMax.
const lingersMax = 1000 // links of a loop; more are closed at once

// lingers says whether a link that is being closed may linger.
func (l *eventLoop) lingers(link *eventLink) bool {
	if len(l.last) >= lingersMax || link.slot == unadopted || l.closing.Load() || endOutput(link.fd) != nil {
		return false
	}
	link.want(wantIn, wantOut|peerClosed)
	link.lingering = true
	link.lingerEnd = sinceStart() + lingerMax
	l.last = append(l.last, link)
	return true
}

// lingerLeft is how long the loop may sleep for the first link that lingers,
// below zero if there is none.
func (l *eventLoop) lingerLeft() time.Duration {
	if len(l.last) == 0 {
		return -1
	}
	return max(l.last[0].lingerEnd-sinceStart(), 0)
}

// endLingers shuts the links whose time is over, and forgets those whose peers
// have gone.
func (l *eventLoop) endLingers() {
	if len(l.last) == 0 {
		return
	}
	now, ended := sinceStart(), 0
	for _, link := range l.last {
		if link.lingering && now < link.lingerEnd {
			break
		}
		if link.lingering {
			link.shut()
		}
		ended++
	}
	l.last = slices.Delete(l.last, 0, ended)
}
