package watch

import (
	"errors"
	"fmt"
	"time"
)

// Options are how a watcher wants to be told. The zero Options are the newest
// state, as soon as its link can carry it.
type Options struct {
	// Every asks for the state after each change: of a query whose keys are of one
	// shard. A watcher that falls behind by more than is kept is told a Reset.
	Every bool
	// Delta asks for what is different from the frame before, where that is shorter.
	Delta bool
	// Rate is the least time between two frames; the last state always comes.
	Rate time.Duration
	// Progress asks for a mark when nothing was told for so long.
	Progress time.Duration
	// Resume is the token of the last frame that was seen, in a watch before.
	Resume string
}

// The least and most that Rate and Progress may be.
const (
	IntervalMin = time.Millisecond
	ProgressMin = 100 * time.Millisecond
	IntervalMax = 24 * time.Hour
)

// check says what is wrong with the options.
func (o *Options) check() error {
	switch {
	case o.Rate != 0 && (o.Rate < IntervalMin || o.Rate > IntervalMax):
		return fmt.Errorf("a watch's frames may be between %v and %v apart", IntervalMin, IntervalMax)
	case o.Progress != 0 && (o.Progress < ProgressMin || o.Progress > IntervalMax):
		return fmt.Errorf("a watch's progress marks may be between %v and %v apart", ProgressMin, IntervalMax)
	case o.Every && (o.Delta || o.Rate != 0):
		return errors.New("EVERY goes with neither DELTA nor MAXRATE")
	}
	return nil
}
