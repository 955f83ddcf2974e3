// Package watch owns the live queries: for each distinct query one
// Subscription, whatever the number of its watchers, which knows the query's
// last state and tells them of every new one.
//
// What it promises a watcher:
//
//   - The first state is that at a version v0, and no change after v0 is lost.
//   - Versions strictly rise; each push says how many changes it stands for.
//   - When writes stop, the final state arrives, however slow the watcher was.
//   - One command, script or transaction is at most one push, never half of it.
//   - Writers never wait: a shard tells a Subscription once that something has
//     changed, and not again until it has been read.
package watch

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp/command"
)

// Query is a reading command that is watched.
type Query struct {
	// Spec is the command, Argv its words with the name in capitals. The
	// query owns them.
	Spec *command.Spec[*keyspace.Tx]
	Argv [][]byte
	// DB is the database, User whose rights it is watched with.
	DB   int
	User string
}

// NewQuery copies a command's words into a query; name is the command's own,
// which replaces the first words ("GET.WATCH k" watches "GET k").
func NewQuery(spec *command.Spec[*keyspace.Tx], rest [][]byte, db int, user string) *Query {
	q := &Query{Spec: spec, DB: db, User: user}
	name := strings.Split(spec.Name, "|")
	size := len(spec.Name)
	for _, arg := range rest {
		size += len(arg)
	}
	text := make([]byte, 0, size)
	q.Argv = make([][]byte, 0, len(name)+len(rest))
	add := func(word []byte) { // all in one piece of memory
		at := len(text)
		text = append(text, word...)
		q.Argv = append(q.Argv, text[at:len(text):len(text)])
	}
	for _, word := range name {
		add([]byte(word))
	}
	for _, arg := range rest {
		add(arg)
	}
	return q
}

// Equal reports whether two queries are the same: the same words, in the same
// database, with the same user's rights.
func (q *Query) Equal(other *Query) bool {
	return q.DB == other.DB && q.User == other.User && slices.EqualFunc(q.Argv, other.Argv, bytes.Equal)
}

// hash is a number that equal queries share, and others hardly ever.
func (q *Query) hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(q.User)
	for _, arg := range q.Argv {
		h.WriteByte(0)
		h.Write(arg)
	}
	h.WriteByte(byte(q.DB))
	return h.Sum64()
}

// own is keys of which the query's words are used where they are the same.
func (q *Query) own(keys [][]byte) [][]byte {
	for at := 1; len(keys) > 0 && at+len(keys) <= len(q.Argv); at++ {
		if words := q.Argv[at : at+len(keys) : at+len(keys)]; slices.EqualFunc(words, keys, bytes.Equal) {
			return words
		}
	}
	return keys
}

// size is the number of bytes that the words take, with their places.
func (q *Query) size() (bytes int) {
	for _, arg := range q.Argv {
		bytes += len(arg) + 24
	}
	return bytes
}

// keyWords are the keys that the query names.
func (q *Query) keyWords() (keys [][]byte) {
	named, _ := q.Spec.AppendKeys(nil, q.Argv)
	for _, k := range named {
		keys = append(keys, q.Argv[k.Pos])
	}
	return keys
}

// Text is the query as a person would type it.
func (q *Query) Text() string { return string(bytes.Join(q.Argv, []byte(" "))) }

// Fingerprint names a query on a link, as DiceDB does since 1.0.1: the CRC-64
// (Jones, starting from 0) of its Text, which is written in 16 hexadecimal digits.
type Fingerprint uint64

// Fingerprint is the query's. Different queries may share one; the nth further
// query of a link that would, takes the fingerprint with n instead of 0.
func (q *Query) Fingerprint(n int) Fingerprint {
	text := bytes.Join(q.Argv, []byte(" "))
	if n > 0 {
		text = strconv.AppendInt(append(text, 0), int64(n), 10)
	}
	return Fingerprint(rdb.Checksum(0, text))
}

func (f Fingerprint) String() string { return string(appendDigits(nil, uint64(f))) }

// appendDigits writes 16 hexadecimal digits.
func appendDigits(dst []byte, n uint64) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, digits[n>>shift&15])
	}
	return dst
}

// ParseFingerprint reads a fingerprint as clients write it, in any case.
func ParseFingerprint(text []byte) (f Fingerprint, ok bool) {
	n, err := strconv.ParseUint(string(text), 16, 64)
	return Fingerprint(n), err == nil && len(text) == 16
}
