package main

import (
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/troupedb/troupe/keyspace"
)

// watchdog tells systemd, over and over, that the server lives: whenever every shard
// has answered a message since the last time. If one never does, nothing more is
// told, and systemd ends the process and starts another.
//
// A script that goes on and on keeps its shards from answering, and is no reason to
// end: clients are told of it, and it can be killed. While one makes steps, these
// count as the shards' answer.
type watchdog struct {
	node  *keyspace.Node
	steps func() uint64 // of scripts that run for long, so far
	feed  func()

	ticks   <-chan time.Time
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// feedings is how often the watchdog is fed in the time that systemd waits for it.
const feedings = 3

// startWatchdog starts one, if systemd waits for it.
func (r *running) startWatchdog() *watchdog {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		r.log.Warn("no watchdog", "error", err)
	}
	if err != nil || every == 0 || !r.notifier.isAsked() {
		return nil
	}
	ticker := time.NewTicker(max(every/feedings, time.Millisecond))
	w := newWatchdog(r.system.Node, r.system.Scripts.Steps, ticker.C, func() { r.notifier.tell(daemon.SdNotifyWatchdog) })
	go func() {
		defer ticker.Stop()
		w.run()
	}()
	return w
}

func newWatchdog(node *keyspace.Node, steps func() uint64, ticks <-chan time.Time, feed func()) *watchdog {
	return &watchdog{node: node, steps: steps, ticks: ticks, feed: feed, stop: make(chan struct{}), stopped: make(chan struct{})}
}

// end stops it. A watchdog that was never started ends as well.
func (w *watchdog) end() {
	if w == nil {
		return
	}
	w.once.Do(func() { close(w.stop) })
	<-w.stopped
}

func (w *watchdog) run() {
	defer close(w.stopped)
	answered, seen := w.ask(), w.steps()
	for {
		select {
		case <-w.stop:
			return
		case <-answered:
			answered = nil
			w.feed()
		case <-w.ticks:
			now := w.steps()
			switch {
			case answered == nil:
				answered = w.ask()
			case now != seen:
				w.feed()
			}
			seen = now
		}
	}
}

// ask asks each shard for a turn; the channel is closed when all have had one. There
// is one such question at a time, however long it takes.
func (w *watchdog) ask() <-chan struct{} {
	var turns sync.WaitGroup
	for i := range w.node.Len() {
		turns.Go(func() { w.node.Visit([]int{i}, func(*keyspace.Tx) {}) })
	}
	answered := make(chan struct{})
	go func() {
		turns.Wait()
		close(answered)
	}()
	return answered
}
