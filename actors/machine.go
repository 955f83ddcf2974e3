package actors

import (
	"cmp"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// MachineMemory is the memory that the process could have, in bytes: the
// machine's, or what its container allows if that is less. 0 if it can't be told.
func MachineMemory() int64 {
	machine, container := systemMemory(), ContainerMemory()
	switch {
	case container == 0:
		return machine
	case machine == 0:
		return container
	}
	return min(machine, container)
}

// systemMemory is the machine's memory in bytes, 0 where it can't be told.
var systemMemory = sync.OnceValue(func() int64 {
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
})

// ContainerMemory is the limit, in bytes, that the process's control group or one
// around it has, if that is less than the machine's memory; else 0.
func ContainerMemory() int64 {
	limit := int64(math.MaxInt64)
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max" // the second version, which has one hierarchy
		if parts[0] != "0" {
			if parts[1] != "memory" {
				continue
			}
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// Within a container the path may be that of the world outside, but
		// the container's own group is the root then.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			limit = min(limit, cmp.Or(readLimit(path.Join(root, dir, file)), math.MaxInt64))
			if dir == "/" {
				break
			}
		}
	}
	if machine := systemMemory(); limit == math.MaxInt64 || machine > 0 && limit >= machine {
		return 0
	}
	return limit
}

// readLimit reads a file with a number of bytes; 0 if there is none or it is "max".
func readLimit(name string) int64 {
	text, _ := os.ReadFile(name)
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// residentMemory is what the system has given the process, in bytes; 0 where it
// can't be told.
func residentMemory() int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
