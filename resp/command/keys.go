package command

import (
	"bytes"
	"strconv"
	"strings"
)

// Keys is one of Redis's key specifications: where a search for keys begins,
// how far it goes, and what the command does to the keys found.
type Keys struct {
	// First is the position of the first key (the name is word 0). With
	// Keyword it is where the search for that word starts, negative: from
	// the end.
	First int
	// Keyword, if any, is the word after which the keys begin ("STREAMS").
	Keyword string
	// Last is the last key's position relative to the first, negative: from
	// the end of the command (-1 is the last word). 0: one key.
	Last int
	// Step is the distance between keys; 0 means 1.
	Step int
	// Limit, when Last is -1: only the first 1/Limit of the rest are keys.
	Limit int
	// Counted: the word at First is the number of keys, which follow it.
	Counted bool
	// Search, if set, finds the key where none of the above can: its place
	// among the words, 0 for none. COMMAND INFO calls it unknown.
	Search func(argv [][]byte) (at int)
	Flags  KeyFlag
	// Vary, if set, says what a command with these words does to the keys, where
	// that depends on them: Flags, which have Variable, say all that may be.
	Vary func(argv [][]byte) KeyFlag
}

// Nowhere is the Search for keys that are not among the words: see
// Meta.Reaches.
func Nowhere([][]byte) (at int) { return 0 }

// KeyFlag says what a command does to a key.
type KeyFlag uint16

// The key flags, Redis's.
const (
	RO     KeyFlag = 1 << iota // reads the value only
	RW                         // changes the value, depending on it
	OW                         // overwrites the value whatever it was
	RM                         // deletes the key
	Access                     // gives (part of) the value to the user
	Update                     // changes the value
	Insert                     // adds to the value
	Delete                     // takes from the value
	NotKey                     // not a real key, only routed like one
	Incomplete
	Variable // the flags depend on the arguments
)

var keyFlagNames = []struct {
	flag KeyFlag
	name string
}{
	{RO, "RO"}, {RW, "RW"}, {OW, "OW"}, {RM, "RM"}, {Access, "access"}, {Update, "update"},
	{Insert, "insert"}, {Delete, "delete"}, {NotKey, "not_key"}, {Incomplete, "incomplete"},
	{Variable, "variable_flags"},
}

// Names lists the flags as COMMAND INFO does.
func (f KeyFlag) Names() []string {
	var names []string
	for _, n := range keyFlagNames {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// OneKey is the commonest specification: the word after the name.
func OneKey(f KeyFlag) []Keys { return []Keys{{First: 1, Flags: f}} }

// shape is what routing asks first, worked out when the command is declared.
type shape uint8

const (
	keyless   shape = iota
	firstWord       // exactly one key, word 1 (or 2 of a subcommand)
	several
)

func (m *Meta) setShape() {
	m.words = 1 + strings.Count(m.Name, "|")
	switch {
	case len(m.Keys) == 0:
		m.shape = keyless
	case len(m.Keys) == 1 && m.Keys[0].First == m.words && m.Keys[0].Last == 0 &&
		m.Keys[0].Keyword == "" && !m.Keys[0].Counted && m.Keys[0].Search == nil:
		m.shape = firstWord
	default:
		m.shape = several
	}
}

// Keyless reports whether the command names no keys at all.
func (m *Meta) Keyless() bool { return m.shape == keyless }

// SingleKey returns the position of the key of a command that has exactly
// one, known without looking at the arguments; 0 for all others.
func (m *Meta) SingleKey() int {
	if m.shape == firstWord {
		return m.Keys[0].First
	}
	return 0
}

// KeyAt is a key's place among the words, and what the command does to it.
type KeyAt struct {
	Pos   int
	Flags KeyFlag
}

// NeedsAll reports whether a command with these words works on all shards, or
// reaches keys that may be in any.
func (m *Meta) NeedsAll(argv [][]byte) bool {
	return m.Flags.Has(AllShards) || m.Reaches != nil && m.Reaches(argv)
}

// AppendKeys appends the places of the keys of a command whose arity has been
// checked. A count that is wrong gives ok false: such a command has no keys
// that could be told, and its handler will answer with the error. A keyword
// that is not there has no keys behind it.
func (m *Meta) AppendKeys(dst []KeyAt, argv [][]byte) (keys []KeyAt, ok bool) {
	if m.NextKey != nil {
		for k := m.NextKey(argv, 0); k.Pos > 0; k = m.NextKey(argv, k.Pos) {
			dst = append(dst, k)
		}
		return dst, true
	}
	ok = true
	for i := range m.Keys {
		var found bool
		before := len(dst)
		dst, found = m.Keys[i].appendKeys(dst, argv)
		ok = ok && found
		if vary := m.Keys[i].Vary; vary != nil {
			for k := before; k < len(dst); k++ {
				dst[k].Flags = vary(argv)
			}
		}
	}
	return dst, ok
}

func (k *Keys) appendKeys(dst []KeyAt, argv [][]byte) ([]KeyAt, bool) {
	first := k.First
	switch {
	case k.Search != nil:
		if at := k.Search(argv); at > 0 {
			dst = append(dst, KeyAt{at, k.Flags})
		}
		return dst, true
	case k.Keyword != "":
		if first = k.find(argv); first < 0 {
			return dst, true
		}
	}
	if k.Counted {
		return k.appendCounted(dst, argv, first)
	}
	if first >= len(argv) {
		return dst, true
	}
	last := first + k.Last
	if k.Last < 0 {
		last = len(argv) + k.Last
	}
	if k.Limit > 1 {
		last = first + (len(argv)-first)/k.Limit - 1
	}
	for i := first; i <= last && i < len(argv); i += max(k.Step, 1) {
		dst = append(dst, KeyAt{i, k.Flags})
	}
	return dst, true
}

func (k *Keys) appendCounted(dst []KeyAt, argv [][]byte, at int) ([]KeyAt, bool) {
	if at >= len(argv) {
		return dst, false
	}
	n, err := strconv.Atoi(string(argv[at]))
	if err != nil || n < 0 || n > len(argv)-at-1 {
		return dst, false
	}
	for i := 0; i < n; i++ {
		dst = append(dst, KeyAt{at + 1 + i*max(k.Step, 1), k.Flags})
	}
	return dst, true
}

// find returns the place after the keyword, or -1.
func (k *Keys) find(argv [][]byte) int {
	if k.First < 0 {
		for i := len(argv) + k.First; i > 0; i-- {
			if bytes.EqualFold(argv[i], []byte(k.Keyword)) {
				return i + 1
			}
		}
		return -1
	}
	for i := k.First; i < len(argv); i++ {
		if bytes.EqualFold(argv[i], []byte(k.Keyword)) {
			return i + 1
		}
	}
	return -1
}
