package tier

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// halves is where a store's files are: what holds values is on the disk, and never
// synced, since after a crash nothing of a tier is read. What tells of those files
// is in memory for the same reason. So a disk that is full or fails can't
// come between the two, which Pebble does not survive.
type halves struct {
	vfs.FS
	memory *vfs.MemFS
}

func newHalves(disk vfs.FS) halves { return halves{disk, vfs.NewMem()} }

// of is where a file belongs.
func (h halves) of(name string) vfs.FS {
	if strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob") {
		return h.FS
	}
	return h.memory
}

// Create implements vfs.FS.
func (h halves) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return lazy(h.of(name).Create(name, category))
}

// Link implements vfs.FS.
func (h halves) Link(was, name string) error { return h.of(was).Link(was, name) }

// Open implements vfs.FS.
func (h halves) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return h.of(name).Open(name, opts...)
}

// OpenReadWrite implements vfs.FS.
func (h halves) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return lazy(h.of(name).OpenReadWrite(name, category, opts...))
}

// OpenDir implements vfs.FS: for syncing.
func (h halves) OpenDir(name string) (vfs.File, error) { return h.memory.OpenDir(name) }

// Remove implements vfs.FS.
func (h halves) Remove(name string) error { return h.of(name).Remove(name) }

// RemoveAll implements vfs.FS.
func (h halves) RemoveAll(name string) error {
	return errors.Join(h.memory.RemoveAll(name), h.FS.RemoveAll(name))
}

// Rename implements vfs.FS.
func (h halves) Rename(was, name string) error { return h.of(name).Rename(was, name) }

// ReuseForWrite implements vfs.FS.
func (h halves) ReuseForWrite(was, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return lazy(h.of(name).ReuseForWrite(was, name, category))
}

// MkdirAll implements vfs.FS.
func (h halves) MkdirAll(dir string, perm fs.FileMode) error {
	if err := h.memory.MkdirAll(dir, perm); err != nil {
		return err
	}
	return h.FS.MkdirAll(dir, perm)
}

// List implements vfs.FS.
func (h halves) List(dir string) ([]string, error) {
	told, err := h.memory.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	values, err := h.FS.List(dir)
	return append(told, values...), err
}

// Stat implements vfs.FS.
func (h halves) Stat(name string) (vfs.FileInfo, error) {
	info, err := h.of(name).Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return h.FS.Stat(name) // a directory
	}
	return info, err
}

// Unwrap implements vfs.FS.
func (h halves) Unwrap() vfs.FS { return h.FS }

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
