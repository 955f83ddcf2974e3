package faultfs

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"syscall"
)

// sector is what a disk writes whole or not at all.
const sector = 512

// inode is a file's content: as programs read it, and as it is on disk.
type inode struct {
	data, disk []byte
	dirty      []bool // the sectors of data that the next sync writes
	sizeDirty  bool
}

// write appends.
func (n *inode) write(b []byte) {
	from := len(n.data)
	n.data = append(n.data, b...)
	n.touch(from)
}

// touch marks all sectors from an offset on.
func (n *inode) touch(from int) {
	sectors := (len(n.data) + sector - 1) / sector
	n.dirty = append(n.dirty, make([]bool, max(0, sectors-len(n.dirty)))...)[:sectors]
	for i := from / sector; i < sectors; i++ {
		n.dirty[i] = true
	}
	n.sizeDirty = true
}

// resize cuts the file, or adds zeros.
func (n *inode) resize(size int) {
	if size <= len(n.data) {
		n.data = slices.Clone(n.data[:size])
		n.touch(size)
		return
	}
	n.write(make([]byte, size-len(n.data)))
}

// sync writes all that is dirty.
func (n *inode) sync() {
	n.flush(func() bool { return true })
	n.disk = n.disk[:len(n.data)]
	n.clean()
}

// lose is a sync that fails: some of what is dirty is written, and the rest never will be.
func (n *inode) lose(random *rand.Rand, forget bool) {
	n.disk = n.survivor(random)
	if forget {
		n.data = slices.Clone(n.disk)
	}
	n.clean()
}

func (n *inode) clean() {
	n.sizeDirty = false
	clear(n.dirty)
}

// flush writes the dirty sectors that a function picks.
func (n *inode) flush(pick func() bool) {
	n.disk = append(n.disk, make([]byte, max(0, len(n.data)-len(n.disk)))...)
	for i, dirty := range n.dirty {
		if dirty && pick() {
			copy(n.disk[i*sector:], n.data[i*sector:min((i+1)*sector, len(n.data))])
		}
	}
}

// survivor gives what a power cut leaves.
func (n *inode) survivor(random *rand.Rand) []byte {
	before := len(n.disk)
	odds := random.IntN(4)
	left := inode{data: n.data, disk: slices.Clone(n.disk), dirty: n.dirty}
	left.flush(func() bool { return odds == 3 || random.IntN(3) < odds })
	size := before
	if n.sizeDirty {
		sizes := []int{before, len(n.data), min(before, len(n.data)) + random.IntN(max(before, len(n.data))-min(before, len(n.data))+1)}
		size = sizes[random.IntN(len(sizes))]
	}
	left.disk = append(left.disk, make([]byte, max(0, size-len(left.disk)))...)
	return left.disk[:size]
}

// file is an open inode.
type file struct {
	disk   *Disk
	node   *inode
	name   string
	writes bool
	at     int64
	closed bool
}

var errClosed = errors.New("file is closed or not open for writing")

// begin passes a call of this file and locks the disk for it.
func (f *file) begin(op Op) error {
	err := f.disk.begin(op, f.name)
	if err == nil && (f.closed || op.Changes() && !f.writes) {
		err = errClosed
	}
	return err
}

// Read implements journal.File, as the methods below do.
func (f *file) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.at)
	f.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// ReadAt reads what was written, on disk or not.
func (f *file) ReadAt(b []byte, offset int64) (int, error) {
	err := f.begin(Read)
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if offset >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Write appends. If it fails, it has written a part.
func (f *file) Write(b []byte) (int, error) {
	err := f.begin(Write)
	defer f.disk.mu.Unlock()
	d := f.disk
	whole := len(b)
	if errors.Is(err, errDead) {
		return 0, err
	}
	if err != nil {
		whole = d.random.IntN(len(b) + 1)
	}
	if !f.writes || f.closed {
		return 0, errClosed
	}
	if room := d.capacity - d.used(); d.capacity > 0 && int64(whole) > room {
		whole, err = int(max(room, 0)), syscall.ENOSPC
	}
	f.node.write(b[:whole])
	return whole, err
}

// Sync has it on disk. If it fails, some of it never gets there.
func (f *file) Sync() error {
	err := f.begin(Sync)
	defer f.disk.mu.Unlock()
	switch {
	case err == nil:
		f.node.sync()
	case !f.disk.dead:
		f.node.lose(f.disk.random, f.disk.forgetful)
	}
	return err
}

// Truncate cuts the file.
func (f *file) Truncate(size int64) error {
	err := f.begin(Truncate)
	defer f.disk.mu.Unlock()
	if err == nil {
		f.node.resize(int(size))
	}
	return err
}

// Size gives the file's size.
func (f *file) Size() (int64, error) {
	err := f.begin(Size)
	defer f.disk.mu.Unlock()
	return int64(len(f.node.data)), err
}

// Close ends the use of the file.
func (f *file) Close() error {
	err := f.begin(Close)
	defer f.disk.mu.Unlock()
	f.closed = true
	return err
}
