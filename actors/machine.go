package actors

import (
	"cmp"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// machine is where the process runs, as the kernel's files tell of it; root is the
// folder that these are in, "/" but for tests.
type machine struct{ root string }

var thisMachine = machine{"/"}

// MachineMemory is the memory that the process could have, in bytes: the
// machine's, or what its container allows if that is less. 0 if it can't be told.
func MachineMemory() int64 {
	whole, container := systemMemory(), ContainerMemory()
	switch {
	case container == 0:
		return whole
	case whole == 0:
		return container
	}
	return min(whole, container)
}

// ContainerMemory is the limit, in bytes, that the process's control group or one
// around it has, if that is less than the machine's memory; else 0.
func ContainerMemory() int64 { return thisMachine.limitBelow(systemMemory()) }

// systemMemory is the machine's memory in bytes, 0 where it can't be told.
var systemMemory = sync.OnceValue(thisMachine.memory)

func (m machine) memory() int64 {
	for line := range strings.Lines(m.read("proc/meminfo")) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// limitBelow is the limit of the process's control groups, 0 if there is none below
// what the whole machine has; 0 as that: it can't be told.
func (m machine) limitBelow(whole int64) int64 {
	limit := int64(math.MaxInt64)
	m.groups("memory", func(dir string, first bool) {
		file := "memory.max"
		if first {
			file = "memory.limit_in_bytes"
		}
		limit = min(limit, cmp.Or(m.number(path.Join(dir, file)), math.MaxInt64))
	})
	if limit == math.MaxInt64 || whole > 0 && limit >= whole {
		return 0
	}
	return limit
}

// groups visits the folders of the process's control groups and of those around them
// that may limit what a controller controls; first says that it is of the first version,
// where each controller has a hierarchy, and not of the second, which has one.
func (m machine) groups(controller string, visit func(dir string, first bool)) {
	for line := range strings.Lines(m.read("proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, first := "sys/fs/cgroup", parts[0] != "0"
		if first {
			if !slices.Contains(strings.Split(parts[1], ","), controller) {
				continue
			}
			root = path.Join(root, controller)
		}
		// Within a container the path may be that of the world outside, but
		// the container's own group is the root then.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			visit(path.Join(root, dir), first)
			if dir == "/" {
				break
			}
		}
	}
}

// cores is how many cores' time the process may use: GOMAXPROCS, or less if its
// control groups allow less. Go heeds their limit too, but has two threads run at
// least, as its collector is better off so; event loops and shards are not.
func cores() int {
	threads := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" { // somebody has said it
		return threads
	}
	return thisMachine.coresBelow(threads)
}

// coresBelow is how many cores' time the process's control groups allow, rounded up;
// most if they don't allow less.
func (m machine) coresBelow(most int) int {
	m.groups("cpu", func(dir string, first bool) {
		quota, period := m.number(path.Join(dir, "cpu.cfs_quota_us")), m.number(path.Join(dir, "cpu.cfs_period_us"))
		if words := strings.Fields(m.read(path.Join(dir, "cpu.max"))); !first && len(words) == 2 {
			quota, _ = strconv.ParseInt(words[0], 10, 64) // "max" is no limit
			period, _ = strconv.ParseInt(words[1], 10, 64)
		}
		if quota > 0 && period > 0 {
			most = int(min(int64(most), (quota+period-1)/period))
		}
	})
	return most
}

// number reads a file with a number; 0 if there is none or it is "max".
func (m machine) number(name string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(m.read(name)), 10, 64)
	return n
}

func (m machine) read(name string) string {
	text, _ := os.ReadFile(path.Join(m.root, name)) // what is not there can't be told
	return string(text)
}

// residentMemory is what the system has given the process, in bytes; 0 where it
// can't be told.
func residentMemory() int64 {
	fields := strings.Fields(thisMachine.read("proc/self/statm"))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
