package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// What Repair moves aside, and what it gives up with that.

// cutTails parts the segments that are kept from what is not sound in them.
func (i *inspection) cutTails(c chain) error {
	for _, s := range c.segments {
		if s.size == s.sound.offset {
			continue
		}
		given, err := i.givenUp(s.name, c.last)
		if err != nil {
			return err
		}
		tail := &Tail{File: s.name, Offset: s.sound.offset, Size: s.size - s.sound.offset}
		aside, err := setAside(i.dir.fs, i.dir.path, tail)
		if err != nil {
			return fmt.Errorf("setting aside the end of %s: %w", s.name, err)
		}
		i.moved(aside, tail.Size, given)
		if err := truncate(i.dir.fs, i.dir.Path(s.name), s.sound.offset); err != nil {
			return err
		}
	}
	return nil
}

// moveAside moves a file aside. What is kept comes as far as a version.
func (i *inspection) moveAside(name string, last uint64) error {
	given, err := i.givenUp(name, last)
	if err != nil {
		return err
	}
	size, err := i.dir.sizeOf(name)
	if err != nil {
		return err
	}
	aside, err := freeName(i.dir.fs, i.dir.path, name+asideSuffix)
	if err != nil {
		return err
	}
	if err := i.dir.fs.Rename(i.dir.Path(name), aside); err != nil {
		return err
	}
	i.moved(aside, size, given)
	return nil
}

func (i *inspection) moved(aside string, bytes, records int64) {
	i.findings.Moved = append(i.findings.Moved, Moved{filepath.Base(aside), bytes, records})
}

// givenUp counts the records of a file that are lost when what is kept ends with a
// version.
func (i *inspection) givenUp(name string, last uint64) (int64, error) {
	entry, listed := i.dir.manifest.entry(name)
	if listed && entry.Closed() {
		return above(max(last, entry.First-1), entry.Last), nil
	}
	for _, s := range i.segments {
		if s.name == name && s.err == nil {
			highest, err := i.highest(&s)
			return above(max(last, s.first-1), highest), err
		}
	}
	return 0, nil
}

// above counts the versions above one, up to another.
func above(low, high uint64) int64 { return int64(max(low, high) - low) }

// highest is the version of the last sound record of a segment's file, of which
// some may stand behind others that are not.
func (i *inspection) highest(s *inspected) (version uint64, err error) {
	file, err := i.dir.fs.Open(i.dir.Path(s.name))
	if err != nil {
		return 0, err
	}
	scan := newScanner(file, s.head, s.size)
	scan.at, scan.expect = s.sound.offset, s.sound.version+1
	version, err = scan.highest()
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return version, nil
}
