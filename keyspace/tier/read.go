package tier

import (
	"errors"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/troupedb/troupe/keyspace"
)

// Values are read by a bounded number of readers. A fetch of many is divided, so
// that the disk has several to find at once; what there is no reader for waits
// in line.
const (
	jobsMax = 1024
	jobLen  = 16 // values that one reader reads, if there are more
)

// job is some of the values of a fetch.
type job struct {
	wants []keyspace.Want
	fetch *fetch
}

// fetch is a call of Fetch.
type fetch struct {
	left atomic.Int32 // jobs
	done func()
}

// Fetch implements keyspace.Tier. What finds the line full is put into it by a
// goroutine that waits for room.
func (s *Store) Fetch(wants []keyspace.Want, done func()) {
	if err := s.enter(); err != nil {
		for i := range wants {
			wants[i].Err = err
		}
		done()
		return
	}
	f := &fetch{done: done}
	f.left.Store(int32((len(wants) + jobLen - 1) / jobLen))
	for len(wants) > 0 {
		j := job{wants[:min(jobLen, len(wants))], f}
		select {
		case s.jobs <- j:
		default:
			go s.queue(wants, f)
			return
		}
		wants = wants[len(j.wants):]
	}
}

// queue puts jobs in line.
func (s *Store) queue(wants []keyspace.Want, f *fetch) {
	for len(wants) > 0 {
		j := job{wants[:min(jobLen, len(wants))], f}
		s.jobs <- j
		wants = wants[len(j.wants):]
	}
}

// read is a reader.
func (s *Store) read() {
	for j := range s.jobs {
		var room []byte
		for i := range j.wants {
			w := &j.wants[i]
			start := len(room)
			if room, w.Err = s.get(room, w.Number); w.Err == nil {
				w.Value = room[start:len(room):len(room)]
			}
		}
		if j.fetch.left.Add(-1) == 0 {
			j.fetch.done()
			s.fetching.Done()
		}
	}
}

// Read implements keyspace.Tier.
func (s *Store) Read(dst []byte, number uint64) ([]byte, error) {
	if err := s.enter(); err != nil {
		return dst, err
	}
	defer s.fetching.Done()
	return s.get(dst, number)
}

// get appends a value to dst.
func (s *Store) get(dst []byte, number uint64) ([]byte, error) {
	key := keyOf(number)
	value, closer, err := s.db.Get(key[:])
	if err != nil {
		if errors.Is(err, pebble.ErrNotFound) {
			err = errMissing
		}
		s.counts.readErrors.Add(1)
		s.config.Log.Error("a value cannot be read back", "number", number, "error", err)
		return dst, err
	}
	dst = append(dst, value...)
	if err := closer.Close(); err != nil {
		s.counts.readErrors.Add(1)
		return dst, err
	}
	s.counts.reads.Add(1)
	return dst, nil
}

// errMissing: a number that should be there is not.
var errMissing = errors.New("the store does not have it")
