package actors

import (
	"context"
	"time"

	"github.com/troupedb/troupe/subscription/watch"
)

// State is what a live query answers at a version.
type State struct {
	// Result is the answer. If Kind is Failed it is an error, as after a change
	// of the key's type: see Reply.Err.
	Result Reply
	// Version orders the states of a watch: each is higher than the one before.
	Version uint64
	// Covered is how many changes the state stands for, itself included: what was
	// in between was not shown. It is 0 in the first.
	Covered int
	// Kind says what the state is.
	Kind watch.Kind
	// Token names the state, to resume from it.
	Token string

	more bool // there is another one already
}

// Watch runs a reading command, and again whenever its answer may have changed;
// the channel gets the first answer, and each new one. It is closed when the
// context ends, the database is closed, or an operator ends the watch, which is
// told by a last state of the kind watch.End. An error in the first answer is
// returned instead.
//
// The channel promises what a watching link is promised: no change after the
// first state is lost, the last state arrives however slow its reader was, and a
// transaction is seen as a whole or not at all. It holds one state. While nobody
// takes that, newer ones replace it, a few times a second; so who reads slowly
// costs no more memory, and next to no time.
func (db *DB) Watch(ctx context.Context, command string, args ...any) (<-chan State, error) {
	return db.WatchWith(ctx, watch.Options{}, command, args...)
}

// WatchWith is Watch with options: to go on where a watch before has stopped, to
// be told every state, deltas, less often, or when nothing happens. The state of
// the kind watch.Progress has no result. States that were asked for one by one,
// deltas and progress marks wait for the channel's reader instead of replacing each
// other there.
func (db *DB) WatchWith(ctx context.Context, options watch.Options, command string, args ...any) (<-chan State, error) {
	if err := db.may(ctx); err != nil {
		return nil, err
	}
	w := &words{}
	w.text(command)
	if err := w.add(args); err != nil {
		return nil, err
	}
	query, refusal := db.local.Query(w.list(0, len(w.ends)))
	if query == nil {
		return nil, commandError(refusal.Str())
	}
	o := &outlet{db: db, news: make(chan struct{}, 1), states: make(chan State)}
	o.replaces = !options.Every && !options.Delta && options.Progress == 0
	if err := o.begin(query, options); err != nil {
		return nil, err
	}
	first, err := o.first(ctx)
	if err != nil {
		o.leave()
		return nil, err
	}
	go o.serve(ctx, first)
	return o.states, nil
}

// outlet brings the states of a watch to its channel.
type outlet struct {
	watch.Watcher
	db     *DB
	news   chan struct{} // there is something to take
	states chan State
	// replaces says that a state that nobody has taken is replaced by a newer one.
	replaces bool
}

// Loop implements watch.Outlet: the outlets of a process are on a loop of their
// own, behind those of links, that is nothing but the workers.
func (o *outlet) Loop() int { return o.db.system.Loops() + o.db.pipes.Loops() }

// Post implements watch.Outlet.
func (o *outlet) Post(task func()) { o.db.system.workers.Schedule(task) }

// News implements watch.Outlet. It can't be known here whether the channel's
// reader is ready, so the news is held until serve has looked.
func (o *outlet) News(w *watch.Watcher) {
	w.Hold()
	o.wake()
}

// wake has serve take what there is.
func (o *outlet) wake() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// begin begins the watch, which leave ends. Close waits for the errand first, and
// then for the group.
func (o *outlet) begin(q *watch.Query, options watch.Options) error {
	db := o.db
	c, err := db.begin(context.Background())
	if err != nil {
		return err
	}
	defer c.end()
	if _, err := db.system.Server.Watches.Watch(q, options, &o.Watcher, o); err != nil {
		return commandError("ERR " + err.Error())
	}
	db.group.Add(1)
	return nil
}

// first waits for the first state.
func (o *outlet) first(ctx context.Context) (st State, err error) {
	for {
		select {
		case <-o.news:
		case <-ctx.Done():
			return State{}, ctx.Err()
		case <-o.db.done:
			return State{}, o.db.failure()
		}
		if f, ok := o.Take(); ok {
			st = stateOf(f)
			if f.Refuses() {
				err = st.Result.Err()
			}
			return st, err
		}
	}
}

func stateOf(f watch.Frame) State {
	return State{Result: Reply{f.Reply()}, Version: f.Version, Covered: int(f.Covered), Kind: f.Kind, Token: f.Token(), more: f.More}
}

// after is the state with what one before it, that nobody has taken, would have told.
func (st State) after(untaken State) State {
	st.Covered += untaken.Covered
	if untaken.Kind == watch.Reset && st.Kind == watch.Current {
		st.Kind = watch.Reset
	}
	return st
}

// refreshInterval is how often a state that nobody has taken is replaced by a
// newer one.
const refreshInterval = 20 * time.Millisecond

// serve offers the newest state to the channel's reader until the watch ends.
func (o *outlet) serve(ctx context.Context, st State) {
	defer o.leave()
	defer close(o.states)
	refresh := time.NewTimer(refreshInterval)
	defer refresh.Stop()
	offer, news := o.states, chan struct{}(nil) // nil waits for nothing
	for {
		select {
		case offer <- st:
			if st.Kind == watch.End {
				return
			}
			if st.more {
				o.wake()
			}
			st.Covered, st.Kind, offer, news = 0, "", nil, o.news
		case <-refresh.C:
			if o.replaces {
				news = o.news
			}
		case <-news:
			if f, ok := o.Take(); ok {
				st = stateOf(f).after(st)
				offer, news = o.states, nil
				refresh.Reset(refreshInterval)
			}
		case <-ctx.Done():
			return
		case <-o.db.done:
			return
		}
	}
}

// leave ends the watch.
func (o *outlet) leave() {
	o.db.system.Server.Watches.Unwatch(&o.Watcher)
	o.db.group.Done()
}

var _ watch.Outlet = (*outlet)(nil)
