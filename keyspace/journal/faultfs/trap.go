package faultfs

import (
	"errors"
	"io"

	"github.com/troupedb/troupe/keyspace/journal"
)

// Trap is a disk in front of another one. It asks a function before each call; the function may return an
// error, which fails the call, or never return, as when it kills the process at that point.
func Trap(disk journal.FS, ask func(Call) error) journal.FS {
	return &trap{disk, &gate{ask: ask}}
}

// Halved is an error by which a Write of a Trap writes half and then calls a
// function, which may never return.
func Halved(then func()) error { return halved{errHalved, then} }

var errHalved = errors.New("half is written")

type halved struct {
	error
	then func()
}

type trap struct {
	disk journal.FS
	gate *gate
}

func (t *trap) file(op Op, name string, open func(string) (journal.File, error)) (journal.File, error) {
	if err := t.gate.pass(op, name); err != nil {
		return nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return &trapped{file, t.gate, name}, nil
}

// Open implements journal.FS, as the methods below do.
func (t *trap) Open(name string) (journal.File, error) { return t.file(Open, name, t.disk.Open) }

func (t *trap) Create(name string) (journal.File, error) { return t.file(Create, name, t.disk.Create) }

func (t *trap) OpenAppend(name string) (journal.File, error) {
	return t.file(Append, name, t.disk.OpenAppend)
}

func (t *trap) Rename(from, to string) error {
	if err := t.gate.pass(Rename, to); err != nil {
		return err
	}
	return t.disk.Rename(from, to)
}

func (t *trap) Remove(name string) error {
	if err := t.gate.pass(Remove, name); err != nil {
		return err
	}
	return t.disk.Remove(name)
}

func (t *trap) ReadDir(dir string) ([]string, error) {
	if err := t.gate.pass(ReadDir, dir); err != nil {
		return nil, err
	}
	return t.disk.ReadDir(dir)
}

func (t *trap) MkdirAll(dir string) error {
	if err := t.gate.pass(MkdirAll, dir); err != nil {
		return err
	}
	return t.disk.MkdirAll(dir)
}

func (t *trap) SyncDir(dir string) error {
	if err := t.gate.pass(SyncDir, dir); err != nil {
		return err
	}
	return t.disk.SyncDir(dir)
}

func (t *trap) Stat(name string) (int64, error) {
	if err := t.gate.pass(Stat, name); err != nil {
		return 0, err
	}
	return t.disk.Stat(name)
}

func (t *trap) Lock(name string) (io.Closer, error) {
	if err := t.gate.pass(Lock, name); err != nil {
		return nil, err
	}
	return t.disk.Lock(name)
}

type trapped struct {
	journal.File
	gate *gate
	name string
}

func (f *trapped) Read(b []byte) (int, error) {
	if err := f.gate.pass(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *trapped) ReadAt(b []byte, offset int64) (int, error) {
	if err := f.gate.pass(Read, f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, offset)
}

// Write, when it is failed, has written half. If that is to be the end of the
// process, the error is one of Halved.
func (f *trapped) Write(b []byte) (int, error) {
	if err := f.gate.pass(Write, f.name); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		var end halved
		if errors.As(err, &end) {
			end.then()
		}
		return n, err
	}
	return f.File.Write(b)
}

func (f *trapped) Sync() error {
	if err := f.gate.pass(Sync, f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *trapped) Truncate(size int64) error {
	if err := f.gate.pass(Truncate, f.name); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *trapped) Size() (int64, error) {
	if err := f.gate.pass(Size, f.name); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *trapped) Close() error {
	if err := f.gate.pass(Close, f.name); err != nil {
		return err
	}
	return f.File.Close()
}
