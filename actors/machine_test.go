package actors

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// What a process may have is read from the kernel's files, of both versions of
// control groups, seen from outside and from within a container.
func TestMachine(t *testing.T) {
	t.Parallel()
	f := func(memory, limit int64, files map[string]string) {
		t.Helper()
		m := machine{t.TempDir()}
		for name, text := range files {
			path := filepath.Join(m.root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.memory(); got != memory {
			t.Errorf("the machine has %d bytes, want %d", got, memory)
		}
		if got := m.limitBelow(m.memory()); got != limit {
			t.Errorf("%v: the limit is %d, want %d", files, got, limit)
		}
	}
	const info, of = "proc/meminfo", "MemTotal:        2048 kB\nMemFree:  1 kB"
	const group, unit = "proc/self/cgroup", "sys/fs/cgroup/system.slice/troupe.service/memory.max"
	f(0, 0, nil)
	f(2<<20, 0, map[string]string{info: of})
	f(2<<20, 0, map[string]string{info: of, group: "0::/"})
	f(2<<20, 0, map[string]string{info: of, group: "0::/", "sys/fs/cgroup/memory.max": "max"})
	f(2<<20, 1000, map[string]string{info: of, group: "0::/", "sys/fs/cgroup/memory.max": "1000"})
	f(2<<20, 0, map[string]string{info: of, group: "0::/", "sys/fs/cgroup/memory.max": "4194304"})
	f(0, 4<<20, map[string]string{group: "0::/", "sys/fs/cgroup/memory.max": "4194304"})
	f(2<<20, 1000, map[string]string{info: of, group: "0::/system.slice/troupe.service", unit: "1000"})
	f(2<<20, 900, map[string]string{info: of, group: "0::/system.slice/troupe.service", unit: "1000", "sys/fs/cgroup/system.slice/memory.max": "900"})
	f(2<<20, 800, map[string]string{info: of, group: "0::/kubepods/pod1/abc", "sys/fs/cgroup/memory.max": "800"}) // a path of the world outside
	first := "12:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/"
	f(2<<20, 700, map[string]string{info: of, group: first, "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "700"})
	f(2<<20, 600, map[string]string{info: of, group: first, "sys/fs/cgroup/memory/memory.limit_in_bytes": "600"})
	f(2<<20, 0, map[string]string{info: of, group: first, "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"})
}

// Go keeps within what is left for it and within GOMEMLIMIT, but is told no less than
// it needs.
func TestGoLimit(t *testing.T) {
	t.Parallel()
	f := func(given, left, needs int64, bounded bool, want int64) {
		t.Helper()
		m := memory{given: given}
		if got := m.goLimit(left, needs, bounded); got != want {
			t.Errorf("%d left, %d needed, GOMEMLIMIT %d: %d, want %d", left, needs, given, got, want)
		}
	}
	f(math.MaxInt64, 100, 10, false, math.MaxInt64)
	f(70, 100, 10, false, 70)
	f(math.MaxInt64, 100, 10, true, 100)
	f(70, 100, 10, true, 70)
	f(math.MaxInt64, 5, 10, true, 10)
}
