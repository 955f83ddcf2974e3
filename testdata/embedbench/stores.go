package main

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"
	"github.com/dgraph-io/badger/v4"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/journal"
)

// troupe records every change in its journal, as the others do in their logs; or
// nothing.
type troupe struct{ *actors.DB }

func openTroupe(dir string) (store, error) {
	return openOptions(actors.Options{Dir: dir, Storage: actors.Storage{Journal: true, Policy: journal.No}})
}

func openTroupeInMemory(string) (store, error) { return openOptions(actors.Options{}) }

func openOptions(o actors.Options) (store, error) {
	db, err := actors.Open(o)
	return troupe{db}, err
}

func (t troupe) Put(key, value []byte) error {
	return t.DB.Set(context.Background(), string(key), value)
}

func (t troupe) Get(key []byte) ([]byte, error) { return t.DB.Get(context.Background(), string(key)) }

type badgerStore struct{ *badger.DB }

func openBadger(dir string) (store, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(false).WithLoggingLevel(badger.ERROR))
	return badgerStore{db}, err
}

func (b badgerStore) Put(key, value []byte) error {
	return b.DB.Update(func(tx *badger.Txn) error { return tx.Set(bytes.Clone(key), value) })
}

func (b badgerStore) Get(key []byte) (value []byte, err error) {
	err = b.DB.View(func(tx *badger.Txn) error {
		item, err := tx.Get(key)
		if err == nil {
			value, err = item.ValueCopy(nil)
		}
		return err
	})
	return value, err
}

type pebbleStore struct{ *pebble.DB }

func openPebble(dir string) (store, error) {
	cache := pebble.NewCache(256 << 20) // as badger has; the default is 8 MB
	defer cache.Unref()
	db, err := pebble.Open(dir, &pebble.Options{Logger: silent{}, Cache: cache})
	return pebbleStore{db}, err
}

func (p pebbleStore) Put(key, value []byte) error { return p.DB.Set(key, value, pebble.NoSync) }

func (p pebbleStore) Get(key []byte) ([]byte, error) {
	value, closer, err := p.DB.Get(key)
	if err != nil {
		return nil, err
	}
	value = bytes.Clone(value)
	return value, closer.Close()
}

// silent keeps Pebble's notes out of the result.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(format)
}
