package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/session"
)

// serverLog is the logger with what it writes to.
type serverLog struct {
	hclog.Logger
	file     *logFile // nil: standard output
	settings *config.Config
	out      io.Writer
}

// openLog makes the logger that the settings ask for.
func openLog(c *config.Config, p process) (*serverLog, error) {
	l := &serverLog{settings: c, out: p.out}
	to := p.out
	if path := c.Text("logfile"); path != "" {
		l.file = &logFile{path: path}
		if err := l.file.reopen(); err != nil {
			return nil, fmt.Errorf("opening the log: %w", err)
		}
		to = l.file
	}
	l.Logger = hclog.New(&hclog.LoggerOptions{
		Name: "troupe", Output: to, Level: c.LogLevel(), JSONFormat: c.Text("logformat") == "json",
	})
	return l, nil
}

func (l *serverLog) close() {
	if l.file != nil {
		l.file.close()
	}
}

// isShown reports whether somebody reads the log who may like to see a name.
func (l *serverLog) isShown() bool {
	if l.file != nil || l.settings.Text("logformat") == "json" {
		return false
	}
	return l.settings.Bool("always-show-logo") || isTerminal(l.out)
}

func isTerminal(w io.Writer) bool {
	file, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// printBanner prints the name.
func printBanner(w io.Writer) {
	fmt.Fprintf(w, `
 _
| |_ _ _ ___ _  _ _ __  ___
|  _| '_/ _ \ || | '_ \/ -_)
 \__|_| \___/\_,_| .__/\___|   %s
                 |_|

`, session.Version)
}

// logFile appends to a file by its name: when the file has been moved away, as
// logrotate does, the next line begins a new one.
type logFile struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// Write is part of io.Writer.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isMoved() {
		if err := l.reopen(); err != nil {
			return 0, err
		}
	}
	return l.file.Write(p)
}

func (l *logFile) isMoved() bool {
	named, err := os.Stat(l.path)
	if err != nil {
		return true
	}
	open, err := l.file.Stat()
	return err != nil || !os.SameFile(named, open)
}

// reopen opens the file of that name; if it cannot, the one before stays.
func (l *logFile) reopen() error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	switch {
	case err == nil:
		l.close()
		l.file = file
	case l.file == nil:
		return err
	}
	return nil
}

func (l *logFile) close() {
	if l.file != nil {
		l.file.Close()
	}
}
