package actors

import (
	"context"

	"github.com/troupedb/troupe/resp"
)

// partMax is how many commands of a pipeline are sent to the shards at once: so
// nobody else waits for more than these.
const partMax = 1024

// runInRow runs the commands one after the other. Those in a row that concern one
// key each go to their shards together, and are done in different shards at once.
// One that is refused has that for an answer.
func (b *Batch) runInRow(ctx context.Context) error {
	b.replies = make([]resp.Reply, len(b.queued))
	for at := 0; at < len(b.queued); {
		part, err := b.gather(ctx, at)
		if err == nil && part == 0 {
			part, err = 1, b.runOne(ctx, at)
		} else if err == nil {
			err = b.runPart(ctx, at, at+part)
		}
		if err != nil {
			b.replies = nil
			return err
		}
		at += part
	}
	return nil
}

// gather counts the commands from one on that can go together.
func (b *Batch) gather(ctx context.Context, at int) (n int, err error) {
	for ; at+n < len(b.queued) && n < partMax; n++ {
		q := &b.queued[at+n]
		if q.row == nil || !q.row.GoesToShards() || q.row.SingleKey() == 0 {
			break
		}
		refusal, err := b.db.admit(ctx, q.row, q.argv)
		if err != nil {
			return 0, err
		}
		if refusal.IsError() {
			break
		}
	}
	return n, nil
}

// runPart runs the commands from one up to, and without, another, with one batch
// for each shard that they concern.
func (b *Batch) runPart(ctx context.Context, from, to int) error {
	node := b.db.system.Node
	calls := make([]*errand, node.Len())
	shards := make([]int, 0, partMax) // of each command
	for i := from; i < to; i++ {
		q := &b.queued[i]
		shard := node.ShardOf(q.argv[q.row.SingleKey()])
		if calls[shard] == nil {
			c := b.db.errands.get(b.db)
			c.whole, c.x.Encoder = true, &c.captured
			calls[shard] = c
		}
		b.db.local.Aim(&calls[shard].x, q.row, q.argv)
		shards = append(shards, shard)
	}
	if err := b.runCalls(ctx, calls); err != nil {
		return err
	}
	next := make([]int, len(calls))
	for i, shard := range shards {
		b.replies[from+i] = calls[shard].replies[next[shard]]
		next[shard]++
	}
	endAll(calls)
	return nil
}

// runCalls runs one call for each shard, nil where there is none. After an error
// they have been given back.
func (b *Batch) runCalls(ctx context.Context, calls []*errand) (failure error) {
	if failure = b.db.may(ctx); failure != nil {
		endAll(calls)
		return failure
	}
	under := make([]bool, len(calls))
	for i, c := range calls {
		under[i] = c != nil && !c.post()
	}
	for i, c := range calls {
		if !under[i] {
			continue
		}
		if err := c.await(ctx); err != nil {
			failure = err
			calls[i] = nil
		}
	}
	for _, c := range calls {
		if c != nil {
			c.account()
		}
	}
	if failure != nil {
		b.forgetWords()
		endAll(calls)
	}
	return failure
}

func endAll(calls []*errand) {
	for _, c := range calls {
		if c != nil {
			c.end()
		}
	}
}

// runOne runs one command alone.
func (b *Batch) runOne(ctx context.Context, at int) error {
	c, err := b.db.begin(ctx)
	if err != nil {
		return err
	}
	q := &b.queued[at]
	c.whole = true
	for _, word := range q.argv {
		c.bytes(word)
	}
	c.list(0, len(c.ends))
	if err := b.db.run(ctx, c, q.row); err != nil {
		return err
	}
	b.replies[at] = c.replies[0]
	c.end()
	return nil
}
