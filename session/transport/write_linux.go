package transport

// Small writes of a turn are gathered and leave together when all its events
// have been dealt with. A peer that is woken by the first of many replies
// finds the others too and sleeps again only when it has read them all: that
// saves both sides most of their wake-ups.

// gatherMax bounds, in bytes, what one turn gathers; a write longer than an
// eighth of it leaves at once.
const gatherMax = 256 << 10

// gathered is one link's part of the bytes: up to end, from the end before it.
type gathered struct {
	link *eventLink
	end  int
}

// gather keeps a write for the end of the turn.
func (l *eventLoop) gather(k *eventLink, p []byte) {
	if len(l.outgoing)+len(p) > gatherMax {
		l.sendGathered()
	}
	l.outgoing = append(l.outgoing, p...)
	k.gathered = true
	if n := len(l.writes); n > 0 && l.writes[n-1].link == k {
		l.writes[n-1].end = len(l.outgoing)
		return
	}
	l.writes = append(l.writes, gathered{k, len(l.outgoing)})
}

// sendGathered sends what was gathered, in the order of the writes.
func (l *eventLoop) sendGathered() {
	start := 0
	for i := range l.writes {
		w := &l.writes[i]
		w.link.send(l.outgoing[start:w.end])
		start, w.link = w.end, nil
	}
	l.outgoing, l.writes = l.outgoing[:0], l.writes[:0]
}
