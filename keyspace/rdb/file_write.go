package rdb

import (
	"encoding/binary"
	"fmt"
	"io"
)

// FileWriter makes a file of parts that Encoders have written, in pieces that
// may have been made at the same time in several places. Not safe for several
// callers at once. The first error sticks.
//
// The version stands in the head of the file, and whether it is to be 10 or 12
// is known when the last hash was seen. So the file begins as one of 10, which
// redis-server 7.0 reads. If something later wants 12, the head is written
// again at the end, over the first one, for which the file has to be an
// io.WriterAt; the checksum needs no second look at the file, as it can be
// worked out from those of its parts (see joinChecksums).
type FileWriter struct {
	to        io.Writer
	unchecked bool
	began     bool
	version   int // in the head that was written
	wanted    int
	sum       uint64 // of what is behind the head
	size      int64
	err       error
}

// WriteOptions are how a file is written.
type WriteOptions struct {
	// Version is that which the file begins with: 0 or 10; or 12, if that is
	// known before.
	Version int
	// Unchecked: no checksum is taken.
	Unchecked bool
}

// NewFileWriter begins a file. Nothing is written before the first parts.
func NewFileWriter(w io.Writer, o WriteOptions) *FileWriter {
	v := max(o.Version, version)
	return &FileWriter{to: w, unchecked: o.Unchecked, version: v, wanted: v}
}

// Parts writes parts, of which an Encoder says that they want a version. One
// part may be in two calls that follow each other. The first ones are those that
// say something of the file.
func (w *FileWriter) Parts(parts []byte, wanted int) error {
	w.begin()
	if w.wanted = max(w.wanted, wanted); w.wanted > w.version {
		if _, can := w.to.(io.WriterAt); !can {
			w.fail(fmt.Errorf("%w: the file has begun with %d and can't be made one of %d", ErrVersion, w.version, w.wanted))
		}
	}
	if !w.unchecked && w.err == nil {
		w.sum = Checksum(w.sum, parts)
	}
	w.write(parts)
	return w.err
}

// begin writes the head once.
func (w *FileWriter) begin() {
	if !w.began {
		w.began = true
		w.write(headOf(w.version))
	}
}

func headOf(version int) []byte { return fmt.Appendf(nil, "%s%04d", magic, version) }

// End writes the end of the file, and its head again if need be.
func (w *FileWriter) End() error {
	w.begin()
	if w.wanted > w.version && w.err == nil {
		w.version = w.wanted
		_, err := w.to.(io.WriterAt).WriteAt(headOf(w.version), 0)
		w.fail(err)
	}
	end := []byte{partEnd}
	sum := uint64(0)
	if !w.unchecked {
		sum = joinChecksums(Checksum(0, headOf(w.version)), Checksum(w.sum, end), w.size-int64(headSize)+1)
	}
	w.write(binary.LittleEndian.AppendUint64(end, sum))
	return w.err
}

// write writes, unless something went wrong before.
func (w *FileWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	w.size += int64(n)
	w.fail(err)
}

// fail notes an error.
func (w *FileWriter) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("writing RDB: %w", err)
	}
}

// Size is how many bytes were written.
func (w *FileWriter) Size() int64 { return w.size }

// Version is that of the file as far as it was written.
func (w *FileWriter) Version() int { return w.wanted }
