package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// program is a server that can be started: the one of this tree, or redis-server.
type program struct {
	name string
	path string
	args []string
}

// redisProgram is redis-server with persistence off, from the path.
func redisProgram() (program, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return program{}, fmt.Errorf("the measure is redis-server: %w", err)
	}
	args := []string{"--save", "", "--appendonly", "no", "--daemonize", "no", "--enable-debug-command", "yes"}
	return program{name: "redis", path: path, args: args}, nil
}

// troupeProgram is path, or if that is empty this tree's server, built into dir; persistence is off.
func troupeProgram(ctx context.Context, dir, path string, extra []string) (program, error) {
	if path == "" {
		path = filepath.Join(dir, "troupe")
		if err := build(ctx, path); err != nil {
			return program{}, err
		}
	}
	args := append([]string{"--save", "", "--appendonly", "no"}, extra...)
	return program{name: "troupe", path: path, args: args}, nil
}

// build builds this tree's server.
func build(ctx context.Context, path string, flags ...string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	line := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", path}, flags...), "./cmd/troupe")...)
	line.Dir, line.Stderr = root, os.Stderr
	if err := line.Run(); err != nil {
		return fmt.Errorf("building the server: %w", err)
	}
	return nil
}

// moduleRoot is the nearest folder above the working directory with a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
}

// server is a running server of this machine.
type server struct {
	program
	port int
	pid  int
	cmd  *exec.Cmd
	dir  string
	gone chan struct{}
}

// start runs a program on a free port in a directory of its own and returns when it answers PING.
// The caller stops it. Between being found free and being used a port may be taken by
// somebody else, so a failed start is tried again.
func start(ctx context.Context, p program) (s *server, err error) {
	const tries = 3
	for range tries {
		if s, err = startOnce(ctx, p); err == nil || ctx.Err() != nil {
			break
		}
	}
	return s, err
}

func startOnce(ctx context.Context, p program) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "troupe-bench-")
	if err != nil {
		return nil, err
	}
	s := &server{program: p, port: port, dir: dir, gone: make(chan struct{})}
	if err := s.launch(ctx); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("starting %s: %w", p.name, err)
	}
	if err := s.waitReady(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// launch starts the process, which prints into its directory.
func (s *server) launch(ctx context.Context) error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	args := append([]string{"--port", strconv.Itoa(s.port), "--dir", s.dir}, s.args...)
	s.cmd = exec.CommandContext(ctx, s.path, args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.pid = s.cmd.Process.Pid
	go func() {
		_ = s.cmd.Wait()
		close(s.gone)
	}()
	return nil
}

// freePort asks the system for a port that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// waitReady returns once the server answers, be it with an error other than that it is still loading; with
// its last words if it ends instead.
func (s *server) waitReady() error {
	const patience = 10 * time.Second
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.gone:
			return fmt.Errorf("%s ended at its start:\n%s", s.name, s.lastWords())
		default:
		}
		l, err := dial(s.port, "")
		if err != nil {
			continue
		}
		_, err = l.ask("PING")
		l.close()
		var refusal errorReply
		if err == nil || errors.As(err, &refusal) && !strings.HasPrefix(string(refusal), "LOADING") {
			return nil
		}
	}
	return fmt.Errorf("%s did not answer PING within %v:\n%s", s.name, patience, s.lastWords())
}

// lastWords is the end of what the server printed.
func (s *server) lastWords() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// stop asks the server to end, makes it end if it does not, and removes its directory.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case <-s.gone:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.gone
	}
	_ = os.RemoveAll(s.dir)
}
