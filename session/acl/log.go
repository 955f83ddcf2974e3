package acl

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Context is where something was refused.
type Context string

// The contexts.
const (
	TopLevel Context = "toplevel"
	InMulti  Context = "multi"
	InLua    Context = "lua"
)

// Entry is something that was refused, once or several times.
type Entry struct {
	Count    int64
	Reason   Reason
	Context  Context
	Object   string // the command, key or channel; of a login the command used
	Username string
	Client   string // who asked last, as CLIENT LIST tells of him
	At       int64  // when that was, Unix milliseconds
}

const (
	// LogMost is how many entries are kept without configuration.
	LogMost = 128
	// groupMillis is how far apart, in milliseconds, equal refusals may be that
	// are one entry; groupAmong is among how many of the latest entries an equal
	// one is looked for.
	groupMillis = 60_000
	groupAmong  = 10
	// objectMost bounds, in bytes, what is kept of an object or a name: both are
	// whatever clients send.
	objectMost = 1 << 10
)

// Log is what was refused lately, the latest first. Any goroutine may use it.
type Log struct {
	// Most is the number of entries that are kept.
	Most atomic.Int64

	mu      sync.Mutex
	entries []Entry // the latest last
}

// Add notes a refusal. One that equals an entry is counted there.
func (l *Log) Add(e Entry) {
	e.Count = 1
	e.Object, e.Username = clip(e.Object), clip(e.Username)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.entries) - 1; i >= max(0, len(l.entries)-groupAmong); i-- {
		if have := &l.entries[i]; have.equals(&e) {
			e.Count = have.Count + 1
			l.entries = slices.Delete(l.entries, i, i+1)
			break
		}
	}
	l.entries = append(l.entries, e)
	if extra := len(l.entries) - int(l.Most.Load()); extra > 0 {
		l.entries = slices.Delete(l.entries, 0, extra)
	}
}

func clip(s string) string { return strings.Clone(s[:min(len(s), objectMost)]) }

// equals reports whether two refusals are one entry.
func (e *Entry) equals(other *Entry) bool {
	apart := e.At - other.At
	return e.Reason == other.Reason && e.Context == other.Context && e.Object == other.Object &&
		e.Username == other.Username && max(apart, -apart) <= groupMillis
}

// Latest are the latest n entries, the latest first.
func (l *Log) Latest(n int) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	latest := slices.Clone(l.entries[max(0, len(l.entries)-n):])
	slices.Reverse(latest)
	return latest
}

// Reset forgets all entries.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
