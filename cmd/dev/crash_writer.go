package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// crashWriter sends units on a link of its own and remembers them, until the
// server is gone.
type crashWriter struct {
	drawer
	cells dataset // what is there for certain, before the units
	units []*unit
	// shards is how many the server has, batches how many were sent.
	shards, batches int
	pace            time.Duration // that it rests after a batch

	err error // a reply that cannot be
}

func newCrashWriter(n int, rng *rand.Rand, swaps bool) *crashWriter {
	w := &crashWriter{drawer: drawer{rng: rng, writer: n}, cells: dataset{}}
	if !swaps {
		w.db = strconv.Itoa(n % 3)
	}
	return w
}

func (w *crashWriter) name() string { return fmt.Sprintf("writer %d", w.writer) }

// work sends until the link breaks, or stop is closed and all is answered.
func (w *crashWriter) work(v *victim, stop <-chan struct{}) {
	w.units = nil
	l, err := v.dial()
	if err != nil {
		return
	}
	defer l.close()
	if w.db != "" {
		if _, err := l.ask("SELECT", w.db); err != nil {
			return
		}
	}
	for {
		select {
		case <-stop:
			return
		default:
		}
		if err := w.batch(l); err != nil {
			var refusal crashSurprise
			if errors.As(err, &refusal) || errors.Is(err, os.ErrDeadlineExceeded) {
				w.err = err
			}
			return
		}
		rest := w.pace
		if w.rng.IntN(4) == 0 {
			rest += time.Duration(w.rng.IntN(3000)) * time.Microsecond
		}
		time.Sleep(rest)
	}
}

// crashPatience is how long a server that lives may leave a command unanswered.
const crashPatience = 30 * time.Second

// batch sends some units at once and takes their replies.
func (w *crashWriter) batch(l *link) error {
	var batch []*unit
	for range 1 + w.rng.IntN(12) {
		u := w.next()
		batch = append(batch, u)
		for _, words := range u.frames {
			l.out = appendCommand(l.out, words...)
		}
		if u.free != "" { // what it does must be known before something else is done there
			break
		}
	}
	now := time.Now()
	w.batches++
	for _, u := range batch {
		u.sent, u.batch, u.shards = now, w.batches, u.shardsOf(w.shards)
	}
	w.units = append(w.units, batch...)
	if err := l.conn.SetDeadline(now.Add(crashPatience)); err != nil {
		return err
	}
	if err := l.send(); err != nil {
		return err
	}
	for _, u := range batch {
		if err := u.receive(l); err != nil {
			return fmt.Errorf("%s, %q: %w", w.name(), u.frames, err)
		}
	}
	return nil
}

// shardsOf are the shards that hold the keys of the unit.
func (u *unit) shardsOf(shards int) (all []int) {
	for _, words := range u.frames {
		for _, key := range keysOf(words) {
			if shard := keyspace.ShardOf([]byte(key), shards); !slices.Contains(all, shard) {
				all = append(all, shard)
			}
		}
	}
	return all
}

// crashSurprise is a reply that cannot be.
type crashSurprise string

func (s crashSurprise) Error() string { return "answered " + string(s) }

// receive takes the replies to a unit's frames.
func (u *unit) receive(l *link) error {
	for range u.frames {
		reply, err := l.read()
		var refusal errorReply
		if errors.As(err, &refusal) {
			reply, err = resp.Error(string(refusal)), nil
		}
		if err != nil {
			return err
		}
		if err := surprise(reply); err != nil {
			return err
		}
		u.reply = reply.Clone()
	}
	u.answered = time.Now()
	return nil
}

// surprise looks for errors that the harness has not provoked.
func surprise(reply resp.Reply) error {
	if !reply.IsError() {
		for _, item := range reply.Items() {
			if err := surprise(item); err != nil {
				return err
			}
		}
		return nil
	}
	for _, known := range []string{"ERR no such key", "ERR by chance", "MISCONF", "EXECABORT"} {
		if strings.HasPrefix(reply.Str(), known) {
			return nil
		}
	}
	return crashSurprise(reply.Str())
}

// refused reports whether the unit was answered that it has not happened.
func (u *unit) refused() bool {
	return u.reply.IsError() && (strings.HasPrefix(u.reply.Str(), "MISCONF") || strings.HasPrefix(u.reply.Str(), "EXECABORT"))
}

// isAnswered reports whether it is known to have happened.
func (u *unit) isAnswered() bool { return !u.answered.IsZero() }

// synced reports whether the unit says that all before it is on disk.
func (u *unit) synced() bool {
	items := u.reply.Items()
	return u.asks && u.isAnswered() && len(items) == 2 && items[0].Int() == 1
}

// apply runs the unit's commands on the model. Unless it is answered it may have
// run at any time until now.
func (u *unit) apply(m *model, now int64) {
	const slack = 100 // ms between the server's clock and this one
	m.from, m.to = u.sent.UnixMilli()-slack, now
	if u.isAnswered() {
		m.to = u.answered.UnixMilli() + slack
	}
	m.touched = m.touched[:0]
	if u.refused() {
		return
	}
	for _, words := range u.commands {
		m.run(words, u.reply)
	}
}
