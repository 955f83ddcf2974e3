package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Repair makes a directory one that a server starts with. It keeps what is certain: the base, and the
// records that follow on it up to the first that is damaged or missing. Everything else is moved aside, into
// files whose names end in ".aside"; nothing is removed. Of a directory whose manifest is lost it makes a
// new one from what the files say of themselves. A snapshot that is missing or wrong leaves nothing that
// the records could follow on, and then they are moved aside as well. A directory that needs no repair is
// left as it is.
//
// The findings are those of Check before, with what was moved. The error is ErrLocked, the disk's, or says
// that a newer program wrote the directory.
func Repair(disk FS, dir string) (Findings, error) {
	if _, err := disk.ReadDir(dir); err != nil {
		return Findings{}, err
	}
	lock, err := disk.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return Findings{}, err
	}
	defer lock.Close()
	i, err := inspect(disk, dir)
	if err != nil || i.findings.OK() {
		return i.result(), err
	}
	if i.fatal {
		return i.findings, errors.New("the directory was written by a newer program; it is left as it is")
	}
	best, err := i.bestChain()
	if err == nil {
		err = i.repair(best)
	}
	return i.findings, err
}

func (i *inspection) result() Findings {
	if i == nil {
		return Findings{}
	}
	return i.findings
}

// chain is a base and the segments that certainly follow on it.
type chain struct {
	base     Snapshot
	segments []inspected
	last     uint64
}

// bestChain gives the chain that comes furthest. With the manifest's snapshot in order, or without one in
// the manifest, there is only one base; otherwise every snapshot that is there may be it.
func (i *inspection) bestChain() (best chain, err error) {
	m := i.dir.manifest
	if i.lost || m.Snapshot.Name == "" {
		if best, err = i.chain(Snapshot{}); err != nil || !i.lost {
			return best, err
		}
	}
	for _, s := range i.snapshot {
		c, err := i.chain(s)
		if err != nil || s == m.Snapshot {
			return c, err
		}
		if c.last >= best.last && s.Size > 0 {
			best = c
		}
	}
	return best, nil
}

// chain follows the segments from a base on. A segment that a failed sync gave rise to may begin with
// records that the one before has as well; they are taken from the later one.
func (i *inspection) chain(base Snapshot) (c chain, err error) {
	c = chain{base: base, last: base.Version}
	identity := i.identity()
	for _, s := range i.candidates() {
		if s.err != nil || s.identity != identity || s.after > c.last {
			return c, nil
		}
		if s.records > 0 && s.sound.version > c.last {
			if err := i.cutBefore(&c, s.first); err != nil {
				return c, err
			}
			c.segments = append(c.segments, s)
			c.last = s.sound.version
		}
		if !s.whole && !i.lost {
			return c, nil
		}
	}
	return c, nil
}

// cutBefore takes the records from a version on out of a chain.
func (i *inspection) cutBefore(c *chain, version uint64) error {
	for n := len(c.segments); n > 0 && c.segments[n-1].sound.version >= version; n-- {
		last := &c.segments[n-1]
		if last.first >= version {
			c.segments = c.segments[:n-1]
			continue
		}
		file, err := i.dir.fs.Open(i.dir.Path(last.name))
		if err != nil {
			return err
		}
		scan := newScanner(file, last.head, last.sound.offset)
		for err == nil && scan.expect < version {
			_, err = scan.next()
		}
		last.sound = scan.mark()
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("%s: %w", last.name, err)
		}
	}
	return nil
}

// candidates are the segments that the manifest names, those missing with an error, or all if it is lost.
func (i *inspection) candidates() []inspected {
	if i.lost {
		return i.segments
	}
	var named []inspected
	for _, entry := range i.dir.manifest.Segments {
		s := inspected{name: entry.Name(), err: errors.New("is missing")}
		for _, there := range i.segments {
			if there.name == s.name {
				s = there
			}
		}
		named = append(named, s)
	}
	return named
}

// identity is the manifest's, or that which most segments have.
func (i *inspection) identity() (most Identity) {
	if !i.lost {
		return i.dir.manifest.Identity
	}
	count := map[Identity]int{}
	for _, s := range i.segments {
		if s.err != nil {
			continue
		}
		count[s.identity]++
		if count[s.identity] > count[most] {
			most = s.identity
		}
	}
	return most
}

// repair makes the chain all that the directory has. Each step leaves a directory that needs repair until
// the last one, which writes the manifest.
func (i *inspection) repair(c chain) error {
	m := i.rebuilt(c)
	if err := i.cutTails(c); err != nil {
		return err
	}
	for name := range i.files {
		_, isSegment := parseSegmentName(name)
		_, _, isSnapshot := parseSnapshotName(name)
		if (isSegment || isSnapshot) && !m.has(name) || name == manifestName && i.lost {
			if err := i.moveAside(name, c.last); err != nil {
				return err
			}
		}
	}
	if err := i.dir.fs.SyncDir(i.dir.path); err != nil {
		return err
	}
	i.findings.Manifest, i.findings.Last = m, c.last
	return i.dir.store(m)
}

// rebuilt gives the manifest of a chain. Its epoch is one that no version was ever given out of.
func (i *inspection) rebuilt(c chain) Manifest {
	m := Manifest{Identity: i.identity(), Next: max(i.dir.manifest.Next, 1), Epoch: i.dir.manifest.Epoch, Snapshot: c.base}
	if m.Identity == (Identity{}) {
		m.Identity = newIdentity()
	}
	for _, s := range i.segments {
		m.Next = max(m.Next, s.number+1)
		m.Epoch = max(m.Epoch, s.first>>EpochShift, s.sound.version>>EpochShift)
	}
	for name := range i.files {
		if number, version, ok := parseSnapshotName(name); ok {
			m.Next = max(m.Next, number+1)
			m.Epoch = max(m.Epoch, version>>EpochShift)
		}
	}
	m.Epoch++
	for _, s := range c.segments {
		m.Segments = append(m.Segments, Segment{
			Number: s.number, After: s.after, First: s.first, Last: s.sound.version, Size: s.sound.offset,
		})
	}
	return m
}
