package actors

import "context"

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

// XRange is the entries from one ID to another, both included, at most count if
// that is not 0; "-" is before and "+" behind all. XRevRange is the same from
// the last down.
func (db *DB) XRange(ctx context.Context, key, from, to string, count int64) ([]Entry, error) {
	return db.ask(ctx, kXRange).text(key).text(from).text(to).atMost(count).asEntries()
}

// XRevRange: see XRange. from is the higher ID.
func (db *DB) XRevRange(ctx context.Context, key, from, to string, count int64) ([]Entry, error) {
	return db.ask(ctx, kXRevRange).text(key).text(from).text(to).atMost(count).asEntries()
}

func (t typed) atMost(count int64) typed {
	if count > 0 {
		return t.text("COUNT").int(count)
	}
	return t
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
