package main

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	f := func(text string, want time.Duration, ok bool) {
		t.Helper()
		got, err := parseStat([]byte(text))
		if got != want || (err == nil) != ok {
			t.Errorf("parseStat(%q) = %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	f("4234 (redis-server) S 4232 4232 2741 0 -1 4194560 1237 0 6 0 7 4 0 0 20 0 5 0 64155", 110*time.Millisecond, true)
	f("1 (a) b (c) R 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20", 3*time.Second, true)
	f("1 (short) S 1 2 3", 0, false)
	f("no name at all", 0, false)
	f("1 (x) R 1 1 1 0 -1 0 0 0 0 0 many 50 0 0 20", 0, false)
}

func TestParseChildren(t *testing.T) {
	t.Parallel()
	f := func(text string, want time.Duration, ok bool) {
		t.Helper()
		got, err := parseChildren([]byte(text))
		if got != want || (err == nil) != ok {
			t.Errorf("parseChildren(%q) = %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	f("4234 (redis) (server) S 4232 4232 2741 0 -1 4194560 1237 0 6 0 7 4 30 12 20 0 5 0 64155", 420*time.Millisecond, true)
	f("1 (short) S 1 2 3", 0, false)
	f("1 (x) R 1 1 1 0 -1 0 0 0 0 0 0 50 many 0 20", 0, false)
}

func TestParseSchedstat(t *testing.T) {
	t.Parallel()
	f := func(text string, want time.Duration, ok bool) {
		t.Helper()
		got, err := parseSchedstat([]byte(text))
		if got != want || (err == nil) != ok {
			t.Errorf("parseSchedstat(%q) = %v, %v; want %v, success %v", text, got, err, want, ok)
		}
	}
	f("122941933 7861762 250\n", 122941933, true)
	f("0 0 0", 0, true)
	f("", 0, false)
	f("1 2", 0, false)
	f("x 2 3", 0, false)
}

func TestParseStatusKB(t *testing.T) {
	t.Parallel()
	const status = "Name:\ttroupe\nVmHWM:\t   13000 kB\nVmRSS:\t   12345 kB\nThreads:\t5\n"
	f := func(text, name string, want int64, ok bool) {
		t.Helper()
		got, err := parseStatusKB(text, name)
		if got != want || (err == nil) != ok {
			t.Errorf("parseStatusKB(%q) = %d, %v; want %d, success %v", name, got, err, want, ok)
		}
	}
	f(status, "VmRSS", 12345<<10, true)
	f(status, "VmHWM", 13000<<10, true)
	f(status, "VmSwap", 0, false)
	f("VmRSS:\tmuch kB\n", "VmRSS", 0, false)
}

func TestParseOpenFiles(t *testing.T) {
	t.Parallel()
	f := func(text string, want int, ok bool) {
		t.Helper()
		got, err := parseOpenFiles(text)
		if got != want || (err == nil) != ok {
			t.Errorf("parseOpenFiles(%q) = %d, %v; want %d, success %v", text, got, err, want, ok)
		}
	}
	const head = "Limit                     Soft Limit           Hard Limit           Units     \n"
	f(head+"Max open files            1024                 524288               files     \n", 1024, true)
	f(head+"Max open files            unlimited            unlimited            files     \n", 1<<20, true)
	f(head, 0, false)
	f(head+"Max open files\n", 0, false)
}
