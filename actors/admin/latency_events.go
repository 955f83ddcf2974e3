package admin

import (
	"slices"
	"sync"
	"time"

	"github.com/troupedb/troupe/resp/command"
)

// spikes keeps, for each kind of event, the newest moments at which it took
// longer than the latency monitor allows.
type spikes struct {
	mu     sync.Mutex
	events map[string]*spikeHistory
}

// spikesMax is how many moments are kept of an event, as in Redis. Those of
// one second are one, the worst.
const spikesMax = 160

type spikeHistory struct {
	moments []moment // the newest last
	worst   int64    // of all time, milliseconds
}

type moment struct {
	when int64 // Unix seconds
	took int64 // milliseconds
}

// The events.
const (
	eventCommand     = "command"
	eventFastCommand = "fast-command" // one that never ought to be slow
)

// lateness is the setting latency-monitor-threshold, in milliseconds, as the
// running time in nanoseconds from which a command counts; -1 for none.
func lateness(threshold int64) int64 {
	if threshold <= 0 {
		return -1
	}
	return int64(min(time.Duration(threshold), time.Hour) * time.Millisecond)
}

// add is the session's SpikeLog: any session may call it.
func (s *spikes) add(ran *command.Meta, took int64) {
	event := eventCommand
	if ran.Flags.Has(command.Fast) {
		event = eventFastCommand
	}
	s.note(event, moment{time.Now().Unix(), took / int64(time.Millisecond)})
}

func (s *spikes) note(event string, m moment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		s.events = map[string]*spikeHistory{}
	}
	h := s.events[event]
	if h == nil {
		h = &spikeHistory{}
		s.events[event] = h
	}
	h.worst = max(h.worst, m.took)
	if n := len(h.moments); n > 0 && h.moments[n-1].when == m.when {
		h.moments[n-1].took = max(h.moments[n-1].took, m.took)
		return
	}
	if len(h.moments) == spikesMax {
		h.moments = append(h.moments[:0], h.moments[1:]...)
	}
	h.moments = append(h.moments, m)
}

// history is a copy of what is known of an event; it has no moments if nothing
// is.
func (s *spikes) history(event string) spikeHistory {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.events[event]
	if h == nil {
		return spikeHistory{}
	}
	return spikeHistory{slices.Clone(h.moments), h.worst}
}

// names are the events that have moments, in order.
func (s *spikes) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.events))
	for name := range s.events {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reset forgets the events named, or all, and returns how many they were.
func (s *spikes) reset(names []string) (forgotten int) {
	all := len(names) == 0
	s.mu.Lock()
	defer s.mu.Unlock()
	for event := range s.events {
		if all || slices.Contains(names, event) {
			delete(s.events, event)
			forgotten++
		}
	}
	return forgotten
}
