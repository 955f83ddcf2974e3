package actors

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A batch is one change: who reads its keys at one moment never sees a part.
func TestBatch(t *testing.T) {
	t.Parallel()
	db := open(t)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(stop)
		for i := range 200 {
			b := db.Batch()
			for key := range 5 {
				b.Set(fmt.Sprint("k", key), []byte(strconv.Itoa(i)))
			}
			if replies, err := b.Commit(background); err != nil || len(replies) != 5 {
				t.Errorf("%v, %v", replies, err)
			}
		}
	})
	for going := true; going; {
		select {
		case <-stop:
			going = false
		default:
		}
		values, err := db.MGet(background, "k0", "k1", "k2", "k3", "k4")
		for _, value := range values {
			if err != nil || string(value) != string(values[0]) {
				t.Fatalf("%q, %v", values, err)
			}
		}
	}
	group.Wait()
}

func TestBatchReplies(t *testing.T) {
	t.Parallel()
	db := open(t)
	b := db.Batch()
	if _, err := b.Queue("PING").Reply(); err == nil {
		t.Error("a command that has not run has an answer")
	}
	b.Reset()
	b.Set("k", []byte("text"))
	wrong, got, sum := b.Queue("LPUSH", "k", "v"), b.Get("k"), b.Queue("INCRBY", "n", 5)
	replies, err := b.Commit(background)
	var answered *CommandError
	if !errors.As(err, &answered) || answered.Code != "WRONGTYPE" || len(replies) != 4 {
		t.Errorf("%v, %v", replies, err)
	}
	if _, err := wrong.Reply(); !errors.As(err, &answered) {
		t.Errorf("the one that fails: %v", err)
	}
	if text, n := must(got.Reply())(t).Text(), must(sum.Reply())(t).Int(); text != "text" || n != 5 {
		t.Errorf("%q and %d", text, n)
	}
	b.Reset()
	b.Del("k", "n")
	b.Queue("NOSUCH")
	if _, err := b.Commit(background); !errors.Is(err, ErrAborted) || !errors.As(err, &answered) {
		t.Errorf("a batch with an unknown command: %v", err)
	}
	if n := must(db.Exists(background, "k", "n"))(t); n != 2 {
		t.Errorf("%d keys are left", n)
	}
}

// Commands that need a session may be part of a batch.
func TestBatchOnLink(t *testing.T) {
	t.Parallel()
	db := open(t)
	messages := must(db.Subscribe(background, "c"))(t)
	b := db.Batch()
	b.Queue("INCR", "n")
	heard := b.Queue("PUBLISH", "c", "hello")
	if _, err := b.Commit(background); err != nil {
		t.Fatal(err)
	}
	if m := <-messages; must(heard.Reply())(t).Int() != 1 || m != (Message{Channel: "c", Payload: "hello"}) {
		t.Errorf("%+v", m)
	}
	b.Reset()
	b.Queue("SELECT", 1)
	b.Queue("PUBLISH", "c", "hello")
	if _, err := b.Commit(background); !errors.Is(err, ErrAborted) || !errors.Is(err, ErrNoLink) {
		t.Errorf("SELECT in a batch: %v", err)
	}
}

// A pipeline answers as the same commands do one by one.
func TestPipeline(t *testing.T) {
	t.Parallel()
	db, other := open(t), open(t)
	p := db.Pipeline()
	var want []string
	add := func(command string, args ...any) {
		p.Queue(command, args...)
		r, err := other.Do(background, command, args...)
		if err != nil {
			want = append(want, err.Error())
			return
		}
		want = append(want, r.String())
	}
	for i := range 3 * partMax {
		key := "k" + strconv.Itoa(i%97)
		switch i % 50 {
		case 7:
			add("MGET", key, "k1", "k2")
		case 9:
			add("NOSUCH", key)
		case 11:
			add("PING")
		case 13:
			add("LPUSH", key, "x")
		default:
			add("APPEND", key, strconv.Itoa(i%10))
		}
	}
	replies, err := p.Commit(background)
	if err == nil || !strings.Contains(err.Error(), "NOSUCH") || len(replies) != len(want) {
		t.Fatalf("%d replies, %v", len(replies), err)
	}
	for i, r := range replies {
		if got := r.String(); got != want[i] && r.Err() == nil || r.Err() != nil && r.Text() != want[i] {
			t.Fatalf("reply %d is %s, want %s", i, got, want[i])
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	db := open(t)
	const writers, times = 8, 50
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range times {
				err := db.Update(background, func(tx *Tx) error {
					n, err := tx.GetText(background, "n")
					if err != nil && err != ErrNotFound {
						return err
					}
					have, _ := strconv.Atoi(n)
					tx.Queue("SET", "n", have+1)
					tx.Queue("RPUSH", "history", have+1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	history := must(db.LRange(background, "history", 0, -1))(t)
	for i, n := range history {
		if n != strconv.Itoa(i+1) {
			t.Fatalf("number %d is %s", i+1, n)
		}
	}
	if len(history) != writers*times {
		t.Errorf("%d updates have happened", len(history))
	}
}

func TestUpdateMistakes(t *testing.T) {
	t.Parallel()
	db := open(t)
	mistake := errors.New("a mistake")
	f := func(want error, make func(tx *Tx) error, keys ...string) {
		t.Helper()
		if err := db.Update(background, make, keys...); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	f(mistake, func(tx *Tx) error { tx.Queue("SET", "k", "v"); return mistake }, "k")
	f(ErrQueue, func(tx *Tx) error { return tx.Set(background, "k", nil) })
	f(ErrAborted, func(tx *Tx) error { tx.Queue("NOSUCH"); return nil })
	f(ErrAborted, func(tx *Tx) error { tx.Queue("PUBLISH", "c", "m"); return nil })
	f(nil, func(tx *Tx) error { return nil })
	f(nil, func(tx *Tx) error { return nil }, "k")
	over, cancel := context.WithCancel(background)
	tries := 0
	err := db.Update(over, func(tx *Tx) error {
		if tries++; tries == 10 {
			cancel()
		}
		tx.Queue("SET", "k", "v")
		return db.SetText(background, "watched", strconv.Itoa(tries))
	}, "watched")
	if err != context.Canceled {
		t.Errorf("an update that never works: %v after %d tries", err, tries)
	}
	if n := must(db.Exists(background, "k"))(t); n != 0 {
		t.Error("something was written all the same")
	}
}
