package aof

import (
	"bufio"
	"io"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
)

// Writer writes a file of commands that make a keyspace: such as redis-server
// reads as an append-only file, or from a pipe. The first error sticks.
//
// A key is made by the command that adds its elements, some at a time, and a
// stream, which is more than its entries, by RESTORE.
type Writer struct {
	to       *bufio.Writer
	db       int
	commands int64
	head     []byte
	words    [][]byte
	bytes    int // of words
}

const (
	wordsMost = 2 * 64    // elements' words of a command, at least one element's
	bytesMost = 256 << 10 // likewise bytes
)

// NewWriter begins a file.
func NewWriter(to io.Writer) *Writer { return &Writer{to: bufio.NewWriterSize(to, 64<<10)} }

// Commands is how many were written.
func (w *Writer) Commands() int64 { return w.commands }

// Flush ends the file, and tells what went wrong.
func (w *Writer) Flush() error { return w.to.Flush() }

// Command writes a command.
func (w *Writer) Command(words ...[]byte) {
	w.commands++
	w.number('*', len(words))
	for _, word := range words {
		w.number('$', len(word))
		w.to.Write(word) // Flush will say it
		w.to.WriteString("\r\n")
	}
}

func (w *Writer) number(sign byte, n int) {
	w.head = append(w.head[:0], sign)
	w.head = strconv.AppendInt(w.head, int64(n), 10)
	w.to.Write(append(w.head, '\r', '\n'))
}

func (w *Writer) say(words ...string) {
	var argv [][]byte
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	w.Command(argv...)
}

// Library writes a library of functions.
func (w *Writer) Library(code []byte) {
	w.Command([]byte("FUNCTION"), []byte("LOAD"), code)
}

// Key writes a key of a database, which ends at deadline, Unix milliseconds, or
// with keyspace.NoDeadline never.
func (w *Writer) Key(db int, key []byte, deadline int64, v rdb.Value) {
	if db != w.db {
		w.db = db
		w.say("SELECT", strconv.Itoa(db))
	}
	if v.Type == keyspace.Stream {
		w.Command([]byte("RESTORE"), key, strconv.AppendInt(nil, max(deadline, 0), 10), rdb.Dump(v), []byte("ABSTTL"))
		return
	}
	before := w.commands
	w.value(key, v)
	if deadline >= 0 && w.commands > before {
		w.Command([]byte("PEXPIREAT"), key, strconv.AppendInt(nil, deadline, 10))
	}
}

// value writes all elements of a value.
func (w *Writer) value(key []byte, v rdb.Value) {
	name := map[keyspace.Type]string{
		keyspace.String: "SET", keyspace.List: "RPUSH", keyspace.Set: "SADD", keyspace.SortedSet: "ZADD", keyspace.Hash: "HSET",
	}[v.Type]
	for e := range v.Elements {
		switch v.Type {
		case keyspace.SortedSet:
			w.add(resp.FormatDouble(nil, e.Score), e.Text)
		case keyspace.Hash:
			w.add(e.Text, e.Value)
		default:
			w.add(e.Text)
		}
		if len(w.words) >= wordsMost || w.bytes >= bytesMost {
			w.flushWords(name, key)
		}
	}
	w.flushWords(name, key)
	if v.Type == keyspace.Hash {
		w.deadlines(key, v)
	}
}

// add adds words to those that wait. They are copied, as elements may share their
// memory.
func (w *Writer) add(words ...[]byte) {
	for _, word := range words {
		w.words = append(w.words, append([]byte(nil), word...))
		w.bytes += len(word)
	}
}

// flushWords writes a command of the words that wait.
func (w *Writer) flushWords(name string, key []byte) {
	if len(w.words) > 0 {
		w.Command(append([][]byte{[]byte(name), key}, w.words...)...)
	}
	w.words, w.bytes = w.words[:0], 0
}

// deadlines writes when the fields of a hash end.
func (w *Writer) deadlines(key []byte, v rdb.Value) {
	for e := range v.Elements {
		if e.Deadline > 0 {
			w.Command([]byte("HPEXPIREAT"), key, strconv.AppendInt(nil, e.Deadline, 10), []byte("FIELDS"), []byte("1"), e.Text)
		}
	}
}
