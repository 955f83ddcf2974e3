package actors

import "context"

// SAdd adds members to a set and returns how many are new.
func (db *DB) SAdd(ctx context.Context, key string, members ...string) (int64, error) {
	return db.ask(ctx, kSAdd).text(key).texts(members).asInt()
}

// SRem removes members and returns how many there were.
func (db *DB) SRem(ctx context.Context, key string, members ...string) (int64, error) {
	return db.ask(ctx, kSRem).text(key).texts(members).asInt()
}

// SMembers is all members, in no order.
func (db *DB) SMembers(ctx context.Context, key string) ([]string, error) {
	return db.ask(ctx, kSMembers).text(key).asTexts()
}

// SIsMember reports whether a set has the member.
func (db *DB) SIsMember(ctx context.Context, key, member string) (bool, error) {
	return db.ask(ctx, kSIsMember).text(key).text(member).asBool()
}

// SCard is the number of members.
func (db *DB) SCard(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kSCard).text(key).asInt()
}

// SPop takes a member that chance chooses. An empty set is ErrNotFound.
func (db *DB) SPop(ctx context.Context, key string) (string, error) {
	return db.ask(ctx, kSPop).text(key).asText()
}

// SInter is the members that all sets have, SUnion those that any has, and SDiff
// those of the first that no other has.
func (db *DB) SInter(ctx context.Context, keys ...string) ([]string, error) {
	return db.ask(ctx, kSInter).texts(keys).asTexts()
}

// SUnion: see SInter.
func (db *DB) SUnion(ctx context.Context, keys ...string) ([]string, error) {
	return db.ask(ctx, kSUnion).texts(keys).asTexts()
}

// SDiff: see SInter.
func (db *DB) SDiff(ctx context.Context, keys ...string) ([]string, error) {
	return db.ask(ctx, kSDiff).texts(keys).asTexts()
}
