package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// soakCmd has a server serve for long, as a process, and holds that it goes on as
// it began. It lives several times. In most lives the writers of crash write on
// keys of every type, take turns with snapshots, and what they have written is
// compared while the server serves, after an orderly end and after kill -9; after the
// last life too, for which it starts once more. In every third life it is a cache with
// a limit on memory instead. All the time there are live queries, over links that break
// and are resumed, and clients that come and go in the middle of what they say. After
// each round of work all leave, and the server must have as many goroutines as before,
// and no more memory.
type soakCmd struct {
	Seed    uint64  `help:"Begins the random stream; 0 draws one." default:"0"`
	Minutes float64 `help:"How long." default:"2"`
	Path    string  `help:"The server; built from this tree if empty." type:"path"`
	Keep    string  `help:"Where the directory of a failure is kept; a new one if empty." type:"path"`
}

const (
	// soakRound is how long all work before they rest and are compared.
	soakRound = 6 * time.Second
	// soakLives is how many lives a data directory is used for.
	soakLives = 6
	// soakLifeMost is how long a life lasts; in a short run it is a part of it.
	soakLifeMost, soakParts = 10 * time.Minute, 4
)

// Run soaks.
func (c *soakCmd) Run(ctx context.Context) error {
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	work, err := os.MkdirTemp(c.Keep, "troupe-soak-")
	if err != nil {
		return err
	}
	fmt.Printf("soak --seed %d --minutes %g in %s\n", c.Seed, c.Minutes, work)
	path := c.Path
	if path == "" {
		path = filepath.Join(work, "troupe")
		if err := build(ctx, path); err != nil {
			return err
		}
	}
	t := &soakTest{crashTest: &crashTest{crashCmd: &crashCmd{Seed: c.Seed}, path: path, where: work, data: "data", pace: 20 * time.Millisecond, began: time.Now()}}
	defer t.end()
	if err := t.run(ctx, time.Duration(c.Minutes*float64(time.Minute))); err != nil {
		return fmt.Errorf("soak --seed %d, life %d: %w\nkept in %s", c.Seed, t.life, err, work)
	}
	return os.RemoveAll(work)
}

// soakTest is a run.
type soakTest struct {
	*crashTest
	life     int
	left     bool   // by a life that has ended, and nobody has looked at its data since
	http     string // the address of the server's HTTP port
	watchers []*soakWatcher
	cached   bool // they watch the cache
	fillers  []filler
	levels   []level // of the life
}

func (t *soakTest) run(ctx context.Context, whole time.Duration) error {
	life := min(soakLifeMost, whole/soakParts)
	for end := time.Now().Add(whole); time.Now().Before(end) && ctx.Err() == nil; t.life++ {
		t.rng = rand.New(rand.NewPCG(t.Seed, uint64(t.life)))
		if err := t.live(ctx, life); err != nil {
			return err
		}
		t.tell()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return t.revisit(ctx)
}

// revisit looks at what the last life with data has left, if none after it did: it
// starts the server once more, which compares, and ends it in order.
func (t *soakTest) revisit(ctx context.Context) error {
	if !t.left {
		return nil
	}
	if err := t.open(ctx, false); err != nil {
		return err
	}
	fmt.Println("what the last life with data has left is as it was answered")
	return t.retire()
}

// isCache tells the lives in which the server is a cache.
func (t *soakTest) isCache() bool { return t.life%3 == 2 }

// live starts the server, has all work for some rounds, and ends it.
func (t *soakTest) live(ctx context.Context, life time.Duration) error {
	if t.life%soakLives == 0 {
		if err := t.revisit(ctx); err != nil {
			return err
		}
		if err := t.begin(); err != nil {
			return err
		}
		t.watchers = nil
	}
	t.levels = nil
	work := t.work
	if t.isCache() {
		work = t.fill
	}
	if err := t.open(ctx, t.isCache()); err != nil {
		return err
	}
	for end := time.Now().Add(life); time.Now().Before(end) && ctx.Err() == nil; t.round++ {
		if err := t.workAndRest(work); err != nil {
			return err
		}
	}
	if err := flat(t.levels); err != nil {
		return err
	}
	t.left = t.left || !t.isCache()
	if t.isCache() || t.rng.IntN(2) == 0 {
		return t.retire()
	}
	t.plan.delay = time.Duration(t.rng.IntN(1500)) * time.Millisecond
	return t.assault()
}

// open draws how the server is to be, and starts it: as a cache, or on the data, which
// are compared with what is known of them.
func (t *soakTest) open(ctx context.Context, cache bool) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	t.http = "127.0.0.1:" + strconv.Itoa(port)
	t.plan = t.drawPlan(cache)
	if cache {
		return t.startCache(ctx)
	}
	if err := t.start(ctx); err != nil {
		return err
	}
	t.left = false
	return nil
}

