//go:build !linux

package transport

// ThreadTime is the processor time, in nanoseconds, that the calling thread has
// used; ok is false on systems that don't tell.
func ThreadTime() (nanos int64, ok bool) { return 0, false }
