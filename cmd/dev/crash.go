package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

// crashCmd kills the server, as a process, in the middle of everything, starts it
// again and compares what is there with what it has answered: nothing that was
// promised to last is lost, what was not answered is there whole or not at all
// and in order, and nothing is there that nobody has sent.
//
// Writers send commands of all types, transactions and scripts over several
// shards, on keys of their own, so that what each key has to hold is known
// exactly; and all of them put tokens in common lists, which shows the order
// between them. Others wait for elements of lists, have snapshots written and
// change the policy.
type crashCmd struct {
	Seed   uint64        `help:"Begins the random stream; 0 draws one." default:"0"`
	Rounds int           `help:"How often the server is killed." default:"50"`
	Policy string        `help:"appendfsync; drawn for each round if empty." enum:"always,everysec,no," default:""`
	Work   time.Duration `help:"The most time that most rounds last." default:"400ms"`
	Path   string        `help:"The server, built with -tags failpoint; built from this tree if empty." type:"path"`
	Keep   string        `help:"Where the directory of a failure is kept; a new one if empty." type:"path"`
}

// Run kills and compares.
func (c *crashCmd) Run(ctx context.Context) error {
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	work, err := os.MkdirTemp(c.Keep, "troupe-crash-")
	if err != nil {
		return err
	}
	fmt.Printf("crash --seed %d --rounds %d --policy %q in %s\n", c.Seed, c.Rounds, c.Policy, work)
	path := c.Path
	if path == "" {
		path = filepath.Join(work, "troupe")
		if err := build(ctx, path, "-tags", "failpoint"); err != nil {
			return err
		}
	}
	t := &crashTest{crashCmd: c, path: path, where: work, data: "data", began: time.Now()}
	defer t.end()
	if err := t.run(ctx); err != nil {
		return fmt.Errorf("crash --seed %d --rounds %d, round %d: %w\nkept in %s: the directory before the last start is in before, its log in data.log",
			c.Seed, c.Rounds, t.round, err, work)
	}
	t.tell()
	return os.RemoveAll(work)
}

// end ends the server, if one is running.
func (t *crashTest) end() {
	if t.victim != nil {
		_ = t.victim.kill()
	}
}

// tell prints what was done so far.
func (t *crashTest) tell() {
	fmt.Printf("%d rounds: killed %d times in %v, %d of them while it started; %d units were sent, %d of them answered\n",
		t.round, t.kills, time.Since(t.began).Round(time.Second), t.early, t.sent, t.answered)
}

// crashTold is after how many rounds the harness tells how far it has come.
const crashTold = 250

// crashLife is how many rounds a data directory is used for.
const crashLife = 25

// crashTest is a run of the harness.
type crashTest struct {
	*crashCmd
	path  string
	where string        // the directory of all that is written
	data  string        // the name of the data directory there
	pace  time.Duration // that writers rest after a batch
	began time.Time
	round int
	rng   *rand.Rand // of the round
	plan  *crashPlan

	victim    *victim
	writers   []*crashWriter
	consumers []*consumer
	meddler   *meddler
	ledger    ledger
	promise   promise
	flushed   struct{ sent, answered time.Time }

	kills, early, sent, answered int
}

