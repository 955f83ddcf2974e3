package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
)

// Finding is something that is not as it was written.
type Finding struct {
	File     string // the name in the directory
	Offset   int64  // -1 if it is not about a place
	What     string
	Harmless bool // the next start deals with it and loses nothing that was promised
}

// String is one line.
func (f Finding) String() string {
	d := Damage{Offset: f.Offset}
	return f.File + d.place() + ": " + f.What
}

// Findings is what Check found, and what Repair did.
type Findings struct {
	Manifest Manifest // as it is on disk, after Repair as it was made; zero if there is none
	Records  int64    // sound ones, in the segments that the manifest names
	Last     uint64   // the highest sound version
	List     []Finding
	Moved    []Moved // what Repair moved aside
}

// Moved is something that was moved aside: a file, or the end of one.
type Moved struct {
	Name  string // that it has now
	Bytes int64
	// Records are those that were given up with it: that the manifest knows of, or
	// that stand there and are sound.
	Records int64
}

// OK tells whether a server would start.
func (f Findings) OK() bool {
	for _, found := range f.List {
		if !found.Harmless {
			return false
		}
	}
	return true
}

// Checksum is what Snapshot has of a file: CRC32C. It goes on from the sum of what came before, at first 0.
func Checksum(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// Check reads a whole directory that no server uses, its manifest, its snapshot and every record, and says
// all that is wrong with it. It changes nothing. The error is ErrLocked, or the disk's.
func Check(disk FS, dir string) (Findings, error) {
	if _, err := disk.ReadDir(dir); err != nil {
		return Findings{}, err
	}
	lock, err := disk.Lock(filepath.Join(dir, lockName))
	switch {
	case err == nil:
		defer lock.Close()
	case errors.Is(err, ErrLocked):
		return Findings{}, err
	default: // A directory that can't be written has no server either.
	}
	i, err := inspect(disk, dir)
	if err != nil {
		return Findings{}, err
	}
	return i.findings, nil
}

// inspection is a directory with all its files read.
type inspection struct {
	dir      *Dir
	lost     bool // the manifest is missing or wrong
	fatal    bool // something was written by a newer program
	files    map[string]bool
	segments []inspected // all segment files, in the order of their numbers
	snapshot []Snapshot  // all snapshot files, in the order of their numbers
	findings Findings
}

// inspected is a segment's file with its sound records counted.
type inspected struct {
	head
	name    string
	size    int64
	records int64
	sound   mark // the end of the last sound record
	err     error
	whole   bool // it has all that the manifest says, or all but what a crash explains
}

func inspect(disk FS, dir string) (*inspection, error) {
	i := &inspection{dir: &Dir{fs: disk, path: dir}, files: map[string]bool{}}
	names, err := disk.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if err := i.readManifest(names); err != nil {
		return nil, err
	}
	for _, name := range names {
		i.files[name] = true
		if _, ok := parseSegmentName(name); ok {
			err = i.inspectSegment(name)
		} else if _, version, ok := parseSnapshotName(name); ok {
			err = i.inspectSnapshot(name, version)
		}
		if err != nil {
			return nil, err
		}
	}
	i.findMissing()
	i.findGaps()
	return i, nil
}

func (i *inspection) found(file string, offset int64, format string, args ...any) {
	i.findings.List = append(i.findings.List, Finding{File: file, Offset: offset, What: fmt.Sprintf(format, args...)})
}

func (i *inspection) harmless(file string, offset int64, format string, args ...any) {
	i.found(file, offset, format, args...)
	i.findings.List[len(i.findings.List)-1].Harmless = true
}

// readManifest reads the manifest and says if there is none to trust.
func (i *inspection) readManifest(names []string) error {
	d := i.dir
	m, found, err := readManifest(d.fs, d.path)
	if err != nil && !errors.Is(err, errManifest) {
		return err
	}
	if err != nil {
		i.lost, i.fatal = true, errors.Is(err, errManifestFormat)
		i.found(manifestName, -1, "the manifest %s", withoutMark(err))
		return nil
	}
	d.manifest, i.findings.Manifest = m, m
	i.findings.Last = m.Snapshot.Version
	if !found && d.withoutManifest(names) != nil {
		i.lost = true
		i.found(manifestName, -1, "the manifest is missing")
	}
	return nil
}

// inspectSegment reads a segment's file.
func (i *inspection) inspectSegment(name string) error {
	d := i.dir
	file, err := d.fs.Open(d.Path(name))
	if err != nil {
		return err
	}
	defer file.Close()
	s := inspected{name: name}
	if s.size, err = file.Size(); err != nil {
		return err
	}
	text := make([]byte, min(s.size, segmentHead))
	if err := readAt(file, text, 0); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.head, s.err = parseHead(text)
	i.fatal = i.fatal || errors.Is(s.err, errSegmentFormat)
	entry, listed := d.manifest.entry(name)
	number, _ := parseSegmentName(name)
	switch {
	case s.err != nil:
		s.number = number
	case s.number != number || d.manifest.Identity != (Identity{}) && s.identity != d.manifest.Identity:
		s.err = errors.New("is of another directory or had another name")
	case listed && (s.after != entry.After || s.first != entry.First):
		s.err = errors.New("is another segment than the manifest says")
	default:
		if err := i.scan(file, &s, entry); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	i.judgeSegment(&s, listed)
	i.segments = append(i.segments, s)
	return nil
}

// entry gives what the manifest says of a segment's file.
func (m Manifest) entry(name string) (s Segment, ok bool) {
	for _, s := range m.Segments {
		if s.Name() == name {
			return s, true
		}
	}
	return Segment{}, false
}

// scan reads the records up to the first that is not sound.
func (i *inspection) scan(file File, s *inspected, entry Segment) error {
	end := s.size
	if entry.Closed() {
		end = min(end, entry.Size)
	}
	scan := newScanner(file, s.head, end)
	_, err := scan.next()
	for ; err == nil; _, err = scan.next() {
		s.records++
	}
	s.sound = scan.mark()
	var wrong flaw
	switch {
	case errors.Is(err, io.EOF):
		return i.atEnd(s, entry)
	case !errors.As(err, &wrong):
		return err
	case entry.Closed():
		i.found(s.name, scan.at, "%s", wrong)
		return nil
	}
	inside, _, err := scan.judge()
	if err != nil {
		return err
	}
	if inside {
		i.found(s.name, scan.at, "%s, and there are records behind it", wrong)
		return nil
	}
	s.whole = true
	i.harmless(s.name, scan.at, "%s: a crash cut the last write short, and the next start cuts it off", wrong)
	return nil
}

// atEnd compares where a segment ends with what the manifest says.
func (i *inspection) atEnd(s *inspected, entry Segment) error {
	s.whole = !entry.Closed() || s.sound == mark{entry.Size, entry.Last}
	if !s.whole {
		i.found(s.name, s.sound.offset, "the segment ends with record %d and should with %d", s.sound.version, entry.Last)
	}
	if s.whole && entry.Closed() && s.size > entry.Size {
		i.harmless(s.name, entry.Size, "there are %d bytes behind the end", s.size-entry.Size)
	}
	return nil
}

// judgeSegment says what is wrong with the file as a whole, and counts.
func (i *inspection) judgeSegment(s *inspected, listed bool) {
	m := i.dir.manifest
	switch {
	case listed && s.err != nil:
		i.found(s.name, 0, "the file %v", s.err)
	case listed:
		i.findings.Records += s.records
		if s.records > 0 {
			i.findings.Last = max(i.findings.Last, s.sound.version)
		}
	case i.lost:
	case s.number <= m.Next && s.size <= segmentHead, s.err == nil && s.number < m.Next,
		s.err == nil && s.number == m.Next && s.kind == rescue:
		i.harmless(s.name, -1, "a crash left the file, and the next start takes it away")
	default:
		i.found(s.name, -1, "the manifest does not know the file")
	}
}

// inspectSnapshot reads a snapshot's file.
func (i *inspection) inspectSnapshot(name string, version uint64) error {
	m := i.dir.manifest
	s, err := i.sum(name)
	if err != nil {
		return err
	}
	s.Version = version
	number, _, _ := parseSnapshotName(name)
	switch {
	case name == m.Snapshot.Name && s != m.Snapshot:
		what := "the snapshot has a wrong checksum"
		if s.Size != m.Snapshot.Size {
			what = fmt.Sprintf("the snapshot has %d bytes and should have %d", s.Size, m.Snapshot.Size)
		}
		i.found(name, min(s.Size, m.Snapshot.Size), "%s", what)
		return nil
	case name == m.Snapshot.Name, i.lost:
	case number > m.Next:
		i.found(name, -1, "the manifest does not know the file")
	default:
		i.harmless(name, -1, "a crash left the file, and the next start takes it away")
	}
	i.snapshot = append(i.snapshot, s)
	return nil
}

// sum reads a file for its size and checksum.
func (i *inspection) sum(name string) (Snapshot, error) {
	file, err := i.dir.fs.Open(i.dir.Path(name))
	if err != nil {
		return Snapshot{}, err
	}
	defer file.Close()
	s := Snapshot{Name: name}
	b := make([]byte, blockBytes)
	for {
		n, err := file.Read(b)
		s.Size += int64(n)
		s.Checksum = Checksum(s.Checksum, b[:n])
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
	}
}

// findMissing says which files the manifest names and nobody has.
func (i *inspection) findMissing() {
	m := i.dir.manifest
	if name := m.Snapshot.Name; name != "" && !i.files[name] {
		i.found(name, -1, "the file is missing")
	}
	for _, s := range m.Segments {
		if !i.files[s.Name()] {
			i.found(s.Name(), -1, "the file is missing")
		}
	}
}

// findGaps says where records are in no file.
func (i *inspection) findGaps() {
	last := i.dir.manifest.Snapshot.Version
	for _, s := range i.dir.manifest.Segments {
		if s.After > last {
			i.found(s.Name(), 0, "the records from %d to %d, before this segment, are in no file", last+1, s.After)
		}
		last = max(last, s.Last)
	}
}
