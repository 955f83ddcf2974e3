package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/troupedb/troupe/resp"
)

// soakWatcher watches queries over one link at a time, which it breaks now and
// then, to resume them over another.
type soakWatcher struct {
	rng     *rand.Rand
	db      string
	queries []*soakQuery

	mu       sync.Mutex // of what the queries have been told
	l        *link
	left     bool
	reading  sync.WaitGroup
	err      error
	frames   int
	resumed  int
	untilCut int // frames
}

// soakQuery is a live query and the newest that is known of it.
type soakQuery struct {
	words, options []string
	fingerprint    string // on the present link; "" when it is not watched there
	result         string
	version        int64
	token          string
}

const (
	soakWatchers = 5
	soakQueries  = 12
)

// watch has watchers watch, going on with what they saw the last time.
func (t *soakTest) watch() error {
	if t.watchers == nil || t.isCache() != t.cached {
		t.watchers, t.cached = t.drawWatchers(), t.isCache()
	}
	for i, w := range t.watchers {
		w.rng, w.left = rand.New(rand.NewPCG(t.Seed, uint64(t.round)<<16+uint64(500+i))), false
		if t.isCache() && len(t.levels) == 0 {
			w.forget() // nothing of the cache has outlived its server
		}
		if err := w.connect(t.victim); err != nil {
			return err
		}
		w.reading.Go(func() { w.follow(t.victim) })
	}
	return nil
}

func (t *soakTest) drawWatchers() (all []*soakWatcher) {
	for i := range soakWatchers {
		w := &soakWatcher{db: strconv.Itoa(i % 3)}
		if t.isCache() {
			w.db = "0"
		}
		for len(w.queries) < soakQueries {
			q := &soakQuery{words: t.drawQuery(i)}
			if slices.ContainsFunc(w.queries, func(other *soakQuery) bool { return slices.Equal(other.words, q.words) }) {
				continue // it would be the same
			}
			q.options = [][]string{nil, nil, {"EVERY"}, {"MAXRATE", "50"}, {"PROGRESS", "300"}}[t.rng.IntN(5)]
			w.queries = append(w.queries, q)
		}
		all = append(all, w)
	}
	return all
}

// drawQuery draws a query whose result has one order only, on keys of a writer, of
// the ledger, or of the cache.
func (t *soakTest) drawQuery(writer int) []string {
	if t.isCache() {
		return [][]string{{"GET", fillKey(t.rng.IntN(soakKeys))}, {"STRLEN", fillKey(t.rng.IntN(soakKeys))}}[t.rng.IntN(2)]
	}
	if writer%3 == 0 && t.rng.IntN(4) == 0 {
		return [][]string{{"LLEN", ledgerList(0)}, {"LRANGE", ledgerList(1), "-5", "-1"}, {"LLEN", queueList(1)}}[t.rng.IntN(3)]
	}
	d := &drawer{rng: t.rng, writer: writer}
	return [][]string{
		{"GET", d.key("text")}, {"GET", d.key("soon")}, {"GET", d.key("number")}, {"STRLEN", d.key("range")},
		{"LRANGE", d.key("list"), "0", "-1"}, {"HLEN", d.key("hash")}, {"HGET", d.key("counts"), d.small()}, {"SCARD", d.key("set")},
		{"ZRANGE", d.key("zset"), "0", "9", "WITHSCORES"}, {"XRANGE", d.key("stream"), "-", "+"}, {"TYPE", d.key("copy")},
	}[t.rng.IntN(11)]
}

// forget forgets what it was told.
func (w *soakWatcher) forget() {
	for _, q := range w.queries {
		q.token, q.version, q.result = "", 0, ""
	}
}

// connect begins or resumes all queries on a new link.
func (w *soakWatcher) connect(v *victim) error {
	l, err := v.dial()
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left {
		l.close()
		return net.ErrClosed
	}
	w.l, w.untilCut = l, 20+w.rng.IntN(400)
	if err := w.beginAll(); err != nil {
		l.close()
		return err
	}
	return nil
}

func (w *soakWatcher) beginAll() error {
	for _, q := range w.queries {
		q.fingerprint = ""
	}
	if _, err := w.l.ask("HELLO", "3"); err != nil {
		return err
	}
	if _, err := w.l.ask("SELECT", w.db); err != nil {
		return err
	}
	for _, q := range w.queries {
		if err := w.begin(q); err != nil {
			return fmt.Errorf("%q: %w", q.words, err)
		}
	}
	return nil
}

