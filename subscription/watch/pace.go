package watch

import (
	"sync/atomic"
	"time"
)

// pace is when a watcher with a Rate or a Progress is told. But for the version
// of the mark, it belongs to the outlet's loop.
type pace struct {
	rate, progress time.Duration
	told           time.Time // when the last frame was taken
	waits          bool      // to be told of news that came too soon
	marks          bool      // a look at whether a mark is due was put off

	// mark is the version of a progress mark to be told, 0 for none.
	mark atomic.Uint64
}

func newPace(o *Options) *pace {
	if o.Rate == 0 && o.Progress == 0 {
		return nil
	}
	return &pace{rate: o.Rate, progress: o.Progress}
}

// early reports whether it is too soon for another frame; then there will be
// News again when it is not.
func (p *pace) early(w *Watcher) bool {
	if p.rate == 0 || p.told.IsZero() {
		return false
	}
	left := p.rate - time.Since(p.told)
	if left <= 0 {
		return false
	}
	if !p.waits {
		p.waits = true
		p.after(left, w, func() {
			p.waits = false
			w.outlet.News(w)
		})
	}
	return true
}

// took notes that a frame was taken, and has a mark follow in time.
func (p *pace) took(w *Watcher) {
	p.told = time.Now()
	if p.progress > 0 && !p.marks {
		p.marks = true
		p.look(w, p.progress)
	}
}

// look asks for a mark after some time, unless a frame comes in between.
func (p *pace) look(w *Watcher, after time.Duration) {
	p.after(after, w, func() {
		left := p.progress - time.Since(p.told)
		switch {
		case w.state.Load() == over:
			p.marks = false
		case left > 0:
			p.look(w, left)
		default:
			w.sub.send(&Pulse{w})
			p.look(w, p.progress)
		}
	})
}

// after runs a task on the outlet's loop later.
func (p *pace) after(wait time.Duration, w *Watcher, task func()) {
	time.AfterFunc(wait, func() {
		if w.state.Load() != over {
			w.outlet.Post(task)
		}
	})
}
