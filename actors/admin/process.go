package admin

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"
)

// processUse is what the operating system has given the process.
type processUse struct {
	resident     int64   // bytes
	user, system float64 // seconds of processor time
}

// processMeter reads what the system has given the process at most ten times a
// second: shards are held while an INFO is written, and reading takes 13 µs of
// that (BenchmarkReadProcess).
type processMeter struct {
	mu   sync.Mutex
	when time.Time
	last processUse
}

// processSpan is how old an account may be.
const processSpan = 100 * time.Millisecond

func (p *processMeter) read() processUse {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.when) > processSpan {
		p.when, p.last = time.Now(), readProcess()
	}
	return p.last
}

// readProcess reads Linux's account of the process; where there is none, what
// the Go runtime knows stands in for it.
func readProcess() processUse {
	stat, err := os.ReadFile("/proc/self/stat")
	end := bytes.LastIndexByte(stat, ')') // the name before it may hold anything
	if err != nil || end < 0 {
		return runtimeUse()
	}
	fields := strings.Fields(string(stat[end+1:]))
	const utime, stime, rss = 11, 12, 21 // after the name: proc(5) counts from 1, the name is 2
	if len(fields) <= rss {
		return runtimeUse()
	}
	number := func(i int) float64 {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0
		}
		return float64(n)
	}
	return processUse{
		resident: int64(number(rss)) * int64(os.Getpagesize()),
		user:     number(utime) / ticksPerSecond, system: number(stime) / ticksPerSecond,
	}
}

// ticksPerSecond is the unit of processor times in /proc, the same on every
// architecture that Go runs on.
const ticksPerSecond = 100

func runtimeUse() processUse {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/cpu/classes/user:cpu-seconds"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(samples)
	return processUse{
		resident: int64(samples[0].Value.Uint64()),
		user:     samples[1].Value.Float64() + samples[2].Value.Float64(),
	}
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

// firstLine is the first line of a file, "" if it can't be read.
func firstLine(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}
