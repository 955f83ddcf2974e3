// Package rosedb gives a DB of package actors the names of rosedb, for programs
// that come from there: change the import and the options, and most of such a
// program compiles. What it does is thin; DB.DB has all the rest.
//
// The names of rosedb 2, a store of keys and values:
//
//	Put PutWithTTL Get Delete Exist           SET, SET PX, GET, DEL, EXISTS
//	Expire TTL Persist                        PEXPIRE, PTTL, PERSIST
//	Ascend AscendRange AscendGreaterOrEqual   KEYRANGE
//	Descend DescendRange DescendLessOrEqual   KEYRANGE … REV
//	AscendKeys AscendKeysRange                KEYRANGE without WITHVALUES
//	DescendKeys DescendKeysRange              the same with REV
//	NewBatch, Commit, Rollback                MULTI, EXEC, DISCARD
//	Watch                                     actors.DB.Watch, of a query; or keyspace events
//	Merge                                     BGREWRITEAOF; it is done by itself
//	DeleteExpiredKeys                         nothing: keys go at their time
//	Sync                                      Options.Sync has every write synced
//
// The names of rosedb 1, whose values are structures, where they are not those of
// Redis:
//
//	Set SetNx SetEx GetSet Remove StrExists   SET, SET NX, SETEX, GETSET, DEL, EXISTS
//	PrefixScan RangeScan                      KEYRANGE
//	HSet HSetNx HGetAll HVals HKeys HDel …    the same
//	LPush LPop LRange LRem LInsert …          the same
//	LKeyExists HKeyExists SKeyExists ZKeyExists   EXISTS
//	LClear HClear SClear ZClear               DEL
//	LExpire HExpire SExpire ZExpire           EXPIRE
//	SAdd SMembers SRandMember SMove …         the same
//	ZAdd ZScore ZRank ZIncrBy …               the same
//	ZGetByRank ZRevGetByRank                  ZRANGE key rank rank [REV] WITHSCORES
//	ZScoreRange ZRevScoreRange                ZRANGE key min max BYSCORE [REV] WITHSCORES
//
// Of these the package has the usual ones; the others are commands, for actors.DB.Do.
//
// What differs from rosedb: a batch does not lock the database, but is one change;
// keys are in a table, so going through them in order costs a look at all of them
// (see actors.DB.Scan); keys of rosedb 1 were apart for each type, here a key has
// one value.
package rosedb

import (
	"context"
	"errors"
	"time"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/journal"
)

// The errors of rosedb. Those that this program's own correspond to are the same
// values.
var (
	ErrKeyIsEmpty      = errors.New("the key is empty")
	ErrKeyNotFound     = actors.ErrNotFound
	ErrDBClosed        = actors.ErrClosed
	ErrReadOnlyBatch   = errors.New("the batch is read only")
	ErrBatchCommitted  = errors.New("the batch is committed")
	ErrBatchRollbacked = errors.New("the batch is rolled back")
)

// DataIndexMode is what of the data is in memory.
type DataIndexMode int

// The modes of rosedb 1. KeyOnlyMemMode, where values are read from disk, is not
// there yet: Open refuses it.
const (
	KeyValueMemMode DataIndexMode = iota
	KeyOnlyMemMode
)

// ErrKeyOnlyMemMode is how Open refuses KeyOnlyMemMode.
var ErrKeyOnlyMemMode = errors.New("rosedb: values that are on disk only (KeyOnlyMemMode) are not supported yet; KeyValueMemMode keeps all in memory")

// Options are those of rosedb that mean something here.
type Options struct {
	// DirPath is where the data are kept; "" keeps them in memory only.
	DirPath string
	// Sync has every write on disk before it returns; else it is within a second.
	Sync bool
	// IndexMode is what of the data is in memory.
	IndexMode DataIndexMode
}

// DB is a database with rosedb's methods.
type DB struct{ db *actors.DB }

// Open opens a database.
func Open(o Options) (*DB, error) {
	if o.IndexMode != KeyValueMemMode {
		return nil, ErrKeyOnlyMemMode
	}
	options := actors.Options{Dir: o.DirPath}
	if o.Sync {
		options.Storage = actors.Storage{Journal: true, Policy: journal.Always}
	}
	db, err := actors.Open(options)
	if err != nil {
		return nil, err
	}
	return &DB{db}, nil
}

// Of gives a database that is open rosedb's names.
func Of(db *actors.DB) *DB { return &DB{db} }

// DB is the database without them.
func (d *DB) DB() *actors.DB { return d.db }

// Close closes the database.
func (d *DB) Close() error { return d.db.Close() }

// always is the context of rosedb's methods, which have none.
var always = context.Background()

// check refuses an empty key, as rosedb does.
func check(key []byte) error {
	if len(key) == 0 {
		return ErrKeyIsEmpty
	}
	return nil
}

// Put sets a key to a value.
func (d *DB) Put(key, value []byte) error {
	if err := check(key); err != nil {
		return err
	}
	return d.db.Set(always, string(key), value)
}

// PutWithTTL is Put for a key that goes after ttl.
func (d *DB) PutWithTTL(key, value []byte, ttl time.Duration) error {
	if err := check(key); err != nil {
		return err
	}
	return d.db.Set(always, string(key), value, actors.For(ttl))
}

// Get is a key's value, or ErrKeyNotFound.
func (d *DB) Get(key []byte) ([]byte, error) {
	if err := check(key); err != nil {
		return nil, err
	}
	return d.db.Get(always, string(key))
}

// Delete removes a key. One that is missing is no error.
func (d *DB) Delete(key []byte) error {
	if err := check(key); err != nil {
		return err
	}
	_, err := d.db.Del(always, string(key))
	return err
}

// Exist reports whether there is such a key.
func (d *DB) Exist(key []byte) (bool, error) {
	if err := check(key); err != nil {
		return false, err
	}
	n, err := d.db.Exists(always, string(key))
	return n > 0, err
}

// Expire makes a key go after ttl. A missing key is ErrKeyNotFound.
func (d *DB) Expire(key []byte, ttl time.Duration) error {
	if err := check(key); err != nil {
		return err
	}
	return found(d.db.Expire(always, string(key), ttl))
}

// TTL is how long a key has to live; -1 is for ever.
func (d *DB) TTL(key []byte) (time.Duration, error) {
	if err := check(key); err != nil {
		return -1, err
	}
	return d.db.TTL(always, string(key))
}

// Persist takes a key's time to live away. A missing key is ErrKeyNotFound.
func (d *DB) Persist(key []byte) error {
	if _, err := d.TTL(key); err != nil {
		return err
	}
	_, err := d.db.Persist(always, string(key))
	return err
}

// found turns what was not found into ErrKeyNotFound.
func found(yes bool, err error) error {
	if err == nil && !yes {
		return ErrKeyNotFound
	}
	return err
}
