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
	"fmt"
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
	for _, word := range strings.Split(spec.Name, "|") {
		q.Argv = append(q.Argv, []byte(word))
	}
	for _, arg := range rest {
		q.Argv = append(q.Argv, bytes.Clone(arg))
	}
	return q
}

// Identity tells queries apart: equal queries, and only those, have equal
// identities. Words are written with their lengths, so that none can pass for
// two.
func (q *Query) Identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d:%s", q.DB, len(q.User), q.User)
	for _, arg := range q.Argv {
		fmt.Fprintf(&b, " %d:%s", len(arg), arg)
	}
	return b.String()
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

// Fingerprint names the query on a link, as DiceDB does since 1.0.1: the
// CRC-64 (Jones, starting from 0) of Text in 16 hexadecimal digits. Different
// queries may share one; the nth further query of a link that would, takes the
// fingerprint with n instead of 0.
func (q *Query) Fingerprint(n int) string {
	text := q.Text()
	if n > 0 {
		text += "\x00" + strconv.Itoa(n)
	}
	return fmt.Sprintf("%016x", rdb.Checksum(0, []byte(text)))
}

// ParseFingerprint reads a fingerprint as clients write it, in any case.
func ParseFingerprint(text []byte) (fingerprint string, ok bool) {
	n, err := strconv.ParseUint(string(text), 16, 64)
	return fmt.Sprintf("%016x", n), err == nil && len(text) == 16
}
