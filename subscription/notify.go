package subscription

import (
	"strconv"
	"strings"

	"github.com/troupedb/troupe/keyspace"
)

// Classes says which events are published, and how: notify-keyspace-events.
type Classes uint32

// The classes, by Redis's letters.
const (
	ByKey       Classes = 1 << iota // K: __keyspace@<db>__:<key> tells the event
	ByEvent                         // E: __keyevent@<db>__:<event> tells the key
	Generic                         // g
	Strings                         // $
	Lists                           // l
	Sets                            // s
	Hashes                          // h
	SortedSets                      // z
	ExpiredKeys                     // x
	EvictedKeys                     // e
	Streams                         // t
	Modules                         // d
	Misses                          // m
	NewKeys                         // n
	// All is A: everything but misses and new keys.
	All = Generic | Strings | Lists | Sets | Hashes | SortedSets | ExpiredKeys | EvictedKeys | Streams | Modules
)

// classLetters are the letters in the order of the constants.
const classLetters = "KEg$lshzxetdmn"

// ParseClasses reads letters; those that are unknown mean nothing.
func ParseClasses(letters string) (c Classes) {
	for _, letter := range letters {
		if letter == 'A' {
			c |= All
		} else if i := strings.IndexRune(classLetters, letter); i >= 0 {
			c |= 1 << i
		}
	}
	return c
}

// Any reports whether anything is published.
func (c Classes) Any() bool { return c&(ByKey|ByEvent) != 0 && c&^(ByKey|ByEvent) != 0 }

// classOf is the class of each event, by its name. What is not here begins with
// the letter of its type: see classOfEvent.
var classOf = map[string]Classes{
	"del": Generic, "expire": Generic, "persist": Generic, "rename_from": Generic, "rename_to": Generic,
	"move_from": Generic, "move_to": Generic, "copy_to": Generic, "restore": Generic,
	"set": Strings, "setrange": Strings, "append": Strings, "incrby": Strings, "decrby": Strings, "incrbyfloat": Strings,
	"getset": Strings, "setbit": Strings, "pfadd": Strings, "pfmerge": Strings,
	"lpush": Lists, "rpush": Lists, "lpop": Lists, "rpop": Lists, "linsert": Lists, "lset": Lists, "lrem": Lists, "ltrim": Lists, "sortstore": Lists,
	"sadd": Sets, "srem": Sets, "spop": Sets, "sinterstore": Sets, "sunionstore": Sets, "sdiffstore": Sets,
	"geosearchstore": SortedSets, "georadiusstore": SortedSets,
	"expired": ExpiredKeys, "evicted": EvictedKeys, "keymiss": Misses, "new": NewKeys,
}

// classOfEvent is the class of an event: those of hashes, sorted sets and streams
// are known by their first letter.
func classOfEvent(name string) Classes {
	if c := classOf[name]; c != 0 {
		return c
	}
	switch name[0] {
	case 'h':
		return Hashes
	case 'z':
		return SortedSets
	case 'x':
		return Streams
	}
	return Generic
}

// SetClasses says what is published from here on.
func (h *Hub) SetClasses(c Classes) { h.classes.Store(uint32(c)) }

// Notify publishes what has happened in a turn of the keyspace, in its order. It
// is called in that turn.
func (h *Hub) Notify(events []keyspace.Event) {
	classes := Classes(h.classes.Load())
	if !classes.Any() || h.channels.count.Load() == 0 && h.patterns.list.length() == 0 {
		return
	}
	f := newSpread(h)
	var channel, payload []byte
	for i := range events {
		e := &events[i]
		if classes&classOfEvent(e.Name) == 0 {
			continue
		}
		if classes&ByKey != 0 {
			channel, payload = append(eventChannel(channel, "__keyspace@", e.DB), e.Key...), append(payload[:0], e.Name...)
			f.publish(channel, payload)
		}
		if classes&ByEvent != 0 {
			channel, payload = append(eventChannel(channel, "__keyevent@", e.DB), e.Name...), append(payload[:0], e.Key...)
			f.publish(channel, payload)
		}
	}
	f.wake()
}

func eventChannel(buffer []byte, start string, db int) []byte {
	buffer = strconv.AppendInt(append(buffer[:0], start...), int64(db), 10)
	return append(buffer, "__:"...)
}
