//go:build failpoint

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// failpointVariable ends the process in the middle of its work on the disk, in a
// build for tests: `write journal- 3` before the third write to a file with that
// in its name, `half journal- 3` within it.
const failpointVariable = "FAILPOINT"

func init() {
	given := os.Getenv(failpointVariable)
	if given == "" {
		return
	}
	var what, name string
	var n int
	if _, err := fmt.Sscan(given, &what, &name, &n); err != nil {
		panic(failpointVariable + ": " + err.Error())
	}
	at, half := faultfs.Op(what), what == "half"
	if half {
		at = faultfs.Write
	}
	reached := faultfs.Nth(n, faultfs.Halved(die), func(c faultfs.Call) bool { return c.Op == at && strings.Contains(c.Name, name) })
	disk = faultfs.Trap(journal.Disk, func(c faultfs.Call) error {
		err := reached(c)
		if err != nil && !half {
			die()
		}
		return err
	})
}

// die is kill -9.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
