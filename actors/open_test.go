package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// open opens a database that ends with the test, of several shards.
func open(t *testing.T) *DB {
	t.Helper()
	db, err := Open(Options{Shards: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// must is the value of a call that may not fail.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// do runs a command that may not fail.
func do(t *testing.T, db *DB, command string, args ...any) Reply {
	t.Helper()
	r, err := db.Do(background, command, args...)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return r
}

// soon waits until something is so.
func soon(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(patience); !isSo(); <-ticker.C {
		if time.Now().After(end) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	db := open(t)
	f := func(want string, command string, args ...any) {
		t.Helper()
		if got := do(t, db, command, args...).String(); got != want {
			t.Errorf("%s %v: %s, want %s", command, args, got, want)
		}
	}
	f("+OK", "SET", "k", []byte("v"), "PX", time.Minute)
	f(`"v"`, "get", "k")
	f(":1", "EXPIRE", "k", 2*time.Minute)
	f(":120", "TTL", "k")
	f(":1", "PEXPIRE", "k", time.Hour)
	f(":3600", "TTL", "k")
	f(":1", "EXPIREAT", "k", time.Unix(4e9, 0))
	f(":4000000000", "EXPIRETIME", "k")
	f("_", "GET", "nothing")
	f(":3", "ZADD", "board", 10, "ann", int64(20), "bob", 1.5, "eve")
	f(`["eve", "ann", "bob"]`, "ZRANGE", "board", 0, -1)
	f(",1.5", "ZSCORE", "board", "eve")
	f(":2", "SADD", "s", []string{"a", "b"})
	f(":2", "RPUSH", "l", uint8(7), true)
	f(`["7", "1"]`, "LRANGE", "l", 0, -1)
	f(`[+PONG]`[1:6], "PING")
	f(`"hello"`, "ECHO", "hello")
	f(`"embstr"`, "OBJECT", "ENCODING", "k")
	f(":42", "EVAL", "return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, "n", 42)
	f(":5", "DBSIZE")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	db := open(t)
	do(t, db, "SET", "k", "text")
	f := func(code string, command string, args ...any) {
		t.Helper()
		_, err := db.Do(background, command, args...)
		var answered *CommandError
		if !errors.As(err, &answered) || answered.Code != code || answered.Error() != answered.Text {
			t.Errorf("%s: %v", command, err)
		}
	}
	f("WRONGTYPE", "LPUSH", "k", "v")
	f("ERR", "NOSUCH", "k")
	f("ERR", "GET")
	f("ERR", "INCR", "k")
	f("ERR", "OBJECT", "NOSUCH")
	if _, err := db.Do(background, "SET", "k", struct{}{}); err == nil || !strings.Contains(err.Error(), "argument 2 of SET: a struct {}") {
		t.Errorf("a struct for an argument: %v", err)
	}
	if _, err := db.Get(background, "nothing"); err != ErrNotFound {
		t.Errorf("a missing key: %v", err)
	}
	if err := db.Set(background, "k", nil, IfMissing); err != ErrCondition {
		t.Errorf("a key that is there: %v", err)
	}
	if _, err := db.Incr(background, "k"); err == nil || err.Error() != resp.ErrNotInteger.Str() {
		t.Errorf("adding to a text: %v", err)
	}
	over, cancel := context.WithCancel(background)
	cancel()
	if _, err := db.Get(over, "k"); err != context.Canceled {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	db := open(t)
	other := db.DB(3)
	do(t, db, "SET", "k", "zero")
	do(t, other, "SET", "k", "three")
	if got := must(db.DB(0).GetText(background, "k"))(t); got != "zero" || other.Number() != 3 {
		t.Errorf("database 0 holds %q", got)
	}
	do(t, other, "RPUSH", "l", "element")
	if key, element, err := other.BLPop(background, "none", "l"); key != "l" || element != "element" || err != nil {
		t.Errorf("taken %q of %q, %v", element, key, err)
	}
	if _, err := db.DB(16).Get(background, "k"); err == nil || err.Error() != resp.ErrDBIndex.Str() {
		t.Errorf("database 16: %v", err)
	}
}

// All that is asked of a link needs a link, and what changes one is refused.
func TestLinkCommands(t *testing.T) {
	t.Parallel()
	db := open(t)
	harmless := "PING ECHO TIME COMMAND PUBLISH SPUBLISH MIGRATE ROLE LASTSAVE WATCHES WATCH-KILL " +
		"CLIENT CLIENT|ID CLIENT|INFO CLIENT|LIST CLIENT|GETNAME CLIENT|KILL CLIENT|PAUSE CLIENT|UNPAUSE CLIENT|UNBLOCK CLIENT|GETREDIR " +
		"CLIENT|TRACKINGINFO CLIENT|HELP READONLY READWRITE ASKING ACL"
	known := map[string]bool{}
	for name := range strings.FieldsSeq(harmless) {
		known[name] = true
	}
	for _, row := range db.system.Server.Catalogue.List() {
		if row.Here == nil || known[row.Name] || row.Watches != nil {
			continue
		}
		container, sub := row.Container()
		if sub != "" && (known[container] && container != "CLIENT" || container == "PUBSUB" || sub == "HELP") {
			continue
		}
		if _, about := linkCommands[row.Name]; !about && row.Group != "scripting" {
			t.Errorf("%s runs in a session: is it about the link?", row.Name)
		}
	}
	for _, words := range [][]any{{"SELECT", 1}, {"MULTI"}, {"GET.WATCH", "k"}, {"SUBSCRIBE", "c"}, {"CLIENT", "REPLY", "OFF"}} {
		if _, err := db.Do(background, words[0].(string), words[1:]...); !errors.Is(err, ErrNoLink) {
			t.Errorf("%v: %v", words, err)
		}
	}
}

func TestConn(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn := must(db.Conn(background))(t)
	defer conn.Close()
	ask := func(want, command string, args ...any) {
		t.Helper()
		r, err := conn.Do(background, command, args...)
		if err != nil || r.String() != want {
			t.Errorf("%s: %s and %v, want %s", command, r, err, want)
		}
	}
	ask("+OK", "SELECT", 2)
	ask("+OK", "MULTI")
	ask("+QUEUED", "INCR", "n")
	ask("+QUEUED", "PUBLISH", "c", "m")
	ask("[:1, :0]", "EXEC")
	if got := must(db.DB(2).GetText(background, "n"))(t); got != "1" {
		t.Errorf("n is %q", got)
	}
	if _, err := conn.Do(background, "SUBSCRIBE", "c"); !errors.Is(err, ErrNoLink) {
		t.Errorf("SUBSCRIBE: %v", err)
	}
}

// The guards that commands of links obey hold here.
func TestGuards(t *testing.T) {
	t.Parallel()
	db := open(t)
	server := db.system.Server
	misconf := resp.Error("MISCONF the disk is gone")
	server.SetCondition(func(c *session.Condition) { c.Writes = misconf })
	err := db.Set(background, "k", nil)
	if err == nil || err.Error() != misconf.Str() {
		t.Errorf("writing in vain: %v", err)
	}
	if _, err := db.Get(background, "k"); err != ErrNotFound {
		t.Errorf("reading meanwhile: %v", err)
	}
	b := db.Batch()
	b.Set("k", nil)
	if _, err := b.Commit(background); !errors.Is(err, ErrAborted) {
		t.Errorf("a batch meanwhile: %v", err)
	}
	server.SetCondition(func(c *session.Condition) { c.Writes = resp.Nothing })
	server.Pause(time.Hour, true)
	short, cancel := context.WithTimeout(background, 10*time.Millisecond)
	defer cancel()
	if _, err := db.Get(short, "k"); err != context.DeadlineExceeded {
		t.Errorf("reading in a pause: %v", err)
	}
	done := make(chan error)
	go func() { done <- db.Set(background, "k", []byte("v")) }()
	server.Unpause()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What was kept is there again.
func TestReopen(t *testing.T) {
	t.Parallel()
	f := func(storage Storage) {
		t.Helper()
		dir := t.TempDir()
		for round := range 3 {
			db, err := Open(Options{Dir: dir, Storage: storage})
			if err != nil {
				t.Fatal(err)
			}
			if n := must(db.Incr(background, "n"))(t); n != int64(round+1) {
				t.Errorf("round %d finds %d", round, n)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	f(Storage{})
	f(Storage{Journal: true, Policy: journal.Always})
	f(Storage{Options: persist.Options{SavePoints: []persist.SavePoint{{Seconds: 3600, Changes: 1}}}})
}

// What is called here is counted, and by the same counters as what links ask.
func TestCounted(t *testing.T) {
	t.Parallel()
	db := open(t)
	for range 3 * 64 {
		db.Get(background, "k")
	}
	must(db.Exists(background, "k"))(t)
	if _, err := db.Do(background, "INCR"); err == nil {
		t.Error("INCR without a key")
	}
	db.errands.flush(db.system.Server)
	count := func(name string) int64 {
		return db.system.Server.Stats.Command(db.system.Server.Catalogue.Named(name)).Calls.Load()
	}
	if gets, tests := count("GET"), count("EXISTS"); gets != 3*64 || tests != 1 {
		t.Errorf("%d calls of GET and %d of EXISTS are counted", gets, tests)
	}
	if all := db.system.Server.Stats.Commands.Load(); all != 3*64+1 {
		t.Errorf("%d commands are counted", all)
	}
}

// panicking adds a command that fails by a mistake of the program.
func panicking(_ *System, c *session.Catalogue) {
	var table command.Table[*keyspace.Tx]
	table.Add(command.Spec[*keyspace.Tx]{
		Meta: command.Meta{Name: "PANIC", Arity: 1, Summary: "Panics.", Group: "generic", Since: "0.1.0"},
		Run:  func(*keyspace.Tx, *command.Args) resp.Reply { panic("on purpose") },
	})
	c.AddData(&table)
}

func TestBroken(t *testing.T) {
	t.Parallel()
	db, err := Open(Options{Families: []Family{panicking}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Do(background, "PANIC"); err == nil || err.Error() != resp.ErrInternal.Str() {
		t.Errorf("a command that panics: %v", err)
	}
	soon(t, "a broken database refuses calls", func() bool {
		_, err = db.Get(background, "k")
		return db.failure() != nil
	})
	if _, err = db.Get(background, "k"); !strings.Contains(err.Error(), "PANIC") || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("it says: %v", err)
	}
}

// A database that is closed while others call it: each call succeeds or returns
// ErrClosed, all channels are closed, and no goroutine is left. It is not
// parallel, so that the goroutines are its own.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		db, err := Open(Options{Shards: 2, Binds: []string{"127.0.0.1"}})
		if err != nil {
			t.Fatal(err)
		}
		states := must(db.Watch(background, "GET", "k"))(t)
		messages := must(db.Subscribe(background, "c"))(t)
		var group sync.WaitGroup
		for i, one := range closers {
			group.Go(func() { untilClosed(t, fmt.Sprint(i), func() error { return one(db) }) })
		}
		group.Go(func() {
			for range states {
			}
		})
		group.Go(func() {
			for range messages {
			}
		})
		soon(t, "somebody is blocked", func() bool { return countBlocked(db) > 0 })
		var closing sync.WaitGroup
		for range 2 {
			closing.Go(func() { db.Close() })
		}
		closing.Wait()
		group.Wait()
		if _, err := db.Watch(background, "GET", "k"); err != ErrClosed {
			t.Errorf("watching a closed database: %v", err)
		}
	}
	soon(t, fmt.Sprintf("there are %d goroutines again", before), func() bool { return runtime.NumGoroutine() <= before })
}

// closers are what is called while a database is closed.
var closers = []func(*DB) error{
	func(db *DB) error { return db.Set(background, "k", []byte("v")) },
	func(db *DB) error { _, err := db.MGet(background, "k", "l", "m"); return err },
	func(db *DB) error { _, _, err := db.BLPop(background, "nothing"); return err },
	func(db *DB) error { _, err := db.Do(background, "CLIENT", "LIST"); return err },
	func(db *DB) error { _, err := db.Do(background, "EVAL", "return 1", 0); return err },
	func(db *DB) error { _, err := db.Publish(background, "c", "m"); return err },
	func(db *DB) error {
		return db.Update(background, func(tx *Tx) error { tx.Queue("INCR", "n"); return nil }, "n")
	},
	func(db *DB) error {
		p := db.Pipeline()
		p.Set("a", nil)
		p.Set("b", nil)
		_, err := p.Commit(background)
		return err
	},
	func(db *DB) error {
		for _, err := range db.Scan(background, Range{}) {
			if err != nil {
				return err
			}
		}
		return nil
	},
	func(db *DB) error {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		_, err := db.Watch(ctx, "GET", "k")
		return err
	},
}

// untilClosed calls do until it says that the database is closed.
func untilClosed(t *testing.T, name string, do func() error) {
	for {
		switch err := do(); err {
		case nil:
		case ErrClosed:
			return
		default:
			t.Errorf("call %s: %v", name, err)
			return
		}
	}
}

// countBlocked is how many sessions wait for something.
func countBlocked(db *DB) (n int) {
	for _, one := range db.system.Server.Sessions() {
		if one.Flags.Load()&session.FlagBlocked != 0 {
			n++
		}
	}
	return n
}
