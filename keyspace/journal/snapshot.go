package journal

import (
	"errors"
	"io"
)

// SnapshotReader reads the snapshot and compares what it read with what was written.
type SnapshotReader struct {
	dir  *Dir
	file File
	want Snapshot
	read Snapshot
}

// OpenSnapshot opens the snapshot that the manifest names; there must be one. Instead of io.EOF its reader
// gives a *Damage if the checksum is wrong, so what it read is sound only once io.EOF has come.
func (d *Dir) OpenSnapshot() (*SnapshotReader, error) {
	s := d.Manifest().Snapshot
	file, err := d.fs.Open(d.Path(s.Name))
	if err != nil {
		return nil, err
	}
	return &SnapshotReader{dir: d, file: file, want: s}, nil
}

// Read implements io.Reader.
func (r *SnapshotReader) Read(b []byte) (n int, err error) {
	n, err = r.file.Read(b)
	r.read.Size += int64(n)
	r.read.Checksum = Checksum(r.read.Checksum, b[:n])
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if r.read.Size != r.want.Size || r.read.Checksum != r.want.Checksum {
		return n, r.dir.damage(r.want.Name, "the snapshot has a wrong checksum")
	}
	return n, io.EOF
}

// Close closes the file.
func (r *SnapshotReader) Close() error { return r.file.Close() }
