package keyspace

import (
	"math"

	"github.com/troupedb/troupe/keyspace/table"
)

// Each key has an access clock of 24 bits, kept beside its reference in the
// table. It is the second of Unix time at which the key was last used. With
// Settings.LFU it is what Redis makes of it then:
//
//	| minutes of Unix time when the counter was last seen to, 16 bits | counter, 8 bits |
//
// The counter grows with the logarithm of the number of uses, by chance, and
// shrinks by one in every LFUDecayMinutes. After a change from one kind to
// the other a clock reads wrong until the key is used, as in Redis.
const (
	stampMask    = 1<<24 - 1
	counterBits  = 8
	counterMax   = 1<<counterBits - 1
	counterBegin = 5 // of a new key, so that it does not seem the least used of all
)

// newStamp is the access clock of a key that is made at the time now.
func newStamp(now int64, set *Settings) uint32 {
	if set.LFU {
		return minuteStamp(now) | counterBegin
	}
	return uint32(now/1000) & stampMask
}

func minuteStamp(now int64) uint32 { return uint32(now/60_000) << counterBits & stampMask }

// mark notes that the key of a slot is used.
func (tx *Tx) mark(slot *table.Slot) {
	if tx.Settings.LFU {
		slot.SetStamp(minuteStamp(tx.now) | tx.counted(tx.decayed(slot.Stamp())))
		return
	}
	if slot.Stamp() != tx.stamp {
		slot.SetStamp(tx.stamp)
	}
}

// decayed is the counter of a clock after the time that has passed.
func (tx *Tx) decayed(stamp uint32) (counter uint32) {
	counter = stamp & counterMax
	if tx.Settings.LFUDecayMinutes == 0 {
		return counter
	}
	minutes := (minuteStamp(tx.now) - stamp&^counterMax) & stampMask >> counterBits
	return counter - min(counter, minutes/uint32(tx.Settings.LFUDecayMinutes))
}

// counted is the counter after one more use: the higher it stands, the less
// likely it grows.
func (tx *Tx) counted(counter uint32) uint32 {
	above := max(counter, counterBegin) - counterBegin
	odds := uint64(above)*uint64(tx.Settings.LFULogFactor) + 1
	if counter < counterMax && tx.Rand() <= math.MaxUint64/odds {
		counter++
	}
	return counter
}

// Idle is how long ago, in seconds, a value was last used.
func (tx *Tx) Idle(v Value) int64 { return int64((tx.stamp - v.slot.Stamp()) & stampMask) }

// Frequency is a value's counter of uses, under an LFU policy.
func (tx *Tx) Frequency(v Value) int64 { return int64(tx.decayed(v.slot.Stamp())) }

// Restamp makes a value one that was last used idle seconds ago, and so many
// times, up to 255: whichever of these the policy counts. Where it is negative
// the value is as one that was just made.
func (tx *Tx) Restamp(v Value, idle, uses int64) {
	stamp := newStamp(tx.now, tx.Settings)
	switch {
	case tx.Settings.LFU && uses >= 0:
		stamp = stamp&^counterMax | uint32(min(uses, counterMax))
	case !tx.Settings.LFU && idle >= 0:
		stamp = (stamp - uint32(min(idle, stampMask))) & stampMask
	}
	v.slot.SetStamp(stamp)
}
