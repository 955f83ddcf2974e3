// Package dice speaks the protocols of DiceDB's own clients: it finds the
// commands in what a link sends, in words that ours understand, and encodes
// replies. There are two, told apart from RESP by a link's first bytes:
//
//	           a request                              a reply
//	Raw        Command                                Response
//	Framed     length, 4 bytes big-endian; Command    length; Result
//
//	Command    1 cmd string · 2 args repeated string
//	Response   1 err string · one of 2 v_nil bool, 3 v_int int64, 4 v_str string ·
//	           7 attrs Struct · 8 v_list repeated Value · 9 v_ss_map map<string, string>
//	Result     1 status, 0 OK or 1 ERR · 2 message string · 3 fingerprint64 uint64 ·
//	           from 11 on one of a message for each command: see Commands
//
// Raw is that of DiceDB 1.0.0 to 1.0.4, whose messages nothing separates;
// Framed that of 1.0.7 and later. Sorted sets came between the two, and are had
// in both. What stood between them for eight days looks
// like Raw to a server, and is answered so.
//
// It promises that what it returns of a request lies where it was received,
// that a request which is refused costs no more memory than was received of it,
// and that no reply is one that a client's decoder would refuse.
package dice

import (
	"github.com/dgryski/go-farm"
)

// Protocol is one of the two protocols.
type Protocol uint8

// The protocols, in the order of their time. The zero Protocol is neither.
const (
	None Protocol = iota
	Raw
	Framed
)

// MessageMax is the longest message, in bytes, that their clients send and
// take.
const MessageMax = 32 << 20

// nameMax bounds, in bytes, the name of a command as far as telling protocols
// apart goes. It is below the first letter, so that an empty line and a word
// in RESP look like no name.
const nameMax = 64

// The tags of the fields of a Command.
const (
	nameTag = 1<<3 | 2
	argTag  = 2<<3 | 2
)

// Detect tells what a link speaks from its first bytes. clear is false when
// there are too few to tell.
//
// A frame's length begins with 0, 1 or 2. A raw Command begins with the tag of
// its name, which is a line feed and so could be an empty line of RESP: the
// length and the letters of a name must follow.
func Detect(first []byte) (p Protocol, clear bool) {
	switch {
	case len(first) == 0:
		return None, false
	case first[0] <= MessageMax>>24:
		return Framed, true
	case first[0] == argTag:
		return Raw, true
	case first[0] != nameTag:
		return None, true
	case len(first) == 1:
		return None, false
	}
	length := int(first[1])
	if length == 0 || length > nameMax {
		return None, true
	}
	for _, c := range first[2:min(len(first), 2+length)] {
		if c < '!' || c > '~' {
			return None, true
		}
	}
	if len(first) < 2+length {
		return None, false
	}
	return Raw, true
}

// Fingerprint names a live query: FarmHash over its words as they were sent,
// joined by blanks, "GET.WATCH k". It is of 32 bits in Raw.
func (p Protocol) Fingerprint(text string) uint64 {
	if p == Raw {
		return uint64(farm.Fingerprint32([]byte(text)))
	}
	return farm.Fingerprint64([]byte(text))
}
