package rdb

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// Kind says what an Item is.
type Kind byte

// The kinds of items. Others are to be passed over.
const (
	KeyItem      Kind = iota + 1 // a key and its value
	AuxItem                      // a fact about the file
	FunctionItem                 // a library of functions
	SizeItem                     // how many keys a database has
	ModuleItem                   // what a module says of all its keys, which is passed over
)

// Item is one thing that a file tells. Its bytes stay as they are for as long
// as they are used, also by others at the same time; they may hold memory of
// up to readAhead bytes around them.
type Item struct {
	Kind Kind
	// Form is that of a key's value. Its Type is None if it is a module's.
	Form Form
	DB   int
	// Offset is where in the file it begins.
	Offset int64
	// Key is a key, or the name of a fact.
	Key []byte
	// Raw is the value of a key as it stands in the file, for a Decoder, which
	// will say if it is none (ErrEmpty: Redis passes over such keys); or the value
	// of a fact, the code of functions or the name of a module.
	Raw []byte
	// Elements are those of a value too large to be handed out raw, as they are
	// read from the file: once, and before the next item. They end with the
	// value or at a mistake, which FileReader.Err tells. Nil if there is Raw.
	Elements iter.Seq[keyspace.Element]
	// Meta is what is said of a key.
	Meta
	// Keys and Timed are how many keys DB has, and how many have deadlines.
	Keys, Timed uint64
}

// Error is a mistake in the value, with its place in the file.
func (it *Item) Error(err error) *FileError {
	return &FileError{Offset: it.Offset, Begin: it.Offset, Key: it.Key, Err: err}
}

// FileReader reads an RDB file of any version from 1 to VersionMax, item by
// item. Of values it looks only for their ends: to decode them is the caller's,
// and can be done elsewhere at the same time. Memory is taken for what was
// read, not for what is announced: for a value that is not a stream or a single
// text, about largeAbove bytes at most.
type FileReader struct {
	d       *Decoder
	version int // 0: nothing was read
	db      int
	item    Item
	unread  bool  // the elements of a large value were not asked for
	err     error // what is answered from now on
}

const (
	readAhead  = 512 << 10
	largeAbove = 1 << 20 // bytes of a value whose elements are handed out one by one
)

// ReadOptions are how a file is read.
type ReadOptions struct {
	// Unchecked: the checksum is not looked at.
	Unchecked bool
}

// NewFileReader reads a file from its begin, a little ahead.
func NewFileReader(r io.Reader, o ReadOptions) *FileReader {
	s := newSource(r, readAhead)
	s.wanted = !o.Unchecked
	return &FileReader{d: &Decoder{more: s}}
}

// Version is that of the file, 0 before the first item was read.
func (r *FileReader) Version() int { return r.version }

// Offset is how many bytes of the file were read.
func (r *FileReader) Offset() int64 { return r.d.Offset() }

// Err is the mistake after which nothing more is read, always a *FileError.
func (r *FileReader) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// Rest reads on behind the end of the file, once Next has told that it is
// reached. Nothing is read of it before.
func (r *FileReader) Rest() *Decoder {
	r.d.more.wanted = false
	return r.d
}

// Next is the next item. At the end, if all was well, the error is io.EOF, else
// a *FileError; either stays.
func (r *FileReader) Next() (it Item, err error) {
	err = r.Read(&it)
	return it, err
}

// Read is Next, for one who has room for the item.
func (r *FileReader) Read(it *Item) error {
	if r.unread {
		r.unread = false
		layouts[r.item.Form].frame(r.d)
	}
	r.item = Item{Offset: r.Offset(), Meta: NoMeta}
	if r.err == nil && r.version == 0 {
		r.head()
	}
	for r.err == nil && r.d.err == nil {
		if r.part(r.d.Byte()) && r.d.err == nil {
			r.item.DB = r.db
			*it = r.item
			return nil
		}
	}
	if r.err == nil {
		r.failed()
	}
	*it = Item{}
	return r.err
}

// failed makes the Decoder's mistake one of the file.
func (r *FileReader) failed() {
	if r.d.err == nil {
		return
	}
	e := &FileError{Offset: r.d.more.failed, Begin: r.item.Offset, Err: r.d.err}
	if r.item.Kind == KeyItem {
		e.Key = r.item.Key
	}
	r.err = e
}

