package rosedb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/rosedb"
)

func open(t *testing.T) *rosedb.DB {
	t.Helper()
	db, err := rosedb.Open(rosedb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestKeysAndValues(t *testing.T) {
	t.Parallel()
	db := open(t)
	key := []byte("k")
	ok(t, db.PutWithTTL(key, []byte("v"), time.Hour))
	ttl, err := db.TTL(key)
	there, err2 := db.Exist(key)
	ok(t, err, err2, db.Persist(key))
	if forever, err := db.TTL(key); ttl < 59*time.Minute || !there || forever != -1 || err != nil {
		t.Errorf("%v, %v, %v, %v", ttl, there, forever, err)
	}
	ok(t, db.Delete(key), db.Delete(key))
	f := func(want, got error) {
		t.Helper()
		if got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	_, err = db.Get(key)
	f(rosedb.ErrKeyNotFound, err)
	f(rosedb.ErrKeyNotFound, db.Expire(key, time.Hour))
	f(rosedb.ErrKeyNotFound, db.Persist(key))
	f(rosedb.ErrKeyIsEmpty, db.Put(nil, nil))
	if _, err := rosedb.Open(rosedb.Options{IndexMode: rosedb.KeyOnlyMemMode}); err != rosedb.ErrKeyOnlyMemMode {
		t.Error(err)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, key := range strings.Fields("d a c e b") {
		ok(t, db.Put([]byte(key), []byte("v"+key)))
	}
	var got []string
	both := func(key, value []byte) (bool, error) {
		got = append(got, string(key))
		if string(value) != "v"+string(key) {
			t.Errorf("%s has %s", key, value)
		}
		return true, nil
	}
	keys := func(key []byte) (bool, error) {
		got = append(got, string(key))
		return true, nil
	}
	f := func(want string, err error) {
		t.Helper()
		if all := strings.Join(got, ""); all != want || err != nil {
			t.Errorf("%s, %v, want %s", all, err, want)
		}
		got = nil
	}
	b, d := []byte("b"), []byte("d")
	f("abcde", db.Ascend(both))
	f("edcba", db.Descend(both))
	f("bc", db.AscendRange(b, d, both))
	f("dc", db.DescendRange(d, b, both))
	f("bcde", db.AscendGreaterOrEqual(b, both))
	f("ba", db.DescendLessOrEqual(b, both))
	f("ace", db.AscendKeys([]byte("[ace]"), true, keys))
	f("edcba", db.DescendKeys(nil, false, keys))
	f("bc", db.AscendKeysRange(b, d, nil, keys))
	f("dc", db.DescendKeysRange(d, b, nil, keys))
	f("a", db.Ascend(func(key, value []byte) (bool, error) {
		_, err := both(key, value)
		return false, err
	}))
}

func TestBatch(t *testing.T) {
	t.Parallel()
	db := open(t)
	ok(t, db.Put([]byte("old"), []byte("1")))
	b := db.NewBatch(rosedb.DefaultBatchOptions)
	ok(t, b.Put([]byte("new"), []byte("2")), b.Delete([]byte("old")), b.PutWithTTL([]byte("t"), nil, time.Hour), b.Persist([]byte("t")))
	if value, err := b.Get([]byte("new")); string(value) != "2" || err != nil {
		t.Errorf("%q, %v", value, err)
	}
	if there, err := b.Exist([]byte("old")); there || err != nil {
		t.Errorf("%v, %v", there, err)
	}
	if there, _ := db.Exist([]byte("new")); there {
		t.Error("it is written before the commit")
	}
	ok(t, b.Commit())
	if ttl, err := db.TTL([]byte("t")); ttl != -1 || err != nil || db.StrExists([]byte("old")) || !db.StrExists([]byte("new")) {
		t.Errorf("after the commit: %v, %v", ttl, err)
	}
	if b.Commit() != rosedb.ErrBatchCommitted || b.Put([]byte("k"), nil) != rosedb.ErrBatchCommitted {
		t.Error("a batch is committed twice")
	}
	b = db.NewBatch(rosedb.BatchOptions{ReadOnly: true})
	if b.Put([]byte("k"), nil) != rosedb.ErrReadOnlyBatch || b.Rollback() != nil || b.Commit() != rosedb.ErrBatchRollbacked {
		t.Error("a batch that only reads")
	}
}

func TestStructures(t *testing.T) {
	t.Parallel()
	db := open(t)
	k := []byte("k")
	first, err := db.SetNx(k, []byte("1"))
	second, err2 := db.SetNx(k, []byte("2"))
	old, err3 := db.GetSet(k, []byte("3"))
	ok(t, err, err2, err3, db.Remove(k))
	if !first || second || string(old) != "1" || db.StrExists(k) {
		t.Errorf("%v, %v, %s", first, second, old)
	}
	for i := range 5 {
		ok(t, db.Set(fmt.Appendf(nil, "p%d", i), fmt.Appendf(nil, "%d", i)), db.ZAdd([]byte("z"), float64(i), fmt.Appendf(nil, "m%d", i)))
	}
	f := func(want string, got any, err error) {
		t.Helper()
		if text := fmt.Sprintf("%s", got); text != want || err != nil {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
	values, err := db.PrefixScan("p", 2, 1)
	f("[1 2]", values, err)
	values, err = db.PrefixScan("p", -1, 3)
	f("[3 4]", values, err)
	values, err = db.RangeScan([]byte("p1"), []byte("p3"))
	f("[1 2 3]", values, err)
	members, err := db.ZGetByRank([]byte("z"), 1)
	if !slices.Equal(members, []rosedb.Element{{Member: "m1", Score: 1}}) || err != nil {
		t.Errorf("%v, %v", members, err)
	}
	members, err = db.ZRevGetByRank([]byte("z"), 0)
	if !slices.Equal(members, []rosedb.Element{{Member: "m4", Score: 4}}) || err != nil {
		t.Errorf("%v, %v", members, err)
	}
	members, err = db.ZScoreRange([]byte("z"), 2, 3)
	down, err2 := db.ZRevScoreRange([]byte("z"), 3, 2)
	slices.Reverse(down)
	if ok(t, err, err2); !slices.Equal(members, down) || len(members) != 2 {
		t.Errorf("%v, %v", members, down)
	}
	_, err = db.HSet([]byte("h"), []byte("f"), []byte("v"))
	all, err2 := db.HGetAll([]byte("h"))
	ok(t, err, err2)
	f("[f v]", all, nil)
	_, err = db.RPush([]byte("l"), []byte("a"), []byte("b"))
	list, err2 := db.LRange([]byte("l"), 0, -1)
	ok(t, err, err2)
	f("[a b]", list, nil)
	there, score, err := db.ZScore([]byte("z"), []byte("none"))
	if there || score != 0 || err != nil {
		t.Errorf("%v, %v, %v", there, score, err)
	}
}
