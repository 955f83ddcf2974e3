// Package aof reads the append-only files of redis-server, of any version, and
// writes such: the commands that made a keyspace, or a snapshot of it and the
// commands since. It knows bytes and words: no clock, no disk but what it is given as a reader or
// an fs.FS, and nothing of what a command means, but for SELECT, MULTI and EXEC.
//
// It promises that a transaction is handed out whole or not at all; that a file
// whose end was not written whole is told apart from one that is damaged; and
// that any bytes are read in time linear in their number, with memory for what
// has come and not for what is announced.
//
// A file is, in a row:
//
//	RDB                                    a file of RDB, only at the begin
//	*words\r\n, ($length\r\n bytes\r\n)…   a command
//	#TS:seconds\r\n                        when what follows was written, from 7.0
//	#…\r\n                                 any other remark
//
// Until 7.0 there is one file. From then on a directory holds a base, which is
// either a snapshot or commands, files of what came later, and a manifest that
// names them: see ParseManifest. Source: aof.c of Redis 6.2 and 7.0.
package aof

import (
	"errors"
	"fmt"
)

// What can be wrong with a file, beside what package rdb has to say of a
// snapshot.
var (
	// ErrTorn: it ends in the middle of a command or of a transaction, as after a
	// crash; before that all is well. Redis goes on with what is whole, if it is
	// told so by aof-load-truncated, and if no other file follows.
	ErrTorn = errors.New("its end was not written whole")
	// ErrCorrupt: it is no such file, or damaged.
	ErrCorrupt = errors.New("it is corrupt")
	// ErrNoSource: there is nothing of Redis's at a path.
	ErrNoSource = errors.New("it is neither an RDB file, an append-only file, nor a directory of these")
)

// corrupt is ErrCorrupt with what is wrong.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

// FileError is a mistake in a file, or of reading it.
type FileError struct {
	// File is its name, empty if it has none.
	File string
	// Offset is where it was found: how many bytes of the file come before.
	Offset int64
	// Begin is where the unit begins that it is in. What comes before it is whole.
	Begin int64
	// Err is one of the errors of this package or of package rdb, or that of the
	// disk.
	Err error
}

func (e *FileError) Error() string {
	name := "append-only file"
	if e.File != "" {
		name = e.File
	}
	return fmt.Sprintf("%s at offset %d (whole up to %d): %v", name, e.Offset, e.Begin, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }
