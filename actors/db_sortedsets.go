package actors

import (
	"context"
	"slices"
)

// Member is a member of a sorted set, with its score.
type Member struct {
	Member string
	Score  float64
}

// ZAdd adds members to a sorted set, or changes their scores, and returns how
// many are new.
func (db *DB) ZAdd(ctx context.Context, key string, members ...Member) (int64, error) {
	t := db.ask(ctx, kZAdd).text(key)
	for _, m := range members {
		t = t.float(m.Score).text(m.Member)
	}
	return t.asInt()
}

// ZIncrBy adds to a member's score and returns it.
func (db *DB) ZIncrBy(ctx context.Context, key string, by float64, member string) (float64, error) {
	return db.ask(ctx, kZIncrBy).text(key).float(by).text(member).asFloat()
}

// ZRange is the members from one rank to another, which is included; -1 is the
// last. Those of equal score are in the order of their bytes.
func (db *DB) ZRange(ctx context.Context, key string, start, stop int64) ([]string, error) {
	return db.ask(ctx, kZRange).text(key).int(start).int(stop).asTexts()
}

// ZRevRange is ZRange from the highest score down.
func (db *DB) ZRevRange(ctx context.Context, key string, start, stop int64) ([]string, error) {
	return db.ask(ctx, kZRange).text(key).int(start).int(stop).text("REV").asTexts()
}

// ZRangeWithScores is ZRange with the scores, and ZRevRangeWithScores ZRevRange.
func (db *DB) ZRangeWithScores(ctx context.Context, key string, start, stop int64) ([]Member, error) {
	return db.ask(ctx, kZRange).text(key).int(start).int(stop).text("WITHSCORES").asMembers()
}

// ZRevRangeWithScores: see ZRangeWithScores.
func (db *DB) ZRevRangeWithScores(ctx context.Context, key string, start, stop int64) ([]Member, error) {
	return db.ask(ctx, kZRange).text(key).int(start).int(stop).text("REV").text("WITHSCORES").asMembers()
}

// ZRangeByScore is the members with scores from low to high, both included, with
// their scores.
func (db *DB) ZRangeByScore(ctx context.Context, key string, low, high float64) ([]Member, error) {
	return db.ask(ctx, kZRange).text(key).float(low).float(high).text("BYSCORE").text("WITHSCORES").asMembers()
}

// ZScore is a member's score. A missing member is ErrNotFound.
func (db *DB) ZScore(ctx context.Context, key, member string) (float64, error) {
	return db.ask(ctx, kZScore).text(key).text(member).asFloat()
}

// ZRank is a member's place from the lowest score up, from 0, and ZRevRank that
// from the highest down. A missing member is ErrNotFound.
func (db *DB) ZRank(ctx context.Context, key, member string) (int64, error) {
	return db.ask(ctx, kZRank).text(key).text(member).asInt()
}

// ZRevRank: see ZRank.
func (db *DB) ZRevRank(ctx context.Context, key, member string) (int64, error) {
	return db.ask(ctx, kZRevRank).text(key).text(member).asInt()
}

// ZRem removes members and returns how many there were.
func (db *DB) ZRem(ctx context.Context, key string, members ...string) (int64, error) {
	return db.ask(ctx, kZRem).text(key).texts(members).asInt()
}

// ZCard is the number of members.
func (db *DB) ZCard(ctx context.Context, key string) (int64, error) {
	return db.ask(ctx, kZCard).text(key).asInt()
}

// ZCount is the number of members with scores from low to high, both included.
func (db *DB) ZCount(ctx context.Context, key string, low, high float64) (int64, error) {
	return db.ask(ctx, kZCount).text(key).float(low).float(high).asInt()
}

// ZPopMin takes the members of the lowest scores, at most so many.
func (db *DB) ZPopMin(ctx context.Context, key string, count int64) ([]Member, error) {
	return db.ask(ctx, kZPopMin).text(key).int(count).asMembers()
}

func (t typed) asMembers() ([]Member, error) {
	if err := t.run(); err != nil {
		return nil, err
	}
	scores := slices.Clone(t.floats)
	names := t.strings()
	t.end()
	members := make([]Member, min(len(names), len(scores)))
	for i := range members {
		members[i] = Member{names[i], scores[i]}
	}
	return members, nil
}
