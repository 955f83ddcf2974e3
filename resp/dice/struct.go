package dice

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp"
)

// What Raw says in google.protobuf.Struct:
//
//	Struct   1 map<string, Value>: entries {1 key · 2 value}
//	Value    one of 2 number double · 3 string · 5 Struct

// The fields of Value.
const (
	valueNumber = 2
	valueString = 3
	valueStruct = 5
)

// numberBytes is what a Value takes that is a number.
const numberBytes = 1 + 8

func sizeString(s string) int { return 1 + protowire.SizeBytes(len(s)) }

// sizeEntry is what an entry takes in its Struct whose Value takes so much.
func sizeEntry(name string, inValue int) int {
	return 1 + protowire.SizeBytes(inEntry(name, inValue))
}

func inEntry(name string, inValue int) int {
	return sizeString(name) + 1 + protowire.SizeBytes(inValue)
}

// appendEntry appends an entry up to its Value, which follows.
func appendEntry(dst []byte, name string, inValue int) []byte {
	dst = appendTag(dst, 1, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(inEntry(name, inValue)))
	dst = protowire.AppendString(appendTag(dst, 1, protowire.BytesType), name)
	dst = appendTag(dst, 2, protowire.BytesType)
	return protowire.AppendVarint(dst, uint64(inValue))
}

func appendStringEntry(dst []byte, name, s string) []byte {
	dst = appendEntry(dst, name, sizeString(s))
	return protowire.AppendString(appendTag(dst, valueString, protowire.BytesType), s)
}

func appendNumberEntry(dst []byte, name string, n int64) []byte {
	dst = appendTag(appendEntry(dst, name, numberBytes), valueNumber, protowire.Fixed64Type)
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(n)))
}

// appendAttribute appends attrs, a Struct of one string.
func appendAttribute(dst []byte, name, value string) []byte {
	dst = appendTag(dst, responseAttrs, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(sizeEntry(name, sizeString(value))))
	return appendStringEntry(dst, name, value)
}

// The names in a Struct that is an element.
const (
	rankName   = "rank"
	scoreName  = "score"
	memberName = "member"
)

// appendElements appends a list of elements, each a Value that is a Struct.
func appendElements(dst []byte, items []resp.Reply) []byte {
	numbers := sizeEntry(rankName, numberBytes) + sizeEntry(scoreName, numberBytes)
	for ; len(items) >= ElementItems; items = items[ElementItems:] {
		member := items[2].Str()
		inStruct := numbers + sizeEntry(memberName, sizeString(member))
		dst = appendTag(dst, responseList, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(1+protowire.SizeBytes(inStruct)))
		dst = appendTag(dst, valueStruct, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(inStruct))
		dst = appendNumberEntry(dst, rankName, items[0].Int())
		dst = appendNumberEntry(dst, scoreName, items[1].Int())
		dst = appendStringEntry(dst, memberName, member)
	}
	return dst
}
