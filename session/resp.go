package session

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/tidwall/redcon"

	"github.com/troupedb/troupe/resp"
)

// The request reader. A request is an array of bulk strings,
//
//	*<arguments>\r\n  $<bytes>\r\n<bytes>\r\n  $<bytes>\r\n<bytes>\r\n …
//
// or a line of words (an inline command). What redis-server 7.0 takes, skips
// and refuses, and in which words, is what this reader does:
//
//   - A header ends at its CR; the byte after it is not looked at, nor are the
//     two bytes after an argument.
//   - A count of zero or less is skipped, as is a blank line.
//   - A NUL hides the line end after it, so such a line is waited for until it
//     is too long.
//
// Frames are sliced where they lie, by redcon.ReadNextCommand, which panics on
// a length of -2 or near 2^63 and knows neither limits nor where it stopped:
// so check reads the headers before it. A frame that is complete at first
// sight and plainly written, as nearly all are, is checked and sliced in one
// pass by slicePlain instead, in a sixth of the time of these two
// (BenchmarkReader: 18 ns for a SET, against 25 for redcon alone).

// Limits bound what a request may be. They are looked at as each header is
// read, so a session that reads several commands ahead of their execution
// must stop behind one that may change them (AUTH, HELLO, CONFIG SET).
type Limits struct {
	BulkMax   int // bytes of an argument (proto-max-bulk-len)
	ArgsMax   int // arguments of a command
	InlineMax int // bytes of a line: an inline command or a header
	QueryMax  int // bytes of a command that is still arriving (client-query-buffer-limit); see Session
	// Authenticated lifts the tighter bounds for links that must log in
	// first: 10 arguments of 16,384 bytes. It is true where nobody must.
	Authenticated bool
}

// DefaultLimits are redis-server's: 512 MiB an argument, 2^31-1 arguments,
// 64 KiB a line, 1 GiB in all.
var DefaultLimits = Limits{BulkMax: 512 << 20, ArgsMax: math.MaxInt32, InlineMax: 64 << 10, QueryMax: 1 << 30, Authenticated: true}

// Bounds for links that have yet to log in.
const (
	loginArgsMax = 10
	loginBulkMax = 16384
)

// plainArgsMax bounds what slicePlain does in vain when the end is missing.
const plainArgsMax = 1024

// Status says what Reader.Next found.
type Status uint8

const (
	Incomplete Status = iota // no whole command yet
	Ready                    // one command
	Invalid                  // a protocol error: send Failure, then close
	Foreign                  // an HTTP request: close without an answer
)

// Reader reads the requests of one link. It holds no bytes, only how far a
// command that is still arriving was examined: however small the pieces, no
// header is read twice, and the whole costs linear time. The zero Reader is
// ready for use.
type Reader struct {
	at      int // the header or line to look at next begins here
	seen    int // it does not end before this
	count   int // arguments of the frame, 0 until known
	left    int // of these, still to come
	needs   int // where the argument that is arriving ends
	failure resp.Reply
}

// Failure is the answer to a request that was Invalid.
func (r *Reader) Failure() resp.Reply { return r.failure }

// Needs is how many bytes, from the front of what the next call of Next is to
// be shown, it takes to have the whole argument that is arriving; 0 if its
// length is not known.
func (r *Reader) Needs() int { return r.needs }

// Next reads one command from the front of data and appends its arguments to
// args, which may hold those of earlier commands. It returns how many bytes
// are used up: the command and blank requests before it, or with Incomplete
// those alone. The next call must show what follows them; after Incomplete
// that is the same bytes and more, though they may have moved.
//
// Arguments alias data; of an inline command, and of a frame with odd line
// ends, Next changes bytes in place, so what was used up must not be shown
// again. After Invalid and Foreign the link is to
// be closed and the Reader not used again.
func (r *Reader) Next(data []byte, args [][]byte, lim *Limits) (_ [][]byte, used int, _ Status) {
	before := len(args)
	for used < len(data) {
		var n int
		status := Ready
		if r.at|r.seen == 0 {
			args, n = slicePlain(data[used:], args, lim)
		}
		if n == 0 {
			args, n, status = r.read(data[used:], args, lim)
		}
		used += n
		if status != Ready {
			return args, used, status
		}
		if len(args) > before {
			if isForeign(args[before]) {
				return args, used, Foreign
			}
			return args, used, Ready
		}
	}
	return args, used, Incomplete
}

