package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
)

// Dir is a data directory that this process has for itself. Its methods are for one goroutine, but for
// Manifest; once Begin has returned a Log they are that Log's.
type Dir struct {
	fs   FS
	path string
	lock io.Closer

	mu       sync.Mutex // of manifest
	manifest Manifest

	isNew     bool
	readOnly  bool
	unsettled bool // the manifest here may or may not be the one on disk
	leftovers []leftover
	replayed  bool
	end       mark  // of the last segment, as far as it is sound
	proven    int64 // up to here it is certainly on disk
	last      uint64
}

// leftover is a file that a crash left and nothing needs.
type leftover struct {
	name  string
	aside bool // to be set aside, not removed: it may hold what is nowhere else
}

// OpenDir makes the directory if it is missing, takes it for this process, reads its manifest and compares
// it with the files that are there. It changes nothing else. The error is ErrLocked if another process has
// the directory, a *Damage if a file is missing, too short, not ours or not understood.
func OpenDir(disk FS, path string) (*Dir, error) {
	_, err := disk.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = makeDir(disk, path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the data directory: %w", err)
	}
	lock, err := disk.Lock(filepath.Join(path, lockName))
	if err != nil {
		return nil, err
	}
	d := &Dir{fs: disk, path: path, lock: lock}
	if err := d.survey(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// OpenToRead is OpenDir for somebody who changes nothing: the directory has to be there, a disk that can't be
// written will do, Replay leaves a tail where it is, and Begin is refused.
func OpenToRead(disk FS, path string) (*Dir, error) {
	if _, err := disk.ReadDir(path); err != nil {
		return nil, fmt.Errorf("opening the data directory: %w", err)
	}
	d := &Dir{fs: disk, path: path, readOnly: true}
	lock, err := disk.Lock(filepath.Join(path, lockName))
	switch {
	case err == nil:
		d.lock = lock
	case errors.Is(err, ErrLocked):
		return nil, err
	default: // A directory that can't be written has no server either.
	}
	if err := d.survey(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// makeDir makes a directory that outlives a crash. Whether the one above can be synced is not known: it
// may be none of ours.
func makeDir(disk FS, path string) error {
	if err := disk.MkdirAll(path); err != nil {
		return err
	}
	_ = disk.SyncDir(filepath.Dir(path))
	return nil
}

// Close lets the directory go. Closing the Log does so too.
func (d *Dir) Close() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}

// Manifest says which files make up the data. It may be called from any goroutine.
func (d *Dir) Manifest() Manifest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.manifest.clone()
}

// IsNew tells whether the directory had no manifest, and nothing that calls for one.
func (d *Dir) IsNew() bool { return d.isNew }

// Path gives the whole path of a file of the directory.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

// survey reads the manifest and looks at all files.
func (d *Dir) survey() error {
	names, err := d.fs.ReadDir(d.path)
	if err != nil {
		return err
	}
	m, found, err := readManifest(d.fs, d.path)
	if err != nil {
		return d.manifestTrouble(err)
	}
	d.manifest, d.isNew = m, !found
	if !found {
		return d.withoutManifest(names)
	}
	if err := d.checkPresent(); err != nil {
		return err
	}
	for _, name := range names {
		if err := d.classify(name); err != nil {
			return err
		}
	}
	return nil
}

// errManifest says that what was read is not a manifest, which is not the disk's failing to read it.
var errManifest = errors.New("manifest")

// readManifest tells apart a manifest that is missing, one that is wrong (errManifest) and a disk that
// does not read.
func readManifest(disk FS, dir string) (m Manifest, found bool, err error) {
	text, err := readFile(disk, filepath.Join(dir, manifestName), manifestBytesMax)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, false, nil
	}
	if err != nil {
		return Manifest{}, false, err
	}
	m, err = parseManifest(text)
	if err != nil {
		return Manifest{}, true, errors.Join(errManifest, err)
	}
	return m, true, nil
}

func (d *Dir) manifestTrouble(err error) error {
	if !errors.Is(err, errManifest) {
		return err
	}
	damage := d.damage(manifestName, "the manifest %s", withoutMark(err))
	damage.Fatal = errors.Is(err, errManifestFormat)
	return damage
}

// withoutMark is the text of an error without the line that errManifest gives it.
func withoutMark(err error) string {
	var parts interface{ Unwrap() []error }
	if errors.As(err, &parts) {
		return parts.Unwrap()[1].Error()
	}
	return err.Error()
}

// readFile reads a whole file of at most limit bytes.
func readFile(disk FS, name string, limit int64) ([]byte, error) {
	file, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(size, limit))
	_, err = io.ReadFull(file, text)
	return text, err
}

// withoutManifest holds that a directory without a manifest has no data: it is new, or it lost more than
// can be guessed.
func (d *Dir) withoutManifest(names []string) error {
	for _, name := range names {
		_, isSegment := parseSegmentName(name)
		_, _, isSnapshot := parseSnapshotName(name)
		if isSegment || isSnapshot {
			return d.damage(manifestName, "the manifest is missing, and %s is there", name)
		}
	}
	return nil
}

