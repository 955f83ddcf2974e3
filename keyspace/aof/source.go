package aof

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/troupedb/troupe/keyspace/rdb"
)

// Kind is what is found at a path.
type Kind byte

// The kinds of sources.
const (
	Snapshot  Kind = iota + 1 // a file that begins as one of RDB; commands may follow
	Commands                  // a file of commands
	MultiPart                 // a manifest and its files, as from Redis 7.0 on
)

func (k Kind) String() string {
	return [...]string{"unknown", "RDB file", "append-only file", "append-only directory"}[k]
}

// Source is all that is to be read at a path, unit by unit: one file, or those
// that a manifest names. Not safe for several callers at once.
type Source struct {
	kind  Kind
	disk  fs.FS
	files []File
	next  int // which file is opened next
	open  fs.File
	r     *Reader
	err   error
	trust bool // checksums are not looked at
}

// File is a file of a source.
type File struct {
	Name string
	Size int64
}

// redisDirectory is where Redis keeps the files of a manifest, in its own
// directory, unless appenddirname says something else.
const redisDirectory = "appendonlydir"

// unfinished is what the names of Redis's files begin with that it has not
// finished.
const unfinished = "temp-"

// Open recognises what is at a path: an RDB file, an append-only file of
// commands with or without a snapshot before them, a manifest, or a directory
// that holds one, itself or in appendonlydir. Of a manifest's files all must be
// there. Close it.
func Open(disk fs.FS, name string) (*Source, error) {
	info, err := fs.Stat(disk, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if name, err = findManifest(disk, name); err != nil {
			return nil, err
		}
	}
	if strings.HasSuffix(name, ManifestSuffix) {
		return openManifest(disk, name)
	}
	kind, err := recognise(disk, name)
	if err != nil {
		return nil, err
	}
	return &Source{kind: kind, disk: disk, files: []File{{name, info.Size()}}}, nil
}

// findManifest is the path of the one manifest in a directory.
func findManifest(disk fs.FS, dir string) (string, error) {
	var found []string
	for _, dir := range []string{dir, path.Join(dir, redisDirectory)} {
		entries, err := fs.ReadDir(disk, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ManifestSuffix) && !strings.HasPrefix(e.Name(), unfinished) && e.Type().IsRegular() {
				found = append(found, path.Join(dir, e.Name()))
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%s has no manifest of an append-only file: %w", dir, ErrNoSource)
	}
	return "", fmt.Errorf("%s has several manifests, name one of them: %s", dir, strings.Join(found, ", "))
}

// openManifest looks for the files that a manifest names.
func openManifest(disk fs.FS, name string) (*Source, error) {
	text, err := fs.ReadFile(disk, name)
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(text)
	if err != nil {
		var mistake *FileError
		if errors.As(err, &mistake) {
			mistake.File = name
		}
		return nil, err
	}
	s := &Source{kind: MultiPart, disk: disk}
	for _, part := range m.Parts() {
		file := path.Join(path.Dir(name), part.Name)
		info, err := fs.Stat(disk, file)
		if err != nil {
			return nil, fmt.Errorf("%s names a file: %w", name, err)
		}
		s.files = append(s.files, File{file, info.Size()})
	}
	return s, nil
}

// recognise tells what a file is by its first bytes. An empty one is one of no
// commands, as redis-server begins it.
func recognise(disk fs.FS, name string) (Kind, error) {
	f, err := disk.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return 0, err
	case string(head[:n]) == magic:
		return Snapshot, nil
	case n == 0 || head[0] == '*' || head[0] == '#':
		return Commands, nil
	}
	return 0, fmt.Errorf("%s: %w", name, ErrNoSource)
}

// Kind is what the source is.
func (s *Source) Kind() Kind { return s.kind }

// Files are the files that are read, in order.
func (s *Source) Files() []File { return s.files }

// Check says whether the checksums of snapshots are looked at, as they are unless
// it was called.
func (s *Source) Check(sums bool) { s.trust = !sums }

// Progress is how many bytes of all were read.
func (s *Source) Progress() (read, total int64) {
	for i, f := range s.files {
		if i < s.next {
			read += f.Size
		}
		total += f.Size
	}
	if s.r != nil {
		read += s.r.Offset() - s.files[s.next-1].Size
	}
	return read, total
}

// Next is the next unit. At the end, if all was well, the error is io.EOF; it
// is a *FileError with ErrTorn only in the last file, as nothing may be missing
// before another one.
func (s *Source) Next() (u Unit, err error) {
	err = s.Read(&u)
	return u, err
}

// Read is Next, for one who has room for the unit.
func (s *Source) Read(u *Unit) error {
	for s.err == nil {
		if s.r == nil && !s.begin() {
			break
		}
		err := s.r.read(u)
		if err == nil {
			return nil
		}
		if !errors.Is(err, io.EOF) {
			s.err = s.placed(err)
			break
		}
		s.end()
	}
	*u = Unit{}
	return s.err
}

// Err is the mistake after which nothing more is read, also within the elements
// of a large value of a snapshot.
func (s *Source) Err() error {
	if s.r != nil && s.err == nil {
		return s.r.Err()
	}
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// begin opens the next file. It reports whether there is one.
func (s *Source) begin() bool {
	if s.next == len(s.files) {
		s.err = io.EOF
		return false
	}
	name := s.files[s.next].Name
	s.next++
	f, err := s.disk.Open(name)
	if err != nil {
		s.err = err
		return false
	}
	s.open, s.r = f, newReader(f, name, rdb.ReadOptions{Unchecked: s.trust})
	return true
}

// end closes the file.
func (s *Source) end() {
	s.r = nil
	if s.open != nil {
		s.open.Close() // it was only read
		s.open = nil
	}
}

// placed is a mistake of a file, in regard of whether it is the last one.
func (s *Source) placed(err error) error {
	var mistake *FileError
	if errors.Is(err, ErrTorn) && errors.As(err, &mistake) && s.next < len(s.files) {
		mistake.Err = corrupt("%v, and another file follows", ErrTorn)
	}
	return err
}

// Close closes what is open. Nothing is read afterwards.
func (s *Source) Close() {
	s.end()
	if s.err == nil {
		s.err = io.EOF
	}
}
