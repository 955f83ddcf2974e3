package main

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
)

// The watchdog is fed when all shards have answered, not while one is stuck, and
// again when it is not any more; a script that makes steps counts as an answer.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	system, err := actors.Start(actors.Options{Shards: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	ticks, fed := make(chan time.Time), make(chan struct{}, 100)
	var steps atomic.Uint64
	w := newWatchdog(system.Node, steps.Load, ticks, func() { fed <- struct{}{} })
	go w.run()
	defer w.end()

	<-fed // at the start
	ticks <- time.Now()
	<-fed

	held, release := make(chan struct{}), make(chan struct{})
	go system.Node.Visit([]int{1}, func(*keyspace.Tx) {
		close(held)
		<-release
	})
	<-held
	for range 5 { // each is taken only when the one before has been dealt with
		ticks <- time.Now()
	}
	if len(fed) != 0 {
		t.Error("it was fed while a shard was stuck")
	}
	steps.Add(1)
	ticks <- time.Now()
	<-fed
	ticks <- time.Now()
	ticks <- time.Now()
	if len(fed) != 0 {
		t.Error("it was fed though the script has made no step")
	}
	close(release)
	<-fed
	ticks <- time.Now()
	<-fed
}
