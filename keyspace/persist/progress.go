package persist

import (
	"fmt"
	"time"
)

// Progress is how far loading has come.
type Progress struct {
	File        string
	Done, Total int64 // bytes
	Keys        int64 // that were read, and records
	Memory      int64 // bytes that the file says its server used; 0: it does not
	Began       time.Time
}

// Left is how long the rest of the file will take if it is read as fast as what
// came before; ok is false if nothing can be said.
func (p *Progress) Left(now time.Time) (left time.Duration, ok bool) {
	if p.Done <= 0 || p.Total <= 0 {
		return 0, false
	}
	return time.Duration(float64(now.Sub(p.Began)) * float64(max(p.Total-p.Done, 0)) / float64(p.Done)), true
}

// Loading is how far loading has come, nil when it is over.
func (s *Store) Loading() *Progress { return s.loaded.Load() }

// reportEvery is how often the log tells how far loading has come.
const reportEvery = 3 * time.Second

// reportLoading tells from time to time how far loading has come. What it returns
// ends that.
func (s *Store) reportLoading() (end func()) {
	every := s.ReportEvery
	if every <= 0 {
		every = reportEvery
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-ticker.C:
				s.reportProgress(now)
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

func (s *Store) reportProgress(now time.Time) {
	p := s.Loading()
	if p == nil {
		return
	}
	took := max(now.Sub(p.Began).Seconds(), 1e-3)
	percent, left := "unknown", "unknown"
	if d, ok := p.Left(now); ok {
		percent, left = fmt.Sprintf("%.1f%%", 100*float64(p.Done)/float64(p.Total)), d.Round(time.Second).String()
	}
	s.Log.Info("loading", "file", p.File, "done", percent, "keys", p.Keys,
		"rate", fmt.Sprintf("%.1f MB/s", float64(p.Done)/took/1e6), "left", left)
}
