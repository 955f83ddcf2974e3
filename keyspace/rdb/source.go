package rdb

import "io"

// source is where a Decoder's bytes come from that are not all in memory. They
// are read into buffers that are never written again, so that what is handed
// out of them stays: a buffer that is full is left for a new one, into which is
// copied what is still to be used.
type source struct {
	from io.Reader
	buf  []byte // the last that was read; what the Decoder has not used is its end
	base int64  // how many bytes came before those of buf
	size int    // of a buffer, at least, but for the first one
	// keep is where in buf the bytes begin that stay though they are used, so
	// that the Decoder can be set back to there; -1 if there are none. They are
	// to be no more than keepMax.
	keep, keepMax int
	// sum is the checksum of the bytes before buf, and of those of buf up to
	// summed. It is taken if it is wanted.
	sum    uint64
	summed int
	wanted bool
	// failed is how many bytes were used when the Decoder noted its mistake.
	failed int64
}

// chunk is how many bytes are read from a stream at once, at least.
const chunk = 64 << 10

func newSource(r io.Reader, size int) *source { return &source{from: r, size: size, keep: -1} }

// used is how much of buf is used, if in is not.
func (s *source) used(in []byte) int { return len(s.buf) - len(in) }

// offset is how many bytes of all are used, if in is not.
func (s *source) offset(in []byte) int64 { return s.base + int64(s.used(in)) }

// tooMuch reports whether more is kept than should be if n of the bytes that
// are left are used.
func (s *source) tooMuch(in []byte, n uint64) bool {
	return uint64(s.used(in)-s.keep)+n > uint64(s.keepMax)
}

// read reads some more behind in, what is left, of which at least n bytes are
// asked for, and gives what is left then. It takes no more memory than twice
// what came, whatever n.
func (s *source) read(in []byte, n uint64) (left []byte, err error) {
	from := s.used(in)
	if len(s.buf) == cap(s.buf) {
		if s.keep >= 0 {
			from -= s.keep
			s.leave(s.keep, 2*(len(s.buf)-s.keep))
			s.keep = 0
		} else {
			s.leave(from, int(min(n, uint64(2*len(in)))))
			from = 0
		}
	}
	more, err := io.ReadAtLeast(s.from, s.buf[len(s.buf):cap(s.buf)], 1)
	s.buf = s.buf[:len(s.buf)+more]
	return s.buf[from:], err
}

// leave goes on with a new buffer of at least so many bytes, which begins with
// those of the old one from a place on.
func (s *source) leave(from, size int) {
	s.sumUp(from)
	s.base += int64(from)
	if s.buf == nil {
		size = chunk
	} else {
		size = max(size, s.size)
	}
	s.buf = append(make([]byte, 0, size), s.buf[from:]...)
	s.summed = 0
}

// sumUp takes the bytes of buf up to a place into the checksum.
func (s *source) sumUp(to int) {
	if s.wanted {
		s.sum = Checksum(s.sum, s.buf[s.summed:to])
	}
	s.summed = to
}
