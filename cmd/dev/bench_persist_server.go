package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What bench persist does with a server.

// again ends the server in good order and starts it anew in the same directory.
func (s *server) again(ctx context.Context) (startUp, error) {
	const patience = 5 * time.Minute
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return startUp{}, err
	}
	select {
	case <-s.gone:
	case <-time.After(patience):
		return startUp{}, errors.New("the server does not end")
	}
	s.gone = make(chan struct{})
	begin := time.Now()
	if err := s.launch(ctx); err != nil {
		return startUp{}, err
	}
	for time.Since(begin) < patience {
		if err := pause(ctx, 0.002); err != nil {
			return startUp{}, err
		}
		l, err := dial(s.port, "")
		if err != nil {
			continue
		}
		_, err = l.ask("PING")
		l.close()
		if err == nil {
			took := time.Since(begin).Seconds()
			cpu, err := cpuTime(s.pid)
			return startUp{took, cpu.Seconds()}, err
		}
	}
	return startUp{}, fmt.Errorf("it did not serve within %v:\n%s", patience, s.lastWords())
}

// holds makes sure that so many keys are there.
func (s *server) holds(keys int) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	reply, err := l.ask("DBSIZE")
	if err == nil && reply.Int() != int64(keys) {
		err = fmt.Errorf("after the start there are %d keys, and %d were set", reply.Int(), keys)
	}
	return err
}

// save has a snapshot written in the background and waits until it is in its place. cpu is what the server
// and its children have used meanwhile.
func (s *server) save(ctx context.Context) (took, cpu time.Duration, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, 0, err
	}
	defer l.close()
	path := filepath.Join(s.dir, "dump.rdb")
	before, _ := os.Stat(path) // there may be none
	used, err := familyTime(s.pid)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if _, err := l.ask("BGSAVE"); err != nil {
		return 0, 0, err
	}
	for {
		if now, err := os.Stat(path); err == nil && (before == nil || !os.SameFile(before, now)) {
			break
		}
		if err := pause(ctx, 0.001); err != nil {
			return 0, 0, err
		}
	}
	took = time.Since(begin)
	if err := l.saved(ctx); err != nil {
		return 0, 0, err
	}
	now, err := familyTime(s.pid)
	return took, now - used, err
}

// saved waits until the server says that no snapshot is being written.
func (l *link) saved(ctx context.Context) error {
	for {
		info, err := l.ask("INFO", "persistence")
		switch text := info.Str(); {
		case err != nil:
			return err
		case strings.Contains(text, "rdb_bgsave_in_progress:1"):
		case strings.Contains(text, "rdb_last_bgsave_status:ok"):
			return nil
		default:
			return errors.New("the snapshot was not written")
		}
		if err := pause(ctx, 0.005); err != nil {
			return err
		}
	}
}

// saveOverAndOver has one snapshot written after the other. What it returns ends that.
func (s *server) saveOverAndOver(ctx context.Context) (stop func() error) {
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-done:
				ended <- nil
				return
			default:
			}
			if _, _, err := s.save(ctx); err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() error {
		close(done)
		return <-ended
	}
}

// write sends a command over and over, as fast as may be. What it returns ends that.
func (s *server) write(ctx context.Context, keys int, words ...string) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	args := []string{"-p", strconv.Itoa(s.port), "-q", "-n", "2000000000", "-c", "50", "-P", "16", "-r", strconv.Itoa(keys)}
	cmd := exec.CommandContext(ctx, "redis-benchmark", append(args, words...)...)
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	return func() error {
		ended := ctx.Err() == nil && cmd.ProcessState != nil
		cancel()
		_ = cmd.Wait() // it was killed
		if ended {
			return errors.New("redis-benchmark has ended by itself")
		}
		return nil
	}, nil
}

// peakDuring is the most memory that the server and its children had to themselves during something.
func (s *server) peakDuring(something func() error) (peak int64, err error) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		var peak int64
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-ticker.C:
				peak = max(peak, familyBytes(s.pid))
			}
		}
	}()
	err = something()
	close(done)
	return <-most, err
}

// familyBytes is the resident memory of a process, and what its children do not share with it. A process
// that has ended meanwhile has none.
func familyBytes(pid int) (sum int64) {
	sum, _ = residentBytes(pid)
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	for child := range strings.FieldsSeq(string(text)) {
		rollup, err := os.ReadFile("/proc/" + child + "/smaps_rollup")
		if err != nil {
			continue
		}
		if own, err := parseStatusKB(string(rollup), "Private_Dirty"); err == nil {
			sum += own
		}
	}
	return sum
}

// familyTime is the CPU time of a process and of its children that have ended.
func familyTime(pid int) (time.Duration, error) {
	own, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	children, err := parseChildren(text)
	return own + children, err
}

// parseChildren reads cutime + cstime, fields 16 and 17, of a /proc/PID/stat.
func parseChildren(text []byte) (time.Duration, error) {
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const cutime, cstime = 16 - 3, 17 - 3
	if len(fields) <= cstime {
		return 0, fmt.Errorf("stat with only %d fields after the name", len(fields))
	}
	var ticks int64
	for _, at := range []int{cutime, cstime} {
		n, err := strconv.ParseInt(fields[at], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// pause waits so many seconds.
func pause(ctx context.Context, seconds float64) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		return nil
	}
}
