package actors

import (
	"cmp"
	"context"
)

// Entry is an entry of a stream.
type Entry struct {
	// ID is "milliseconds-number".
	ID string
	// Fields are the fields and values in turn.
	Fields []string
}

// XAdd adds an entry to a stream, with an ID by the clock, and returns that;
// fields and values are in turn.
func (db *DB) XAdd(ctx context.Context, key string, fieldsAndValues ...string) (id string, err error) {
	return db.ask(ctx, kXAdd).text(key).text("*").texts(fieldsAndValues).asText()
}

// Entries is a part of a stream. The zero value is all of it.
type Entries struct {
	// From and To are its first and last ID, both included; "" is no bound.
	From, To string
	// Count is how many there may be; 0 is all.
	Count int64
	// Reverse goes from the last to the first.
	Reverse bool
}

// XRange is the entries of a part of a stream.
func (db *DB) XRange(ctx context.Context, key string, part Entries) ([]Entry, error) {
	from, to, k := cmp.Or(part.From, "-"), cmp.Or(part.To, "+"), kXRange
	if part.Reverse {
		from, to, k = to, from, kXRevRange
	}
	t := db.ask(ctx, k).text(key).text(from).text(to)
	if part.Count > 0 {
		t = t.text("COUNT").int(part.Count)
	}
	return t.asEntries()
}

func (t typed) asEntries() ([]Entry, error) {
	if t.err == nil {
		t.whole = true
	}
	if err := t.run(); err != nil {
		return nil, err
	}
	reply, err := errOf(t.replies[0])
	t.end()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for id, fields := range reply.Pairs() {
		entries = append(entries, Entry{id.Text(), fields.Strings()})
	}
	return entries, nil
}

// XLen is the number of entries.
func (db *DB) XLen(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kXLen).text(key).asInt()
}

// XDel removes entries and returns how many there were.
func (db *DB) XDel(ctx context.Context, key string, ids ...string) (int64, error) {
	return db.ask(ctx, kXDel).text(key).texts(ids).asInt()
}
