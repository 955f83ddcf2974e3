package aof

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp/command"
)

// Unit is what is to be done at once: one command, a transaction, or what one
// item of a snapshot says. Its bytes stay as they are for as long as they are
// used.
type Unit struct {
	// File is the name of the file that it is from, Offset where it begins there.
	File   string
	Offset int64
	// Commands are those of a transaction, or one.
	Commands []Command
	// Transaction says that they were written as one.
	Transaction bool
	// Time is when it was written, Unix seconds, as far as the file tells; or 0.
	Time int64
	// Item is of a snapshot. Its Kind is 0 if there are commands.
	Item rdb.Item
}

// Command is a command, its name first, and the database that it is for.
type Command struct {
	DB    int
	Words [][]byte
}

const (
	magic      = "REDIS" // what a snapshot begins with
	lineMax    = 64      // bytes of a line that announces words
	remarkMax  = 1024    // bytes of a remark
	wordsAhead = 64      // for how many words memory is taken before they are there
)

// Reader reads one file, unit by unit.
type Reader struct {
	name     string
	snapshot *rdb.FileReader // nil if there is none, or it is over
	d        *rdb.Decoder    // of what is not the snapshot
	db       int
	time     int64
	begin    int64 // of the unit that is being read
	open     bool  // that is a transaction, and has not ended
	err      error // what is answered from now on
}

// NewReader reads a file from its begin, a little ahead. It is named in errors.
func NewReader(in io.Reader, name string) *Reader { return newReader(in, name, rdb.ReadOptions{}) }

func newReader(in io.Reader, name string, o rdb.ReadOptions) *Reader {
	head := make([]byte, len(magic))
	n, err := io.ReadFull(in, head)
	in = io.MultiReader(bytes.NewReader(head[:n]), in)
	switch {
	case string(head[:n]) == magic:
		return &Reader{name: name, snapshot: rdb.NewFileReader(in, o)}
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return &Reader{name: name, err: &FileError{File: name, Err: err}}
	}
	return &Reader{name: name, d: rdb.NewReader(in)}
}

// Offset is how many bytes of the file were read.
func (r *Reader) Offset() int64 {
	switch {
	case r.snapshot != nil:
		return r.snapshot.Offset()
	case r.d != nil:
		return r.d.Offset()
	}
	return 0
}

// Err is the mistake after which nothing more is read, also within the elements
// of a large value of a snapshot: always a *FileError.
func (r *Reader) Err() error {
	if r.snapshot != nil && r.err == nil {
		r.snapshotFailed()
	}
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// Next is the next unit. At the end, if all was well, the error is io.EOF, else
// a *FileError; either stays.
func (r *Reader) Next() (u Unit, err error) {
	err = r.read(&u)
	return u, err
}

// read is Next, into room that there is.
func (r *Reader) read(u *Unit) error {
	for r.err == nil && r.snapshot != nil {
		err := r.snapshot.Read(&u.Item)
		switch {
		case err == nil:
			u.File, u.Offset = r.name, u.Item.Offset
			u.Commands, u.Transaction, u.Time = nil, false, 0
			return nil
		case errors.Is(err, io.EOF):
			r.d, r.snapshot = r.snapshot.Rest(), nil
		default:
			r.snapshotFailed()
		}
	}
	*u = Unit{}
	if r.err == nil {
		if next, whole := r.unit(); whole {
			*u = next
			return nil
		}
	}
	return r.err
}

// snapshotFailed makes a mistake of the snapshot, if there is one, that of the
// file.
func (r *Reader) snapshotFailed() {
	err := r.snapshot.Err()
	if err == nil { // as after each key
		return
	}
	var mistake *rdb.FileError
	if errors.As(err, &mistake) {
		r.err = &FileError{File: r.name, Offset: mistake.Offset, Begin: mistake.Begin, Err: mistake}
	}
}

// fail notes a mistake.
func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = &FileError{File: r.name, Offset: r.d.Offset(), Begin: r.begin, Err: err}
	}
}

