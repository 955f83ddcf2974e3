package keyspace

import (
	"slices"
	"strconv"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Before a batch runs, the keys that its commands name are looked at. If values
// of them are cold, the batch parks: it lets its shards go, the tier reads the
// values, and the batch visits its shards again, where what was fetched becomes
// hot in the turn that runs the commands. Nobody holds anything meanwhile, and
// the batch is not done, so that whatever its link asks next waits for it. What
// was fetched stays with the batch until it runs: a value may become cold again
// in between, but needs no second reading, so that each round gets further.
//
// A command may come upon a cold value that it does not name: then it begins
// anew when that is fetched. If it has changed something that can't be undone
// by then, it reads the value there and then: see mayPark.

// Want is a value that a batch needs.
type Want struct {
	Number uint64
	// Value and Err are what came of reading it. The value stays as it is.
	Value []byte
	Err   error

	at    *Shard
	db    int
	hash  uint64
	stamp uint32 // its access clock before
}

// thawing is what a batch has to do with cold values.
type thawing struct {
	wants   []Want
	fetched int // so many of them were read
	seen    map[uint64]struct{}
	lost    []uint64 // those that could not be read
	chance  uint64   // the state of chance that the next command begins with, if not 0
	again   bool     // a command has come upon a cold value and begins anew
}

// want adds a value to those that the batch needs.
func (x *Execute) want(v *Value, db int) {
	if x.cold == nil {
		x.cold = &thawing{seen: map[uint64]struct{}{}}
	}
	t, n := x.cold, v.twin()
	if _, have := t.seen[n]; have {
		return
	}
	t.seen[n] = struct{}{}
	t.wants = append(t.wants, Want{Number: n, at: v.sh, db: db, hash: v.sh.hash(v.Key()), stamp: v.slot.Stamp()})
}

// Lacks makes hot what was fetched for a batch that holds its shards, of total in
// all, and returns what is to be fetched before it runs. It may also come to need
// more when it has run: then it has to begin anew, which Anew tells.
func (x *Execute) Lacks(held []*Shard, total int) []Want {
	x.parks = !x.Inner
	if x.cold != nil {
		x.cold.again = false
		x.cold.install()
	}
	s := seeker{x, held, total}
	if !s.chilly() {
		return nil
	}
	for i := x.Ran; i < len(x.Requests); i++ {
		s.seek(&x.Requests[i])
	}
	return x.lacks()
}

// lacks is what has not been fetched yet.
func (x *Execute) lacks() []Want {
	if x.cold == nil {
		return nil
	}
	return x.cold.wants[x.cold.fetched:]
}

// Anew reports whether a batch that has run is to run again, and what is to be
// fetched before.
func (x *Execute) Anew() (wants []Want, anew bool) {
	return x.lacks(), x.cold != nil && x.cold.again
}

// seeker looks for cold values that a batch needs, in the shards that it holds.
type seeker struct {
	*Execute
	held  []*Shard
	total int
}

// chilly reports whether something is cold there.
func (s *seeker) chilly() bool {
	for _, sh := range s.held {
		if sh.cold.keys > 0 {
			return true
		}
	}
	return false
}

// install makes values hot that were fetched, where they are still cold.
func (t *thawing) install() {
	for i := range t.wants {
		w := &t.wants[i]
		if i >= t.fetched && w.Err != nil {
			t.lost = append(t.lost, w.Number)
		}
		if v, found := (home{w.at, &w.at.dbs[w.db]}).byTwin(w.hash, w.Number); found && v.head.cold && w.Err == nil {
			if v.install(w.Value) != nil {
				t.lost = append(t.lost, w.Number)
			}
		}
	}
	t.fetched = len(t.wants)
}

// seek looks for cold values that a request needs.
func (s *seeker) seek(q *Request) {
	for _, key := range q.Keys {
		s.seekKey(key, q.DB)
	}
	switch {
	case q.Spec == nil || q.Spec.Flags.Has(command.KeysOnly):
		return
	case q.Spec.SingleKey() > 0 && q.Spec.Keys[0].Vary == nil:
		if needsValue(q.Spec.Keys[0].Flags) {
			s.seekKey(q.Argv[q.Spec.SingleKey()], q.DB)
		}
	default:
		s.seekKeys(q)
	}
	s.seekServed(q)
}

// needsValue reports whether a command that does this to a key needs its value.
func needsValue(f command.KeyFlag) bool {
	return f&(command.OW|command.RM) == 0 || f&command.Access != 0
}

func (s *seeker) seekKeys(q *Request) {
	var few [16]command.KeyAt
	keys, _ := q.Spec.AppendKeys(few[:0], q.Argv)
	for _, k := range keys {
		if needsValue(k.Flags) {
			s.seekKey(q.Argv[k.Pos], q.DB)
		}
	}
}

// seekKey wants the value of a key, if that is cold and in a shard at hand.
func (s *seeker) seekKey(key []byte, db int) {
	if sh := s.home(key); sh != nil {
		s.seekIn(sh, key, db)
	}
}

// home is the shard of a key, nil if it is not at hand.
func (s *seeker) home(key []byte) *Shard {
	if len(s.held) == 1 && s.total == 1 {
		return s.held[0]
	}
	id := ShardOf(key, s.total)
	for _, sh := range s.held {
		if sh.id == id {
			return sh
		}
	}
	return nil
}

func (s *seeker) seekIn(sh *Shard, key []byte, db int) {
	if sh.cold.keys == 0 {
		return
	}
	v := Value{home: home{sh, &sh.dbs[db]}}
	if v.slot, v.head = v.find(key, sh.hash(key)); v.slot == nil || !v.head.cold {
		return
	}
	if s.cold == nil || !slices.Contains(s.cold.lost, v.twin()) {
		s.want(&v, db)
	}
}

// seekServed looks for values that those who wait may need: a BLMOVE passes on
// to a second key what it gets, and when databases change places, any key may
// be there at once that somebody waits for.
func (s *seeker) seekServed(q *Request) {
	all := q.Spec.Flags.Has(command.AllShards | command.Write)
	for _, sh := range s.held {
		if !all && sh.passing == 0 {
			continue
		}
		for i := range sh.dbs {
			for key, l := range sh.dbs[i].waiting {
				s.seekLine(sh, key, l, all)
			}
		}
	}
}

func (s *seeker) seekLine(sh *Shard, key string, l *line, all bool) {
	for db := range sh.dbs {
		if all {
			s.seekIn(sh, []byte(key), db)
		}
	}
	for _, w := range l.waiters {
		if w.Also != 0 {
			s.seekKey(w.argv[w.Also], w.db)
		}
	}
}

// tooCold is the panic of a command that begins anew when a value is fetched.
// It does not leave Run.
type tooCold struct{}

// lostValue is the panic of a command that needs a value which can't be read, by
// its number.
type lostValue uint64

// errLost is its answer.
var errLost = resp.Error("ERR The value of the key is on disk (tier) and cannot be read back")

// mayPark reports whether the present command may be left and begun anew: it has
// changed nothing, nor has anything that it is part of, and whoever runs it is
// prepared for that.
func (tx *Tx) mayPark() bool {
	x := tx.batch
	return x != nil && x.parks && tx.request.Spec != nil && !tx.shielded && !tx.dirty && (!x.Atomic || x.Guard == nil)
}

// Shield says that what runs from now on within the present command, until it is
// called with false, can't be left at any place: a script.
func (tx *Tx) Shield(on bool) { tx.shielded = on }

// thaw makes a value hot that the present command needs.
func (tx *Tx) thaw(v *Value) {
	number, x := v.twin(), tx.batch
	if x != nil && x.cold != nil && slices.Contains(x.cold.lost, number) {
		panic(lostValue(number))
	}
	if tx.mayPark() {
		x.want(v, tx.DB)
		panic(tooCold{})
	}
	tx.thawNow(v)
}

// thawNow makes a value hot, and waits for the tier.
func (tx *Tx) thawNow(v *Value) {
	number := v.twin()
	value, err := v.sh.cold.tier.Read(nil, number)
	if err == nil {
		err = v.install(value)
	}
	if err != nil {
		panic(lostValue(number))
	}
	v.sh.Stats.HeldFetches++
}

// install makes a cold value hot. It keeps its twin.
func (v *Value) install(value []byte) error {
	if len(value) != v.head.valLen {
		return errLength
	}
	head := v.head
	head.cold = false
	v.move(&head, value)
	v.head = head
	v.sh.Stats.Fetched++
	return nil
}

const errLength = coldError("a value in the tier has another length")

// backOff ends a batch before the present command, which is to begin anew, with
// the same chance: its look-ups have not happened. Of a transaction, which began
// with a state of chance, nothing has.
func (tx *Tx) backOff(x *Execute, begin uint64) {
	tx.takeBackLookups()
	x.cold.chance = tx.chance
	tx.light, tx.trace, tx.effects.replaced = false, nil, false
	if x.Atomic {
		x.Ran, x.Out, x.cold.chance = 0, x.Out[:0], begin
	}
	x.cold.again = true
}

// lose ends a batch before the request at a place, which needs a value that can't
// be read. It runs again, and has that for an answer; if it has changed something
// already, its shards are not what they should be.
func (tx *Tx) lose(x *Execute, at int, value lostValue) {
	switch {
	case tx.dirty:
		tx.dropEffects()
		x.broke(at, value)
	case tx.request.Spec == nil || x.Atomic || !x.parks:
		x.broke(at, value)
		x.Broken.Stack = nil
	default:
		if x.cold == nil {
			x.cold = &thawing{seen: map[uint64]struct{}{}}
		}
		x.cold.lost = append(x.cold.lost, uint64(value))
		tx.backOff(x, 0)
	}
}

func (v lostValue) Error() string {
	return "the value " + strconv.FormatUint(uint64(v), 10) + " of the tier cannot be read"
}

// handle runs a command's handler. If it needs a value that can't be read, that
// is its answer: one that it names is known before, and else it has changed
// nothing yet.
func (tx *Tx) handle(spec *command.Spec[*Tx], argv [][]byte) (reply resp.Reply) {
	if !tx.tiered {
		return spec.Run(tx, &tx.args)
	}
	if tx.batch != nil && tx.batch.cold != nil && tx.namesLost(&spec.Meta, argv) {
		return errLost
	}
	defer tx.answerLost(tx.effects.edits, &reply)
	return spec.Run(tx, &tx.args)
}

// answerLost, deferred, makes an answer of the panic of something that needs a
// value which can't be read. What has changed something before can't be
// answered: edits is how many changes there were when it began.
func (tx *Tx) answerLost(edits int, reply *resp.Reply) {
	switch reason := recover(); reason.(type) {
	case nil:
	case lostValue:
		if tx.effects.edits != edits {
			panic(reason)
		}
		*reply = errLost
	default:
		panic(reason)
	}
}

// namesLost reports whether a command names a key whose value it needs and that
// can't be read.
func (tx *Tx) namesLost(m *command.Meta, argv [][]byte) bool {
	lost := tx.batch.cold.lost
	if len(lost) == 0 || m.Flags.Has(command.KeysOnly) {
		return false
	}
	keys, _ := m.AppendKeys(nil, argv)
	return slices.ContainsFunc(keys, func(k command.KeyAt) bool {
		v := Value{home: tx.homeOf(argv[k.Pos])}
		v.slot, v.head = v.find(argv[k.Pos], v.sh.hash(argv[k.Pos]))
		return v.slot != nil && v.head.cold && needsValue(k.Flags) && slices.Contains(lost, v.twin())
	})
}