func (t *crashTest) run(ctx context.Context) error {
	for t.round = 0; t.round < t.Rounds && ctx.Err() == nil; t.round++ {
		t.rng = rand.New(rand.NewPCG(t.Seed, uint64(t.round)))
		t.plan = drawPlan(t.rng, t.Policy, t.Work)
		if t.round > 0 && t.round%crashTold == 0 {
			t.tell()
		}
		if t.round%crashLife == 0 {
			if err := t.begin(); err != nil {
				return err
			}
		}
		if err := t.start(ctx); err != nil {
			return err
		}
		if err := t.assault(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.plan.starts = nil
	if err := t.start(ctx); err != nil {
		return err
	}
	return t.victim.kill()
}

// dir is the data directory.
func (t *crashTest) dir() string { return filepath.Join(t.where, t.data) }

// begin begins with an empty directory.
func (t *crashTest) begin() error {
	const plain, consumers = 5, 3
	t.writers, t.consumers, t.ledger = nil, nil, ledger{}
	for i := range plain + 1 {
		t.writers = append(t.writers, newCrashWriter(i, nil, i == plain))
	}
	for range consumers {
		t.consumers = append(t.consumers, &consumer{})
	}
	t.meddler = &meddler{}
	return errors.Join(os.RemoveAll(t.dir()), os.RemoveAll(t.dir()+".log"))
}

// start starts the server, perhaps after some starts that come to nothing, and
// compares what it holds with what it should.
func (t *crashTest) start(ctx context.Context) error {
	for _, s := range t.plan.starts {
		if err := t.startInVain(ctx, s); err != nil {
			return err
		}
	}
	if err := t.inspect(); err != nil {
		return err
	}
	point := t.plan.failpoint
	for {
		v, err := t.launch(ctx, point)
		if err != nil {
			return err
		}
		err = v.await()
		if errors.Is(err, errKilled) { // before it came to work
			t.kills, t.early, point = t.kills+1, t.early+1, ""
			continue
		}
		if err != nil {
			return err
		}
		t.victim = v
		err = t.verify()
		if err != nil && v.diedOf(err) {
			t.kills, t.early, point = t.kills+1, t.early+1, ""
			continue
		}
		return err
	}
}

// startInVain starts the server and kills it before it serves, or soon after.
func (t *crashTest) startInVain(ctx context.Context, s crashStart) error {
	v, err := t.launch(ctx, s.failpoint)
	if err != nil {
		return err
	}
	t.kills, t.early = t.kills+1, t.early+1
	if s.failpoint == "" {
		select {
		case <-v.gone:
		case <-time.After(s.delay):
		}
		return v.kill()
	}
	if err := v.await(); !errors.Is(err, errKilled) {
		return errors.Join(err, v.kill())
	}
	return nil
}

// inspect keeps a copy of the directory and holds that it needs no repair.
func (t *crashTest) inspect() error {
	if _, err := os.Stat(t.dir()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	before := filepath.Join(t.where, "before")
	if err := copyDir(before, t.dir()); err != nil {
		return err
	}
	found, err := journal.Check(journal.Disk, before)
	if err == nil && !found.OK() {
		err = fmt.Errorf("the directory is damaged: %v", found.List)
	}
	return err
}

// verify compares.
func (t *crashTest) verify() error {
	l, err := t.victim.dial()
	if err != nil {
		return err
	}
	defer l.close()
	version, epoch, err := readVersion(l)
	if err != nil {
		return err
	}
	if version <= t.meddler.version || epoch <= t.meddler.epoch {
		return fmt.Errorf("version %d, epoch %d, after version %d, epoch %d", version, epoch, t.meddler.version, t.meddler.epoch)
	}
	d, err := readDump(l)
	if err != nil {
		return err
	}
	if err := t.compare(d); err != nil {
		return err
	}
	t.meddler.version, t.meddler.epoch = version, epoch
	_, err = l.ask("FUNCTION", "LOAD", "REPLACE", scriptLibrary)
	return err
}

// compare holds that what was found is what may be left, and takes it for what
// is there from now on.
func (t *crashTest) compare(d dump) error {
	own, shared, err := d.parts(len(t.writers))
	if err != nil {
		return err
	}
	if t.isFlushed(d) {
		t.forget(own)
		return nil
	}
	var all []*survival
	for i, w := range t.writers {
		s, err := w.explain(own[i], d.to)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	if err := t.ledger.check(shared, all, t.consumers); err != nil {
		return err
	}
	if err := t.promise.keep(all); err != nil {
		return err
	}
	if t.promise.safeFlush(t.flushed.sent, t.flushed.answered) {
		return errors.New("FLUSHALL was answered, which was safe, and the data are there")
	}
	t.ledger.tokens = itemsOf(shared["0/"+ledgerList(0)])
	t.forget(own)
	return nil
}

// isFlushed reports whether a FLUSHALL, which was the last that was sent, has
// taken everything away. Functions stay.
func (t *crashTest) isFlushed(d dump) bool {
	for name := range d.cells {
		if name != registerKey {
			return false
		}
	}
	if t.flushed.sent.IsZero() {
		return false
	}
	t.ledger = ledger{}
	return true
}

// forget begins a new history with what was found.
func (t *crashTest) forget(own []dataset) {
	for i, w := range t.writers {
		t.sent, t.answered = t.sent+len(w.units), t.answered+w.answered()
		w.cells, w.units = own[i], nil
	}
	for _, c := range t.consumers {
		c.pops, c.open = nil, 0
	}
	t.promise, t.flushed.sent, t.flushed.answered = promise{}, time.Time{}, time.Time{}
}

// assault has everybody work until the server is killed.
func (t *crashTest) assault() error {
	stop := make(chan struct{})
	var running sync.WaitGroup
	t.work(stop, &running)
	select {
	case <-t.victim.gone:
	case <-time.After(t.plan.delay):
		if t.plan.rest {
			close(stop)
			running.Wait()
		}
		if t.plan.flush {
			t.flushAll()
		}
	}
	err := t.victim.kill()
	running.Wait()
	t.kills++
	return errors.Join(err, t.note())
}

// work has everybody work until stop is closed, or the server is gone.
func (t *crashTest) work(stop <-chan struct{}, running *sync.WaitGroup) {
	source := func(n int) *rand.Rand { return rand.New(rand.NewPCG(t.Seed, uint64(t.round)<<16+uint64(n))) }
	for i, w := range t.writers {
		w.rng, w.shards, w.pace = source(i), t.plan.shards, t.pace
		running.Go(func() { w.work(t.victim, stop) })
	}
	for i, c := range t.consumers {
		c.rng = source(100 + i)
		running.Go(func() { c.work(t.victim, stop) })
	}
	t.meddler.rng, t.meddler.mixed, t.meddler.strict, t.meddler.err = source(200), t.plan.mixed, nil, nil
	if t.plan.policy == "always" {
		t.meddler.strict = []span{{from: time.Time{}}}
	}
	running.Go(func() { t.meddler.work(t.victim, stop) })
}

// note takes down what was promised, and what went wrong on the way.
func (t *crashTest) note() error {
	const lag = time.Second
	t.promise = promise{strict: t.meddler.strict, lag: lag}
	errs := []error{t.meddler.err}
	for _, w := range t.writers {
		errs = append(errs, w.err)
		for _, u := range w.units {
			t.promise.end = later(t.promise.end, u.answered)
		}
	}
	for _, c := range t.consumers {
		errs = append(errs, c.err)
		for _, p := range c.pops {
			p.sure = t.promise.holds(p.sent, p.answered)
		}
	}
	return errors.Join(errs...)
}

// flushAll sends FLUSHALL and leaves the server a moment.
func (t *crashTest) flushAll() {
	l, err := t.victim.dial()
	if err != nil {
		return
	}
	defer l.close()
	done, how := make(chan struct{}), []string{"ASYNC", "SYNC"}[t.rng.IntN(2)]
	t.flushed.sent = time.Now()
	var answered time.Time
	go func() {
		defer close(done)
		if _, err := l.ask("FLUSHALL", how); err == nil {
			answered = time.Now()
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Duration(t.rng.IntN(4000)) * time.Microsecond):
		_ = t.victim.cmd.Process.Kill()
		<-done
	}
	t.flushed.answered = answered
}
