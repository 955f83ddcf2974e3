package actors

import (
	"context"
	"time"
)

// SetOption says how Set is to write.
type SetOption struct {
	word string
	n    int64 // its argument
	with bool  // it has one
}

// The options of Set. IfMissing and IfThere make it write only if the key is
// missing, or there; if that does not hold, it returns ErrCondition. KeepTTL
// leaves the key's time to live as it is, which is otherwise taken away.
var (
	IfMissing = SetOption{word: "NX"}
	IfThere   = SetOption{word: "XX"}
	KeepTTL   = SetOption{word: "KEEPTTL"}
)

// For makes the key go after d, which is counted in milliseconds.
func For(d time.Duration) SetOption { return SetOption{"PX", d.Milliseconds(), true} }

// Until makes the key go at t.
func Until(t time.Time) SetOption { return SetOption{"PXAT", t.UnixMilli(), true} }

// Get is the text of a string. A missing key is ErrNotFound.
func (db *DB) Get(ctx context.Context, key string) ([]byte, error) {
	return db.ask(ctx, kGet).text(key).asBytes()
}

// GetText is Get as a Go string.
func (db *DB) GetText(ctx context.Context, key string) (string, error) {
	return db.ask(ctx, kGet).text(key).asText()
}

// Set makes the key a string, whatever it held.
func (db *DB) Set(ctx context.Context, key string, value []byte, options ...SetOption) error {
	return db.ask(ctx, kSet).text(key).bytes(value).options(options).asDone()
}

// SetText is Set for a Go string.
func (db *DB) SetText(ctx context.Context, key, value string, options ...SetOption) error {
	return db.ask(ctx, kSet).text(key).text(value).options(options).asDone()
}

func (t typed) options(options []SetOption) typed {
	for _, o := range options {
		t = t.text(o.word)
		if o.with {
			t = t.int(o.n)
		}
	}
	return t
}

// MGet is the texts of strings, nil for a key that is missing or no string.
func (db *DB) MGet(ctx context.Context, keys ...string) ([][]byte, error) {
	return db.ask(ctx, kMGet).texts(keys).asSlices()
}

// MSet makes keys strings, all at one moment; keys and values are in turn.
func (db *DB) MSet(ctx context.Context, keysAndValues ...string) error {
	return db.ask(ctx, kMSet).texts(keysAndValues).asNothing()
}

// Incr adds 1 to a number and returns it; a missing key counts as 0.
func (db *DB) Incr(ctx context.Context, key string) (int64, error) { return db.IncrBy(ctx, key, 1) }

// Decr takes 1 from a number and returns it.
func (db *DB) Decr(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kDecrBy).text(key).int(1).asInt()
}

// IncrBy adds n to a number and returns it.
func (db *DB) IncrBy(ctx context.Context, key string, n int64) (int64, error) {
	return db.ask(ctx, kIncrBy).text(key).int(n).asInt()
}

// IncrByFloat adds f to a number, which may have a fraction, and returns it.
func (db *DB) IncrByFloat(ctx context.Context, key string, f float64) (float64, error) {
	return db.ask(ctx, kIncrByFloat).text(key).float(f).asFloat()
}

// Append adds to the end of a string and returns its length.
func (db *DB) Append(ctx context.Context, key, value string) (int64, error) {
	return db.ask(ctx, kAppend).text(key).text(value).asInt()
}

// StrLen is the length of a string in bytes, 0 of a missing key.
func (db *DB) StrLen(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kStrLen).text(key).asInt()
}
