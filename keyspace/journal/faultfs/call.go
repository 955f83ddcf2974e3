// Package faultfs owns disks that fail, for tests of what has to outlive that. Disk is one in memory that
// knows what a power cut leaves of it; Trap puts a hand between a program and any disk, and may end the
// program there.
//
// Both ask a function before each call of the disk. What it returns fails the call: a write then has done a
// part of its work, a sync may have done some and, as on real systems, never does the rest.
package faultfs

import (
	"errors"
	"sync"
)

// Op is a kind of call.
type Op string

// The calls, as journal.FS and journal.File have them.
const (
	Open     Op = "open"
	Create   Op = "create"
	Append   Op = "append" // OpenAppend
	Rename   Op = "rename"
	Remove   Op = "remove"
	ReadDir  Op = "readdir"
	MkdirAll Op = "mkdirall"
	SyncDir  Op = "syncdir"
	Stat     Op = "stat"
	Lock     Op = "lock"
	Read     Op = "read" // Read and ReadAt
	Write    Op = "write"
	Sync     Op = "sync"
	Truncate Op = "truncate"
	Size     Op = "size"
	Close    Op = "close"
)

// Changes tells whether the call changes what is on disk, or makes a change last.
func (o Op) Changes() bool {
	switch o {
	case Create, Rename, Remove, MkdirAll, SyncDir, Write, Sync, Truncate:
		return true
	}
	return false
}

// Call is one call of a disk.
type Call struct {
	N    int // counted from 1
	Op   Op
	Name string // the path; the new one of a rename
}

// ErrCrash, returned for a call of a Disk, is a power cut in the middle of it.
var ErrCrash = errors.New("the power is cut")

// gate counts calls and asks what becomes of them.
type gate struct {
	mu    sync.Mutex
	calls int
	ask   func(Call) error
}

// pass gives the fate of a call.
func (g *gate) pass(op Op, name string) error {
	g.mu.Lock()
	g.calls++
	call, ask := Call{g.calls, op, name}, g.ask
	g.mu.Unlock()
	if ask == nil {
		return nil
	}
	return ask(call)
}

// Nth fails the nth call that matches, once.
func Nth(n int, err error, match func(Call) bool) func(Call) error {
	var mu sync.Mutex
	seen := 0
	return func(c Call) error {
		if !match(c) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		seen++
		if seen == n {
			return err
		}
		return nil
	}
}
