package journal

import (
	"io"
	"os"
	"slices"
)

// Disk is the real disk.
var Disk FS = disk{}

type disk struct{}

// diskFile is an open file of the real disk.
type diskFile struct{ *os.File }

// Private to the user that runs the server, as the data is.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

func open(name string, flags int) (File, error) {
	file, err := os.OpenFile(name, flags, fileMode)
	if err != nil {
		return nil, err
	}
	return diskFile{file}, nil
}

func (disk) Open(name string) (File, error) { return open(name, os.O_RDONLY) }

func (disk) Create(name string) (File, error) {
	return open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
}

func (disk) OpenAppend(name string) (File, error) { return open(name, os.O_RDWR|os.O_APPEND) }

func (disk) Rename(from, to string) error { return os.Rename(from, to) }

func (disk) Remove(name string) error { return os.Remove(name) }

func (disk) MkdirAll(dir string) error { return os.MkdirAll(dir, dirMode) }

func (disk) ReadDir(dir string) ([]string, error) {
	handle, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	names, err := handle.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

func (disk) SyncDir(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	return handle.Sync()
}

func (disk) Stat(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (disk) Lock(name string) (io.Closer, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
