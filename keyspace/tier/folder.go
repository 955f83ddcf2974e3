package tier

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The names in a tier's folder.
const (
	markName   = "TROUPE-TIER"
	valuesName = "values"
)

// ErrForeign: the folder holds something that is no tier's.
var ErrForeign = errors.New("the folder holds other files; give an empty one, or one that was a tier before")

// take makes a folder a tier's, and empties it. It is locked until the result is
// closed.
func take(disk vfs.FS, dir string) (lock io.Closer, err error) {
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	names, err := disk.List(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the folder: %w", err)
	}
	marked := false
	for _, name := range names {
		marked = marked || name == markName
	}
	for _, name := range names {
		if !marked || name != markName && name != valuesName {
			return nil, ErrForeign
		}
	}
	if lock, err = disk.Lock(disk.PathJoin(dir, markName)); err != nil {
		return nil, fmt.Errorf("locking the folder, which another server may use: %w", err)
	}
	err = disk.RemoveAll(disk.PathJoin(dir, valuesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("emptying the folder: %w", err), lock.Close())
	}
	return lock, nil
}

// unsynced is a disk that nobody waits for: after a crash nothing of a tier is
// read.
type unsynced struct{ vfs.FS }

// Create implements vfs.FS.
func (u unsynced) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return lazy(u.FS.Create(name, category))
}

// OpenDir implements vfs.FS.
func (u unsynced) OpenDir(name string) (vfs.File, error) { return lazy(u.FS.OpenDir(name)) }

// ReuseForWrite implements vfs.FS.
func (u unsynced) ReuseForWrite(was, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return lazy(u.FS.ReuseForWrite(was, name, category))
}

// Unwrap implements vfs.FS.
func (u unsynced) Unwrap() vfs.FS { return u.FS }

// lazyFile is a file that is never synced.
type lazyFile struct{ vfs.File }

func lazy(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return lazyFile{f}, nil
}

func (lazyFile) Sync() error                { return nil }
func (lazyFile) SyncData() error            { return nil }
func (lazyFile) SyncTo(int64) (bool, error) { return false, nil }
