package rdb

import (
	"encoding/binary"
	"math"
)

// A ziplist is what listpacks were before Redis 7.0: entries that begin with
// how long the one before was.
//
//	| bytes in all, 32 bits | where the last entry begins, 32 bits | entries, 16 bits | entry | … | 0xFF |
//	entry   | bytes of the entry before, one byte below 0xFE, or 0xFE and 32 bits | what it is |
//
//	00 6 bits                 a text so long
//	01 14 bits                a text so long, the high bits first
//	10 … | 32 bits            a text so long, the high byte first
//	0xC0, 0xD0, 0xE0          a signed number of 16, 32 or 64 bits
//	0xF0, 0xFE                a signed number of 24 or 8 bits
//	0xF1 to 0xFD              a number from 0 to 12
//
// Numbers are little-endian unless told otherwise. 65,535 entries stand for
// that many or more.
const (
	ziplistHead      = 10
	ziplistEnd       = 0xff
	ziplistLast      = 4 // where it is
	ziplistCount     = 8
	ziplistUncounted = math.MaxUint16
	ziplistFar       = 0xfe // the entry before is longer than a byte tells

	ziplistInt16 = 0xc0
	ziplistInt32 = 0xd0
	ziplistInt64 = 0xe0
	ziplistInt24 = 0xf0
	ziplistInt8  = 0xfe
)

// eachInZiplist is the packing of ziplists.
func eachInZiplist(b []byte, visit func(entry) bool) error {
	if len(b) <= ziplistHead || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != ziplistEnd {
		return corrupt("a ziplist that is not as long as it says")
	}
	if uint64(binary.LittleEndian.Uint32(b[ziplistLast:])) > uint64(len(b)-1) {
		return corrupt("a ziplist that ends behind its end")
	}
	end := len(b) - 1
	count, before, last := 0, 0, 0
	for at := ziplistHead; at < end; count++ {
		back, told := ziplistBack(b[at:end])
		if back == 0 || told != uint64(before) {
			return corrupt("an entry of a ziplist with another one before it than it says")
		}
		e, size := ziplistEntry(b[at+back : end])
		if size == 0 {
			return corrupt("an entry of a ziplist")
		}
		if !visit(e) {
			return nil
		}
		last, before = at, back+size
		at += before
	}
	if count > 0 && uint64(binary.LittleEndian.Uint32(b[ziplistLast:])) != uint64(last) {
		return corrupt("a ziplist whose last entry is not where it says")
	}
	if told := int(binary.LittleEndian.Uint16(b[ziplistCount:])); told != ziplistUncounted && told != count {
		return corrupt("a ziplist with another number of entries than it says")
	}
	return nil
}

// ziplistBack reads how long the entry before was, and in how many bytes that
// is told: 0 if it does not fit.
func ziplistBack(b []byte) (size int, told uint64) {
	switch {
	case b[0] < ziplistFar:
		return 1, uint64(b[0])
	case b[0] == ziplistFar && len(b) > 5:
		return 5, uint64(binary.LittleEndian.Uint32(b[1:]))
	}
	return 0, 0
}

// ziplistEntry reads what an entry is, and how many bytes tell it: 0 if it is
// none, or does not fit.
func ziplistEntry(b []byte) (e entry, size int) {
	if len(b) == 0 {
		return entry{}, 0
	}
	first := b[0]
	switch {
	case first>>6 == 0b00:
		return textEntry(b, 1, uint64(first&0x3f))
	case first>>6 == 0b01 && len(b) >= 2:
		return textEntry(b, 2, uint64(first&0x3f)<<8|uint64(b[1]))
	case first>>6 == 0b10 && len(b) >= 5:
		return textEntry(b, 5, uint64(binary.BigEndian.Uint32(b[1:])))
	case first == ziplistInt16:
		return numberEntry(b, 1, 2)
	case first == ziplistInt32:
		return numberEntry(b, 1, 4)
	case first == ziplistInt64:
		return numberEntry(b, 1, 8)
	case first == ziplistInt24:
		return numberEntry(b, 1, 3)
	case first == ziplistInt8:
		return numberEntry(b, 1, 1)
	case first > ziplistInt24 && first < ziplistInt8:
		return entry{number: int64(first&0x0f) - 1, isNumber: true}, 1
	}
	return entry{}, 0
}
