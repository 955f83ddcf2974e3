package journal

// SkipTo makes the log go on from a version, as if all before it had been given out.
func (l *Log) SkipTo(version uint64) {
	l.do(func(w *writer) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.version.Store(version)
	})
}

// Rotate ends the segment now.
func (l *Log) Rotate() (err error) {
	l.do(func(w *writer) {
		if err = w.writeAll(); err == nil {
			err = w.rotate()
		}
	})
	return err
}

// For tests from outside.
const (
	RecordHead  = recordHead
	SegmentHead = segmentHead
)

// ParseManifest and Encode are for the fuzzer.
var ParseManifest = parseManifest

func (m Manifest) Encode() []byte { return m.encode() }
