package actors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Who waits for one reply before sending the next command finds after a crash all
// up to some command, and nothing behind it, whatever shards the keys are of. (What
// is sent in one go for several shards may be recorded in another order.)
func TestCrashKeepsThoseBefore(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(drawDurableSeed(t), 1))
	for range 6 {
		disk := newDisk(t, rng.Uint64())
		db := keep(t, disk, "shards", "4", "appendfsync", "everysec")
		n := 200 + rng.IntN(2000)
		for i := range n {
			db.do("SET", fmt.Sprint("key:", i), "v")
		}
		disk = disk.Kill() // what has not been written yet is gone
		again := keep(t, disk)
		kept := 0
		for kept < n && again.do("EXISTS", fmt.Sprint("key:", kept)).Int() == 1 {
			kept++
		}
		again.want(fmt.Sprint(":", kept), "DBSIZE")
		again.Close()
	}
}