func (t *soakTest) drawPlan(cache bool) *crashPlan {
	p := &crashPlan{shards: []int{1, 2, 4, 16}[t.rng.IntN(4)], policy: []string{"always", "everysec"}[t.rng.IntN(2)]}
	p.settings = []string{
		"--shards", strconv.Itoa(p.shards), "--http", t.http, "--watch-linger", "2",
		"--transport", []string{"loops", "goroutines"}[t.rng.IntN(2)],
	}
	if cache {
		policy := []string{"allkeys-lru", "allkeys-lfu", "volatile-ttl", "allkeys-random"}[t.rng.IntN(4)]
		p.settings = append(p.settings, "--appendonly", "no", "--maxmemory", "96mb", "--maxmemory-policy", policy)
		return p
	}
	p.settings = append(p.settings, "--appendonly", "yes", "--appendfsync", p.policy,
		"--journal-segment-size", "1mb", "--auto-aof-rewrite-min-size", "4mb", "--save", "10 100")
	return p
}

// startCache starts a server that keeps nothing, beside the data directory.
func (t *soakTest) startCache(ctx context.Context) error {
	keep := t.data
	t.data = "cache"
	defer func() { t.data = keep }()
	v, err := t.launch(ctx, "")
	if err == nil {
		t.victim, err = v, v.await()
	}
	return err
}

// workAndRest has all work for a round, waits until they rest, and looks at what
// there is.
func (t *soakTest) workAndRest(work func(stop <-chan struct{}, running *sync.WaitGroup)) error {
	stop := make(chan struct{})
	var running sync.WaitGroup
	work(stop, &running)
	for i := range soakVisitors {
		rng := rand.New(rand.NewPCG(t.Seed, uint64(t.round)<<16+uint64(300+i)))
		running.Go(func() { visit(t.victim, rng, stop) })
	}
	err := t.watch()
	if err == nil {
		select {
		case <-t.victim.gone:
			err = fmt.Errorf("the server has ended:\n%s", t.victim.lastWords())
		case <-time.After(soakRound):
		}
	}
	close(stop)
	running.Wait()
	if err == nil {
		err = t.settle()
	}
	t.leave()
	if err != nil {
		return err
	}
	if !t.isCache() {
		if err := t.compareServing(); err != nil {
			return err
		}
	}
	now, err := t.level()
	t.levels = append(t.levels, now)
	return err
}

// compareServing compares what the server holds, while it serves, with what it has
// answered, which must be there to the last.
func (t *soakTest) compareServing() error {
	t.meddler.strict = []span{{}}
	if err := t.note(); err != nil {
		return err
	}
	l, err := t.victim.dial()
	if err != nil {
		return err
	}
	defer l.close()
	d, err := readDump(l)
	if err != nil {
		return err
	}
	return t.compare(d)
}

// retire ends the server as a supervisor does.
func (t *soakTest) retire() error {
	v := t.victim
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-v.gone:
	case <-time.After(victimPatience):
		return errors.New("the server does not end")
	}
	if code := v.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the server has ended with %d:\n%s", code, v.lastWords())
	}
	return nil
}

// tell prints what was done so far.
func (t *soakTest) tell() {
	var frames, resumed int
	for _, w := range t.watchers {
		frames, resumed = frames+w.frames, resumed+w.resumed
	}
	if len(t.levels) == 0 {
		return // it was given up before the first round was over
	}
	last := t.levels[len(t.levels)-1]
	fmt.Printf("life %d, %d rounds, %v: %d units sent, %d answered; %d frames pushed, %d queries resumed; %d goroutines, heap %d KB, RSS %d KB at rest\n",
		t.life, t.round, time.Since(t.began).Round(time.Second), t.sent, t.answered, frames, resumed, last.goroutines, last.heap>>10, last.resident>>10)
}
