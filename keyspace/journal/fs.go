package journal

import (
	"errors"
	"io"
)

// FS is the disk as everything durable sees it, so that tests can break it. Names are whole paths. A name
// that does not exist gives an error that is fs.ErrNotExist. All methods may be called from several
// goroutines at once.
type FS interface {
	// Open opens a file for reading.
	Open(name string) (File, error)
	// Create makes an empty file for writing and reading, whatever had the name before.
	Create(name string) (File, error)
	// OpenAppend opens a file that exists for reading and for writing at its end.
	OpenAppend(name string) (File, error)
	// Rename gives a file another name, in one step, in place of the file that had it.
	Rename(from, to string) error
	// Remove takes a name away.
	Remove(name string) error
	// ReadDir gives the names in a directory, sorted, without the directory's own.
	ReadDir(dir string) ([]string, error)
	// MkdirAll makes a directory and those above it; one that is there already is no error.
	MkdirAll(dir string) error
	// SyncDir returns once what was created, renamed and removed in the directory is on disk.
	SyncDir(dir string) error
	// Stat gives the size of a file in bytes.
	Stat(name string) (size int64, err error)
	// Lock makes the file if it is missing and takes it for this process until the result is closed or the
	// process is gone. If another one has it, the error is ErrLocked.
	Lock(name string) (io.Closer, error)
}

// File is an open file. Write writes at the end, wherever that is after a Truncate.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	// Sync returns once all that was written is on disk. After an error nothing is known of it, and a second
	// Sync that succeeds proves nothing about what was written before the first.
	Sync() error
	// Truncate cuts the file to size bytes.
	Truncate(size int64) error
	// Size gives the size in bytes.
	Size() (int64, error)
	Close() error
}

// ErrLocked says that another process uses the directory.
var ErrLocked = errors.New("in use by another server")
