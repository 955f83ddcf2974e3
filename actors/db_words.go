package actors

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words are those of commands, copied into memory that is used again.
type words struct {
	buf  []byte
	ends []int    // where each ends in buf
	argv [][]byte // see list
}

func (c *words) text(s string) {
	c.buf = append(c.buf, s...)
	c.ends = append(c.ends, len(c.buf))
}

func (c *words) texts(ss []string) {
	for _, s := range ss {
		c.text(s)
	}
}

func (c *words) bytes(b []byte) {
	c.buf = append(c.buf, b...)
	c.ends = append(c.ends, len(c.buf))
}

func (c *words) int(n int64) {
	c.buf = strconv.AppendInt(c.buf, n, 10)
	c.ends = append(c.ends, len(c.buf))
}

func (c *words) float(f float64) {
	c.buf = appendFloat(c.buf, f)
	c.ends = append(c.ends, len(c.buf))
}

func (c *words) clear() {
	if cap(c.buf) > keepBytes {
		c.buf = nil
	}
	clear(c.argv)
	c.buf, c.ends, c.argv = c.buf[:0], c.ends[:0], c.argv[:0]
}

// list is the words from one number up to, and without, another. They lie in buf,
// so all words must have been added before.
func (c *words) list(from, to int) [][]byte {
	start := 0
	if from > 0 {
		start = c.ends[from-1]
	}
	first := len(c.argv)
	for _, end := range c.ends[from:to] {
		c.argv = append(c.argv, c.buf[start:end:end])
		start = end
	}
	return c.argv[first:]
}

// longest is the length of the longest word.
func (c *words) longest() (most int) {
	start := 0
	for _, end := range c.ends {
		most = max(most, end-start)
		start = end
	}
	return most
}

func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "+inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// add adds the arguments of Do, in the notation that commands read.
func (c *words) add(args []any) error {
	for i, arg := range args {
		if err := c.addOne(arg); err != nil {
			return fmt.Errorf("troupe: argument %d of %s: %w", i+1, c.word(0), err)
		}
	}
	return nil
}

// word is the nth word so far, counted from the end if n is negative.
func (c *words) word(n int) string {
	if n < 0 {
		n += len(c.ends)
	}
	if n < 0 || n >= len(c.ends) {
		return ""
	}
	start := 0
	if n > 0 {
		start = c.ends[n-1]
	}
	return string(c.buf[start:c.ends[n]])
}

func (c *words) addOne(arg any) error {
	switch v := arg.(type) {
	case string:
		c.text(v)
	case []byte:
		c.bytes(v)
	case int:
		c.int(int64(v))
	case int64:
		c.int(v)
	case float64:
		c.float(v)
	case bool:
		c.int(map[bool]int64{true: 1}[v])
	case time.Duration:
		c.duration(v)
	case time.Time:
		c.time(v)
	case []string:
		c.texts(v)
	case [][]byte:
		for _, b := range v {
			c.bytes(b)
		}
	default:
		return c.addNumber(arg)
	}
	return nil
}

// addNumber adds a number of one of the less usual types.
func (c *words) addNumber(arg any) error {
	switch v := arg.(type) {
	case int8:
		c.int(int64(v))
	case int16:
		c.int(int64(v))
	case int32:
		c.int(int64(v))
	case uint8:
		c.int(int64(v))
	case uint16:
		c.int(int64(v))
	case uint32:
		c.int(int64(v))
	case uint:
		c.text(strconv.FormatUint(uint64(v), 10))
	case uint64:
		c.text(strconv.FormatUint(v, 10))
	case float32:
		c.text(strconv.FormatFloat(float64(v), 'g', -1, 32))
	default:
		return fmt.Errorf("a %T is no word of a command", arg)
	}
	return nil
}

// Commands, and words before an argument, that count in milliseconds.
var (
	millisCommands = []string{"PEXPIRE", "PSETEX", "PEXPIREAT", "HPEXPIRE", "HPEXPIREAT", "WAIT", "WAITAOF"}
	millisWords    = []string{"PX", "PXAT", "BLOCK", "IDLE", "MIN-IDLE-TIME"}
)

// inMillis reports whether a time added now is one in milliseconds. Other times
// are in seconds.
func (c *words) inMillis() bool {
	return slices.Contains(millisCommands, strings.ToUpper(c.word(0))) || slices.Contains(millisWords, strings.ToUpper(c.word(-1)))
}

func (c *words) duration(d time.Duration) {
	if c.inMillis() {
		c.int(d.Milliseconds())
		return
	}
	c.float(d.Seconds())
}

func (c *words) time(t time.Time) {
	if c.inMillis() {
		c.int(t.UnixMilli())
		return
	}
	c.int(t.Unix())
}
