package journal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

// Identity tells the files of one directory from those of another.
type Identity [16]byte

// Manifest says which files make up the data. The zero Manifest is that of a new directory.
type Manifest struct {
	Identity Identity
	Epoch    uint64 // the highest that versions may be of; see EpochShift
	Next     uint64 // the number of the next file
	Snapshot Snapshot
	Segments []Segment // in the order of their records
}

// Snapshot is the state at a version, in a file.
type Snapshot struct {
	Name     string // in the directory; "" if there is none
	Version  uint64 // holds all up to here
	Size     int64  // bytes
	Checksum uint32 // CRC32C of the file; see Checksum
}

// Segment is a stretch of the log, in a file.
type Segment struct {
	Number uint64
	After  uint64 // the last version of a record before this segment
	First  uint64 // the version of its first record, if it has any
	Last   uint64 // the version of its last record; 0 while it is written
	Size   int64  // bytes up to the end of its last record; 0 while it is written
}

// Name is the segment's file in the directory.
func (s Segment) Name() string { return segmentName(s.Number) }

// Closed tells whether nothing more is written to the segment, so that its end is known.
func (s Segment) Closed() bool { return s.Size > 0 }

// The manifest's text.
const (
	manifestMagic    = "troupe manifest "
	manifestFormat   = 1
	manifestBytesMax = 64 << 20
)

var errManifestFormat = errors.New("format not known to this program")

// encode gives the manifest's text, which the package comment describes.
func (m Manifest) encode() []byte {
	b := fmt.Appendf(nil, "%s%d\nidentity %x\nepoch %d\nnext %d\n", manifestMagic, manifestFormat, m.Identity, m.Epoch, m.Next)
	if s := m.Snapshot; s.Name != "" {
		b = fmt.Appendf(b, "snapshot %s version %d size %d crc32c %08x\n", s.Name, s.Version, s.Size, s.Checksum)
	}
	for _, s := range m.Segments {
		b = fmt.Appendf(b, "segment %d after %d first %d ", s.Number, s.After, s.First)
		if s.Closed() {
			b = fmt.Appendf(b, "last %d size %d\n", s.Last, s.Size)
		} else {
			b = append(b, "open\n"...)
		}
	}
	return fmt.Appendf(b, "crc32c %08x\n", crc32.Checksum(b, castagnoli))
}

// parseManifest reads what encode wrote, and nothing else: what it takes, encode gives back. First and last
// line are those of manifests in every format, so that damage is never taken for a newer format.
func parseManifest(text []byte) (Manifest, error) {
	var m Manifest
	head, _, _ := bytes.Cut(text, []byte("\n"))
	format, found := strings.CutPrefix(string(head), manifestMagic)
	if !found {
		return m, errors.New("is not a manifest")
	}
	body, sum, found := cutLastLine(text)
	if !found || string(sum) != fmt.Sprintf("crc32c %08x\n", crc32.Checksum(body, castagnoli)) {
		return m, errors.New("has a wrong checksum")
	}
	if format != strconv.Itoa(manifestFormat) {
		return m, fmt.Errorf("is of format %.20q: %w", format, errManifestFormat)
	}
	for line := range strings.Lines(string(body)) {
		if err := m.take(strings.Fields(line)); err != nil {
			return Manifest{}, fmt.Errorf("line %.100q: %w", line, err)
		}
	}
	if !bytes.Equal(m.encode(), text) {
		return Manifest{}, errors.New("is not written as manifests are")
	}
	return m, m.sound()
}

// cutLastLine parts a text that ends in a newline before its last line.
func cutLastLine(text []byte) (before, last []byte, ok bool) {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return nil, nil, false
	}
	at := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	return text[:at], text[at:], at > 0
}

// take reads one line.
func (m *Manifest) take(words []string) error {
	if len(words) < 2 {
		return errors.New("too short")
	}
	numbers := make([]uint64, 0, len(words))
	for i := 1; i < len(words); i++ {
		if n, err := strconv.ParseUint(words[i], 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	switch {
	case words[0] == "troupe":
	case words[0] == "identity" && len(words[1]) == hex.EncodedLen(len(m.Identity)):
		_, err := hex.Decode(m.Identity[:], []byte(words[1]))
		return err
	case words[0] == "epoch" && len(numbers) == 1:
		m.Epoch = numbers[0]
	case words[0] == "next" && len(numbers) == 1:
		m.Next = numbers[0]
	case words[0] == "snapshot" && len(words) == 8:
		return m.takeSnapshot(words)
	case words[0] == "segment" && len(numbers) == 3:
		m.Segments = append(m.Segments, Segment{Number: numbers[0], After: numbers[1], First: numbers[2]})
	case words[0] == "segment" && len(numbers) == 5:
		m.Segments = append(m.Segments, Segment{
			Number: numbers[0], After: numbers[1], First: numbers[2], Last: numbers[3], Size: int64(numbers[4]),
		})
	default:
		return errors.New("not understood")
	}
	return nil
}

func (m *Manifest) takeSnapshot(words []string) error {
	version, err1 := strconv.ParseUint(words[3], 10, 64)
	size, err2 := strconv.ParseInt(words[5], 10, 64)
	sum, err3 := strconv.ParseUint(words[7], 16, 32)
	m.Snapshot = Snapshot{Name: words[1], Version: version, Size: size, Checksum: uint32(sum)}
	return errors.Join(err1, err2, err3)
}

// sound tells what in a manifest can't be, though its text is whole.
func (m *Manifest) sound() error {
	if s := m.Snapshot; s.Name != "" {
		number, version, ok := parseSnapshotName(s.Name)
		if !ok || version != s.Version || number >= m.Next || s.Size < 0 {
			return fmt.Errorf("names a snapshot %.100q that can't be", s.Name)
		}
	}
	if m.Next == 0 || m.Next > numberMax || m.Epoch > epochMax {
		return errors.New("has a number that can't be")
	}
	var number, version uint64
	for i, s := range m.Segments {
		closed := s.Size > segmentHead && s.Last >= s.First
		open := s.Size == 0 && s.Last == 0 && i == len(m.Segments)-1
		if s.Number <= number || s.Number >= m.Next || s.After >= s.First || s.First <= version || !(closed || open) {
			return fmt.Errorf("names a segment %d that can't be", s.Number)
		}
		number, version = s.Number, s.Last
	}
	return nil
}

func (m Manifest) clone() Manifest {
	m.Segments = slices.Clone(m.Segments)
	return m
}

// has tells whether a file is named.
func (m Manifest) has(name string) bool {
	return name == m.Snapshot.Name && name != "" ||
		slices.ContainsFunc(m.Segments, func(s Segment) bool { return s.Name() == name })
}

// close notes where the last segment ends, if it is open. One without records is left out.
func (m *Manifest) close(last uint64, size int64) {
	at := len(m.Segments) - 1
	if at < 0 || m.Segments[at].Closed() {
		return
	}
	if last < m.Segments[at].First {
		m.Segments = m.Segments[:at]
		return
	}
	m.Segments[at].Last, m.Segments[at].Size = last, size
}
