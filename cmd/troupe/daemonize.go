package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/troupedb/troupe/actors/config"
)

// A server in the background is a process of its own, in a session without a
// terminal. The process that starts it stays until the other one serves, and says by
// its exit code what has become of that: the other tells it through a pipe.

// parentVariable is set for the process in the background; parentFD is the pipe.
const (
	parentVariable = "_TROUPE_PARENT"
	parentFD       = 3
	parentReady    = "ready"
)

// staysHere is why a server that was asked to go to the background does not, or "".
func staysHere(settings *config.Config, p process, given *sockets) string {
	switch supervised := settings.Text("supervised"); {
	case len(given.links)+len(given.web) > 0, supervised == "systemd",
		supervised == "auto" && variable(p.environ, "NOTIFY_SOCKET") != "":
		return "systemd watches over this process"
	case os.Getpid() == 1:
		return "this is a container's first process, and all ends with it"
	}
	return ""
}

// background starts this program once more, in the background, and waits until it
// serves. Read is what was read of standard input.
func background(p process, settings *config.Config, read []byte) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("going to the background: %w", err)
	}
	child := exec.Command(program, p.args...)
	child.Env = append(slices.Clone(p.environ), parentVariable+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if read != nil {
		child.Stdin = bytes.NewReader(read)
	}
	// What Go's runtime says when it gives up is a part of the log.
	if path := settings.Text("logfile"); path != "" {
		log := &logFile{path: path}
		if err := log.reopen(); err != nil {
			return fmt.Errorf("opening the log: %w", err)
		}
		defer log.close()
		child.Stderr = log.file
	}
	said, mouth, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("going to the background: %w", err)
	}
	defer said.Close()
	child.ExtraFiles = []*os.File{mouth}
	err = child.Start()
	mouth.Close()
	if err != nil {
		return fmt.Errorf("going to the background: %w", err)
	}
	return waitFor(child, said)
}

// waitFor returns when the process in the background has said that it serves, or has
// ended. Who wants to end this one before means the other.
func waitFor(child *exec.Cmd, said io.Reader) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	words := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(said) // an error is an end as well
		words <- string(text)
	}()
	for {
		select {
		case <-signals:
			if err := child.Process.Signal(syscall.SIGTERM); err != nil {
				return fmt.Errorf("stopping the server in the background: %w", err)
			}
		case text := <-words:
			switch {
			case text == parentReady:
				return nil
			case text != "":
				return errors.New(strings.TrimSpace(text))
			}
			if err := child.Wait(); err != nil {
				return fmt.Errorf("the server in the background ended before it was ready: %w", err)
			}
			return errors.New("the server in the background was stopped before it was ready")
		}
	}
}

// parent is the process that waits for this one to serve, nil if none does.
type parent struct{ ear *os.File }

func theParent(p process) *parent {
	if variable(p.environ, parentVariable) == "" {
		return nil
	}
	return &parent{os.NewFile(parentFD, "the waiting parent")}
}

// tell says the last word there is for the parent. That it does not hear it any more
// is no matter.
func (p *parent) tell(text string) {
	if p != nil && p.ear != nil {
		_, _ = io.WriteString(p.ear, text)
		p.ear.Close()
		p.ear = nil
	}
}
