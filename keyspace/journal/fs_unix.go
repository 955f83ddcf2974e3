//go:build linux || darwin || freebsd

package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// pidBytesMax bounds what is read of a lock file that says who has it.
const pidBytesMax = 32

// lockFile takes the file for this process and writes the process's number into it, for the message that a
// second one gets. The lock belongs to the open file: the system lets it go when the process ends, however
// it ends.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return fmt.Errorf("%s is %w%s", file.Name(), ErrLocked, owner(file))
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", file.Name(), err)
	}
	// The number is for people. On a full disk the lock holds without it.
	if file.Truncate(0) == nil {
		_, _ = file.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	return nil
}

// owner says which process wrote itself into a lock file.
func owner(file *os.File) string {
	text := make([]byte, pidBytesMax)
	n, err := file.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
