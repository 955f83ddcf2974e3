package watch

import (
	"slices"
	"time"
)

// idleRooms are the rooms that nobody is in, the longest empty first: kept for a
// while for those whose link was cut. Their shards still tell them of a change,
// once. The registry's lock guards them.
type idleRooms struct {
	rooms []*Subscription
	timer *time.Timer
}

// idleMax bounds how many rooms are kept that nobody is in.
const idleMax = 10_000

func (i *idleRooms) len() int { return len(i.rooms) }

func (i *idleRooms) add(r *Registry, one *Subscription) {
	one.idleFrom = r.age()
	i.rooms = append(i.rooms, one)
	if len(i.rooms) > idleMax {
		r.letGo(1)
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(r.linger(), r.Tidy)
	}
}

func (i *idleRooms) remove(one *Subscription) {
	if one.watches == 0 && one.idleFrom != 0 {
		one.idleFrom = 0
		i.rooms = slices.DeleteFunc(i.rooms, func(have *Subscription) bool { return have == one })
	}
}

// age is how long the registry has been there.
func (r *Registry) age() time.Duration { return time.Since(r.begun) }

func (r *Registry) linger() time.Duration {
	return time.Duration(r.Limits.Linger.Load()) * time.Millisecond
}

// letGo ends so many rooms, the longest empty first. The caller holds the lock.
func (r *Registry) letGo(n int) {
	for _, one := range r.idle.rooms[:n] {
		r.leave(one)
	}
	r.idle.rooms = slices.Delete(r.idle.rooms, 0, n)
}

// Tidy lets go the rooms that have been empty for long enough, or if the histories
// take too much, half of those that are empty.
func (r *Registry) Tidy() {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for n < len(r.idle.rooms) && r.age()-r.idle.rooms[n].idleFrom >= r.linger() {
		n++
	}
	if r.History.Used.Load() > r.History.Bytes.Load() {
		n = max(n, (len(r.idle.rooms)+1)/2)
	}
	r.letGo(n)
	if r.idle.timer != nil {
		r.idle.timer.Stop()
		r.idle.timer = nil
	}
	if len(r.idle.rooms) > 0 {
		r.idle.timer = time.AfterFunc(max(r.linger()/4, time.Millisecond), r.Tidy)
	}
}

// Close lets go all rooms that nobody is in, and keeps none from here on.
func (r *Registry) Close() {
	r.Limits.Linger.Store(0)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGo(r.idle.len())
}
