package journal

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// The names in a data directory. What has another one is not ours and is left alone.
const (
	manifestName = "manifest"
	manifestTemp = "manifest.tmp"
	lockName     = "lock"
	snapshotTemp = "snapshot.tmp"
	asideSuffix  = ".aside"
)

// numberMax is more files than are ever made, and leaves room to count on.
const numberMax = 1 << 56

func segmentName(number uint64) string { return fmt.Sprintf("journal-%06d.log", number) }

// snapshotName has the version in it, so that a directory whose manifest is lost can be put together again.
func snapshotName(number, version uint64) string {
	return fmt.Sprintf("snapshot-%06d-%d.rdb", number, version)
}

// parseSegmentName gives the number of a segment's name.
func parseSegmentName(name string) (number uint64, ok bool) {
	digits, found := strings.CutPrefix(strings.TrimSuffix(name, ".log"), "journal-")
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, found && err == nil && number <= numberMax && name == segmentName(number)
}

// parseSnapshotName gives the number of a snapshot's name, and the version it is of.
func parseSnapshotName(name string) (number, version uint64, ok bool) {
	rest, found := strings.CutPrefix(strings.TrimSuffix(name, ".rdb"), "snapshot-")
	first, second, both := strings.Cut(rest, "-")
	number, err1 := strconv.ParseUint(first, 10, 64)
	version, err2 := strconv.ParseUint(second, 10, 64)
	ok = found && both && err1 == nil && err2 == nil && number <= numberMax && name == snapshotName(number, version)
	return number, version, ok
}

// freeName gives wanted, or wanted with a number behind it that no file has yet. It is for what is set
// aside, which never takes the place of something.
func freeName(fs FS, dir, wanted string) (string, error) {
	names, err := fs.ReadDir(dir)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	name := wanted
	for i := 2; taken[name]; i++ {
		name = wanted + "." + strconv.Itoa(i)
	}
	return filepath.Join(dir, name), nil
}

// ManifestName is a file that every data directory has which is not new.
const ManifestName = manifestName

// LockName is the file that says whose a directory is.
const LockName = lockName
