package actors

import (
	"context"
	"time"
)

// Del removes keys and returns how many there were.
func (db *DB) Del(ctx context.Context, keys ...string) (int64, error) {
	return db.ask(ctx, kDel).texts(keys).asInt()
}

// Exists is how many of the keys are there.
func (db *DB) Exists(ctx context.Context, keys ...string) (int64, error) {
	return db.ask(ctx, kExists).texts(keys).asInt()
}

// Expire makes a key go after d, counted in milliseconds, and reports whether
// there is such a key.
func (db *DB) Expire(ctx context.Context, key string, d time.Duration) (bool, error) {
	return db.ask(ctx, kPExpire).text(key).int(d.Milliseconds()).asBool()
}

// ExpireAt makes a key go at t, and reports whether there is such a key.
func (db *DB) ExpireAt(ctx context.Context, key string, t time.Time) (bool, error) {
	return db.ask(ctx, kPExpireAt).text(key).int(t.UnixMilli()).asBool()
}

// Persist takes a key's time to live away, and reports whether it had one.
func (db *DB) Persist(ctx context.Context, key string) (bool, error) {
	return db.ask(ctx, kPersist).text(key).asBool()
}

// Forever is the time to live of a key that does not go by itself.
const Forever time.Duration = -1

// TTL is how long a key has to live, or Forever. A missing key is ErrNotFound.
func (db *DB) TTL(ctx context.Context, key string) (time.Duration, error) {
	ms, err := db.ask(ctx, kPTTL).text(key).asInt()
	switch {
	case err != nil:
		return 0, err
	case ms == -2:
		return 0, ErrNotFound
	case ms == -1:
		return Forever, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// Type is "string", "list", "hash", "set", "zset" or "stream"; "none" of a
// missing key.
func (db *DB) Type(ctx context.Context, key string) (string, error) {
	return db.ask(ctx, kType).text(key).asText()
}

// Rename gives a key another name, and replaces what had it.
func (db *DB) Rename(ctx context.Context, from, to string) error {
	return db.ask(ctx, kRename).text(from).text(to).asNothing()
}
