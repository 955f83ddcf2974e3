package actors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// A disk that is full has writes refused, in words that say why, and nothing
// else; it heals by itself, and what was answered before and after is there.
func TestFullDiskRefusesWrites(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendfsync", "everysec", "shards", "3")
	db.do("SET", "before", "1")
	db.do("WAITAOF", "1", "0", "0")
	disk.SetCapacity(disk.Used() + 1000)
	db.soon("writes are refused", func() bool {
		_, err := db.ask("SET", "filling", strings.Repeat("x", 300))
		return err != nil && strings.HasPrefix(err.Error(), "MISCONF Errors writing to the AOF file: ")
	})
	if got := db.info("aof_last_write_status"); got != "err" {
		t.Errorf("aof_last_write_status is %s on a full disk", got)
	}
	db.want(`"1"`, "GET", "before")
	db.want(":1", "EXISTS", "filling")
	if _, err := db.ask("EVAL", "return redis.call('SET', KEYS[1], '1')", "1", "scripted"); err == nil {
		t.Error("a script may write to a full disk")
	}
	db.want("_", "GET", "scripted")
	disk.SetCapacity(0)
	db.soon("writes are taken again", func() bool { _, err := db.ask("SET", "after", "1"); return err == nil })
	db.do("WAITAOF", "1", "0", "0")
	if got := db.info("aof_last_write_status"); got != "ok" {
		t.Errorf("aof_last_write_status is %s after the disk has healed", got)
	}
	want := db.content()
	keep(t, disk.Crash(), "shards", "2").wantContent(want)
}

// A server can be closed though its disk fails and writes wait for that. They are
// told that it was closed, not that they are kept.
func TestCloseWithoutDisk(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendfsync", "always")
	db.do("SET", "a", "1")
	disk.Fail(func(c faultfs.Call) error {
		if c.Op.Changes() {
			return errDisk
		}
		return nil
	})
	told := make(chan error)
	go func() {
		_, err := db.Do(context.Background(), "SET", "a", "2")
		told <- err
	}()
	db.soon("the disk is in trouble", func() bool { return db.info("aof_last_write_status") == "err" })
	db.Close()
	if err := <-told; !errors.Is(err, actors.ErrClosed) {
		t.Errorf("the write is told %v", err)
	}
}

// crowd is callers that write as long as they are let, and know what they were
// answered.
type crowd struct {
	*kept
	stop    atomic.Bool
	callers sync.WaitGroup
	lists   []*list
	alive   atomic.Int32 // callers
}

// list is what one caller does: it appends numbers to a list, and sets three keys
// to the same number.
type list struct {
	name     string
	answered int // the last number that was
	sent     int // and the last one that may have happened
}

func (k *kept) crowd(n int) *crowd {
	c := &crowd{kept: k}
	for i := range n {
		l := &list{name: fmt.Sprint("list", i)}
		c.lists = append(c.lists, l)
		c.alive.Add(1)
		c.callers.Go(func() {
			defer c.alive.Add(-1)
			for !c.stop.Load() && c.write(l) {
			}
		})
	}
	return c
}

// write writes the next number, and reports whether it is known what has become
// of it.
func (c *crowd) write(l *list) bool {
	const everywhere = "for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1]) end"
	next := strconv.Itoa(l.sent + 1)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, err := c.Do(ctx, "RPUSH", l.name, next)
	if err == nil && l.sent%3 == 0 {
		_, err = c.Do(ctx, "EVAL", everywhere, 3, l.name+":a", l.name+":b", l.name+":c", next)
		if err != nil && strings.HasPrefix(err.Error(), "MISCONF") {
			err = nil // the number before is there
		}
	}
	switch {
	case err == nil:
		l.sent++
		l.answered = l.sent
		return true
	case strings.HasPrefix(err.Error(), "MISCONF"):
		return true
	}
	l.sent++
	return false
}

// end has the callers end.
func (c *crowd) end() {
	c.stop.Store(true)
	c.callers.Wait()
}

