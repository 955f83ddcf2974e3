package session

import (
	"fmt"
	"os"
	"path/filepath"
)

// The aclfile is read and written whole. Both wait for a disk: not on an event
// loop.

// ReloadUsers makes the users those of the aclfile. If anything is wrong nothing
// changes, and the error says what and where.
func (s *Server) ReloadUsers() error {
	text, err := os.ReadFile(s.UsersFile)
	if err != nil {
		return fmt.Errorf("Error loading ACLs, opening file '%s': %w", s.UsersFile, causeOf(err))
	}
	return s.LoadUsers(string(text), s.UsersFile)
}

// causeOf is an error of a file without its path, which is told beside it.
func causeOf(err error) error {
	if failed, ok := err.(*os.PathError); ok {
		return failed.Err
	}
	return err
}

// usersFileMode are the permissions of a new aclfile: it holds hashes of passwords.
const usersFileMode = 0o600

// SaveUsers makes the aclfile say who the users are. After a crash it is the old
// one or the new.
func (s *Server) SaveUsers() error {
	s.filing.Lock()
	defer s.filing.Unlock()
	mode := os.FileMode(usersFileMode)
	if info, err := os.Stat(s.UsersFile); err == nil {
		mode = info.Mode().Perm()
	}
	folder := filepath.Dir(s.UsersFile)
	aside, err := os.CreateTemp(folder, filepath.Base(s.UsersFile)+".*.tmp")
	if err != nil {
		return err
	}
	defer aside.Close()
	_, err = aside.WriteString(s.Users.Text())
	for _, step := range []func() error{
		func() error { return aside.Chmod(mode) },
		aside.Sync,
		func() error { return os.Rename(aside.Name(), s.UsersFile) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		os.Remove(aside.Name())
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes a rename in the folder last.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
