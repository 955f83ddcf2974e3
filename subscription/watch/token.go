package watch

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// mark is where a watcher stands: the version, and in which life of the query
// that is and how many changes it had seen by then. Two marks of one room with
// equal totals have nothing between them.
type mark struct {
	version uint64
	room    uint64 // life of the process and number of the room; 0: of none
	total   int64
}

// token is the mark as clients keep it. They need not look into it.
func (m mark) token() string { return string(m.appendToken(nil)) }

// tokenMax is the length of the longest token.
const tokenMax = 16 + 1 + 16 + 1 + 16

func (m mark) appendToken(dst []byte) []byte {
	dst = append(appendDigits(dst, m.version), '.')
	dst = append(strconv.AppendUint(dst, m.room, 16), '.')
	return strconv.AppendUint(dst, uint64(m.total), 16)
}

var errToken = errors.New("invalid resume token")

// parseToken reads a token that a client has kept.
func parseToken(text string) (m mark, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || len(parts[0]) != 16 {
		return mark{}, errToken
	}
	var numbers [3]uint64
	for i, part := range parts {
		if numbers[i], err = strconv.ParseUint(part, 16, 64); err != nil {
			return mark{}, errToken
		}
	}
	if m = (mark{numbers[0], numbers[1], int64(numbers[2])}); m.total < 0 || m.version > math.MaxInt64 {
		return mark{}, errToken
	}
	return m, nil
}
