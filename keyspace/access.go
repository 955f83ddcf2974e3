package keyspace

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace/table"
)

// Each key has an access clock of 24 bits, kept beside its reference in the
// table. It is the second of Unix time at which the key was last used. With
// Settings.LFU it is about what Redis makes of it then:
//
//	| minutes of Unix time when the key was last used, 13 bits | counter, 8 bits | eighths of it, 3 bits |
//
// The counter grows with the logarithm of the number of uses, by chance, and
// shrinks by one in every LFUDecayMinutes. It grows by eighths, which leaves less
// to chance: as fast as Redis's, but for most keys of a cache, used a few times,
// it tells how many times. In return the time comes round every 5 days instead of
// 45: a key that nobody has used for that long may seem used again, for as many
// minutes as it then takes its counter to shrink. Where that takes long, as
// LFUDecayMinutes are many, the unit of time is as many times longer.
//
// After a change from one kind or unit to the other a clock reads wrong until the
// key is used, as in Redis.
const (
	stampMask    = 1<<24 - 1
	fractionBits = 3
	usesBits     = 8 + fractionBits
	usesMask     = 1<<usesBits - 1
	oneUse       = 1 << fractionBits // the counter's unit, in the clock
	counterMax   = 255
	counterBegin = 5 // of a new key, so that it does not seem the least used of all
)

// unitShift is by which power of two the clock's unit of time is more than a
// minute: its counter of 255 can shrink to nothing in half a round then.
func (s *Settings) unitShift() int { return max(0, bits.Len(uint(s.LFUDecayMinutes))-4) }

// newStamp is the access clock of a key that is made at the time now.
func newStamp(now int64, set *Settings) uint32 {
	if set.LFU {
		return uint32(now/60_000>>set.unitShift())<<usesBits&stampMask | counterBegin*oneUse
	}
	return uint32(now/1000) & stampMask
}

// mark notes that the key of a slot is used.
func (tx *Tx) mark(slot *table.Slot) {
	if tx.Settings.LFU {
		slot.SetStamp(tx.used(slot.Stamp()))
		return
	}
	if slot.Stamp() != tx.stamp {
		slot.SetStamp(tx.stamp)
	}
}

// used is an access clock that counts uses, after one more.
func (tx *Tx) used(stamp uint32) uint32 { return tx.stamp&^usesMask | tx.counted(tx.decayed(stamp)) }

// unused is the time since the key of a clock that counts uses was used, in the
// clock's unit.
func (tx *Tx) unused(stamp uint32) uint32 {
	return (tx.stamp&^usesMask - stamp&^usesMask) & stampMask >> usesBits
}

// decayed is the counter of a clock, in eighths, after the time that has passed.
func (tx *Tx) decayed(stamp uint32) (uses uint32) {
	uses = stamp & usesMask
	units := tx.unused(stamp)
	if units == 0 || tx.Settings.LFUDecayMinutes == 0 {
		return uses
	}
	steps := uint64(units) << tx.Settings.unitShift() / uint64(tx.Settings.LFUDecayMinutes)
	return uses - uint32(min(uint64(uses), steps*oneUse))
}

// counted is the counter, in eighths, after one more use: the higher it stands,
// the less likely it grows.
func (tx *Tx) counted(uses uint32) uint32 {
	above := (max(uses, counterBegin*oneUse) - counterBegin*oneUse) >> fractionBits
	odds := uint64(above)*uint64(tx.Settings.LFULogFactor) + 1 // that it grows by one
	grown := uint32(oneUse / odds)
	if rest := oneUse % odds; rest > 0 {
		if by, _ := bits.Mul64(tx.Rand(), odds); by < rest {
			grown++
		}
	}
	return max(uses, min(uses+grown, counterMax*oneUse))
}

// Idle is how long ago, in seconds, a value was last used.
func (tx *Tx) Idle(v Value) int64 { return int64((tx.stamp - v.slot.Stamp()) & stampMask) }

// Frequency is a value's counter of uses, under an LFU policy.
func (tx *Tx) Frequency(v Value) int64 { return int64(tx.decayed(v.slot.Stamp()) / oneUse) }

// Restamp makes a value one that was last used idle seconds ago, and so many
// times, up to 255: whichever of these the policy counts. Where it is negative
// the value is as one that was just made.
func (tx *Tx) Restamp(v Value, idle, uses int64) {
	stamp := newStamp(tx.now, tx.Settings)
	switch {
	case tx.Settings.LFU && uses >= 0:
		stamp = stamp&^usesMask | uint32(min(uses, counterMax))*oneUse
	case !tx.Settings.LFU && idle >= 0:
		stamp = (stamp - uint32(min(idle, stampMask))) & stampMask
	}
	v.slot.SetStamp(stamp)
}
