package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// Batch is commands that are kept until Commit runs them. One of DB.Batch is
// atomic, as MULTI and EXEC are: its commands are one change, which nobody sees a
// part of, and nothing comes between them. One of DB.Pipeline is not: its
// commands run in their order, each for itself, as those that a client sends in a
// row; to run many so takes a part of the time that they take one by one.
//
// It belongs to one goroutine at a time. The words are copied.
type Batch struct {
	db      *DB
	atomic  bool
	words   *words
	queued  []queued
	replies []resp.Reply
	wrong   error // the first mistake in making it
}

// queued is one command: its row, and where its words end.
type queued struct {
	row  *session.Command
	to   int
	argv [][]byte // once all words are there
}

// Queued is a command of a Batch, which has an answer once that has run.
type Queued struct {
	batch *Batch
	place int
}

// Batch begins commands that are to be one change.
func (db *DB) Batch() *Batch { return &Batch{db: db, atomic: true, words: &words{}} }

// Pipeline begins commands that are to run in a row.
func (db *DB) Pipeline() *Batch { return &Batch{db: db, words: &words{}} }

// Queue adds a command, whose words are as for DB.Do.
func (b *Batch) Queue(command string, args ...any) *Queued {
	b.words.text(command)
	if err := b.words.add(args); err != nil && b.wrong == nil {
		b.wrong = err
	}
	return b.close(nil)
}

// Set, Get, Del and the like are Queue for what is most usual, without the cost of
// arguments of any type.
func (b *Batch) Set(key string, value []byte, options ...SetOption) *Queued {
	w := b.begin(kSet)
	w.text(key)
	w.bytes(value)
	for _, o := range options {
		w.text(o.word)
		if o.with {
			w.int(o.n)
		}
	}
	return b.close(b.db.rows[kSet])
}

// Get queues a Get.
func (b *Batch) Get(key string) *Queued { return b.onKeys(kGet, key) }

// Del queues a Del.
func (b *Batch) Del(keys ...string) *Queued { return b.onKeys(kDel, keys...) }

func (b *Batch) onKeys(k known, keys ...string) *Queued {
	b.begin(k).texts(keys)
	return b.close(b.db.rows[k])
}

func (b *Batch) begin(k known) *words {
	b.words.text(knownNames[k])
	return b.words
}

// close ends a command; row is nil if it is to be looked up.
func (b *Batch) close(row *session.Command) *Queued {
	b.queued = append(b.queued, queued{row: row, to: len(b.words.ends)})
	return &Queued{b, len(b.queued) - 1}
}

// Len is the number of commands.
func (b *Batch) Len() int { return len(b.queued) }

// Reset takes all commands away, and keeps their memory for others.
func (b *Batch) Reset() {
	clear(b.queued)
	b.queued, b.replies, b.wrong = b.queued[:0], nil, nil
	b.words.clear()
}

// Reply is the answer to the command, an error of its own included. Before the
// Batch has run there is none.
func (q *Queued) Reply() (Reply, error) {
	if q.place >= len(q.batch.replies) {
		return Reply{}, errUnqueued
	}
	return errOf(q.batch.replies[q.place])
}

// Commit runs the commands and returns their answers, in their order. The error
// is the first that one of them was answered with, in which case the others have
// run all the same; or, without any answers, why nothing has run.
func (b *Batch) Commit(ctx context.Context) ([]Reply, error) {
	if b.wrong != nil {
		return nil, b.wrong
	}
	if err := b.db.may(ctx); err != nil || len(b.queued) == 0 {
		return nil, err
	}
	b.look()
	var err error
	if b.atomic {
		err = b.runAtOnce(ctx, nil)
	} else {
		err = b.runInRow(ctx)
	}
	if err != nil {
		return nil, err
	}
	replies := make([]Reply, len(b.replies))
	for i, r := range b.replies {
		replies[i] = Reply{r}
	}
	return replies, b.failure()
}

// failure is the first reply that is an error.
func (b *Batch) failure() error {
	for _, r := range b.replies {
		if r.IsError() {
			return commandError(r.Str())
		}
	}
	return nil
}

// look cuts the words, and looks up the commands that are not known yet.
func (b *Batch) look() {
	from := 0
	for i := range b.queued {
		q := &b.queued[i]
		q.argv = b.words.list(from, q.to)
		if q.row == nil {
			q.row = b.db.system.Server.Catalogue.Lookup(q.argv)
		}
		from = q.to
	}
}

// ErrAborted is what an atomic Batch returns, with the mistake, if one of its
// commands can't be run at all: none of them has.
var ErrAborted = errors.New("troupe: the batch was not run")

// admit asks the guards of all commands.
func (b *Batch) admit(ctx context.Context) error {
	for i := range b.queued {
		q := &b.queued[i]
		refusal, err := b.db.admit(ctx, q.row, q.argv)
		if err != nil {
			return err
		}
		if refusal.IsError() {
			return fmt.Errorf("%w: %w", ErrAborted, commandError(refusal.Str()))
		}
	}
	return nil
}

// runAtOnce runs all commands in one turn of all shards that they concern; under
// a lock, if there is one, and then errChanged tells that it did not hold.
func (b *Batch) runAtOnce(ctx context.Context, lock *session.Lock) error {
	if err := b.admit(ctx); err != nil {
		return err
	}
	for i := range b.queued {
		if !b.queued[i].row.GoesToShards() {
			return b.runAsMulti(ctx, lock)
		}
	}
	c, err := b.db.begin(ctx)
	if err != nil {
		return err
	}
	c.whole, c.x.Encoder, c.x.Atomic = true, &c.captured, true
	for i := range b.queued {
		b.db.local.Aim(&c.x, b.queued[i].row, b.queued[i].argv)
	}
	if lock != nil {
		b.db.local.Guard(&c.x, lock)
	}
	if len(c.x.Shards) == 0 { // an Update that neither reads nor writes
		c.end()
		return nil
	}
	if err := c.run(ctx); err != nil {
		b.forgetWords()
		return err
	}
	refused, suspect := c.x.Refused, c.x.Suspect
	b.replies = append([]resp.Reply(nil), c.replies...)
	c.end()
	switch {
	case suspect:
		return fmt.Errorf("%w: %w", ErrAborted, commandError(resp.ErrLoading.Str()))
	case refused:
		return errChanged
	}
	return nil
}

// forgetWords leaves the words to a call that was given up, which the shards read
// until they are done with it.
func (b *Batch) forgetWords() { b.words, b.queued = &words{}, nil }

// runAsMulti runs all commands by MULTI and EXEC on a link, where those among
// them that need a session have one.
func (b *Batch) runAsMulti(ctx context.Context, lock *session.Lock) error {
	for i := range b.queued {
		row := b.queued[i].row
		if lock != nil && !row.GoesToShards() {
			return fmt.Errorf("%w: %s can't be part of an Update", ErrAborted, row.Name)
		}
		if err := refuse(row, false); err != nil {
			return fmt.Errorf("%w: %w", ErrAborted, err)
		}
	}
	exec, err := b.db.links.multi(ctx, b.db, b.queued)
	if err != nil {
		return b.db.explain(ctx, err)
	}
	if exec.IsError() {
		return fmt.Errorf("%w: %w", ErrAborted, commandError(exec.Str()))
	}
	b.replies = exec.Items()
	return nil
}