// begin begins a query; its first frame comes as a push, as those of the others do.
func (w *soakWatcher) begin(q *soakQuery) error {
	words := append([]string{"OBSERVE"}, q.options...)
	if q.token != "" {
		words = append(words, "RESUME", q.token)
		w.resumed++
	}
	w.l.out = appendCommand(w.l.out, append(words, q.words...)...)
	if err := w.l.send(); err != nil {
		return err
	}
	for q.fingerprint == "" {
		frame, err := w.l.read()
		if err != nil {
			return err
		}
		if err := w.take(frame, q); err != nil {
			return err
		}
	}
	return nil
}

// take takes a frame; that of a query which is not known is of the one that begins.
func (w *soakWatcher) take(frame resp.Reply, begins *soakQuery) error {
	part := map[string]resp.Reply{}
	items := frame.Items()
	for i := 1; i+1 < len(items); i += 2 {
		part[items[i].Str()] = items[i+1]
	}
	fingerprint := strings.Clone(part["fingerprint"].Str())
	q := begins
	for _, one := range w.queries {
		if one.fingerprint == fingerprint {
			q = one
		}
	}
	kind, version := part["kind"].Str(), part["version"].Int()
	switch {
	case q == nil || fingerprint == "":
		return fmt.Errorf("a frame of no query: %s", resp.Format(frame))
	case kind == "end":
		return fmt.Errorf("%q has ended: %s", q.words, resp.Format(frame))
	case version < q.version, version == q.version && kind != "progress" && q.fingerprint != "":
		return fmt.Errorf("%q is told version %d after %d: %s", q.words, version, q.version, resp.Format(frame))
	}
	q.fingerprint, q.version, q.token = fingerprint, version, strings.Clone(part["token"].Str())
	if kind != "progress" {
		q.result = resp.Format(part["result"])
	}
	w.frames++
	return nil
}

// follow takes frames until the server or the link is gone.
func (w *soakWatcher) follow(v *victim) {
	for {
		frame, err := w.l.read()
		w.mu.Lock()
		if err == nil {
			err = w.take(frame, nil)
		}
		w.untilCut--
		cut, left := w.untilCut < 0, w.left
		w.mu.Unlock()
		if err == nil && !cut {
			continue
		}
		w.l.close()
		if err == nil {
			err = w.connect(v)
		}
		if err == nil {
			continue
		}
		if !left {
			w.note(err)
		}
		return
	}
}

// note remembers an error that is not the end of the server.
func (w *soakWatcher) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var broken net.Error
	if !errors.As(err, &broken) && !errors.Is(err, net.ErrClosed) {
		w.err = err
	}
}

// settle holds that all queries come to show what their commands answer.
func (t *soakTest) settle() error {
	errs := []error{t.fillErrors()}
	for _, w := range t.watchers {
		errs = append(errs, w.settle(t.victim))
	}
	return errors.Join(errs...)
}

func (w *soakWatcher) settle(v *victim) error {
	l, err := v.dial()
	if err != nil {
		return err
	}
	defer l.close()
	if _, err := l.ask("HELLO", "3"); err != nil {
		return err
	}
	if _, err := l.ask("SELECT", w.db); err != nil {
		return err
	}
	for _, q := range w.queries {
		if err := w.agree(l, q); err != nil {
			return err
		}
	}
	return nil
}

// agree waits until the last result of a query is what its command answers.
func (w *soakWatcher) agree(l *link, q *soakQuery) error {
	for end := time.Now().Add(soakPatience); ; time.Sleep(20 * time.Millisecond) {
		reply, err := l.ask(q.words...)
		if err != nil {
			return err
		}
		want := resp.Format(reply)
		w.mu.Lock()
		got, failed := q.result, w.err
		w.mu.Unlock()
		if failed != nil || got == want {
			return failed
		}
		if time.Now().After(end) {
			return fmt.Errorf("%q %q shows %s at version %d, and %q answers %s", q.options, q.words, got, q.version, q.words[0], want)
		}
	}
}

// leave has the watchers hang up.
func (t *soakTest) leave() {
	for _, w := range t.watchers {
		w.mu.Lock()
		w.left = true
		if w.l != nil {
			_ = w.l.conn.SetReadDeadline(time.Now())
		}
		w.mu.Unlock()
		w.reading.Wait()
	}
}