// head reads what a file begins with.
func (r *FileReader) head() {
	head := r.d.Bytes(uint64(headSize))
	switch {
	case !startsAsRDB(head) || head == nil && !startsAsRDB(r.d.in):
		r.err = &FileError{Err: ErrNotRDB}
		return
	case head == nil:
		if r.err = r.d.err; r.err == nil || errors.Is(r.err, io.EOF) {
			r.err = ErrShort
		}
		r.err = &FileError{Offset: r.Offset(), Err: r.err}
		return
	}
	digits := head[len(magic):]
	version, err := strconv.ParseUint(string(digits), 10, 16)
	if err != nil || version < 1 || version > VersionMax {
		err = fmt.Errorf("%w: it is %q, known are 1 to %d", ErrVersion, digits, VersionMax)
		r.err = &FileError{Offset: int64(len(magic)), Err: err}
		return
	}
	r.version = int(version)
	r.item.Offset = r.Offset()
}

// startsAsRDB reports whether b is the begin of a file, or of its begin.
func startsAsRDB(b []byte) bool {
	n := min(len(b), len(magic))
	return string(b[:n]) == magic[:n]
}

// part reads a part. It reports whether that makes the item whole.
func (r *FileReader) part(first byte) bool {
	d, it := r.d, &r.item
	switch first {
	case partMillis:
		it.Deadline = max(int64(d.millis()), 0)
	case partSeconds:
		it.Deadline = r.seconds()
	case partIdle:
		it.Idle = int64(min(d.Length(), math.MaxInt64))
	case partFreq:
		it.Freq = int(d.Byte())
	case partSelectDB:
		r.selectDB()
	case partSlot:
		d.Length()
		d.Length()
		d.Length()
	case partResizeDB:
		it.Kind, it.Keys, it.Timed = SizeItem, d.Length(), d.Length()
	case partAux:
		it.Kind, it.Key, it.Raw = AuxItem, d.Text(), d.Text()
	case partFunction:
		it.Kind, it.Raw = FunctionItem, d.Text()
	case partModule:
		it.Kind, it.Raw = ModuleItem, []byte(moduleName(d.Length()))
		d.skipLengths(2)
		d.skipModuleValues()
	case partFunctionOld:
		d.fail(fmt.Errorf("%w: a function as releases before Redis 7.0.0 had them", ErrUnknown))
	case partEnd:
		r.end()
	default:
		it.Kind, it.Form = KeyItem, Form(first)
		r.key()
	}
	return it.Kind != 0
}

// seconds reads a deadline in seconds, as milliseconds.
func (r *FileReader) seconds() int64 {
	if b := r.d.Bytes(4); b != nil {
		e, _ := numberEntry(b, 0, 4)
		return max(e.number, 0) * 1000
	}
	return 0
}

func (r *FileReader) selectDB() {
	n := r.d.Length()
	if n > math.MaxInt32 {
		r.d.fail(corrupt("a database of no such number"))
	}
	r.db = int(n)
}

// key reads a key and looks for the end of its value.
func (r *FileReader) key() {
	d, it := r.d, &r.item
	frame := layouts[it.Form].frame
	if frame == nil {
		d.refuse(it.Form)
		return
	}
	it.Key = d.Text()
	if d.err != nil {
		it.Key = nil
		return
	}
	s := d.more
	s.keep, s.keepMax = s.used(d.in), largeAbove
	if t := it.Form.Type(); t == keyspace.Stream || t == keyspace.None {
		s.keepMax = math.MaxInt
	}
	frame(d)
	begin, end := s.keep, s.used(d.in)
	s.keep = -1
	switch {
	case d.err == nil && end-begin <= s.keepMax:
		it.Raw = s.buf[begin:end:end]
	case d.err == nil || errors.Is(d.err, errLarge):
		d.err, d.in = nil, s.buf[begin:]
		it.Elements, r.unread = r.elements(it.Form), true
	}
}

// elements are those of the value that comes next, once. All of it is read,
// also if not all is asked for.
func (r *FileReader) elements(form Form) iter.Seq[keyspace.Element] {
	begin := r.Offset()
	return func(yield func(keyspace.Element) bool) {
		if !r.unread || r.Offset() != begin {
			return
		}
		r.unread = false
		going := true
		for e := range r.d.Elements(form) {
			going = going && yield(e)
		}
		r.failed()
	}
}

// end reads the end of a file.
func (r *FileReader) end() {
	s := r.d.more
	s.sumUp(s.used(r.d.in))
	if r.version >= checksumedFrom {
		told := r.d.millis()
		if s.wanted && told != 0 && told != s.sum && r.d.err == nil {
			r.d.fail(fmt.Errorf("%w: it says %016x and has %016x", ErrChecksum, told, s.sum))
		}
	}
	if r.d.err == nil {
		r.err = io.EOF
	}
}
