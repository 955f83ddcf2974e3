package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
	"github.com/troupedb/troupe/keyspace/persist"
)

// populated is a data directory with a snapshot of so many keys.
func populated(t *testing.T, keys string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "dir", Words: []string{dir}}, config.Flag{Name: "appendonly", Words: []string{"yes"}},
		config.Flag{Name: "rdbcompression", Words: []string{"no"}})
	c := s.client()
	c.want("+OK", "DEBUG", "POPULATE", keys, "key", "200")
	c.ask("BGREWRITEAOF")
	eventually(t, "there is a snapshot", func() bool { return strings.Contains(c.ask("INFO", "persistence"), "aof_rewrites:1") })
	s.stop()
	return dir
}

// lines is a log that is read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// halfway is a server that has read a part of its snapshot, and waits for the test.
type halfway struct {
	system *actors.System
	log    *lines
	halt   chan struct{}
	goOn   chan struct{}
	done   chan error
}

func loadHalf(t *testing.T, dir string) *halfway {
	t.Helper()
	h := &halfway{log: &lines{}, halt: make(chan struct{}), goOn: make(chan struct{}), done: make(chan error, 1)}
	loaded, err := config.Load(config.Sources{Flags: []config.Flag{
		{Name: "dir", Words: []string{dir}}, {Name: "bind", Words: []string{"127.0.0.1"}}, {Name: "shards", Words: []string{"2"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	o := assemble(loaded, hclog.New(&hclog.LoggerOptions{Output: h.log}))
	o.Port, o.Halt, o.Storage.ReportEvery = 0, h.halt, time.Millisecond
	reached := make(chan struct{})
	var reads int
	o.Storage.FS = faultfs.Trap(journal.Disk, func(c faultfs.Call) error {
		if c.Op != faultfs.Read || !strings.Contains(c.Name, "snapshot-") {
			return nil
		}
		if reads++; reads == 5 { // of half a megabyte each
			close(reached)
			<-h.goOn
		}
		return nil
	})
	ready := o.Ready
	o.Ready = func(s *actors.System) error {
		h.system = s
		return ready(s)
	}
	go func() {
		_, err := actors.Start(o)
		h.done <- err
	}()
	<-reached
	return h
}

// While a server loads, INFO and the log tell how far it is, and when it will be
// done.
func TestLoadingProgress(t *testing.T) {
	t.Parallel()
	h := loadHalf(t, populated(t, "20000"))
	eventually(t, "the log tells of it", func() bool {
		return regexp.MustCompile(`loading: file=\S+snapshot-\S+ done="[1-9][0-9.]*%" keys=\d+ rate="[0-9.]+ MB/s" left=\d+\w+`).MatchString(h.log.String())
	})
	s := &server{System: h.system, tb: t, addr: h.system.Addresses()[0]}
	c := s.client()
	info := c.ask("INFO", "persistence")
	for _, want := range []string{
		`\nloading:1\r`, `\nloading_start_time:\d{10}\r`, `\nloading_total_bytes:[1-9]\d{6}\r`, `\nloading_loaded_bytes:[1-9]\d{5,}\r`,
		`\nloading_loaded_perc:[1-9]\d\.\d\d\r`, `\nloading_eta_seconds:\d+\r`, `\nloading_rdb_used_mem:\d+\r`,
	} {
		if !regexp.MustCompile(want).MatchString(strings.ReplaceAll(strings.ReplaceAll(info, `\r`, "\r"), `\n`, "\n")) {
			t.Errorf("%q is missing in %s", want, info)
		}
	}
	f := func(loads bool, words ...string) {
		t.Helper()
		if got := c.ask(words...); strings.HasPrefix(got, "-LOADING") != loads {
			t.Errorf("%q is answered %s", words, got)
		}
	}
	f(true, "PING")
	f(true, "GET", "key:1")
	f(true, "SAVE")
	f(true, "BGREWRITEAOF")
	f(true, "DBSIZE")
	f(true, "CLUSTER", "KEYSLOT", "k")
	f(false, "CLIENT", "ID")
	f(false, "CONFIG", "GET", "port")
	f(false, "COMMAND", "COUNT")
	f(false, "HELLO", "2")
	f(false, "SUBSCRIBE", "channel")
	close(h.goOn)
	if err := <-h.done; err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	c = s.client()
	c.want(":20000", "DBSIZE")
	if info := c.ask("INFO", "persistence"); !strings.Contains(info, "loading:0") || !strings.Contains(info, "rdb_last_load_keys_loaded:20000") || strings.Contains(info, "loading_") {
		t.Error(info)
	}
}

// Loading can be given up; the directory stays as it is.
func TestHaltWhileLoading(t *testing.T) {
	t.Parallel()
	dir := populated(t, "20000")
	before := listing(t, dir)
	h := loadHalf(t, dir)
	close(h.halt)
	close(h.goOn)
	if err := <-h.done; !errors.Is(err, persist.ErrHalted) {
		t.Error(err)
	}
	after := listing(t, dir)
	for path, text := range before {
		if after[path] != text && !strings.HasSuffix(path, "lock") {
			t.Errorf("%s has changed", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
}
