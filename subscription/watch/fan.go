package watch

import "sync"

// fan is the part of a round that one event loop has to do: it tells the
// watchers of that loop that there is news.
type fan struct {
	watchers []*Watcher
	next     int
	run      func() // made once
}

// fanPart is how many watchers a loop tells in one of its turns: a query with
// very many keeps nobody else waiting for long.
const fanPart = 256

// fanKeepMax is the longest list that is kept for the next round.
const fanKeepMax = 4096

var fans sync.Pool

func newFan() *fan {
	if f, ok := fans.Get().(*fan); ok {
		return f
	}
	f := &fan{}
	f.run = f.tell
	return f
}

// fanner sorts watchers by their loops.
type fanner struct{ byLoop []*fan }

var fanners = sync.Pool{New: func() any { return &fanner{} }}

func spread(watchers []*Watcher) {
	n := fanners.Get().(*fanner)
	n.spread(watchers)
	fanners.Put(n)
}

// spread posts one task to each loop that has any of the watchers.
func (n *fanner) spread(watchers []*Watcher) {
	for _, w := range watchers {
		loop := w.outlet.Loop()
		for loop >= len(n.byLoop) {
			n.byLoop = append(n.byLoop, nil)
		}
		f := n.byLoop[loop]
		if f == nil {
			f = newFan()
			n.byLoop[loop] = f
		}
		f.watchers = append(f.watchers, w)
	}
	for loop, f := range n.byLoop {
		if f != nil {
			n.byLoop[loop] = nil
			f.post()
		}
	}
}

// post has the rest told on the loop of the first of them.
func (f *fan) post() { f.watchers[f.next].outlet.Post(f.run) }

// tell tells a part of the watchers. One that has moved to another loop
// meanwhile is told there.
func (f *fan) tell() {
	loop := f.watchers[f.next].outlet.Loop()
	part := f.watchers[f.next:min(f.next+fanPart, len(f.watchers))]
	f.next += len(part)
	for _, w := range part {
		if w.outlet.Loop() == loop {
			w.outlet.News(w)
		} else {
			w.outlet.Post(func() { w.outlet.News(w) })
		}
	}
	if f.next < len(f.watchers) {
		f.post()
		return
	}
	clear(f.watchers)
	if f.watchers, f.next = f.watchers[:0], 0; cap(f.watchers) <= fanKeepMax {
		fans.Put(f)
	}
}