// ended notes that the file has ended where it should not, or could not be read.
func (r *Reader) ended() {
	switch err := r.d.Err(); {
	case errors.Is(err, rdb.ErrShort):
		r.fail(ErrTorn)
	case errors.Is(err, rdb.ErrCorrupt):
		r.fail(corrupt("a line without an end"))
	default:
		r.fail(err)
	}
}

// unit reads a command or a transaction. whole is false at the end, and at a
// mistake.
func (r *Reader) unit() (u Unit, whole bool) {
	for r.err == nil {
		if !r.open {
			u.Transaction, r.begin = false, r.d.Offset()
		}
		switch first, there := r.d.Peek(); {
		case !there:
			r.noMore()
		case first == '#':
			r.remark()
		case first == '*':
			r.take(&u, r.command())
		default:
			r.fail(corrupt("%q where a command should begin", first))
		}
		if !r.open && len(u.Commands) > 0 && r.err == nil {
			u.File, u.Offset, u.Time = r.name, r.begin, r.time
			return u, true
		}
	}
	return u, false
}

// noMore notes that nothing follows.
func (r *Reader) noMore() {
	switch {
	case r.d.Err() != nil:
		r.fail(r.d.Err())
	case r.open:
		r.fail(ErrTorn)
	default:
		r.err = io.EOF
	}
}

// take adds a command to a unit, if it is one.
func (r *Reader) take(u *Unit, words [][]byte) {
	if r.err != nil {
		return
	}
	switch name := words[0]; {
	case isName(name, "SELECT"):
		r.selectDB(words)
	case isName(name, "MULTI"):
		if r.open {
			r.fail(corrupt("a transaction within a transaction"))
		}
		u.Transaction, r.open = true, true
	case isName(name, "EXEC"):
		if !r.open {
			r.fail(corrupt("the end of a transaction that has not begun"))
		}
		r.open = false
	default:
		u.Commands = append(u.Commands, Command{r.db, words})
	}
}

// isName reports whether a word is a command's name, given in upper case.
func isName(word []byte, name string) bool {
	return len(word) == len(name) && strings.EqualFold(string(word), name)
}

func (r *Reader) selectDB(words [][]byte) {
	if len(words) == 2 {
		if n, ok := command.ParseInt(words[1]); ok && n >= 0 && n == int64(int32(n)) {
			r.db = int(n)
			return
		}
	}
	r.fail(corrupt("SELECT of no database"))
}

// remark reads a line that is no command.
func (r *Reader) remark() {
	line := r.d.Line(remarkMax)
	if line == nil {
		r.ended()
		return
	}
	if seconds, is := bytes.CutPrefix(line, []byte("#TS:")); is {
		n, ok := command.ParseInt(bytes.TrimRight(seconds, "\r\n"))
		if !ok {
			r.fail(corrupt("a time of no seconds"))
			return
		}
		r.time = n
	}
}

// command reads the words of a command.
func (r *Reader) command() [][]byte {
	count := r.number('*', 1<<31-1)
	if r.err == nil && count == 0 {
		r.fail(corrupt("a command without words"))
	}
	words := make([][]byte, 0, min(count, wordsAhead))
	for ; count > 0 && r.err == nil; count-- {
		words = append(words, r.word())
	}
	if r.err != nil {
		return nil
	}
	return words
}

func (r *Reader) word() []byte {
	n := r.number('$', keyspace.TextMax)
	if r.err != nil {
		return nil
	}
	word := r.d.Bytes(uint64(n) + 2)
	switch {
	case word == nil:
		r.ended()
		return nil
	case string(word[n:]) != "\r\n":
		r.fail(corrupt("a word that does not end where it should"))
		return nil
	}
	return word[:n:n]
}

// number reads a line that is a number behind a sign.
func (r *Reader) number(sign byte, most int) int {
	line := r.d.Line(lineMax)
	if line == nil {
		r.ended()
		return 0
	}
	digits, ends := bytes.CutSuffix(line[1:], []byte("\r\n"))
	n, ok := command.ParseInt(digits)
	if line[0] != sign || !ends || !ok || n < 0 || n > int64(most) {
		r.fail(corrupt("%.20q where a number behind %q should be", line, sign))
		return 0
	}
	return int(n)
}