// checkPresent holds that the files that the manifest names are there, as long as it says.
func (d *Dir) checkPresent() error {
	if s := d.manifest.Snapshot; s.Name != "" {
		size, err := d.sizeOf(s.Name)
		if err != nil {
			return err
		}
		if size != s.Size {
			return d.damageAt(s.Name, min(size, s.Size), "the snapshot has %d bytes and should have %d", size, s.Size)
		}
	}
	for _, s := range d.manifest.Segments {
		size, err := d.sizeOf(s.Name())
		if err != nil {
			return err
		}
		if size < max(s.Size, segmentHead) {
			return d.damageAt(s.Name(), size, "the segment ends here and should have %d bytes", max(s.Size, segmentHead))
		}
	}
	return nil
}

func (d *Dir) sizeOf(name string) (int64, error) {
	size, err := d.fs.Stat(d.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, d.damage(name, "the file is missing")
	}
	return size, err
}

// classify says of a file that the manifest does not name whether a crash explains it.
func (d *Dir) classify(name string) error {
	if d.manifest.has(name) {
		return nil
	}
	if name == snapshotTemp || name == manifestTemp {
		d.leftovers = append(d.leftovers, leftover{name: name})
		return nil
	}
	if number, ok := parseSegmentName(name); ok {
		return d.classifySegment(name, number)
	}
	number, version, ok := parseSnapshotName(name)
	if !ok {
		return nil
	}
	if number > d.manifest.Next {
		return d.damage(name, "the manifest does not know this snapshot")
	}
	stray := number < d.manifest.Next && version > d.manifest.Snapshot.Version
	d.leftovers = append(d.leftovers, leftover{name, stray})
	return nil
}

// classifySegment accepts a segment that was made and not named yet, and one that was no longer named and
// not removed yet.
func (d *Dir) classifySegment(name string, number uint64) error {
	size, err := d.fs.Stat(d.Path(name))
	if err != nil {
		return err
	}
	h, err := readHead(d.fs, d.Path(name))
	unborn := number <= d.manifest.Next && size <= segmentHead // it has no record
	switch {
	case unborn:
	case isFlaw(err):
		return d.damage(name, "the manifest does not know this file, which %v", err)
	case err != nil:
		return err
	case h.identity != d.manifest.Identity || h.number != number:
		return d.damage(name, "the segment is of another directory or had another name")
	case number > d.manifest.Next || number == d.manifest.Next && h.kind != rescue:
		return d.damage(name, "the manifest does not know this segment, which has records")
	}
	d.leftovers = append(d.leftovers, leftover{name, number == d.manifest.Next && !unborn})
	return nil
}

// isFlaw tells what is wrong with a head from a disk that does not read.
func isFlaw(err error) bool {
	return errors.Is(err, errNoSegment) || errors.Is(err, errHeadChecksum) || errors.Is(err, errSegmentFormat)
}

// readHead reads the head of a segment's file.
func readHead(disk FS, path string) (head, error) {
	text, err := readFile(disk, path, segmentHead)
	if err != nil {
		return head{}, err
	}
	return parseHead(text)
}

// store makes m the directory's manifest, on disk. After an error the old one is in force, unless
// unsettled says that nobody knows: then m is taken to be, nothing that one of the two needs may be
// removed, no durability may be told, and store is to be called again.
func (d *Dir) store(m Manifest) error {
	temp := d.Path(manifestTemp)
	if err := writeFile(d.fs, temp, m.encode()); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	d.unsettled = true
	d.mu.Lock()
	d.manifest = m
	d.mu.Unlock()
	err := d.fs.Rename(temp, d.Path(manifestName))
	if err == nil {
		err = d.fs.SyncDir(d.path)
	}
	if err != nil {
		return fmt.Errorf("putting the manifest in place: %w", err)
	}
	d.unsettled = false
	return nil
}

func writeFile(disk FS, name string, text []byte) error {
	file, err := disk.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func newIdentity() (id Identity) {
	rand.Read(id[:]) // never fails: the program ends if the system has no randomness
	return id
}

// sweep removes what the manifest, which must be settled, makes superfluous. What can't be removed now is
// found again at the next start.
func (d *Dir) sweep() {
	names, err := d.fs.ReadDir(d.path)
	if err != nil {
		return
	}
	for _, name := range names {
		_, isSegment := parseSegmentName(name)
		_, _, isSnapshot := parseSnapshotName(name)
		if (isSegment || isSnapshot) && !d.manifest.has(name) {
			_ = d.fs.Remove(d.Path(name))
		}
	}
}

// clear takes away what a crash left. A rescue that was not finished may hold records that are nowhere
// else, though nobody was told that they are safe: it is set aside, as is a snapshot that was not adopted.
func (d *Dir) clear() {
	for _, left := range d.leftovers {
		if !left.aside {
			_ = d.fs.Remove(d.Path(left.name))
			continue
		}
		if aside, err := freeName(d.fs, d.path, left.name+asideSuffix); err == nil {
			_ = d.fs.Rename(d.Path(left.name), aside)
		}
	}
	d.leftovers = nil
}
