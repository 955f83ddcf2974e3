package actors

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// machineOf is a machine whose kernel has some files.
func machineOf(t *testing.T, files map[string]string) machine {
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
	return m
}

// What a process may have is read from the kernel's files, of both versions of
// control groups, seen from outside and from within a container.
func TestMachine(t *testing.T) {
	t.Parallel()
	f := func(memory, limit int64, files map[string]string) {
		t.Helper()
		m := machineOf(t, files)
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

// As many cores count as the control groups' limits of time allow, of both versions.
func TestCores(t *testing.T) {
	t.Parallel()
	f := func(want int, files map[string]string) {
		t.Helper()
		if got := machineOf(t, files).coresBelow(8); got != want {
			t.Errorf("%v: %d of 8 cores, want %d", files, got, want)
		}
	}
	const group, top, unit = "proc/self/cgroup", "sys/fs/cgroup/cpu.max", "sys/fs/cgroup/system.slice/troupe.service/cpu.max"
	f(8, nil)
	f(8, map[string]string{group: "0::/"})
	f(8, map[string]string{group: "0::/", top: "max 100000"})
	f(8, map[string]string{group: "0::/", top: "what is this"})
	f(8, map[string]string{group: "0::/", top: "6400000 100000"})
	f(3, map[string]string{group: "0::/", top: "300000 100000"})
	f(3, map[string]string{group: "0::/", top: "250000 100000"})
	f(1, map[string]string{group: "0::/", top: "1000 100000"})
	f(2, map[string]string{group: "0::/system.slice/troupe.service", unit: "100000 50000", "sys/fs/cgroup/system.slice/cpu.max": "max 100000"})
	f(1, map[string]string{group: "0::/system.slice/troupe.service", unit: "100000 50000", "sys/fs/cgroup/system.slice/cpu.max": "50000 50000"})
	f(4, map[string]string{group: "0::/kubepods/pod1/abc", top: "400000 100000"}) // a path of the world outside
	const first, quota, period = "12:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/", "/cpu.cfs_quota_us", "/cpu.cfs_period_us"
	const inner, outer = "sys/fs/cgroup/cpu/docker/abc", "sys/fs/cgroup/cpu"
	f(2, map[string]string{group: first, inner + quota: "150000", inner + period: "100000"})
	f(8, map[string]string{group: first, inner + quota: "-1", inner + period: "100000"})
	f(5, map[string]string{group: first, outer + quota: "500000", outer + period: "100000"})
	f(8, map[string]string{group: "3:cpuset:/\n2:cpuacct:/", outer + quota: "100000", outer + period: "100000"})
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
