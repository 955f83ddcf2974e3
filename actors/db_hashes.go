package actors

import "context"

// HSet sets fields of a hash and returns how many are new; fields and values are
// in turn.
func (db *DB) HSet(ctx context.Context, key string, fieldsAndValues ...string) (int64, error) {
	return db.ask(ctx, kHSet).text(key).texts(fieldsAndValues).asInt()
}

// HGet is a field's value. A missing field is ErrNotFound.
func (db *DB) HGet(ctx context.Context, key, field string) (string, error) {
	return db.ask(ctx, kHGet).text(key).text(field).asText()
}

// HGetAll is all fields with their values.
func (db *DB) HGetAll(ctx context.Context, key string) (map[string]string, error) {
	return db.ask(ctx, kHGetAll).text(key).asMap()
}

// HDel removes fields and returns how many there were.
func (db *DB) HDel(ctx context.Context, key string, fields ...string) (int64, error) {
	return db.ask(ctx, kHDel).text(key).texts(fields).asInt()
}

// HExists reports whether a hash has the field.
func (db *DB) HExists(ctx context.Context, key, field string) (bool, error) {
	return db.ask(ctx, kHExists).text(key).text(field).asBool()
}

// HIncrBy adds n to a field's number and returns it.
func (db *DB) HIncrBy(ctx context.Context, key, field string, n int64) (int64, error) {
	return db.ask(ctx, kHIncrBy).text(key).text(field).int(n).asInt()
}

// HKeys is the fields, and HVals the values, in no order.
func (db *DB) HKeys(ctx context.Context, key string) ([]string, error) {
	return db.ask(ctx, kHKeys).text(key).asTexts()
}

// HVals: see HKeys.
func (db *DB) HVals(ctx context.Context, key string) ([]string, error) {
	return db.ask(ctx, kHVals).text(key).asTexts()
}

// HLen is the number of fields.
func (db *DB) HLen(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kHLen).text(key).asInt()
}