// wantCrowd holds that what the callers were answered is there, and nothing that
// they did not do.
func (k *kept) wantCrowd(c *crowd) {
	k.t.Helper()
	for _, l := range c.lists {
		got := k.do("LRANGE", l.name, "0", "-1").Strings()
		if len(got) < l.answered || len(got) > l.sent {
			k.t.Errorf("%s has %d numbers; %d were sent, %d of them answered", l.name, len(got), l.sent, l.answered)
		}
		for i, number := range got {
			if number != strconv.Itoa(i+1) {
				k.t.Fatalf("%s has %s at %d", l.name, number, i)
			}
		}
		three := k.do("MGET", l.name+":a", l.name+":b", l.name+":c").Strings()
		if three[0] != three[1] || three[1] != three[2] {
			k.t.Errorf("half a script: %q", three)
		}
	}
}

// trouble is a disk that fails now and then.
func trouble(seed uint64, oneIn int) func(faultfs.Call) error {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 3))
	return func(c faultfs.Call) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Op.Changes() && rng.IntN(oneIn) == 0 {
			return errDisk
		}
		return nil
	}
}

// With appendfsync always nothing that was answered is lost, whatever calls of
// the disk fail and however often, and whether it heals before the power is cut.
func TestNothingAnsweredIsLost(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	for n := range uint64(6) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			disk := newDisk(t, seed+n)
			disk.SetForgetful(n%3 == 0)
			opened, err := openOn(disk, "appendfsync", "always", "shards", strconv.Itoa(int(1+n%4)), "journal-segment-size", "64kb")
			if err != nil {
				t.Fatal(err)
			}
			db := &kept{opened, t} // nobody ends it: it may wait for its disk for ever
			c := db.crowd(4)
			disk.Fail(trouble(seed+n, []int{3, 10, 100, 10, 3, 30}[n]))
			for range 4 {
				_, _ = db.ask([]string{"BGREWRITEAOF", "SAVE"}[n%2])
				before := disk.Calls()
				db.soon("the disk is used", func() bool { return disk.Calls() > before+10 || c.alive.Load() == 0 })
			}
			if n%2 == 0 {
				disk.Fail(nil)
				db.soon("the disk heals", func() bool { return db.info("aof_last_write_status") == "ok" })
				c.end()
			}
			disk = disk.Crash()
			c.end()
			keep(t, disk, "shards", "3").wantCrowd(c)
		})
	}
}

// A snapshot that cannot be written leaves the one before, and the journal, as
// they are; INFO says so; the next one is written.
func TestFailedSnapshotChangesNothing(t *testing.T) {
	t.Parallel()
	f := func(op faultfs.Op, n int) bool {
		var reached atomic.Bool
		disk := newDisk(t, 1)
		db := keep(t, disk, "save", "3600 1")
		db.do("SET", "a", "1")
		db.do("SAVE")
		db.rewrite()
		db.do("SET", "b", "2")
		nth := faultfs.Nth(n, errDisk, func(c faultfs.Call) bool {
			return c.Op == op && (strings.Contains(c.Name, "snapshot") || strings.Contains(c.Name, "dump"))
		})
		disk.Fail(func(c faultfs.Call) error {
			err := nth(c)
			if err != nil {
				reached.Store(true)
			}
			return err
		})
		for _, words := range [][]string{{"BGSAVE"}, {"BGREWRITEAOF"}} {
			db.do(words...)
			db.soon("it is over", func() bool {
				return db.info("rdb_bgsave_in_progress") == "0" && db.info("aof_rewrite_in_progress") == "0"
			})
		}
		failed := db.info("rdb_last_bgsave_status") == "err" || db.info("aof_last_bgrewrite_status") == "err"
		disk.Fail(nil)
		want := db.content()
		if failed {
			if _, err := db.ask("SAVE"); err != nil {
				t.Errorf("%s %d: the next SAVE: %v", op, n, err)
			}
			db.want("+OK", "SET", "c", "3")
			want = db.content()
			db.rewrite()
		}
		db.do("WAITAOF", "1", "0", "0")
		disk = disk.Crash()
		again := keep(t, disk)
		again.wantContent(want)
		again.Close()
		matters := op != faultfs.Remove && op != faultfs.Close // of what is of no use any more; after a sync
		if reached.Load() && matters && !failed {
			t.Errorf("%s %d failed, and nobody was told", op, n)
		}
		return reached.Load()
	}
	for _, op := range []faultfs.Op{faultfs.Create, faultfs.Write, faultfs.Sync, faultfs.Rename, faultfs.Remove, faultfs.Close, faultfs.Stat} {
		for n := 1; n < 12 && f(op, n); n++ {
		}
	}
}

