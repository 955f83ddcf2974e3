package transport

// ThreadTime is the processor time, in nanoseconds, that the calling thread has
// used; ok is false on systems that don't tell.
func ThreadTime() (nanos int64, ok bool) { return int64(threadTime()), true }
