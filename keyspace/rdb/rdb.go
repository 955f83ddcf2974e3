// Package rdb reads and writes Redis's RDB files, and values as they stand in
// these and in the payloads of DUMP and RESTORE. It knows bytes and
// keyspace.Element: no clock, no disk but a reader or writer that it is given,
// and nothing of how a value is kept here.
//
// It promises that a file or value it has written is the same to redis-server
// 7.0 (7.4 if fields of a hash have deadlines); and that bytes which are none,
// whatever they are, give an error, in time linear in their number, and never
// an allocation larger than what they really hold.
//
// A value is a byte for its form and what that form says. Sources: rdb.h,
// rdb.c, ziplist.c, listpack.c, intset.c and zipmap.c of Redis 7.0 and 7.4.
//
//	form  type        what follows                                       from
//	   0  string      text                                               1.0
//	   1  list        count, texts                                       1.0
//	   2  set         count, texts                                       1.0
//	   3  sorted set  count, (text, score in digits)                     1.0
//	   4  hash        count, (text, text)                                1.0
//	   5  sorted set  count, (text, score)                               4.0
//	   9  hash        text of a zipmap                                   2.2
//	  10  list        text of a ziplist                                  2.2
//	  11  set         text of an intset                                  2.2
//	  12  sorted set  text of a ziplist of pairs                         2.4
//	  13  hash        text of a ziplist of pairs                         2.6
//	  14  list        count, texts of ziplists                           3.2
//	  16  hash        text of a listpack of pairs                        7.0
//	  17  sorted set  text of a listpack of pairs                        7.0
//	  18  list        count, (1, text) or (2, text of a listpack)        7.0
//	  20  set         text of a listpack                                 7.2
//	  22  hash        count, (deadline, text, text)                      7.4 RC
//	  23  hash        text of a listpack of triples                      7.4 RC
//	  24  hash        earliest, count, (deadline after it, text, text)   7.4
//	  25  hash        earliest, text of a listpack of triples            7.4
//
//	  15  stream      see Decoder.Stream                                 5.0
//	  19  stream      the same, and what is counted                      7.0
//	  21  stream      the same, and when consumers were active           7.2
//
// Written are 0, 2, 4, 5, 11, 16, 17, 18, 19 and 24, and 1 if a list comes in
// pieces. Values of modules (6, 7) are known by name and refused.
//
//	count        a length
//	length       | 00 6 bits | or | 01 14 bits | or | 0x80 | 32 bits | or | 0x81 | 64 bits |, big-endian
//	text         | length | bytes |
//	             | 0xC0 | 8 bits |, | 0xC1 | 16 bits | or | 0xC2 | 32 bits |: a signed number, little-endian
//	             | 0xC3 | length packed | length | bytes |: compressed by LZF
//	score        64 bits, IEEE 754, little-endian
//	score in digits  | length in a byte | digits |, or 253 for NaN, 254 for +inf, 255 for -inf
//	earliest     the earliest deadline: 64 bits, little-endian, Unix milliseconds
//	deadline     a length: Unix milliseconds; 0 for none
//	deadline after it  a length: 1 for the earliest, 2 a millisecond later; 0 for none
//
// A payload of DUMP is a value with a footer, see Payload. What stands around
// values in a file is told in file.go; FileWriter and an Encoder make one,
// FileReader reads it. What ziplists,
// listpacks, intsets and zipmaps are is told in their files.
package rdb

import (
	"errors"
	"fmt"
)

// What can be wrong with bytes that should be a value.
var (
	// ErrShort: they end too early.
	ErrShort = errors.New("it ends too early")
	// ErrCorrupt: they are no value.
	ErrCorrupt = errors.New("it is corrupt")
	// ErrEmpty: they are a value without elements, which no key has.
	ErrEmpty = errors.New("it has no elements")
	// ErrUnknown: their form is none that is read here.
	ErrUnknown = errors.New("its form is not supported")
)

// corrupt is ErrCorrupt with what is wrong.
func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }
