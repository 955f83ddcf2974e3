package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchKeys is how many keys the benchmarks use: few, so that what is measured is
// the way to them; `dev bench embed` has many.
const benchKeys = 10_000

func benchDB(b *testing.B) (db *DB, keys []string) {
	b.Helper()
	db, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	value := make([]byte, 128)
	for i := range benchKeys {
		keys = append(keys, fmt.Sprintf("key:%012d", i))
		if err := db.Set(context.Background(), keys[i], value); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	return db, keys
}

// benchParallel runs do on one goroutine a core.
func benchParallel(b *testing.B, do func(db *DB, key string) error) {
	db, keys := benchDB(b)
	b.RunParallel(func(pb *testing.PB) {
		for r := rand.New(rand.NewPCG(1, rand.Uint64())); pb.Next(); {
			if err := do(db, keys[r.IntN(benchKeys)]); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

var background = context.Background()

func BenchmarkGet(b *testing.B) {
	benchParallel(b, func(db *DB, key string) error {
		_, err := db.Get(background, key)
		return err
	})
}

func BenchmarkSet(b *testing.B) {
	value := make([]byte, 128)
	benchParallel(b, func(db *DB, key string) error { return db.Set(background, key, value) })
}

func BenchmarkIncr(b *testing.B) {
	benchParallel(b, func(db *DB, key string) error {
		_, err := db.Incr(background, "n"+key)
		return err
	})
}

func BenchmarkDoGet(b *testing.B) {
	benchParallel(b, func(db *DB, key string) error {
		_, err := db.Do(background, "GET", key)
		return err
	})
}

func BenchmarkHGetAll(b *testing.B) {
	db, _ := benchDB(b)
	if _, err := db.HSet(background, "h", "a", "1", "b", "2", "c", "3", "d", "4"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := db.HGetAll(background, "h"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPipelineSet counts commands, of which a hundred go at once.
func BenchmarkPipelineSet(b *testing.B) {
	db, keys := benchDB(b)
	value := make([]byte, 128)
	p := db.Pipeline()
	for i := range b.N {
		if p.Set(keys[i%benchKeys], value); p.Len() < 100 && i < b.N-1 {
			continue
		}
		if _, err := p.Commit(background); err != nil {
			b.Fatal(err)
		}
		p.Reset()
	}
}

func BenchmarkUpdate(b *testing.B) {
	db, keys := benchDB(b)
	for i := range b.N {
		err := db.Update(background, func(tx *Tx) error {
			value, err := tx.Get(background, keys[i%benchKeys])
			tx.Queue("SET", keys[i%benchKeys], value)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
