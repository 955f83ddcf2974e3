package persist

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

// ErrHalted: loading was given up because the server is to stop.
var ErrHalted = errors.New("given up, as the server is to stop")

// Halt has Load or Start give up as soon as may be, if they run. The directory is
// then as it was, or as a crash leaves it. It may be called from any goroutine.
func (s *Store) Halt() {
	s.halting.Do(func() { close(s.halt) })
}

// halted is ErrHalted once loading is to be given up.
func (s *Store) halted() error {
	select {
	case <-s.halt:
		return ErrHalted
	default:
		return nil
	}
}

// counted is what is read for a loader: what comes is counted, and nothing comes
// any more when loading is given up.
type counted struct {
	io.Reader
	l *loader
}

// Read implements io.Reader.
func (c counted) Read(b []byte) (int, error) {
	if err := c.l.store.halted(); err != nil {
		return 0, err
	}
	n, err := c.Reader.Read(b)
	c.l.took(int64(n))
	return n, err
}

// watched is a disk whose files are read as counted.
type watched struct {
	fs.FS
	l *loader
}

// Open implements fs.FS.
func (w watched) Open(name string) (fs.File, error) {
	file, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return watchedFile{file, counted{file, w.l}}, nil
}

// Stat implements fs.StatFS.
func (w watched) Stat(name string) (fs.FileInfo, error) { return fs.Stat(w.FS, name) }

// ReadDir implements fs.ReadDirFS.
func (w watched) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(w.FS, name) }

type watchedFile struct {
	fs.File
	counted counted
}

// Read implements fs.File.
func (f watchedFile) Read(b []byte) (int, error) { return f.counted.Read(b) }

// seam is the files of a directory on a journal's disk, as an fs.FS. It knows no
// directories.
type seam struct {
	disk journal.FS
	dir  string
}

// FilesOf is the files of a directory on a journal's disk, as Foreign has them.
func FilesOf(disk journal.FS, dir string) fs.FS { return seam{disk, dir} }

// Open implements fs.FS.
func (s seam) Open(name string) (fs.File, error) {
	file, err := s.disk.Open(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	return seamFile{file, name}, nil
}

// Stat implements fs.StatFS.
func (s seam) Stat(name string) (fs.FileInfo, error) {
	size, err := s.disk.Stat(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	return seamInfo{filepath.Base(name), size}, nil
}

type seamFile struct {
	journal.File
	name string
}

// Stat implements fs.File.
func (f seamFile) Stat() (fs.FileInfo, error) {
	size, err := f.Size()
	return seamInfo{filepath.Base(f.name), size}, err
}

// seamInfo is a file's fs.FileInfo.
type seamInfo struct {
	name string
	size int64
}

func (i seamInfo) Name() string     { return i.name }
func (i seamInfo) Size() int64      { return i.size }
func (seamInfo) Mode() fs.FileMode  { return 0 }
func (seamInfo) ModTime() time.Time { return time.Time{} }
func (seamInfo) IsDir() bool        { return false }
func (seamInfo) Sys() any           { return nil }
