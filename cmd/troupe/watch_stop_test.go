package main

import (
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// A server that stops tells those who watch: the last frame carries the token of the
// state that they were told last, and from there they go on at the next server, which
// knows whether anything has changed meanwhile.
func TestWatchersAreToldOfTheStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := []config.Flag{{Name: "dir", Words: []string{dir}}, {Name: "appendonly", Words: []string{"yes"}}}
	s := startServer(t, shape{shards: 2}, settings...)
	c := s.client()
	c.want("+OK", "SET", "k", "v")
	type watch struct {
		*watcher
		told frame
	}
	var all []watch
	for _, w := range ways {
		watcher, told := s.watch(w, "GET", "k")
		all = append(all, watch{watcher, told})
	}
	drained := make(chan bool, 1)
	go func() { drained <- s.Drain(patience) }()
	for _, w := range all {
		last, err := w.frame()
		if err != nil || last.kind != "end" || last.token != w.told.token || last.version < w.told.version {
			t.Errorf("%v is told %+v, %v; before %+v", w.way, last, err, w.told)
		}
		if reply, err := w.next(); err == nil {
			t.Errorf("%v is told more: %v", w.way, reply)
		}
	}
	if !<-drained {
		t.Error("links were left")
	}
	s.stop()

	again := startServer(t, shape{shards: 2}, settings...)
	f := func(kind, value, token string) {
		t.Helper()
		w := &watcher{client: again.client(), way: way{3, "resume"}, query: []string{"GET", "k"}, server: again}
		w.resume(token)
		if got, err := w.frame(); err != nil || got.kind != kind || got.value != value {
			t.Errorf("who goes on is told %+v, %v", got, err)
		}
	}
	token := all[2].told.token
	f("progress", "_", token)
	again.client().want("+OK", "SET", "k", "w")
	f("reset", `"w"`, token)
}
