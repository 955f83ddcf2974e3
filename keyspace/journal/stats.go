package journal

import "time"

// Stats is what the log has done since Begin, and what it has now.
type Stats struct {
	Version uint64 // the last one given out
	Durable uint64 // up to here all is on disk
	Epoch   uint64 // the highest that is made durable

	Written      int64         // bytes of records
	Fsyncs       int64         // of segments
	LastFsync    time.Duration // how long it took
	LongestFsync time.Duration
	FsyncsTook   time.Duration // all of them together
	Failures     int64         // calls of the disk that went wrong
	LastError    error         // of the last of them, healed or not

	Backlog       int64         // bytes of records kept in memory: not written, or not known to be on disk
	Waiting       time.Duration // how long the disk has not answered the present call; 0 if there is none
	Segments      int
	JournalBytes  int64 // of all segments
	SinceSnapshot int64 // of them, bytes of records that the snapshot does not have, or not certainly
	BaseSize      int64 // bytes of the snapshot
}

// Stats may be called at any time and waits for nothing.
func (l *Log) Stats() Stats {
	m := l.dir.Manifest()
	l.mu.Lock()
	s := l.stats
	s.Backlog = l.backlog.bytes
	open := l.openBytes
	l.mu.Unlock()
	if since := l.calledAt.Load(); since != 0 {
		s.Waiting = time.Since(l.began) - time.Duration(since)
	}
	s.Version, s.Durable, s.Epoch = l.Version(), l.Durable(), m.Epoch
	s.Segments, s.BaseSize = len(m.Segments), m.Snapshot.Size
	for _, segment := range m.Segments {
		s.JournalBytes += segment.Size
		if segment.Closed() && segment.Last > m.Snapshot.Version {
			s.SinceSnapshot += segment.Size - segmentHead
		}
	}
	s.SinceSnapshot += max(open-segmentHead, 0)
	s.JournalBytes += open
	return s
}