// slicePlain slices a complete frame of a moderate number of arguments whose
// headers are short and in order. It returns 0 for all else, which it leaves
// to read; no frame is tried twice, as read leaves its mark in the Reader.
func slicePlain(data []byte, args [][]byte, lim *Limits) (_ [][]byte, n int) {
	argsMax, bulkMax := min(plainArgsMax, lim.ArgsMax), lim.BulkMax
	if !lim.Authenticated {
		argsMax, bulkMax = min(argsMax, loginArgsMax), min(bulkMax, loginBulkMax)
	}
	count, at := shortNumber(data, '*')
	if count > argsMax {
		return args, 0
	}
	before := len(args)
	for ; count > 0; count-- {
		length, from := shortNumber(data[at:], '$')
		from += at
		if from == at || length > bulkMax || len(data)-from-2 < length {
			return args[:before], 0
		}
		args = append(args, data[from:from+length:from+length])
		at = from + length + 2
	}
	return args, at
}

// shortNumber reads the header at the front of data if it is of that kind and
// has at most six digits. next is where it ends, 0 if it is another.
func shortNumber(data []byte, kind byte) (n, next int) {
	if len(data) < 4 || data[0] != kind {
		return 0, 0
	}
	n = int(data[1]) - '0'
	if data[2] == '\r' && uint(n) < 10 {
		return n, 4
	}
	if n < 1 || n > 9 {
		return 0, 0
	}
	for i := 2; i < len(data)-1 && i < 8; i++ {
		digit := int(data[i]) - '0'
		if uint(digit) > 9 {
			if data[i] == '\r' {
				return n, i + 2
			}
			return 0, 0
		}
		n = n*10 + digit
	}
	return 0, 0
}

// read reads any request, going on where the last call stopped. Ready without
// an argument means a blank request.
func (r *Reader) read(data []byte, args [][]byte, lim *Limits) (_ [][]byte, n int, status Status) {
	if data[0] != '*' {
		args, n, status = r.inline(data, args, lim)
	} else if n, status = r.check(data, lim); status == Ready && r.count > 0 {
		args = slices.Grow(args, r.count)
		_, sliced, _, _, _ := redcon.ReadNextCommand(data[:n], args[len(args):])
		args = args[:len(args)+len(sliced)]
	}
	if status == Ready {
		*r = Reader{}
	}
	return args, n, status
}

// inline reads a command given as a line of words.
func (r *Reader) inline(data []byte, args [][]byte, lim *Limits) (_ [][]byte, n int, status Status) {
	end, status := r.lineEnd(data, '\n', lim.InlineMax)
	if status != Ready {
		if status == Invalid {
			r.failure = errLineSize
		}
		return args, 0, status
	}
	line := data[:end]
	if end > 0 && line[end-1] == '\r' {
		line = line[:end-1]
	}
	args, ok := resp.SplitInPlace(args, line)
	if !ok {
		r.failure = errQuotes
		return args, 0, Invalid
	}
	return args, end + 1, Ready
}

// check reads the headers of a frame as far as they have come. When it is
// Ready, n is the frame's length, and its line ends are all CR LF: what stands
// there is not looked at, but redcon would.
func (r *Reader) check(data []byte, lim *Limits) (n int, _ Status) {
	if r.count == 0 {
		count, next, status := r.header(data, '*', lim)
		if status != Ready {
			return 0, status
		}
		r.count = max(0, int(count))
		r.left, r.at, r.seen = r.count, next, next
	}
	for ; r.left > 0; r.left-- {
		length, next, status := r.header(data, '$', lim)
		if status != Ready {
			return 0, status
		}
		if int64(len(data)-next-2) < length {
			r.needs = next + 2 + int(min(length, math.MaxInt/2))
			return 0, Incomplete
		}
		r.at = next + int(length) + 2
		r.seen = r.at
		data[r.at-2], data[r.at-1] = '\r', '\n'
	}
	return r.at, Ready
}

