// Command embedbench measures one embedded store: it puts keys, then gets them.
// `dev bench embed` runs it, once for each store, in a process of its own. It is a
// module of its own, so that the stores which Troupe is compared with are nobody's
// dependencies.
//
// The result is one line of JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// store is what is measured. Put and Get are called by several goroutines at once;
// what Get returns is the caller's.
type store interface {
	Put(key, value []byte) error
	Get(key []byte) ([]byte, error)
	Close() error
}

// stores are the ways to open one, fsync off, by name. dir is an empty folder.
var stores = map[string]func(dir string) (store, error){
	"troupe": openTroupe, "troupe, memory": openTroupeInMemory, "badger": openBadger, "pebble": openPebble,
}

// figures are what a phase has come to.
type figures struct {
	Rate   float64 `json:"ops_per_second"`
	Nanos  float64 `json:"ns_per_op"` // of one goroutine
	Bytes  float64 `json:"bytes_per_op"`
	Allocs float64 `json:"allocs_per_op"`
	CPU    float64 `json:"cpu_ns_per_op"` // of the process, work in the background included
}

func main() {
	name := flag.String("store", "troupe", "what is measured")
	keys := flag.Int("keys", 1_000_000, "keys of 16 bytes")
	size := flag.Int("value", 128, "bytes of a value")
	goroutines := flag.Int("goroutines", 1, "goroutines that put and get")
	flag.Parse()
	if err := measure(*name, *keys, *size, *goroutines); err != nil {
		log.Fatalf("%s: %v", *name, err)
	}
}

func measure(name string, keys, size, goroutines int) error {
	open := stores[name]
	if open == nil {
		return fmt.Errorf("there is no such store")
	}
	dir, err := os.MkdirTemp("", "embedbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := open(dir)
	if err != nil {
		return err
	}
	b := &bench{store: s, value: make([]byte, size), goroutines: goroutines, order: rand.New(rand.NewPCG(1, 2)).Perm(keys)}
	fill(b.value)
	put, err := b.phase(b.put)
	if err != nil {
		return err
	}
	get, err := b.phase(b.get)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]figures{"put": put, "get": get})
}

// fill makes a value that does not compress to nothing.
func fill(value []byte) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range value {
		value[i] = byte(r.Uint32())
	}
}

type bench struct {
	store      store
	value      []byte
	goroutines int
	order      []int // in which the keys are put and got
}

// phase does each key once, and measures that.
func (b *bench) phase(do func(key []byte) error) (f figures, err error) {
	var group sync.WaitGroup
	errs := make([]error, b.goroutines)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin, used := time.Now(), cpuTime()
	for g := range b.goroutines {
		group.Go(func() { errs[g] = b.share(g, do) })
	}
	group.Wait()
	took, spent := time.Since(begin), cpuTime()-used
	runtime.ReadMemStats(&after)
	for _, err := range errs {
		if err != nil {
			return f, err
		}
	}
	n := float64(len(b.order))
	return figures{
		Rate: n / took.Seconds(), Nanos: float64(took.Nanoseconds()) * float64(b.goroutines) / n,
		Bytes: float64(after.TotalAlloc-before.TotalAlloc) / n, Allocs: float64(after.Mallocs-before.Mallocs) / n,
		CPU: float64(spent.Nanoseconds()) / n,
	}, nil
}

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// share does one goroutine's part of the keys.
func (b *bench) share(g int, do func(key []byte) error) error {
	key := make([]byte, 0, 16)
	for i := g; i < len(b.order); i += b.goroutines {
		key = appendKey(key[:0], b.order[i])
		if err := do(key); err != nil {
			return err
		}
	}
	return nil
}

// appendKey appends a key of 16 bytes.
func appendKey(dst []byte, n int) []byte {
	dst = append(dst, "key:000000000000"...)
	for at := len(dst) - 1; n > 0; at-- {
		dst[at] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

func (b *bench) put(key []byte) error { return b.store.Put(key, b.value) }

func (b *bench) get(key []byte) error {
	value, err := b.store.Get(key)
	if err == nil && len(value) != len(b.value) {
		err = fmt.Errorf("%s holds %d bytes", key, len(value))
	}
	return err
}
