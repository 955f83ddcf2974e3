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
