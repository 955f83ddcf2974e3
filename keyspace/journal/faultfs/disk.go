package faultfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"

	"github.com/troupedb/troupe/keyspace/journal"
)

// Disk is a disk in memory. What was written and not synced, and names that were changed in a directory
// that was not, survive a power cut by chance: sector by sector of a file, a first few of a directory's
// changes. The zero Disk is not ready: use New or FromSeed.
type Disk struct {
	gate gate

	mu       sync.Mutex
	random   *rand.Rand
	names    map[string]*inode // as programs see them
	durable  map[string]*inode // as they are on disk
	pending  []change          // what the two differ in, in order
	dirs     map[string]bool
	locked   map[string]bool
	dead     bool
	capacity int64 // bytes; 0 for no end

	// Forgetful disks answer reads after a failed sync with what is on disk, not what was written.
	forgetful bool
}

// change is one of a directory: a name that stands for another file, or none, from then on, and maybe one
// that the file no longer has.
type change struct {
	name string
	to   *inode
	from string
}

// New makes an empty disk. The seed decides what survives.
func New(seed uint64) *Disk {
	return &Disk{
		random: rand.New(rand.NewPCG(seed, seed)),
		names:  map[string]*inode{}, durable: map[string]*inode{},
		dirs: map[string]bool{"/": true, ".": true}, locked: map[string]bool{},
	}
}

// Fail has f asked before each call from now on; nil ends that. It is called without any lock.
func (d *Disk) Fail(f func(Call) error) {
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	d.gate.ask = f
}

// Calls is how many calls there were.
func (d *Disk) Calls() int {
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	return d.gate.calls
}

// SetCapacity makes the disk full at so many bytes; 0 gives it room without end.
func (d *Disk) SetCapacity(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.capacity = bytes
}

// SetForgetful has reads after a failed sync give what is on disk.
func (d *Disk) SetForgetful(forgets bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetful = forgets
}

// Used is how many bytes all files have.
func (d *Disk) Used() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used()
}

func (d *Disk) used() (bytes int64) {
	for _, node := range d.names {
		bytes += int64(len(node.data))
	}
	return bytes
}

// Crash cuts the power: the disk answers nothing any more, and what it had on it is another Disk.
func (d *Disk) Crash() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	after := New(d.random.Uint64())
	after.dirs = maps.Clone(d.dirs)
	after.capacity, after.forgetful = d.capacity, d.forgetful
	names := maps.Clone(d.durable)
	for _, c := range d.pending[:d.random.IntN(len(d.pending)+1)] {
		c.apply(names)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		node := &inode{data: names[name].survivor(d.random)}
		node.disk = slices.Clone(node.data)
		after.names[name], after.durable[name] = node, node
	}
	return after
}

// Kill ends the program and leaves the disk as the system has it: nothing that was written is lost.
func (d *Disk) Kill() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	after := New(d.random.Uint64())
	after.dirs, after.names, after.durable = maps.Clone(d.dirs), maps.Clone(d.names), maps.Clone(d.durable)
	after.pending, after.capacity, after.forgetful = slices.Clone(d.pending), d.capacity, d.forgetful
	return after
}

func (c change) apply(names map[string]*inode) {
	delete(names, c.from)
	if c.to == nil {
		delete(names, c.name)
		return
	}
	names[c.name] = c.to
}

// errDead is what a disk answers after its crash.
var errDead = fmt.Errorf("no answer: %w", ErrCrash)

// begin passes a call and locks the disk for it. If the error is ErrCrash the disk is dead once the caller
// has done its part of the work.
func (d *Disk) begin(op Op, name string) (fate error) {
	fate = d.gate.pass(op, name)
	d.mu.Lock()
	if d.dead {
		return errDead
	}
	if fate == nil {
		return nil
	}
	d.dead = errors.Is(fate, ErrCrash)
	return fmt.Errorf("%s %s: %w", op, name, fate)
}

func missing(op Op, name string) error {
	return &fs.PathError{Op: string(op), Path: name, Err: fs.ErrNotExist}
}

func (d *Disk) change(c change) {
	c.apply(d.names)
	d.pending = append(d.pending, c)
}

// Open implements journal.FS, as the methods below do.
func (d *Disk) Open(name string) (journal.File, error) { return d.open(Open, name) }

// OpenAppend opens a file that is there.
func (d *Disk) OpenAppend(name string) (journal.File, error) { return d.open(Append, name) }

func (d *Disk) open(op Op, name string) (journal.File, error) {
	err := d.begin(op, name)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	node := d.names[name]
	if node == nil {
		return nil, missing(op, name)
	}
	return &file{disk: d, node: node, name: name, writes: op == Append}, nil
}

// Create empties the file if it is there.
func (d *Disk) Create(name string) (journal.File, error) {
	err := d.begin(Create, name)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !d.dirs[filepath.Dir(name)] {
		return nil, missing(Create, name)
	}
	node := d.names[name]
	if node == nil {
		node = &inode{}
		d.change(change{name: name, to: node})
	}
	node.resize(0)
	return &file{disk: d, node: node, name: name, writes: true}, nil
}

// Rename is durable once the directory is synced; before, a crash may undo it.
func (d *Disk) Rename(from, to string) error {
	err := d.begin(Rename, to)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	node := d.names[from]
	if node == nil {
		return missing(Rename, from)
	}
	d.change(change{name: to, to: node, from: from})
	return nil
}

// Remove takes the name away.
func (d *Disk) Remove(name string) error {
	err := d.begin(Remove, name)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if d.names[name] == nil {
		return missing(Remove, name)
	}
	d.change(change{name: name})
	return nil
}

// ReadDir gives the files in a directory.
func (d *Disk) ReadDir(dir string) ([]string, error) {
	err := d.begin(ReadDir, dir)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !d.dirs[dir] {
		return nil, missing(ReadDir, dir)
	}
	var names []string
	for name := range d.names {
		if filepath.Dir(name) == dir {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// MkdirAll makes directories that last.
func (d *Disk) MkdirAll(dir string) error {
	err := d.begin(MkdirAll, dir)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	for ; !d.dirs[dir]; dir = filepath.Dir(dir) {
		d.dirs[dir] = true
	}
	return nil
}

// SyncDir makes all changes of the directory last.
func (d *Disk) SyncDir(dir string) error {
	err := d.begin(SyncDir, dir)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	rest := d.pending[:0]
	for _, c := range d.pending {
		if filepath.Dir(c.name) == dir {
			c.apply(d.durable)
		} else {
			rest = append(rest, c)
		}
	}
	d.pending = rest
	return nil
}

// Stat gives a file's size.
func (d *Disk) Stat(name string) (int64, error) {
	err := d.begin(Stat, name)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	node := d.names[name]
	if node == nil {
		return 0, missing(Stat, name)
	}
	return int64(len(node.data)), nil
}

// Lock is for one at a time. A crash ends it.
func (d *Disk) Lock(name string) (io.Closer, error) {
	err := d.begin(Lock, name)
	defer d.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case d.locked[name]:
		return nil, journal.ErrLocked
	case !d.dirs[filepath.Dir(name)]:
		return nil, missing(Lock, name)
	}
	d.locked[name] = true
	return &held{d, name}, nil
}

type held struct {
	disk *Disk
	name string
}

// Close lets the lock go.
func (h *held) Close() error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	delete(h.disk.locked, h.name)
	return nil
}
