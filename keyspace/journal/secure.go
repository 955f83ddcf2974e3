package journal

import (
	"errors"
	"io"
)

// secure gets on disk what Replay read of a segment that was not ended well. That the records can be read
// does not say that they are there: the system may have them in memory only, or, after a sync that failed,
// have given up writing them. So what no later record proves is written again, in a segment of its own.
func (d *Dir) secure() error {
	m := d.Manifest()
	if n := len(m.Segments); n == 0 || m.Segments[n-1].Closed() || d.end.version < m.Segments[n-1].First {
		return nil
	}
	open := m.Segments[len(m.Segments)-1]
	file, err := d.fs.Open(d.Path(open.Name()))
	if err != nil {
		return err
	}
	defer file.Close()
	scan := newScanner(file, head{identity: m.Identity, number: open.Number, first: open.First}, d.end.offset)
	if err := scan.skipTo(d.proven); err != nil {
		return err
	}
	m.close(scan.expect-1, scan.at)
	h := d.nextHead(&m, scan.expect)
	h.kind = rescue
	s, err := createSegment(d.fs, d.path, h)
	if err != nil {
		return err
	}
	if err = s.copyFrom(scan); err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		s.discard(d.fs, d.path)
		return err
	}
	m.close(s.last, s.size)
	if err := d.store(m); err != nil {
		d.abandon(s)
		return err
	}
	s.file.Close()
	return nil
}

// skipTo reads on to an offset. If no record begins there it stays at the first one.
func (s *scanner) skipTo(offset int64) error {
	start := s.mark()
	for s.at < offset {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	if s.at != offset {
		s.at, s.expect = start.offset, start.version+1
	}
	return nil
}

// copyFrom writes all that a scanner reads.
func (s *segment) copyFrom(scan *scanner) error {
	var buf []byte
	for {
		record, err := scan.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || len(buf)+recordHead+len(record.Body) > chunkBytes {
			if _, err := s.file.Write(buf); err != nil {
				return err
			}
			s.size += int64(len(buf))
			buf = buf[:0]
		}
		if err != nil {
			return nil
		}
		at := len(buf)
		buf = append(buf, make([]byte, recordHead)...)
		buf = append(buf, record.Body...)
		putHead(buf[at:], len(record.Body), record.Version, record.Time)
		stamp(buf[at:], s.sum, s.size+int64(at), s.synced.offset)
		s.last = record.Version
	}
}
