package admin

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/troupedb/troupe/session"
)

// slowLog keeps the newest commands that ran long, up to a number of them.
// Their words are kept as Redis keeps them: at most slowWords of them, each of
// at most slowBytes, with a remark on what is left out.
type slowLog struct {
	mu      sync.Mutex
	max     int
	nextID  int64
	entries []slowEntry // the newest last
}

// What is kept of a command.
const (
	slowWords = 32
	slowBytes = 128
)

type slowEntry struct {
	id, when    int64 // when: Unix seconds
	took        int64 // microseconds
	argv        []string
	address     string
	sessionName string
}

// limit sets how many entries are kept, from the setting's value.
func (l *slowLog) limit(value string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return // the setting is a whole number: see its declaration
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.max = n
	l.trim()
}

func (l *slowLog) trim() {
	if extra := len(l.entries) - l.max; extra > 0 {
		l.entries = append([]slowEntry(nil), l.entries[extra:]...)
	}
}

// add is the session's SlowLog: any session may call it.
func (l *slowLog) add(s *session.Session, argv [][]byte, took int64) {
	l.put(slowEntry{
		when: s.Server().Millis() / 1000, took: took / int64(time.Microsecond),
		argv: slowArgv(argv), address: s.Address(), sessionName: *s.Name.Load(),
	})
}

func (l *slowLog) put(entry slowEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.id = l.nextID
	l.nextID++
	if len(l.entries) < l.max {
		l.entries = append(l.entries, entry)
	} else if l.max > 0 {
		l.entries[0] = slowEntry{} // its words are not kept by the array
		l.entries = append(l.entries[1:], entry)
	}
}

func slowArgv(argv [][]byte) []string {
	words := make([]string, 0, min(len(argv), slowWords))
	for i, arg := range argv {
		if i == slowWords-1 && len(argv) > slowWords {
			return append(words, fmt.Sprintf("... (%d more arguments)", len(argv)-slowWords+1))
		}
		if more := len(arg) - slowBytes; more > 0 {
			words = append(words, fmt.Sprintf("%s... (%d more bytes)", arg[:slowBytes], more))
			continue
		}
		words = append(words, string(arg))
	}
	return words
}

// newest are up to n entries, the newest first; all if n is negative.
func (l *slowLog) newest(n int64) []slowEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n > int64(len(l.entries)) {
		n = int64(len(l.entries))
	}
	list := make([]slowEntry, n)
	for i := range list {
		list[i] = l.entries[len(l.entries)-1-i]
	}
	return list
}

func (l *slowLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

func (l *slowLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
