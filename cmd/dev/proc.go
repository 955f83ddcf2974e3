package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, which is 100 on every Linux Go runs on.
const clockTick = 10 * time.Millisecond

// cpuTime is the CPU time a process has used in all its threads. It is read in nanoseconds from its
// threads' schedstat, or where the kernel keeps none in ticks from its stat.
func cpuTime(pid int) (time.Duration, error) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var total time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) { // the thread has ended since the listing
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("reading CPU time: %w", err)
		}
		ran, err := parseSchedstat(text)
		if err != nil {
			return 0, err
		}
		total += ran
	}
	if total > 0 {
		return total, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("reading CPU time (needs Linux): %w", err)
	}
	return parseStat(text)
}

// parseSchedstat reads the first of the three numbers of a schedstat: nanoseconds on a CPU.
func parseSchedstat(text []byte) (time.Duration, error) {
	fields := bytes.Fields(text)
	if len(fields) != 3 {
		return 0, fmt.Errorf("schedstat with %d fields instead of 3", len(fields))
	}
	ns, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("schedstat: %w", err)
	}
	return time.Duration(ns), nil
}

// parseStat reads utime + stime, fields 14 and 15, of a /proc/PID/stat. The command's name, field 2, may
// hold spaces and brackets, so fields are counted from its last closing one.
func parseStat(text []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return 0, errors.New("stat without a command name")
	}
	fields := bytes.Fields(text[end+1:])
	const utime, stime = 14 - 3, 15 - 3
	if len(fields) <= stime {
		return 0, fmt.Errorf("stat with only %d fields after the name", len(fields))
	}
	var ticks int64
	for _, at := range []int{utime, stime} {
		n, err := strconv.ParseInt(string(fields[at]), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// residentBytes is the resident set of a process.
func residentBytes(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("reading RSS (needs Linux): %w", err)
	}
	return parseStatusKB(string(text), "VmRSS")
}

// parseStatusKB finds one `Name:  123 kB` line of a /proc/PID/status and gives it in bytes.
func parseStatusKB(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		value, found := strings.CutPrefix(line, name+":")
		if !found {
			continue
		}
		kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		return kb << 10, nil
	}
	return 0, fmt.Errorf("no %s in the process's status", name)
}

// settledBytes is the resident set once it has stopped falling: the smallest reading that stood for
// settleFor, looked for during at most settleMax. A server that gives memory back a moment after
// a load is judged by what it keeps.
func settledBytes(pid int) (int64, error) {
	const settleFor, settleMax, every = 400 * time.Millisecond, 8 * time.Second, 50 * time.Millisecond
	least, err := residentBytes(pid)
	if err != nil {
		return 0, err
	}
	start, fell := time.Now(), time.Now()
	for time.Since(fell) < settleFor && time.Since(start) < settleMax {
		time.Sleep(every)
		now, err := residentBytes(pid)
		if err != nil {
			return 0, err
		}
		if now < least-least/1000 {
			fell = time.Now()
		}
		least = min(least, now)
	}
	return least, nil
}

// openFilesMax is how many descriptors a process may open, from its limits. Go's runtime raises this
// process's own as far as it may be raised.
func openFilesMax(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		return 0, fmt.Errorf("reading limits (needs Linux): %w", err)
	}
	return parseOpenFiles(string(text))
}

func parseOpenFiles(text string) (int, error) {
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, "Max open files")
		if !found {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			break
		}
		if fields[0] == "unlimited" {
			return 1 << 20, nil
		}
		return strconv.Atoi(fields[0])
	}
	return 0, errors.New("no line for open files in the limits")
}
