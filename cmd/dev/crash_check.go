package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// survival is what may have survived of a writer's units: one of these outcomes.
// All of them explain what was found.
type survival struct {
	writer   *crashWriter
	outcomes []outcome
}

// outcome is a set of units: all before one, and of the batch that follows some.
// Commands of one batch that concern different shards may happen in any order.
type outcome struct {
	upto int
	more map[int]bool
}

func (o *outcome) has(unit int) bool { return unit < o.upto || o.more[unit] }

// surely reports whether a unit has survived in every outcome, maybe in any.
func (s *survival) surely(unit int) bool {
	return !slices.ContainsFunc(s.outcomes, func(o outcome) bool { return !o.has(unit) })
}

func (s *survival) maybe(unit int) bool {
	return slices.ContainsFunc(s.outcomes, func(o outcome) bool { return o.has(unit) })
}

// narrow keeps the outcomes for which a condition holds.
func (s *survival) narrow(why string, holds func(*outcome) bool) error {
	before := s.outcomes
	s.outcomes = slices.DeleteFunc(slices.Clone(before), func(o outcome) bool { return !holds(&o) })
	if len(s.outcomes) == 0 {
		last := before[len(before)-1]
		return fmt.Errorf("%s: %d of %d units have survived, and of those after that %v; %d were answered: %s",
			s.writer.name(), last.upto, len(s.writer.units), slices.Sorted(maps.Keys(last.more)), s.writer.answered(), why)
	}
	return nil
}

// history is a writer's units being run on the model, beside what was found.
type history struct {
	*crashWriter
	found dataset
	now   int64
	model *model
	wrong map[string]bool // names of what is not as it was found
}

func (w *crashWriter) history(found dataset, now int64) *history {
	h := &history{w, found, now, &model{cells: w.cells.clone(), db: w.db}, map[string]bool{}}
	for _, name := range h.model.cells.differ(found, now, 1<<30) {
		h.wrong[name] = true
	}
	return h
}

// clone is a copy to go on with otherwise.
func (h *history) clone() *history {
	own := *h
	own.model = &model{cells: h.model.cells.clone(), db: h.model.db}
	own.wrong = maps.Clone(h.wrong)
	return &own
}

// run runs a unit.
func (h *history) run(u *unit) {
	m, name := h.model, h.model.name(u.free)
	if u.free != "" && !u.isAnswered() && m.cells[name].drawn(u, h.found[name]) {
		delete(h.wrong, name)
		return
	}
	u.apply(m, h.now)
	for _, name := range m.touched {
		if m.cells[name].like(h.found[name], h.now) {
			delete(h.wrong, name)
		} else {
			h.wrong[name] = true
		}
	}
}

// explain finds the outcomes after which the writer's data are as they were
// found.
func (w *crashWriter) explain(found dataset, now int64) (*survival, error) {
	s := &survival{writer: w}
	h := w.history(found, now)
	nearest, at := slices.Sorted(maps.Keys(h.wrong)), 0
	if len(h.wrong) == 0 {
		s.outcomes = append(s.outcomes, outcome{})
	}
	for from := 0; from < len(w.units); {
		to := from + 1
		for to < len(w.units) && w.units[to].batch == w.units[from].batch {
			to++
		}
		if w.concerns(h.wrong, from, to) {
			s.within(h.clone(), stretch{from, to}, from, nil)
		}
		for _, u := range w.units[from:to] {
			h.run(u)
		}
		if len(h.wrong) > 0 && len(h.wrong) <= len(nearest) {
			nearest, at = slices.Sorted(maps.Keys(h.wrong)), to
		}
		from = to
	}
	if len(s.outcomes) == 0 {
		return nil, w.unexplained(found, now, nearest, at)
	}
	return s, nil
}

// concerns reports whether some units may make all right that is wrong.
func (w *crashWriter) concerns(wrong map[string]bool, from, to int) bool {
	may := map[string]bool{}
	for _, u := range w.units[from:to] {
		if u.swaps {
			return true
		}
		for _, words := range u.commands {
			for _, key := range append(keysOf(words), registerKey) {
				may[key] = true
			}
		}
	}
	for name := range wrong {
		if _, key := splitName(name); !may[key] {
			return false
		}
	}
	return true
}

// stretch is the units of a batch: from one up to another.
type stretch struct{ from, to int }

// within looks for outcomes among those of a batch: each of its units from at on
// has happened, or has not, and then none has that had to come after it.
func (s *survival) within(h *history, batch stretch, at int, missing []*unit) {
	for ; at < batch.to; at++ {
		u := s.writer.units[at]
		if slices.ContainsFunc(missing, u.follows) {
			missing = append(missing, u)
			continue
		}
		s.within(h.clone(), batch, at+1, append(slices.Clone(missing), u))
		h.run(u)
	}
	if len(h.wrong) > 0 {
		return
	}
	o := outcome{upto: batch.from, more: map[int]bool{}}
	for i := batch.from; i < batch.to; i++ {
		if !slices.Contains(missing, s.writer.units[i]) {
			o.more[i] = true
		}
	}
	s.outcomes = append(s.outcomes, o)
}

// follows reports whether a unit cannot happen before another one of its batch.
func (u *unit) follows(other *unit) bool {
	if len(u.shards) != 1 || len(other.shards) != 1 {
		return true
	}
	return u.shards[0] == other.shards[0]
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
	for i := max(0, at-8); i < min(len(w.units), at+3); i++ {
		u := w.units[i]
		fmt.Fprintf(&b, "\n  unit %d: %.300q\n    sent at %s, answered at %s: %.100s", i, u.frames, u.sent.Format(clock), u.answered.Format(clock), resp.Format(u.reply))
	}
	return errors.New(b.String())
}

const clock = "05.000000"

// answered is how many units were.
func (w *crashWriter) answered() int {
	for i, u := range w.units {
		if !u.isAnswered() {
			return i
		}
	}
	return len(w.units)
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
			if p.safe(u) || u.synced() || u.changes() && s.surely(i) {
				latest = later(latest, u.sent)
			}
		}
	}
	for _, s := range all {
		for i, u := range s.writer.units {
			if !p.safe(u) && !(u.isAnswered() && u.answered.Before(latest)) {
				continue
			}
			if err := s.narrow(fmt.Sprintf("%d had to, answered at %s", i, u.answered.Format(clock)), func(o *outcome) bool { return o.has(i) }); err != nil {
				return err
			}
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
