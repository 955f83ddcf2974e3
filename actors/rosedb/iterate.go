package rosedb

import (
	"fmt"
	"regexp"

	"github.com/troupedb/troupe/actors"
)

// Handle is called for each key with its value, in order, until it returns false
// or an error.
type Handle = func(key, value []byte) (more bool, err error)

// HandleKey is the same for keys alone.
type HandleKey = func(key []byte) (more bool, err error)

// Ascend goes through all keys from the first to the last. As in rosedb an error
// ends it; that of reading is returned, which rosedb's has not.
func (d *DB) Ascend(handle Handle) error { return d.each(actors.Range{}, handle) }

// AscendRange goes through the keys from start up to, and without, end.
func (d *DB) AscendRange(start, end []byte, handle Handle) error {
	return d.each(actors.Range{From: string(start), To: string(end)}, handle)
}

// AscendGreaterOrEqual goes through the keys from key on.
func (d *DB) AscendGreaterOrEqual(key []byte, handle Handle) error {
	return d.each(actors.Range{From: string(key)}, handle)
}

// Descend goes through all keys from the last to the first.
func (d *DB) Descend(handle Handle) error { return d.each(actors.Range{Reverse: true}, handle) }

// DescendRange goes through the keys from start down to, and without, end.
func (d *DB) DescendRange(start, end []byte, handle Handle) error {
	return d.each(actors.Range{From: behind(end), To: behind(start), Reverse: true}, handle)
}

// DescendLessOrEqual goes through the keys from key down.
func (d *DB) DescendLessOrEqual(key []byte, handle Handle) error {
	return d.each(actors.Range{To: behind(key), Reverse: true}, handle)
}

// behind is the key next to key.
func behind(key []byte) string { return string(key) + "\x00" }

// AscendKeys goes through the keys that match a regular expression, or all if it
// is empty. Keys past their time are never shown, whatever filterExpired says.
func (d *DB) AscendKeys(pattern []byte, filterExpired bool, handle HandleKey) error {
	return d.eachKey(actors.Range{}, pattern, handle)
}

// AscendKeysRange is AscendKeys from start up to, and without, end.
func (d *DB) AscendKeysRange(start, end, pattern []byte, handle HandleKey) error {
	return d.eachKey(actors.Range{From: string(start), To: string(end)}, pattern, handle)
}

// DescendKeys is AscendKeys from the last key to the first.
func (d *DB) DescendKeys(pattern []byte, filterExpired bool, handle HandleKey) error {
	return d.eachKey(actors.Range{Reverse: true}, pattern, handle)
}

// DescendKeysRange is DescendKeys from start down to, and without, end.
func (d *DB) DescendKeysRange(start, end, pattern []byte, handle HandleKey) error {
	return d.eachKey(actors.Range{From: behind(end), To: behind(start), Reverse: true}, pattern, handle)
}

func (d *DB) each(r actors.Range, handle Handle) error {
	for kv, err := range d.db.Scan(always, r) {
		if err != nil {
			return err
		}
		if more, err := handle([]byte(kv.Key), kv.Value); !more || err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) eachKey(r actors.Range, pattern []byte, handle HandleKey) error {
	expression, err := regexp.Compile(string(pattern))
	if err != nil {
		return fmt.Errorf("the pattern of keys: %w", err)
	}
	r.KeysOnly = true
	return d.each(r, func(key, _ []byte) (more bool, err error) {
		if !expression.Match(key) {
			return true, nil
		}
		return handle(key)
	})
}
