package keyspace

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time that the thread has taken.
func threadTime(t *testing.T) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Skip(err)
	}
	return time.Duration(now.Nano())
}

// Four million keys with deadlines are flushed and swept: no slice takes a
// millisecond. One in a thousand may be longer, as others use the machine's
// caches and memory too.
func TestSweepTakesNoMillisecond(t *testing.T) {
	if testing.Short() || slowed() {
		t.Skip("a matter of time")
	}
	r := newRig(t, 1, 1)
	r.set.Events = false
	r.load(4_000_000, func(tx *Tx, i int, key []byte) {
		tx.PutText(key, []byte("some text"), r.now+int64(i), "set")
	})
	r.flush()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took []time.Duration
	for more := true; more; {
		start := threadTime(t)
		more = r.shards[0].Sweep()
		took = append(took, threadTime(t)-start)
	}
	slices.Sort(took)
	n := len(took)
	t.Logf("%d slices: median %v, 99%% %v, longest %v", n, took[n/2], took[n*99/100], took[n-1])
	if at := n * 999 / 1000; took[at] > time.Millisecond {
		t.Errorf("a slice took %v", took[at])
	}
	r.wantEmpty()
}
