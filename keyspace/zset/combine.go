package zset

import (
	"math"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// combination is what ZUNION and its relatives are asked for.
type combination struct {
	make    func(*combination, *keyspace.Tx) *tally
	weighed bool   // WEIGHTS and AGGREGATE are options
	store   string // the event of the form that keeps the result; "": it is shown
	counted bool   // only the number of members is asked for, and LIMIT an option

	dst     []byte
	sources []source
	merge   func(sum, score float64) float64
	scores  bool  // WITHSCORES
	limit   int64 // 0: none
}

// run is a command that combines sorted sets.
func (c combination) run(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if c.store != "" {
		c.dst = a.Key()
	}
	c.sources = readSources(tx, a)
	c.merge = add2
	for a.More() {
		c.readOption(a)
	}
	if a.Bad() {
		return a.Err()
	}
	t := c.make(&c, tx)
	switch {
	case c.counted:
		return resp.Int(int64(len(t.list)))
	case c.store != "":
		Store(tx, c.dst, t.list, c.store)
		return resp.Int(int64(len(t.list)))
	}
	slices.SortFunc(t.list, Member.compare)
	l := newListing(tx, len(t.list), c.scores)
	for _, m := range t.list {
		l.add(m.Text, m.Score)
	}
	return l.reply()
}

var (
	errWeight       = resp.Error("ERR weight value is not a float")
	errLimitNoCount = resp.Error("ERR LIMIT can't be negative")
)

func (c *combination) readOption(a *command.Args) {
	switch {
	case c.weighed && a.OptionWith("WEIGHTS", len(c.sources)):
		for i := range c.sources {
			weight, ok := readScore(a.Bytes())
			if !ok {
				a.Fail(errWeight)
			}
			c.sources[i].weight = weight
		}
	case c.weighed && a.OptionWith("AGGREGATE", 1):
		c.readAggregate(a)
	case c.store == "" && !c.counted && a.Option("WITHSCORES"):
		c.scores = true
	case c.counted && a.OptionWith("LIMIT", 1):
		c.limit = a.IntIn(0, math.MaxInt64, errLimitNoCount)
	default:
		a.Syntax()
	}
}

func (c *combination) readAggregate(a *command.Args) {
	switch {
	case a.Option("SUM"):
		c.merge = add2
	case a.Option("MIN"):
		c.merge = lower
	case a.Option("MAX"):
		c.merge = higher
	default:
		a.Syntax()
	}
}

// add2 is the aggregate SUM. Of +inf and -inf the sum is 0.
func add2(sum, score float64) float64 { return orZero(sum + score) }

// lower and higher are the aggregates MIN and MAX. What is no number is
// neither.
func lower(sum, score float64) float64 {
	if score < sum {
		return score
	}
	return sum
}

func higher(sum, score float64) float64 {
	if score > sum {
		return score
	}
	return sum
}

// orZero is a number, 0 for what is none: an infinite score times 0.
func orZero(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return score
}

// union makes the members of all sources.
func (c *combination) union(tx *keyspace.Tx) *tally {
	sortSources(c.sources)
	largest := &c.sources[len(c.sources)-1]
	t := newTally(largest.n, tx.Rand())
	for i := range c.sources {
		s := &c.sources[i]
		s.each(tx, func(text []byte, score float64) bool {
			score = orZero(score * s.weight)
			at, added := t.find(text)
			switch {
			case !added:
				t.list[at].Score = c.merge(t.list[at].Score, score)
				return true
			case s.kind != nil:
				t.list[at].Text = t.copied(text)
			}
			t.list[at].Score = score
			return true
		})
	}
	return t
}

// intersection makes the members that all sources have, up to the limit.
func (c *combination) intersection(tx *keyspace.Tx) *tally {
	sortSources(c.sources)
	first, others := &c.sources[0], c.sources[1:]
	t := &tally{}
	first.each(tx, func(text []byte, score float64) bool {
		sum := orZero(score * first.weight)
		for i := range others {
			score, found := others[i].find(tx, text)
			if !found {
				return true
			}
			sum = c.merge(sum, score*others[i].weight)
		}
		t.append(first, text, sum)
		return c.limit == 0 || int64(len(t.list)) < c.limit
	})
	return t
}

// difference makes the members of the first source that no other one has.
func (c *combination) difference(tx *keyspace.Tx) *tally {
	first, others := &c.sources[0], c.sources[1:]
	t := &tally{}
	first.each(tx, func(text []byte, score float64) bool {
		for i := range others {
			if _, found := others[i].find(tx, text); found {
				return true
			}
		}
		t.append(first, text, score)
		return true
	})
	return t
}

// append puts a member of a source into the list, and not into the index.
func (t *tally) append(s *source, text []byte, score float64) {
	if s.kind != nil {
		text = t.copied(text)
	}
	t.list = append(t.list, Member{text, score})
}
