package rosedb

import (
	"time"

	"github.com/troupedb/troupe/actors"
)

// The methods of rosedb 1, with errors where it had none.

// Set sets a key to a value.
func (d *DB) Set(key, value []byte) error { return d.Put(key, value) }

// SetNx sets a key if it is missing, and reports whether it was.
func (d *DB) SetNx(key, value []byte) (set bool, err error) {
	if err := check(key); err != nil {
		return false, err
	}
	err = d.db.Set(always, string(key), value, actors.IfMissing)
	if err == actors.ErrCondition {
		return false, nil
	}
	return err == nil, err
}

// SetEx sets a key that goes after so many seconds.
func (d *DB) SetEx(key, value []byte, seconds int64) error {
	return d.PutWithTTL(key, value, time.Duration(seconds)*time.Second)
}

// GetSet sets a key and returns what it was, nil if it was missing.
func (d *DB) GetSet(key, value []byte) ([]byte, error) {
	r, err := d.db.Do(always, "SET", key, value, "GET")
	return r.Bytes(), err
}

// Remove removes a key.
func (d *DB) Remove(key []byte) error { return d.Delete(key) }

// StrExists reports whether there is such a key. One that can't be asked for is
// not there.
func (d *DB) StrExists(key []byte) bool {
	there, err := d.Exist(key)
	return there && err == nil
}

// PrefixScan is the values of the keys with a prefix, in the order of the keys:
// limit of them, or all if it is negative, without the first offset.
func (d *DB) PrefixScan(prefix string, limit, offset int) (values [][]byte, err error) {
	if limit == 0 {
		return nil, nil
	}
	r, skip := actors.Range{Prefix: prefix}, max(offset, 0)
	if limit > 0 {
		r.Limit = limit + skip
	}
	for kv, err := range d.db.Scan(always, r) {
		if err != nil {
			return nil, err
		}
		if skip--; skip < 0 {
			values = append(values, kv.Value)
		}
	}
	return values, nil
}

// RangeScan is the values of the keys from start to end, both included.
func (d *DB) RangeScan(start, end []byte) (values [][]byte, err error) {
	for kv, err := range d.db.Scan(always, actors.Range{From: string(start), To: behind(end)}) {
		if err != nil {
			return nil, err
		}
		values = append(values, kv.Value)
	}
	return values, nil
}

// HSet sets a field and reports how many are new.
func (d *DB) HSet(key, field, value []byte) (added int, err error) {
	n, err := d.db.HSet(always, string(key), string(field), string(value))
	return int(n), err
}

// HGet is a field's value, nil if it is missing.
func (d *DB) HGet(key, field []byte) ([]byte, error) {
	r, err := d.db.Do(always, "HGET", key, field)
	return r.Bytes(), err
}

// HGetAll is fields and values in turn.
func (d *DB) HGetAll(key []byte) ([][]byte, error) { return d.list("HGETALL", key) }

// LPush adds elements to the front of a list and returns its length, and RPush to
// its end.
func (d *DB) LPush(key []byte, elements ...[]byte) (length int, err error) {
	return d.count("LPUSH", key, elements)
}

// RPush: see LPush.
func (d *DB) RPush(key []byte, elements ...[]byte) (length int, err error) {
	return d.count("RPUSH", key, elements)
}

// LPop takes the first element, nil if there is none, and RPop the last.
func (d *DB) LPop(key []byte) ([]byte, error) {
	r, err := d.db.Do(always, "LPOP", key)
	return r.Bytes(), err
}

// RPop: see LPop.
func (d *DB) RPop(key []byte) ([]byte, error) {
	r, err := d.db.Do(always, "RPOP", key)
	return r.Bytes(), err
}

// LRange is the elements from one place to another, which is included.
func (d *DB) LRange(key []byte, start, end int) ([][]byte, error) {
	return d.list("LRANGE", key, start, end)
}

// SAdd adds members to a set and returns how many are new.
func (d *DB) SAdd(key []byte, members ...[]byte) (added int, err error) {
	return d.count("SADD", key, members)
}

// SMembers is all members.
func (d *DB) SMembers(key []byte) ([][]byte, error) { return d.list("SMEMBERS", key) }

// Element is a member of a sorted set with its score.
type Element = actors.Member

// ZAdd adds a member to a sorted set, or changes its score.
func (d *DB) ZAdd(key []byte, score float64, member []byte) error {
	_, err := d.db.ZAdd(always, string(key), Element{Member: string(member), Score: score})
	return err
}

// ZScore is a member's score; found tells whether there is such a member.
func (d *DB) ZScore(key, member []byte) (found bool, score float64, err error) {
	score, err = d.db.ZScore(always, string(key), string(member))
	if err == actors.ErrNotFound {
		return false, 0, nil
	}
	return err == nil, score, err
}

// ZGetByRank is the member of that rank, from the lowest score up, and
// ZRevGetByRank from the highest down; without any there is none.
func (d *DB) ZGetByRank(key []byte, rank int) ([]Element, error) {
	return d.db.ZRangeWithScores(always, string(key), int64(rank), int64(rank))
}

// ZRevGetByRank: see ZGetByRank.
func (d *DB) ZRevGetByRank(key []byte, rank int) ([]Element, error) {
	return d.db.ZRevRangeWithScores(always, string(key), int64(rank), int64(rank))
}

// ZScoreRange is the members with scores from low to high, both included, and
// ZRevScoreRange those from high down to low.
func (d *DB) ZScoreRange(key []byte, low, high float64) ([]Element, error) {
	return d.db.ZRangeByScore(always, string(key), low, high)
}

// ZRevScoreRange: see ZScoreRange.
func (d *DB) ZRevScoreRange(key []byte, high, low float64) ([]Element, error) {
	r, err := d.db.Do(always, "ZRANGE", key, high, low, "BYSCORE", "REV", "WITHSCORES")
	var members []Element
	for member, score := range r.Pairs() {
		members = append(members, Element{Member: member.Text(), Score: score.Float()})
	}
	return members, err
}

func (d *DB) count(command string, args ...any) (int, error) {
	r, err := d.db.Do(always, command, args...)
	return int(r.Int()), err
}

func (d *DB) list(command string, args ...any) ([][]byte, error) {
	r, err := d.db.Do(always, command, args...)
	if err != nil {
		return nil, err
	}
	texts := r.Strings()
	list := make([][]byte, len(texts))
	for i, text := range texts {
		list[i] = []byte(text)
	}
	return list, nil
}
