package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// victim is a server that is going to be killed.
type victim struct {
	socket string
	cmd    *exec.Cmd
	log    string // the file that it prints to
	gone   chan struct{}
}

// dial connects to it.
func (v *victim) dial() (*link, error) {
	conn, err := net.Dial("unix", v.socket)
	if err != nil {
		return nil, err
	}
	return &link{conn: conn}, nil
}

// launch starts the program. At the failpoint, if that is not "", it kills
// itself.
func (t *crashTest) launch(ctx context.Context, failpoint string) (*victim, error) {
	v := &victim{socket: filepath.Join(t.where, "socket"), log: t.dir() + ".log", gone: make(chan struct{})}
	log, err := os.OpenFile(v.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := append([]string{"--port", "0", "--unixsocket", v.socket, "--dir", t.dir(), "--enable-debug-command", "yes"}, t.plan.settings...)
	fmt.Fprintf(log, "# %s, failpoint %q\n", strings.Join(args, " "), failpoint)
	v.cmd = exec.CommandContext(ctx, t.path, args...)
	v.cmd.Env = append(os.Environ(), "FAILPOINT="+failpoint)
	v.cmd.Stdout, v.cmd.Stderr = log, log
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = v.cmd.Wait()
		close(v.gone)
	}()
	return v, nil
}

// errKilled: the victim has died of its failpoint.
var errKilled = errors.New("killed at the failpoint")

// victimPatience is how long a victim may take to serve, or to be gone.
const victimPatience = 60 * time.Second

// await waits until the victim serves.
func (v *victim) await() error {
	for begin := time.Now(); time.Since(begin) < victimPatience; time.Sleep(2 * time.Millisecond) {
		select {
		case <-v.gone:
			if v.isKilled() {
				return errKilled
			}
			return fmt.Errorf("the server did not start:\n%s", v.lastWords())
		default:
		}
		l, err := v.dial()
		if err != nil {
			continue
		}
		_, err = l.ask("GET", "nothing")
		l.close()
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("the server does not serve after %v:\n%s", victimPatience, v.lastWords())
}

// diedOf reports whether the process is gone, by which a link to it has failed.
func (v *victim) diedOf(err error) bool {
	var broken net.Error
	if !errors.As(err, &broken) && !errors.Is(err, io.EOF) {
		return false
	}
	select {
	case <-v.gone:
		return v.isKilled()
	case <-time.After(victimPatience):
		return false
	}
}

// isKilled reports whether a signal has ended it, and not a panic or a failure.
func (v *victim) isKilled() bool { return v.cmd.ProcessState.ExitCode() == -1 }

func (v *victim) lastWords() string {
	text, _ := os.ReadFile(v.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-25):], "\n")
}

// kill is kill -9.
func (v *victim) kill() error {
	_ = v.cmd.Process.Kill()
	<-v.gone
	if !v.isKilled() {
		return fmt.Errorf("the server has ended by itself:\n%s", v.lastWords())
	}
	return nil
}

// copyDir copies the files of a directory.
func copyDir(to, from string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	for _, file := range files {
		if err != nil {
			break
		}
		var text []byte
		if text, err = os.ReadFile(filepath.Join(from, file.Name())); err == nil {
			err = os.WriteFile(filepath.Join(to, file.Name()), text, 0o600)
		}
	}
	return err
}
