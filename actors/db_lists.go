package actors

import "context"

// LPush adds elements to the front of a list, one after the other, and RPush to
// its end. They return its length.
func (db *DB) LPush(ctx context.Context, key string, elements ...string) (int64, error) {
	return db.ask(ctx, kLPush).text(key).texts(elements).asInt()
}

// RPush: see LPush.
func (db *DB) RPush(ctx context.Context, key string, elements ...string) (int64, error) {
	return db.ask(ctx, kRPush).text(key).texts(elements).asInt()
}

// LPop takes the first element of a list, and RPop the last. An empty list is
// ErrNotFound.
func (db *DB) LPop(ctx context.Context, key string) (string, error) {
	return db.ask(ctx, kLPop).text(key).asText()
}

// RPop: see LPop.
func (db *DB) RPop(ctx context.Context, key string) (string, error) {
	return db.ask(ctx, kRPop).text(key).asText()
}

// BLPop takes the first element of the first list that has one, and BRPop the
// last, and waits for one until the context ends. It then returns the context's
// error, and has taken nothing. key is the list that the element is from.
func (db *DB) BLPop(ctx context.Context, keys ...string) (key, element string, err error) {
	return db.blockingPop(ctx, kBLPop, keys)
}

// BRPop: see BLPop.
func (db *DB) BRPop(ctx context.Context, keys ...string) (key, element string, err error) {
	return db.blockingPop(ctx, kBRPop, keys)
}

func (db *DB) blockingPop(ctx context.Context, k known, keys []string) (key, element string, err error) {
	list, err := db.ask(ctx, k).texts(keys).int(0).asTexts()
	if err != nil {
		return "", "", err
	}
	if len(list) != 2 {
		return "", "", ErrNotFound // an operator has ended the waiting
	}
	return list[0], list[1], nil
}

// LRange is the elements from one place to another, which is included; -1 is the
// last.
func (db *DB) LRange(ctx context.Context, key string, start, stop int64) ([]string, error) {
	return db.ask(ctx, kLRange).text(key).int(start).int(stop).asTexts()
}

// LIndex is the element at a place. If there is none, it is ErrNotFound.
func (db *DB) LIndex(ctx context.Context, key string, place int64) (string, error) {
	return db.ask(ctx, kLIndex).text(key).int(place).asText()
}

// LLen is the number of elements.
func (db *DB) LLen(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kLLen).text(key).asInt()
}

// LRem removes the first count elements that equal element, the last if count is
// negative, all if it is 0; it returns how many there were.
func (db *DB) LRem(ctx context.Context, key string, count int64, element string) (int64, error) {
	return db.ask(ctx, kLRem).text(key).int(count).text(element).asInt()
}

// LTrim keeps only the elements from one place to another.
func (db *DB) LTrim(ctx context.Context, key string, start, stop int64) error {
	return db.ask(ctx, kLTrim).text(key).int(start).int(stop).asNothing()
}