// header reads the header at r.at: its number, and where it ends. As in Redis
// its kind is looked at only when all of it is there.
func (r *Reader) header(data []byte, kind byte, lim *Limits) (n int64, next int, _ Status) {
	end, status := r.lineEnd(data, '\r', lim.InlineMax)
	switch {
	case status == Invalid && kind == '*':
		r.failure = errCountSize
		return 0, 0, Invalid
	case status == Invalid:
		r.failure = errLengthSize
		return 0, 0, Invalid
	case status == Incomplete || end+1 == len(data):
		return 0, 0, Incomplete
	case data[r.at] != kind:
		r.failure = resp.Error("ERR Protocol error: expected '$', got '" + string(data[r.at:r.at+1]) + "'")
		return 0, 0, Invalid
	}
	data[end+1] = '\n'
	n, ok := parseNumber(data[r.at+1 : end])
	if r.failure = lim.refuse(kind, n, ok); r.failure.IsError() {
		return 0, 0, Invalid
	}
	return n, end + 2, Ready
}

// lineEnd finds the terminator of the line at r.at. A NUL hides it, as if the
// data ended there. Invalid is a line without an end within bytesMax.
func (r *Reader) lineEnd(data []byte, terminator byte, bytesMax int) (end int, _ Status) {
	from, upto := max(r.seen, r.at), min(len(data), r.at+bytesMax+1)
	line := data[from:max(from, upto)]
	end = bytes.IndexByte(line, terminator)
	if end >= 0 {
		line = line[:end]
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		end, line = -1, line[:nul]
	}
	r.seen = from + len(line)
	switch {
	case end >= 0:
		return from + end, Ready
	case len(data)-r.at > bytesMax:
		return 0, Invalid
	}
	return 0, Incomplete
}

// parseNumber reads an integer in its shortest form.
func parseNumber(b []byte) (n int64, ok bool) {
	digits := bytes.TrimPrefix(b, []byte("-"))
	if len(digits) == 0 || digits[0] < '1' || digits[0] > '9' {
		return 0, len(b) == 1 && b[0] == '0'
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// refuse says why a header's number, if it is one, cannot be taken.
func (lim *Limits) refuse(kind byte, n int64, isNumber bool) resp.Reply {
	switch {
	case kind == '*' && (!isNumber || n > int64(lim.ArgsMax)):
		return errCount
	case kind == '*' && n > loginArgsMax && !lim.Authenticated:
		return errLoginCount
	case kind == '$' && (!isNumber || n < 0 || n > int64(lim.BulkMax)):
		return errLength
	case kind == '$' && n > loginBulkMax && !lim.Authenticated:
		return errLoginLength
	}
	return resp.Nothing
}

// isForeign tells the first words of an HTTP request that a browser could be
// made to send here by a page of somebody else: POST, and the header Host:.
func isForeign(word []byte) bool {
	return len(word) == 4 && word[0]|0x20 == 'p' && bytes.EqualFold(word, []byte("post")) ||
		len(word) == 5 && word[4] == ':' && bytes.EqualFold(word, []byte("host:"))
}

// The protocol errors, in Redis's words. After each the link is closed.
var (
	errLineSize    = resp.Error("ERR Protocol error: too big inline request")
	errQuotes      = resp.Error("ERR Protocol error: unbalanced quotes in request")
	errCountSize   = resp.Error("ERR Protocol error: too big mbulk count string")
	errCount       = resp.Error("ERR Protocol error: invalid multibulk length")
	errLoginCount  = resp.Error("ERR Protocol error: unauthenticated multibulk length")
	errLengthSize  = resp.Error("ERR Protocol error: too big bulk count string")
	errLength      = resp.Error("ERR Protocol error: invalid bulk length")
	errLoginLength = resp.Error("ERR Protocol error: unauthenticated bulk length")
)
