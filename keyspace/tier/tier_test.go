package tier

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/troupedb/troupe/keyspace"
)

const dir = "/tier"

func open(t *testing.T, disk vfs.FS) *Store {
	t.Helper()
	s, err := Open(Config{Dir: dir, FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// put writes one value under a number.
func put(t *testing.T, s *Store, number uint64, text string) {
	t.Helper()
	if err := s.WriteNow(&keyspace.Spilled{Numbers: []uint64{number}, Ends: []int{len(text)}, Bytes: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// A folder that holds anything but a tier is refused and left as it is.
func TestForeignFolderIsRefused(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	if err := disk.MkdirAll(dir+"/values", 0o700); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(Config{Dir: dir, FS: disk}); !errors.Is(err, ErrForeign) {
		t.Errorf("opening says %v", err)
		s.Close()
	}
	if _, err := disk.Stat(dir + "/values"); err != nil {
		t.Error(err)
	}
}

// A tier has one server at a time, and begins empty.
func TestFolderHasOneServer(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	first := open(t, disk)
	number := first.Owner() + 1
	put(t, first, number, "text")
	if got, err := first.Read(nil, number); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if s, err := Open(Config{Dir: dir, FS: disk}); err == nil {
		t.Error("two servers have the folder")
		s.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(nil, number); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed tier answers %v", err)
	}
	second := open(t, disk)
	if got, err := second.Read(nil, number); err == nil {
		t.Errorf("%q is there after a start", got)
	}
}

// While somebody holds a tier, what is forgotten can be read.
func TestHold(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	first := s.Owner()
	put(t, s, first+1, "text")
	s.Hold()
	s.Drop(first)
	other := s.Owner() + 1
	put(t, s, other, "more") // the writer has seen what came before
	if got, err := s.Read(nil, first+1); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	s.Release()
	put(t, s, other+1, "more")
	put(t, s, other+2, "more")
	if got, err := s.Read(nil, first+1); err == nil {
		t.Errorf("%q is there though its owner is gone", got)
	}
	if got, err := s.Read(nil, other); string(got) != "more" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A tier that is as large as it may be takes nothing more, and what it has can be
// read.
func TestBound(t *testing.T) {
	t.Parallel()
	s, err := Open(Config{Dir: dir, FS: vfs.NewMem(), MaxBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, rng := s.Owner(), rand.NewChaCha8([32]byte{})
	value := make([]byte, 200_000)
	if _, err := rng.Read(value); err != nil {
		t.Fatal(err)
	}
	put(t, s, first+1, string(value))
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	s.look()
	if err := s.WriteNow(&keyspace.Spilled{Numbers: []uint64{first + 2}, Ends: []int{1}, Bytes: []byte("x")}); !errors.Is(err, ErrFull) {
		t.Errorf("writing says %v", err)
	}
	if got, err := s.Read(nil, first+1); !bytes.Equal(got, value) || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
