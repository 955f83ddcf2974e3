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

// layout is what is known of a form: its type, and how its elements are read.
type layout struct {
	name string
	typ  keyspace.Type
	read func(d *Decoder, yield visitor)
}

// visitor takes elements until it returns false.
type visitor func(keyspace.Element) bool

// layouts are the forms that are known. Those without a reader are refused, but
// for streams, which Decoder.Stream reads.
var layouts = map[Form]layout{
	Text:              {"string", keyspace.String, readText},
	List:              {"list", keyspace.List, counted(readMember)},
	Set:               {"set", keyspace.Set, counted(readMember)},
	SortedSetDigits:   {"sorted set", keyspace.SortedSet, counted(readDigitsScored)},
	SortedSet:         {"sorted set", keyspace.SortedSet, counted(readScored)},
	Hash:              {"hash", keyspace.Hash, counted(readField)},
	HashZipmap:        {"zipmap of a hash", keyspace.Hash, packed(eachInZipmap, pairs)},
	ListZiplist:       {"ziplist of a list", keyspace.List, packed(eachInZiplist, singles)},
	SetIntset:         {"intset", keyspace.Set, packed(eachInIntset, singles)},
	SortedSetZiplist:  {"ziplist of a sorted set", keyspace.SortedSet, packed(eachInZiplist, scored)},
	HashZiplist:       {"ziplist of a hash", keyspace.Hash, packed(eachInZiplist, pairs)},
	Ziplists:          {"ziplists of a list", keyspace.List, readZiplists},
	HashListpack:      {"listpack of a hash", keyspace.Hash, packed(eachInListpack, pairs)},
	SortedSetListpack: {"listpack of a sorted set", keyspace.SortedSet, packed(eachInListpack, scored)},
	Listpacks:         {"listpacks of a list", keyspace.List, readListpacks},
	SetListpack:       {"listpack of a set", keyspace.Set, packed(eachInListpack, singles)},
	HashTimedOld:      {"hash with deadlines (7.4 RC)", keyspace.Hash, counted(readTimedField(0))},
	HashListpackOld:   {"listpack of a hash with deadlines (7.4 RC)", keyspace.Hash, packed(eachInListpack, triples)},
	HashTimed:         {"hash with deadlines", keyspace.Hash, readTimed},
	HashListpackTimed: {"listpack of a hash with deadlines", keyspace.Hash, readListpackTimed},

	ModuleOld: {"value of a module", keyspace.None, nil},
	Module:    {"value of a module", keyspace.None, nil},
	Stream:    {"stream (5.0)", keyspace.Stream, nil},
	Stream2:   {"stream (7.0)", keyspace.Stream, nil},
	Stream3:   {"stream (7.2)", keyspace.Stream, nil},
}

// Type is the type of values of the form; None if it is unknown, or a module's.
func (f Form) Type() keyspace.Type { return layouts[f].typ }

// Readable reports whether values of the form can be read as elements.
func (f Form) Readable() bool { return layouts[f].read != nil }

// String is the form's name.
func (f Form) String() string {
	if l, known := layouts[f]; known {
		return l.name
	}
	return "form " + strconv.Itoa(int(f))
}
