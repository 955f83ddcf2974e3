package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ledger is what the lists of all writers held after the last crash.
type ledger struct {
	tokens []string            // of each of its lists
	queued map[string]bool     // in queues
	done   map[string]bool     // moved out of them
	gone   map[string]struct{} // popped
}

// check holds that what units have put into the lists is there as far as they
// have survived, which it may show more exactly; in every list alike, in the
// order in which it happened, nothing twice and nothing that nobody sent.
func (b *ledger) check(shared dataset, all []*survival, consumers []*consumer) error {
	if err := b.checkTokens(shared, all); err != nil {
		return err
	}
	return b.checkQueues(shared, all, consumers)
}

func (b *ledger) checkTokens(shared dataset, all []*survival) error {
	tokens := itemsOf(shared["0/"+ledgerList(0)])
	for i := 1; i < ledgerLists; i++ {
		if other := itemsOf(shared["0/"+ledgerList(i)]); !slices.Equal(tokens, other) {
			at := firstDifference(tokens, other)
			return fmt.Errorf("half a transaction: %s has %d tokens, %s has %d; from %d on %q and %q", ledgerList(0), len(tokens),
				ledgerList(i), len(other), at, tokens[at:min(at+3, len(tokens))], other[at:min(at+3, len(other))])
		}
	}
	if len(tokens) < len(b.tokens) || !slices.Equal(b.tokens, tokens[:len(b.tokens)]) {
		return fmt.Errorf("the ledger has lost tokens that were there after the crash before")
	}
	fresh := map[string]bool{}
	for _, token := range tokens[len(b.tokens):] {
		if fresh[token] {
			return fmt.Errorf("token %s is there twice", token)
		}
		fresh[token] = true
	}
	known := 0
	for _, s := range all {
		n, err := s.prove(func(u *unit) string { return u.token }, fresh)
		if err != nil {
			return err
		}
		known += n
	}
	if known != len(fresh) {
		return fmt.Errorf("%d of %d new tokens are nobody's", len(fresh)-known, len(fresh))
	}
	return inOrder(tokens[len(b.tokens):], all)
}

func firstDifference(a, b []string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// prove narrows the survival by marks: those of the units that have survived are
// there, those of the others are not. It returns how many are there.
func (s *survival) prove(mark func(*unit) string, there map[string]bool) (known int, err error) {
	for i, u := range s.writer.units {
		m := mark(u)
		if m == "" || u.refused() && !there[m] {
			continue
		}
		if there[m] {
			known++
		}
		why := fmt.Sprintf("token %s of unit %d is there: %t", m, i, there[m])
		if err := s.narrow(why, func(o *outcome) bool { return o.has(i) == there[m] }); err != nil {
			return known, err
		}
	}
	return known, nil
}

// inOrder holds that no token stands behind one that was sent after it had been
// answered.
func inOrder(tokens []string, all []*survival) error {
	units := map[string]*unit{}
	for _, s := range all {
		for _, u := range s.writer.units {
			units[u.token] = u
		}
	}
	var latest time.Time
	for i, token := range tokens {
		u := units[token]
		if u.isAnswered() && u.answered.Before(latest) {
			return fmt.Errorf("token %s at %d was answered before one before it was sent", token, i)
		}
		latest = later(latest, u.sent)
	}
	return nil
}

// checkQueues holds that what was queued is in a queue, or was moved out of it,
// or was popped; once.
func (b *ledger) checkQueues(shared dataset, all []*survival, consumers []*consumer) error {
	queued, done := map[string]bool{}, map[string]bool{}
	for name, c := range shared {
		into := done
		if strings.HasPrefix(name, "0/queue:") {
			into = queued
		} else if strings.HasPrefix(name, "0/ledger:") {
			continue
		}
		for _, token := range c.items {
			if queued[token] || done[token] {
				return fmt.Errorf("token %s of a queue is there twice", token)
			}
			into[token] = true
		}
	}
	pops, lost := map[string]*pop{}, 0
	for _, c := range consumers {
		for _, p := range c.pops {
			pops[p.token] = p
		}
		lost += c.open
	}
	return b.follow(&queuesFound{queued, done, pops, lost}, all)
}

// queuesFound is what was found of what was queued.
type queuesFound struct {
	queued, done map[string]bool
	pops         map[string]*pop
	lost         int // pops that were not answered
}

func (b *ledger) follow(q *queuesFound, all []*survival) error {
	missing := func(token string) error {
		if q.queued[token] || q.done[token] {
			if p := q.pops[token]; p != nil && p.sure && (!q.done[token] || !p.moved) {
				return fmt.Errorf("token %s was taken out of its queue, which was safe, and is there again", token)
			}
			return nil
		}
		if p := q.pops[token]; p != nil && !p.moved {
			return nil
		}
		if q.lost--; q.lost < 0 {
			return fmt.Errorf("token %s of a queue is gone, and nobody took it", token)
		}
		return nil
	}
	known := map[string]bool{}
	for _, before := range []map[string]bool{b.queued, b.done} {
		for token := range before {
			known[token] = true
			if err := missing(token); err != nil {
				return err
			}
		}
	}
	for _, s := range all {
		for i, u := range s.writer.units {
			if u.queued == "" || u.refused() {
				continue
			}
			known[u.queued] = s.maybe(i)
			if s.surely(i) {
				if err := missing(u.queued); err != nil {
					return err
				}
			}
		}
	}
	for _, there := range []map[string]bool{q.queued, q.done} {
		for token := range there {
			if !known[token] {
				return fmt.Errorf("token %s is in a queue, and what queued it has not survived", token)
			}
		}
	}
	b.queued, b.done = q.queued, q.done
	return nil
}

// consumer takes tokens out of queues, waiting for them.
type consumer struct {
	rng  *rand.Rand
	pops []*pop
	open int // 1 while a pop is not answered that takes a token away
	err  error
}

// pop is a token that was taken.
type pop struct {
	token          string
	moved          bool // into another list
	sent, answered time.Time
	sure           bool
}

// work takes tokens until the link breaks or stop is closed.
func (c *consumer) work(v *victim, stop <-chan struct{}) {
	c.pops, c.open = nil, 0
	l, err := v.dial()
	if err != nil {
		return
	}
	defer l.close()
	for err == nil {
		select {
		case <-stop:
			return
		default:
		}
		err = c.take(l)
	}
	var refusal errorReply
	if errors.As(err, &refusal) && !strings.HasPrefix(err.Error(), "the server answered MISCONF") {
		c.err = err
	}
}

func (c *consumer) take(l *link) error {
	from := queueList(c.rng.IntN(queueLists))
	words := [][]string{
		{"BLMOVE", from, "done:" + strconv.Itoa(c.rng.IntN(2)), "LEFT", "RIGHT", "0.02"},
		{"BLPOP", from, "0.02"},
		{"BLMPOP", "0.02", "1", from, "RIGHT"},
	}[c.rng.IntN(3)]
	p := &pop{moved: words[0] == "BLMOVE", sent: time.Now()}
	if !p.moved {
		c.open = 1
	}
	reply, err := l.ask(words...)
	if err != nil {
		return err
	}
	c.open, p.answered = 0, time.Now()
	switch items := reply.Items(); {
	case reply.IsNull():
		return nil
	case p.moved:
		p.token = strings.Clone(reply.Str())
	case words[0] == "BLPOP":
		p.token = strings.Clone(items[1].Str())
	default:
		p.token = strings.Clone(items[1].Items()[0].Str())
	}
	c.pops = append(c.pops, p)
	return nil
}
