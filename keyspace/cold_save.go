package keyspace

import (
	"fmt"
	"slices"
)

// A save that comes to a cold value only notes it: who writes the file reads the
// value from the tier, between turns. Until the save is over the tier forgets no
// number (Node.HoldTier), so it does not matter what has become of the key.

// ColdEntry is a key with a cold value, as a save has met it.
type ColdEntry struct {
	DB       int
	Key      []byte
	Type     Type
	Encoding Encoding
	// Deadline is when the key ends, Unix milliseconds, or NoDeadline.
	Deadline int64
	Stamp    uint32
	Number   uint64

	object bool
	length int
}

// noteCold notes a cold value for the save.
func (tx *Tx) noteCold(v *Value, db int) {
	s := v.sh.save
	s.weight += coldWeight
	s.cold = append(s.cold, ColdEntry{
		DB: db, Key: slices.Clone(v.Key()), Type: v.head.typ, Encoding: v.head.enc, Deadline: tx.Deadline(*v),
		Stamp: v.Stamp(), Number: v.twin(), object: v.head.object(), length: v.head.valLen,
	})
}

// coldWeight is what noting a cold value weighs in a slice of a save.
const coldWeight = 128

// TakeCold returns the cold values that the save of the one shard at hand has met
// since the last call.
func (tx *Tx) TakeCold() (met []ColdEntry) {
	if s := tx.only.save; s != nil {
		met, s.cold = s.cold, nil
	}
	return met
}

// HoldTier keeps the tier from forgetting what is spilled until ReleaseTier.
func (n *Node) HoldTier() {
	if n.tier != nil {
		n.tier.Hold()
	}
}

// ReleaseTier ends a HoldTier.
func (n *Node) ReleaseTier() {
	if n.tier != nil {
		n.tier.Release()
	}
}

// Stove makes values of what the tier holds, one at a time, for those who are no
// shard. It belongs to one goroutine.
type Stove struct {
	node  *Node
	shard *Shard
}

// NewStove makes a Stove. It is to be closed.
func (n *Node) NewStove() *Stove { return &Stove{n, NewShard(0, 1, 0)} }

// Close gives its memory back.
func (s *Stove) Close() { s.shard.Close() }

// Show reads the value of an entry from the tier and shows it.
func (s *Stove) Show(e *ColdEntry, visit func(*Tx, Value)) error {
	value, err := s.node.tier.Read(nil, e.Number)
	if err == nil && len(value) != e.length {
		err = errLength
	}
	if err != nil {
		return fmt.Errorf("reading the value of the key %.100q from the tier: %w", e.Key, err)
	}
	turn := s.node.newTurn()
	turn.Log, turn.Hold, turn.Ears = nil, nil, nil
	tx := Begin(&turn, []*Shard{s.shard}, 1)
	tx.DB, tx.now = 0, 0 // it may be past its deadline
	tx.put(e.Key, put{e.Type, e.Encoding, false, value, e.Deadline, ""})
	v := Value{home: tx.homeOf(e.Key)}
	v.slot, v.head = v.find(e.Key, v.sh.hash(e.Key))
	visit(tx, v)
	v.drop(true)
	tx.dirty, tx.changes, tx.events = false, 0, tx.events[:0]
	return nil
}