// While the RDB file that save asks for cannot be written, writes are refused as
// by Redis, unless stop-writes-on-bgsave-error says no.
func TestUnsavedRefusesWrites(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendonly", "no", "save", "3600 1")
	db.do("SET", "a", "1")
	disk.Fail(func(c faultfs.Call) error {
		if c.Op == faultfs.Create {
			return errDisk
		}
		return nil
	})
	if _, err := db.ask("SAVE"); err == nil {
		t.Error("SAVE succeeds without a disk")
	}
	if _, err := db.ask("SET", "a", "2"); err == nil || !strings.HasPrefix(err.Error(), "MISCONF Redis is configured to save RDB snapshots") {
		t.Errorf("a write after a failed SAVE: %v", err)
	}
	db.want(`"1"`, "GET", "a")
	db.do("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
	db.soon("writes are taken", func() bool { _, err := db.ask("SET", "a", "3"); return err == nil })
	db.do("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes")
	disk.Fail(nil)
	db.do("SAVE")
	db.soon("writes are taken again", func() bool { _, err := db.ask("SET", "a", "4"); return err == nil })
}

// A start may fail at any call of the disk, or the power may be cut there; the
// next one finds everything.
func TestStartMayFailAnywhere(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	f := func(fate error, n int) bool {
		var reached atomic.Bool
		disk := newDisk(t, seed+uint64(n))
		db := keep(t, disk, "appendfsync", "always")
		db.do("SET", "a", "1")
		db.rewrite()
		for i := range 20 {
			db.do("RPUSH", "list", strconv.Itoa(i))
		}
		db.do("CONFIG", "SET", "appendfsync", "no")
		want := db.content()
		db.do("RPUSH", "list", strings.Repeat("not synced", 300)) // maybe cut short
		disk = disk.Crash()
		before := disk.Calls()
		disk.Fail(func(c faultfs.Call) error {
			if c.N == before+n {
				reached.Store(true)
				return fate
			}
			return nil
		})
		first, err := openOn(disk, "appendfsync", "always", "shards", "3")
		if err == nil {
			defer first.Close()
		}
		disk.Fail(nil)
		if errors.Is(fate, faultfs.ErrCrash) {
			disk = disk.Crash()
		} else {
			disk = disk.Kill()
		}
		again := keep(t, disk)
		if n := again.do("LLEN", "list").Int(); n == 21 { // it had been written
			again.do("RPOP", "list")
		}
		again.wantContent(want)
		if t.Failed() {
			t.Fatalf("call %d of the start, %v", n, fate)
		}
		again.Close()
		return reached.Load()
	}
	for _, fate := range []error{faultfs.ErrCrash, errDisk} {
		for n := 1; f(fate, n); n++ {
		}
	}
}

// A server that starts on a full disk says so and starts once there is room; it
// loses nothing by trying.
func TestStartOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendfsync", "always")
	db.do("SET", "a", "1")
	disk = disk.Kill()
	for room := int64(0); ; room += 16 {
		disk.SetCapacity(disk.Used() + room)
		db, err := openOn(disk)
		if err == nil {
			db.Close()
			break
		}
		if !strings.Contains(err.Error(), "no space left on device") {
			t.Fatalf("with room for %d bytes: %v", room, err)
		}
	}
	disk.SetCapacity(0)
	keep(t, disk).want(`"1"`, "GET", "a")
}
