package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// survival is how many of a writer's units have survived a crash: one of these
// numbers. All of them explain what was found.
type survival struct {
	writer *crashWriter
	counts []int // rising
	sure   int   // units that had to survive
}

func (s *survival) least() int { return s.counts[0] }
func (s *survival) most() int  { return s.counts[len(s.counts)-1] }

// explain finds the numbers of units after which the writer's data are as they
// were found.
func (w *crashWriter) explain(found dataset, now int64) (*survival, error) {
	s := &survival{writer: w}
	m := &model{cells: w.cells.clone(), db: w.db}
	wrong := map[string]bool{}
	for _, name := range m.cells.differ(found, now, 1<<30) {
		wrong[name] = true
	}
	nearest, nearestAt := slices.Sorted(maps.Keys(wrong)), 0
	m.db = w.db
	if len(wrong) == 0 {
		s.counts = append(s.counts, 0)
	}
	for i, u := range w.units {
		before := m.cells[m.name(u.free)]
		if u.free != "" && !u.isAnswered() && before.drawn(u, found[m.name(u.free)]) {
			delete(wrong, m.name(u.free))
		} else {
			u.apply(m, now)
			for _, name := range m.touched {
				if m.cells[name].like(found[name], now) {
					delete(wrong, name)
				} else {
					wrong[name] = true
				}
			}
		}
		if len(wrong) == 0 {
			s.counts = append(s.counts, i+1)
		} else if len(wrong) <= len(nearest) {
			nearest, nearestAt = slices.Sorted(maps.Keys(wrong)), i+1
		}
	}
	if len(s.counts) == 0 {
		return nil, w.unexplained(found, now, nearest, nearestAt)
	}
	return s, nil
}

// drawn reports whether found is what a unit of chance, which was not answered,
// can have made of c.
func (c *datum) drawn(u *unit, found *datum) bool {
	words := u.commands[0]
	if words[0] == "XADD" {
		return found != nil && len(found.items) >= 3 && slices.Equal(found.items[len(found.items)-2:], words[len(words)-2:]) &&
			slices.Equal(found.items[:len(found.items)-3], itemsOf(c))
	}
	if c == nil {
		return found == nil
	}
	left := len(c.pairs) - number(words[2])
	if found == nil {
		return left <= 0
	}
	for member := range found.pairs {
		if !hasPair(c, member) {
			return false
		}
	}
	return len(found.pairs) == left && found.deadline >= c.deadline && found.deadline <= max(c.deadline, c.latest)
}

func itemsOf(c *datum) []string {
	if c == nil {
		return nil
	}
	return c.items
}

// unexplained says how the data differ from those after the number of units
// where they differ least.
func (w *crashWriter) unexplained(found dataset, now int64, names []string, at int) error {
	m := &model{cells: w.cells.clone(), db: w.db}
	for _, u := range w.units[:at] {
		u.apply(m, now)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: nothing that it did explains what is there; nearest after %d of %d units, %d answered:", w.name(), at, len(w.units), w.answered())
	for _, name := range names[:min(len(names), 6)] {
		fmt.Fprintf(&b, "\n  %s\n    should be %.300s\n    and is    %.300s", name, m.cells[name].show(), found[name].show())
	}
	for i := max(0, at-2); i < min(len(w.units), at+3); i++ {
		fmt.Fprintf(&b, "\n  unit %d: %.300q", i, w.units[i].frames)
	}
	return fmt.Errorf("%s", b.String())
}

// answered is how many units were.
func (w *crashWriter) answered() int {
	for i, u := range w.units {
		if !u.isAnswered() {
			return i
		}
	}
	return len(w.units)
}

// narrow keeps the numbers for which a condition holds.
func (s *survival) narrow(why string, holds func(count int) bool) error {
	before := s.counts
	s.counts = slices.DeleteFunc(slices.Clone(before), func(count int) bool { return !holds(count) })
	if len(s.counts) == 0 {
		return fmt.Errorf("%s: %d of %d units have survived, %d were answered: %s", s.writer.name(), before[len(before)-1], len(s.writer.units), s.writer.answered(), why)
	}
	return nil
}

// promise is what the server has said about what is safe.
type promise struct {
	strict []span    // when it was in force that nobody is answered before all is on disk
	end    time.Time // the server lived until then, at least
	lag    time.Duration
}

// span is a stretch of time; an open one has no end yet.
type span struct{ from, to time.Time }

func (s span) holds(from, to time.Time) bool {
	return !from.Before(s.from) && (s.to.IsZero() || !to.After(s.to))
}

// safe reports whether a unit had to survive by itself.
func (p *promise) safe(u *unit) bool {
	if !u.isAnswered() || u.refused() {
		return false
	}
	return p.holds(u.sent, u.answered)
}

// holds reports whether what was sent and answered at these times had to survive.
func (p *promise) holds(sent, answered time.Time) bool {
	return answered.Before(p.end.Add(-p.lag)) || slices.ContainsFunc(p.strict, func(s span) bool { return s.holds(sent, answered) })
}

// safeFlush is the same for a FLUSHALL, which was answered unless that time is
// zero.
func (p *promise) safeFlush(sent, answered time.Time) bool {
	return !answered.IsZero() && p.holds(sent, answered)
}

// keep holds that what was promised has survived: all that was safe by itself,
// and all that was answered before something was sent that has survived, or that
// was answered after all before was on disk.
func (p *promise) keep(all []*survival) error {
	var latest time.Time
	for _, s := range all {
		for i, u := range s.writer.units {
			if p.safe(u) {
				s.sure = i + 1
			}
			if p.safe(u) || u.synced() || i < s.least() && u.changes() {
				latest = later(latest, u.sent)
			}
		}
	}
	for _, s := range all {
		for i, u := range s.writer.units {
			if u.isAnswered() && u.answered.Before(latest) {
				s.sure = max(s.sure, i+1)
			}
		}
		if err := s.narrow(fmt.Sprintf("%d had to", s.sure), func(count int) bool { return count >= s.sure }); err != nil {
			return err
		}
	}
	return nil
}

// changes reports whether the unit did something that can be told to be there.
func (u *unit) changes() bool { return len(u.commands) > 0 && !u.refused() }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
