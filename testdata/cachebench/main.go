// Command cachebench measures the hit ratio of ristretto on a trace: a file of
// numbers of keys, four bytes each, little-endian. `dev bench cache` runs it. It is
// a module of its own, so that what Troupe is compared with is nobody's dependency.
//
// Each key of the trace is looked for; one that is missing is set. Only what can be
// read back right after a Set that was answered with true is stored: Wait is called
// first, as Set alone only puts it into a queue. The result is one line of JSON.
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/dgraph-io/ristretto/v2"
)

// figures are what the second half of a trace has come to.
type figures struct {
	Requests int `json:"requests"`
	Hits     int `json:"hits"`
	// Refused are the Sets that were answered with true whose key could not be
	// read back.
	Sets    int `json:"sets"`
	Refused int `json:"refused"`
}

func main() {
	keys := flag.Int64("keys", 100_000, "keys that fit")
	trace := flag.String("trace", "", "file of the trace")
	flag.Parse()
	if err := measure(*keys, *trace); err != nil {
		log.Fatal(err)
	}
}

func measure(keys int64, trace string) error {
	text, err := os.ReadFile(trace)
	if err != nil {
		return err
	}
	cache, err := ristretto.NewCache(&ristretto.Config[uint64, uint32]{
		NumCounters: 10 * keys, MaxCost: keys, BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	defer cache.Close()
	var f figures
	all := len(text) / 4
	for i := range all {
		if i == all/2 {
			f = figures{}
		}
		key := binary.LittleEndian.Uint32(text[4*i:])
		f.Requests++
		if _, found := cache.Get(uint64(key)); found {
			f.Hits++
			continue
		}
		if cache.Set(uint64(key), key, 1) {
			f.Sets++
			cache.Wait()
			if _, found := cache.Get(uint64(key)); !found {
				f.Refused++
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}
