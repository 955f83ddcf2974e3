package keyspace

import (
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Wait says what a blocking command that finds nothing waits for.
type Wait struct {
	// Type is the type of value that ends the waiting, once one of Keys holds
	// it. (To wait for a type is to wait for any value of it.)
	Type Type
	// Keys are the places of those keys among the command's words, in the
	// order in which they are preferred.
	Keys []int
	// Millis is how long to wait, in milliseconds; 0 for ever.
	Millis int64
	// TimedOut is the answer when the time is up.
	TimedOut resp.Reply
	// Serve runs the command for key, which is of Type now, and answers it. It
	// has the command's words to read anew (a stands before the first one) and
	// touches no key but key and those that Also names. It runs in a turn of
	// its own, right after the command that made the key.
	Serve func(tx *Tx, a *command.Args, key []byte) resp.Reply
	// Also is the place among the words of another key that Serve changes
	// (BLMOVE's destination); 0 for none.
	Also int
}

// The answers to a time to wait that is none.
var (
	errTimeoutNotFloat = resp.Error("ERR timeout is not a float or out of range")
	errTimeoutNegative = resp.Error("ERR timeout is negative")
)

// ReadSeconds reads the time to wait of a blocking command: seconds, in parts
// too. It is returned in milliseconds, rounded up; 0 is for ever. What is more
// than can be counted is called negative, as by Redis.
func ReadSeconds(a *command.Args) (millis int64) {
	seconds, ok := ParseDouble(a.Bytes())
	switch ms := math.Ceil(seconds * 1000); {
	case !ok:
		a.Fail(errTimeoutNotFloat)
	case ms < 0 || ms >= math.MaxInt64:
		a.Fail(errTimeoutNegative)
	default:
		return int64(ms)
	}
	return 0
}

// Block makes the present command wait. Within a transaction, and wherever
// else nobody can wait, it is as if the time were up.
func (tx *Tx) Block(w Wait) resp.Reply { return w.TimedOut }
