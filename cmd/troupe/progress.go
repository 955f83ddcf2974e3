package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/persist"
)

// progressInterval is how often systemd is told how far loading or stopping has
// come.
const progressInterval = time.Second

// extension is the time that systemd is asked for whenever something has moved on:
// a server that loads much is not ended for it, one that hangs is.
const extension = 30 * time.Second

// extend is a state that asks for more time.
func extend(by time.Duration) string { return fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", by.Microseconds()) }

// narrate tells systemd from time to time what the server is at, until what it
// returns is called. Look says that in words, and how much is done: as long as this
// changes, more time is asked for.
func (r *running) narrate(look func() (words string, done int64)) (end func()) {
	if !r.notifier.isAsked() {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		last := int64(-1)
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				last = r.tellProgress(look, last)
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

func (r *running) tellProgress(look func() (string, int64), last int64) (done int64) {
	words, done := look()
	if done == last {
		r.notifier.tell(status(words))
	} else {
		r.notifier.tell(status(words), extend(extension))
	}
	return done
}

// loading is what a server is at that has not started yet.
func (r *running) loading() (words string, done int64) {
	system := r.early.Load()
	if system == nil || system.Store == nil {
		return "starting", 0
	}
	p := system.Store.Loading()
	if p == nil {
		return "starting", 0
	}
	return loadingWords(p, time.Now()), p.Done
}

func loadingWords(p *persist.Progress, now time.Time) string {
	words := fmt.Sprintf("loading %s: %d keys", p.File, p.Keys)
	if p.Total > 0 {
		words += fmt.Sprintf(", %d %% of %d MB", 100*p.Done/p.Total, p.Total>>20)
	}
	if left, ok := p.Left(now); ok {
		words += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return words
}

// leaving is what a server is at that stops.
func leaving(system *actors.System) (words string, done int64) {
	if system.Store != nil {
		if s := system.Store.Status(); s.Saving || s.Rewriting {
			return fmt.Sprintf("stopping: %d of %d keys are saved", s.Walked, s.Total), s.Walked
		}
	}
	links := system.Server.Connected()
	return fmt.Sprintf("stopping: %d links are there", links), -int64(links) - 1
}

// readyStates say that the server serves, and where.
func (r *running) readyStates() []string {
	at := slices.Concat(r.system.Addresses(), r.system.TLSAddresses(), r.web.Addresses())
	return []string{daemon.SdNotifyReady, status("serving at " + strings.Join(at, " "))}
}
