package hash

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/troupedb/troupe/keyspace/slab"
)

// threadTime is the processor time that the thread has taken.
func threadTime(t *testing.T) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Skip(err)
	}
	return time.Duration(now.Nano())
}

// slowed reports whether the race detector takes most of the time.
func slowed() bool {
	build, _ := debug.ReadBuildInfo()
	return slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// A hash of four million fields is freed, its table included, and no slice
// takes a millisecond. One in a thousand may be longer, as others use the
// machine's caches and memory too.
func TestFreeTakesNoMillisecond(t *testing.T) {
	if testing.Short() || slowed() {
		t.Skip("a matter of time")
	}
	mem := slab.New()
	defer mem.Close()
	l := newLarge(mem, 7)
	var field []byte
	for i := range 4_000_000 {
		field = strconv.AppendInt(field[:0], int64(i), 10)
		l.set(field, field)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took []time.Duration
	for done := false; !done; {
		start := threadTime(t)
		done = l.Free(mem, 512)
		took = append(took, threadTime(t)-start)
	}
	slices.Sort(took)
	n := len(took)
	t.Logf("%d slices: median %v, 99%% %v, longest %v", n, took[n/2], took[n*99/100], took[n-1])
	if at := n * 999 / 1000; took[at] > time.Millisecond {
		t.Errorf("a slice took %v", took[at])
	}
	if held := mem.Stats().Held; held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}
