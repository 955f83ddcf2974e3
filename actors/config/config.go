// Package config owns a server's settings. Each is one row of the Table, and
// from the table come the flags of the command line, the variables of the
// environment, the lines of a file in the form of redis.conf, and CONFIG.
//
// It promises that a setting which is accepted does what it says; or is named
// in a warning as one that does nothing here; and that one which somebody
// would rely on, and which cannot be honoured, is refused.
package config

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/troupedb/troupe/actors"
)

// Config is the settings of one server. Its methods may be called from any
// goroutine.
type Config struct {
	sockets Sockets
	file    string // that CONFIG REWRITE writes; absolute, "" for none

	// changing is held by whoever changes settings, mu while they are seen.
	changing  sync.Mutex
	rewriting sync.Mutex // held by the one rewrite of the file
	mu        sync.Mutex
	values    []string // by Setting.index
	warnings  []string
	system    *actors.System
	listeners map[*Setting][]func(value string)
}

// Sockets says for which kinds of links sockets are open already, because whoever has
// started the process has opened them. The settings of addresses and ports of such
// links have no effect then.
type Sockets struct{ Plain, TLS, HTTP bool }

func newConfig() *Config {
	c := &Config{values: make([]string, len(Table)), listeners: map[*Setting][]func(string){}}
	for i, row := range Table {
		c.values[i] = row.Default
	}
	return c
}

// must is the row of a name that the program knows.
func must(name string) *Setting {
	row := Named(name)
	if row == nil {
		panic("no such setting: " + name)
	}
	return row
}

func (c *Config) value(row *Setting) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[row.index]
}

// Text is the value of a setting, which must exist.
func (c *Config) Text(name string) string { return c.value(must(name)) }

// Int is the value of a setting that is a number; a Memory is in bytes.
func (c *Config) Int(name string) int64 {
	row := must(name)
	base := 10
	if row.Kind == Octal {
		base = 8
	}
	n, err := strconv.ParseInt(c.value(row), base, 64)
	if err != nil {
		panic(name + " is no number") // its parser lets no other through
	}
	return n
}

// Bool is the value of a setting that is yes or no.
func (c *Config) Bool(name string) bool { return c.Text(name) == "yes" }

// Words are the words of a setting's value.
func (c *Config) Words(name string) []string { return strings.Fields(c.Text(name)) }

// File is the path of the file that the settings came from, or "".
func (c *Config) File() string { return c.file }

// Warnings are what whoever started the server should know about the
// settings, a sentence each.
func (c *Config) Warnings() []string { return slices.Clone(c.warnings) }

// OnChange calls f with the setting's value, now and whenever it has changed.
// Settings that concern neighbours of this package reach them this way.
func (c *Config) OnChange(name string, f func(value string)) {
	c.changing.Lock()
	defer c.changing.Unlock()
	row := must(name)
	c.listeners[row] = append(c.listeners[row], f)
	f(c.value(row))
}

// Allows reports whether a setting that says whom something is allowed to
// (no, yes, local) allows it to a client; local is one of this machine.
func (c *Config) Allows(name string, local bool) bool {
	switch c.Text(name) {
	case "yes":
		return true
	case "local":
		return local
	}
	return false
}
