package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace/tier"
)

// tierCmd measures values on disk beside Pebble alone, in this process: the same keys, values and
// memory, got at random by as many goroutines.
type tierCmd struct {
	Keys       int           `help:"Keys." default:"1000000"`
	Size       int           `help:"Bytes of a value, of which a half can be compressed." default:"1000"`
	Memory     int64         `help:"Bytes of memory: Troupe's bound for slabs and tables, Pebble's cache." default:"200000000"`
	Goroutines int           `help:"Goroutines that get; 0 is eight a CPU." default:"0"`
	Batch      int           `help:"Keys of each MGET; 1 is GET." default:"1"`
	Time       time.Duration `help:"How long a round of each lasts." default:"3s"`
	Rounds     int           `help:"Rounds, alternating; a figure is their median." default:"3"`
	Hot        int           `help:"Keys of the round that asks for hot ones only." default:"1000"`
}

// tierRig is the stores that are compared.
type tierRig struct {
	*tierCmd
	alone *pebble.DB
	cold  *actors.DB // with a tier
	warm  *actors.DB // without one, and only the hot keys
}

// Run measures and prints.
func (c *tierCmd) Run(ctx context.Context) error {
	if c.Keys < 1 || c.Size < 1 || c.Rounds < 1 || c.Batch < 1 || c.Hot < 1 || c.Hot > c.Keys {
		return errors.New("--keys, --size, --rounds, --batch and --hot take numbers from 1, --hot at most --keys")
	}
	if c.Goroutines == 0 {
		c.Goroutines = 8 * runtime.NumCPU()
	}
	dir, err := os.MkdirTemp("", "troupe-tier-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := c.open(dir)
	if err != nil {
		return err
	}
	defer r.close()
	if err := r.load(ctx); err != nil {
		return err
	}
	fmt.Printf("%d CPUs, %s; %d keys of %d bytes in %d MB of memory, %d goroutines, %d keys a get; load average at the start %s.\n",
		runtime.NumCPU(), runtime.Version(), c.Keys, c.Size, c.Memory/1e6, c.Goroutines, c.Batch, loadAverage())
	return r.compare(ctx)
}

func (c *tierCmd) open(dir string) (*tierRig, error) {
	r := &tierRig{tierCmd: c}
	var err error
	r.alone, err = pebble.Open(filepath.Join(dir, "pebble"), &pebble.Options{
		CacheSize: c.Memory, DisableWAL: true, FormatMajorVersion: pebble.FormatNewest, MemTableSize: 16 << 20, Logger: silent{},
	})
	if err == nil {
		r.cold, err = actors.Open(actors.Options{Tier: tier.Config{Dir: filepath.Join(dir, "tier"), CacheBytes: max(c.Memory/32, 4<<20)}})
	}
	if err == nil {
		r.warm, err = actors.Open(actors.Options{})
	}
	if err != nil {
		return nil, err
	}
	r.cold.System().Node.SetLimit(c.Memory)
	return r, nil
}

func (r *tierRig) close() {
	_ = r.warm.Close()
	_ = r.cold.Close()
	_ = r.alone.Close()
}

// load puts all keys into each store.
func (r *tierRig) load(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(1, 1))
	value := make([]byte, r.Size)
	for i := range r.Keys {
		for at := 0; at+8 <= len(value)/2; at += 8 {
			binary.LittleEndian.PutUint64(value[at:], rng.Uint64())
		}
		key := tierKey(i)
		if err := r.cold.Set(ctx, key, value); err != nil {
			return err
		}
		if err := r.alone.Set([]byte(key), value, pebble.NoSync); err != nil {
			return err
		}
		if i < r.Hot {
			if err := r.warm.Set(ctx, key, value); err != nil {
				return err
			}
		}
	}
	return r.alone.Flush()
}

func tierKey(i int) string { return "key:" + strconv.Itoa(i) }

// compare alternates the stores, and prints the medians.
func (r *tierRig) compare(ctx context.Context) error {
	rows := []struct {
		name string
		keys int
		get  func(keys []string) error
	}{
		{"Pebble alone, all keys", r.Keys, r.getAlone},
		{"Troupe with a tier, all keys", r.Keys, func(keys []string) error { return got(ctx, r.cold, keys) }},
		{"Troupe without a tier, hot keys", r.Hot, func(keys []string) error { return got(ctx, r.warm, keys) }},
		{"Troupe with a tier, hot keys", r.Hot, func(keys []string) error { return got(ctx, r.cold, keys) }},
	}
	rates := make([][]float64, len(rows))
	for range r.Rounds {
		for i := range rows {
			rate, err := r.round(rows[i].keys, rows[i].get)
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i := range rows {
		slices.Sort(rates[i])
		rate, base := rates[i][r.Rounds/2], rates[i/2*2][r.Rounds/2]
		fmt.Printf("%-32s %10.0f gets/s  %.2f\n", rows[i].name, rate, rate/base)
	}
	s := r.cold.System().Tier.Status()
	fmt.Printf("On disk: %d MB of values take %d MB; %d values were written, %d read back.\n", s.Written/1e6, s.DiskBytes/1e6, s.Writes, s.Reads)
	return nil
}

// round has goroutines get random keys of the first so many for a while.
func (r *tierRig) round(keys int, get func([]string) error) (rate float64, err error) {
	var group sync.WaitGroup
	counts, errs := make([]int, r.Goroutines), make([]error, r.Goroutines)
	began := time.Now()
	for g := range r.Goroutines {
		group.Go(func() {
			rng, names := rand.New(rand.NewPCG(rand.Uint64(), 0)), make([]string, r.Batch)
			for errs[g] == nil && time.Since(began) < r.Time {
				for i := range names {
					names[i] = tierKey(rng.IntN(keys))
				}
				errs[g] = get(names)
				counts[g] += len(names)
			}
		})
	}
	group.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / time.Since(began).Seconds(), errors.Join(errs...)
}

func (r *tierRig) getAlone(keys []string) error {
	for _, key := range keys {
		value, closer, err := r.alone.Get([]byte(key))
		if err != nil {
			return err
		}
		_ = append([]byte(nil), value...) // as the other gives a copy
		if err := closer.Close(); err != nil {
			return err
		}
	}
	return nil
}

func got(ctx context.Context, db *actors.DB, keys []string) error {
	if len(keys) == 1 {
		_, err := db.Get(ctx, keys[0])
		return err
	}
	_, err := db.MGet(ctx, keys...)
	return err
}

// silent is a log of Pebble's that nobody reads.
type silent struct{}

// Infof implements pebble.Logger.
func (silent) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (silent) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger.
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
