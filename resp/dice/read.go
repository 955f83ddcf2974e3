package dice

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Limits bound a request.
type Limits struct {
	Bytes    int // of the whole
	Args     int // of arguments
	ArgBytes int // of one
}

// What cannot be read ends the link: there is no telling where the next
// request would begin, or whose reply an answer would be.
var (
	errLength  = errors.New("a frame without a message")
	errSize    = errors.New("a message that is too long")
	errArgs    = errors.New("a command of too many arguments")
	errArgSize = errors.New("an argument that is too long")
	errText    = errors.New("an argument that is not UTF-8")
	errField   = errors.New("a field that no command has")
	errCut     = errors.New("arguments without a command: those of the command before, which was cut in two")
)

// frameBytes is the length of a frame's length.
const frameBytes = 4

// NextFrame reads the frame at the front of data and appends the words of its
// command to words. n is the length of the frame, 0 if its end has not come.
// The words alias data.
func NextFrame(data []byte, words [][]byte, lim *Limits) (_ [][]byte, n int, err error) {
	if len(data) < frameBytes {
		return words, 0, nil
	}
	length := binary.BigEndian.Uint32(data)
	switch {
	case length == 0:
		return words, 0, errLength
	case int64(length) > int64(lim.Bytes):
		return words, 0, errSize
	case len(data)-frameBytes < int(length):
		return words, 0, nil
	}
	n = frameBytes + int(length)
	words, err = appendCommand(words, data[frameBytes:n], lim)
	return words, n, err
}

// appendCommand appends the words of a Command: first its name, wherever in
// the message that stands. Fields that are unknown are passed over.
func appendCommand(words [][]byte, message []byte, lim *Limits) ([][]byte, error) {
	name := len(words)
	words = append(words, nil)
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return words, protowire.ParseError(n)
		}
		message = message[n:]
		if kind != protowire.BytesType || field > 2 {
			if n = protowire.ConsumeFieldValue(field, kind, message); n < 0 {
				return words, protowire.ParseError(n)
			}
			message = message[n:]
			continue
		}
		word, n := protowire.ConsumeBytes(message)
		if err := checkWord(word, n, lim); err != nil {
			return words, err
		}
		message = message[n:]
		if field == 1 {
			words[name] = word[:len(word):len(word)]
		} else if words = append(words, word[:len(word):len(word)]); len(words)-name-1 > lim.Args {
			return words, errArgs
		}
	}
	return words, nil
}

func checkWord(word []byte, n int, lim *Limits) error {
	switch {
	case n < 0:
		return protowire.ParseError(n)
	case len(word) > lim.ArgBytes:
		return errArgSize
	case !utf8.Valid(word):
		return errText
	}
	return nil
}

// RawReader reads the requests of a link without frames. A command is known to
// be whole when what follows is no argument; else the number of its arguments,
// and that nothing more has come, must tell. The zero RawReader is ready for use.
//
// However small the pieces, each field is looked at once before its command is
// whole.
type RawReader struct {
	at    int  // the fields before this are complete
	args  int  // arguments among them
	begun bool // a command was read before
}

// Whole is asked whether a command of that name, and of so many arguments and
// bytes, is complete if nothing follows it for now.
type Whole func(name []byte, args, size int) bool

// Next reads the command at the front of data and appends its words to words.
// n is its length, 0 if it is not known to be whole; then the next call must
// show the same bytes and more. The words alias data.
func (r *RawReader) Next(data []byte, words [][]byte, lim *Limits, whole Whole) (_ [][]byte, n int, err error) {
	for r.at < len(data) && (r.at == 0 || data[r.at] == argTag) {
		more, err := r.field(data, lim)
		if more || err != nil {
			return words, 0, err
		}
	}
	if r.at == 0 || r.at == len(data) && !whole(nameOf(data), r.args, r.at) {
		return words, 0, nil
	}
	n = r.at
	*r = RawReader{begun: true}
	words, err = appendCommand(words, data[:n], lim)
	return words, n, err
}

// Unsure reports whether data, which Next has found to be no whole command, ends
// where one may end.
func (r *RawReader) Unsure(data []byte) bool { return r.at > 0 && r.at == len(data) }

// field steps over the field at r.at, unless more of it must come.
func (r *RawReader) field(data []byte, lim *Limits) (more bool, err error) {
	switch tag := data[r.at]; {
	case tag != nameTag && tag != argTag:
		return false, errField
	case tag == argTag && r.at == 0 && r.begun:
		return false, errCut
	}
	length, n := protowire.ConsumeVarint(data[r.at+1:])
	switch {
	case n < 0 && len(data)-r.at-1 >= maxVarint:
		return false, protowire.ParseError(n)
	case n < 0:
		return true, nil
	case length > uint64(lim.ArgBytes):
		return false, errArgSize
	}
	end := r.at + 1 + n + int(length)
	switch {
	case end > lim.Bytes:
		return false, errSize
	case end > len(data):
		return true, nil
	}
	if data[r.at] == argTag {
		if r.args++; r.args > lim.Args {
			return false, errArgs
		}
	}
	r.at = end
	return false, nil
}

// maxVarint is the most bytes that a varint takes.
const maxVarint = 10

// nameOf is the name of the command at the front of data, if it stands first.
func nameOf(data []byte) []byte {
	if data[0] != nameTag {
		return nil
	}
	name, _ := protowire.ConsumeBytes(data[1:])
	return name
}
