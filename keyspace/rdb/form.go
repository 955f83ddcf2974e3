package rdb

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// Form is how a value is laid out: the byte that it begins with.
type Form byte

// The forms.
const (
	Text              Form = 0
	List              Form = 1
	Set               Form = 2
	SortedSetDigits   Form = 3
	Hash              Form = 4
	SortedSet         Form = 5
	ModuleOld         Form = 6
	Module            Form = 7
	HashZipmap        Form = 9
	ListZiplist       Form = 10
	SetIntset         Form = 11
	SortedSetZiplist  Form = 12
	HashZiplist       Form = 13
	Ziplists          Form = 14
	Stream            Form = 15
	HashListpack      Form = 16
	SortedSetListpack Form = 17
	Listpacks         Form = 18
	Stream2           Form = 19
	SetListpack       Form = 20
	Stream3           Form = 21
	HashTimedOld      Form = 22
	HashListpackOld   Form = 23
	HashTimed         Form = 24
	HashListpackTimed Form = 25
)

// layout is what is known of a form: its type, how its elements are read, and
// how its end is found.
type layout struct {
	name  string
	typ   keyspace.Type
	read  func(d *Decoder, yield visitor)
	frame func(d *Decoder)
}

// visitor takes elements until it returns false.
type visitor func(keyspace.Element) bool

// layouts are the forms that are known. Those without a reader are refused, but
// for streams, which Decoder.Stream reads; those without a frame are refused in
// files too, as no one knows where they end.
var layouts = [256]layout{
	Text:              {"string", keyspace.String, readText, frameText},
	List:              {"list", keyspace.List, counted(readMember), framed(1, 0)},
	Set:               {"set", keyspace.Set, counted(readMember), framed(1, 0)},
	SortedSetDigits:   {"sorted set", keyspace.SortedSet, counted(readDigitsScored), frameDigitsScored},
	SortedSet:         {"sorted set", keyspace.SortedSet, counted(readScored), framed(1, 8)},
	Hash:              {"hash", keyspace.Hash, counted(readField), framed(2, 0)},
	HashZipmap:        {"zipmap of a hash", keyspace.Hash, packed(eachInZipmap, pairs), frameText},
	ListZiplist:       {"ziplist of a list", keyspace.List, packed(eachInZiplist, singles), frameText},
	SetIntset:         {"intset", keyspace.Set, packed(eachInIntset, singles), frameText},
	SortedSetZiplist:  {"ziplist of a sorted set", keyspace.SortedSet, packed(eachInZiplist, scored), frameText},
	HashZiplist:       {"ziplist of a hash", keyspace.Hash, packed(eachInZiplist, pairs), frameText},
	Ziplists:          {"ziplists of a list", keyspace.List, readZiplists, framed(1, 0)},
	HashListpack:      {"listpack of a hash", keyspace.Hash, packed(eachInListpack, pairs), frameText},
	SortedSetListpack: {"listpack of a sorted set", keyspace.SortedSet, packed(eachInListpack, scored), frameText},
	Listpacks:         {"listpacks of a list", keyspace.List, readListpacks, frameListpacks},
	SetListpack:       {"listpack of a set", keyspace.Set, packed(eachInListpack, singles), frameText},
	HashTimedOld:      {"hash with deadlines (7.4 RC)", keyspace.Hash, counted(readTimedField(0)), frameTimedOld},
	HashListpackOld:   {"listpack of a hash with deadlines (7.4 RC)", keyspace.Hash, packed(eachInListpack, triples), frameText},
	HashTimed:         {"hash with deadlines", keyspace.Hash, readTimed, frameTimed},
	HashListpackTimed: {"listpack of a hash with deadlines", keyspace.Hash, readListpackTimed, frameListpackTimed},

	ModuleOld: {"value of a module", keyspace.None, nil, nil},
	Module:    {"value of a module", keyspace.None, nil, frameModule},
	Stream:    {"stream (5.0)", keyspace.Stream, nil, frameStream(Stream)},
	Stream2:   {"stream (7.0)", keyspace.Stream, nil, frameStream(Stream2)},
	Stream3:   {"stream (7.2)", keyspace.Stream, nil, frameStream(Stream3)},
}

// Type is the type of values of the form; None if it is unknown, or a module's.
func (f Form) Type() keyspace.Type { return layouts[f].typ }

// Readable reports whether values of the form can be read as elements.
func (f Form) Readable() bool { return layouts[f].read != nil }

// String is the form's name.
func (f Form) String() string {
	if name := layouts[f].name; name != "" {
		return name
	}
	return "form " + strconv.Itoa(int(f))
}
