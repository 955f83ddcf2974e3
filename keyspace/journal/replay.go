package journal

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// Report says what Replay found.
type Report struct {
	Records int64  // visited
	Bytes   int64  // of the log, read
	Last    uint64 // the highest version there is, of a record or of the snapshot
	Tail    *Tail  // what was cut; nil if the log ended well
}

// Tail is the end of a log that a crash cut short.
type Tail struct {
	File   string // the segment
	Offset int64  // where it was cut
	Size   int64  // bytes
	What   string // what was found there
	Aside  string // the file that has the bytes now; "" if they were left where they are
}

// String is one line for the log.
func (t *Tail) String() string {
	text := fmt.Sprintf("%s at offset %d: %s; %d bytes ", t.File, t.Offset, t.What, t.Size)
	if t.Aside == "" {
		return text + "were passed over"
	}
	return text + "set aside as " + filepath.Base(t.Aside)
}

// Replay visits all records with a version above after, which is the snapshot's or a higher one, in order.
//
// A last segment that was being written when the server died may end in bytes that are no record: they are
// copied into a file beside it, cut and reported, once all before them was visited. Everything else that is
// not as it was written is a *Damage, and then nothing is changed. An error of visit ends the replay and is
// returned as it is. progress, which may be nil, is told about once a megabyte how many bytes of how many
// are done.
func (d *Dir) Replay(after uint64, visit func(Record) error, progress func(done, all int64)) (Report, error) {
	r := &replay{dir: d, after: after, visit: visit, progress: progress}
	r.report.Last = max(after, d.manifest.Snapshot.Version)
	if err := r.plan(); err != nil {
		return r.report, err
	}
	for _, s := range r.segments {
		if err := r.segment(s); err != nil {
			return r.report, err
		}
	}
	if err := r.cut(); err != nil {
		return r.report, err
	}
	d.replayed, d.last = true, r.report.Last
	return r.report, nil
}

// replay is one walk through the log.
type replay struct {
	dir      *Dir
	after    uint64
	visit    func(Record) error
	progress func(done, all int64)
	segments []Segment
	report   Report
	all      int64
	told     int64 // of report.Bytes
}

// plan leaves out the segments that have nothing after the version, and holds that none is missing.
func (r *replay) plan() error {
	last := r.report.Last
	for i, s := range r.dir.manifest.Segments {
		if s.After > last {
			return r.dir.damageAt(s.Name(), 0, "the records from %d to %d, before this segment, are in no file", last+1, s.After)
		}
		last = max(last, s.Last)
		isLast := i == len(r.dir.manifest.Segments)-1
		if s.Closed() && s.Last <= r.after && !isLast {
			continue
		}
		size, err := r.dir.sizeOf(s.Name())
		if err != nil {
			return err
		}
		if s.Closed() {
			size = s.Size
		}
		r.segments = append(r.segments, s)
		r.all += size
	}
	return nil
}

// segment reads one segment to its end, or to where it is cut.
func (r *replay) segment(s Segment) error {
	d := r.dir
	file, err := d.fs.Open(d.Path(s.Name()))
	if err != nil {
		return err
	}
	defer file.Close()
	scan, size, err := d.scan(file, s)
	if err != nil {
		return err
	}
	what, err := r.records(scan, s)
	if err != nil {
		return err
	}
	if what == "" && s.Closed() && scan.expect-1 != s.Last {
		return d.damageAt(s.Name(), scan.at, "the segment ends with record %d and should with %d", scan.expect-1, s.Last)
	}
	if what == "" && size > scan.end {
		what = "there are bytes behind the end"
	}
	d.end, d.proven = scan.mark(), scan.proven
	if d.end.version >= s.First {
		r.report.Last = max(r.report.Last, d.end.version)
	}
	r.report.Tail = nil
	if what != "" {
		r.report.Tail = &Tail{File: s.Name(), Offset: scan.at, Size: size - scan.at, What: what}
	}
	return nil
}

