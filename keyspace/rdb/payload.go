package rdb

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/troupedb/troupe/keyspace"
)

// A payload is what DUMP answers and RESTORE takes: a value and a footer.
//
//	| form | value | version, 16 bits | CRC-64 of all before it, 64 bits |, little-endian
//
// The version is that of RDB: redis-server 7.0 has 10, 7.2 has 11, 7.4 has 12,
// and none takes a later one than its own.
const (
	footer       = 2 + 8
	VersionMax   = 12 // that is read
	version      = 10 // that is written
	versionTimed = 12 // the same for hashes whose fields have deadlines
)

// ErrFooter: a payload's version is not known, or its checksum is wrong.
var ErrFooter = errors.New("the version or the checksum is wrong")

// Dump is a value as a payload; nil if there is none, see Encoder.Value.
func Dump(v Value) []byte {
	e := NewEncoder(nil)
	form, written := e.Value(v)
	if !written {
		return nil
	}
	of := uint16(version)
	if form == HashTimed {
		of = versionTimed
	}
	out := binary.LittleEndian.AppendUint16(e.Bytes(), of)
	return binary.LittleEndian.AppendUint64(out, Checksum(0, out))
}

// Payload is a payload with a good footer.
type Payload struct{ value []byte }

// Open looks at the footer of a payload. The bytes must stay as they are for
// as long as the Payload is used.
func Open(payload []byte) (Payload, error) {
	end := len(payload) - footer
	if end < 0 || binary.LittleEndian.Uint16(payload[end:]) > VersionMax {
		return Payload{}, ErrFooter
	}
	if binary.LittleEndian.Uint64(payload[end+2:]) != Checksum(0, payload[:end+2]) {
		return Payload{}, ErrFooter
	}
	return Payload{payload[:end]}, nil
}

// Type is the type of the value, None if it is not known.
func (p Payload) Type() keyspace.Type {
	if len(p.value) == 0 {
		return keyspace.None
	}
	return Form(p.value[0]).Type()
}

// Check reads the whole value and says what is wrong with it. Whether elements
// may be together in a value (one twice in a set) is for their Kind to say.
func (p Payload) Check() error {
	d := NewDecoder(p.value)
	switch form := Form(d.Byte()); form.Type() {
	case keyspace.Stream:
		d.Stream(form)
	default:
		for range d.Elements(form) {
		}
	}
	if d.Err() == nil && d.Left() > 0 {
		return corrupt("it has bytes behind its end")
	}
	return d.Err()
}

// Elements are those of a value that was checked; each walk reads them anew.
func (p Payload) Elements() iter.Seq[keyspace.Element] {
	return func(yield func(keyspace.Element) bool) {
		d := NewDecoder(p.value)
		d.Elements(Form(d.Byte()))(yield)
	}
}

// Stream is a stream that was checked.
func (p Payload) Stream() *keyspace.StreamParts {
	d := NewDecoder(p.value)
	return d.Stream(Form(d.Byte()))
}