// scan begins to read a segment: its head must be what the manifest says.
func (d *Dir) scan(file File, s Segment) (scan *scanner, size int64, err error) {
	size, err = file.Size()
	if err != nil {
		return nil, 0, err
	}
	text := make([]byte, min(size, segmentHead))
	if err := readAt(file, text, 0); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", s.Name(), err)
	}
	h, err := parseHead(text)
	if err != nil {
		damage := d.damageAt(s.Name(), 0, "the file %v", err)
		damage.Fatal = errors.Is(err, errSegmentFormat)
		return nil, 0, damage
	}
	if h.identity != d.Manifest().Identity || h.number != s.Number || h.after != s.After || h.first != s.First {
		return nil, 0, d.damageAt(s.Name(), 0, "the file is another segment than the manifest says")
	}
	end := size
	if s.Closed() {
		end = s.Size
	}
	return newScanner(file, h, end), size, nil
}

// records visits what a segment has. It returns what is wrong with the rest, if that is to be cut.
func (r *replay) records(scan *scanner, s Segment) (what string, err error) {
	for {
		record, err := scan.next()
		var wrong flaw
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			r.tell(scan.end, true)
			return "", nil
		case !errors.As(err, &wrong):
			return "", fmt.Errorf("%s: %w", s.Name(), err)
		default:
			return r.flawed(scan, s, wrong)
		}
		if record.Version > r.after {
			r.report.Records++
			if err := r.visit(record); err != nil {
				return "", err
			}
		}
		r.tell(scan.at, false)
	}
}

// flawed decides about a flaw.
func (r *replay) flawed(scan *scanner, s Segment, wrong flaw) (what string, err error) {
	if s.Closed() {
		return "", r.dir.damageAt(s.Name(), scan.at, "%s", wrong)
	}
	inside, sound, err := scan.judge()
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Name(), err)
	}
	if inside && sound < 0 {
		return "", r.dir.damageAt(s.Name(), scan.at, "%s, and what follows looks like records", wrong)
	}
	if inside {
		return "", r.dir.damageAt(s.Name(), scan.at, "%s, and there are sound records behind it, from offset %d", wrong, sound)
	}
	r.tell(scan.end, true)
	return string(wrong), nil
}

// tell counts the bytes that are done. At the end of a segment the count is what went before, and all of it.
func (r *replay) tell(at int64, ends bool) {
	done := r.report.Bytes + at
	if ends {
		r.report.Bytes = done
	}
	if r.progress != nil && (ends || done-r.told >= blockBytes) {
		r.told = done
		r.progress(min(done, r.all), r.all)
	}
}

// cut takes a bad tail off the last segment, once a copy of it is safe.
func (r *replay) cut() error {
	tail := r.report.Tail
	if tail == nil || r.dir.readOnly {
		return nil
	}
	aside, err := setAside(r.dir.fs, r.dir.path, tail)
	if err != nil {
		return fmt.Errorf("setting aside the end of %s: %w", tail.File, err)
	}
	tail.Aside = aside
	return truncate(r.dir.fs, r.dir.Path(tail.File), tail.Offset)
}

// setAside copies a tail into a file of its own, which is on disk when it returns.
func setAside(disk FS, dir string, tail *Tail) (name string, err error) {
	name, err = freeName(disk, dir, fmt.Sprintf("%s.at-%d%s", tail.File, tail.Offset, asideSuffix))
	if err != nil {
		return "", err
	}
	from, err := disk.Open(filepath.Join(dir, tail.File))
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := disk.Create(name)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, io.NewSectionReader(from, tail.Offset, tail.Size))
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = disk.SyncDir(dir)
	}
	return name, err
}

// truncate cuts a file and has that on disk.
func truncate(disk FS, name string, size int64) error {
	file, err := disk.OpenAppend(name)
	if err != nil {
		return err
	}
	err = file.Truncate(size)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
