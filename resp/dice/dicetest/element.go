package dicetest

import (
	"fmt"
	"math"
	"strconv"
)

// Element is a member of a sorted set. In a Response, which knows of none, it
// is a Struct with fields of these names.
type Element struct {
	Rank, Score int64
	Member      string
}

// text is the element as the client prints it.
func (e *Element) text() string { return fmt.Sprintf("%d) %d, %s", e.Rank, e.Score, e.Member) }

// plain is the element as JSON has it. Numbers of a Struct are numbers there.
func (e *Element) plain(raw bool) map[string]any {
	if raw {
		return map[string]any{"rank": e.Rank, "score": e.Score, "member": e.Member}
	}
	out := map[string]any{}
	if e.Rank != 0 {
		out["rank"] = strconv.FormatInt(e.Rank, 10)
	}
	if e.Score != 0 {
		out["score"] = strconv.FormatInt(e.Score, 10)
	}
	if e.Member != "" {
		out["member"] = e.Member
	}
	return out
}

// decodeElement decodes a ZElement.
func decodeElement(b []byte) (e Element, err error) {
	all, err := fields(b)
	for _, f := range all {
		switch f.number {
		case 1:
			e.Score = int64(f.varint)
		case 2:
			e.Member = string(f.bytes)
		case 3:
			e.Rank = int64(f.varint)
		default:
			return e, fmt.Errorf("field %d in an element", f.number)
		}
	}
	return e, err
}

// decodeRanked decodes a ZRANKRes, where the rank stands twice: older clients
// look for it beside the element, newer ones within.
func decodeRanked(b []byte) (e Element, err error) {
	all, err := fields(b)
	rank, has := int64(0), false
	for _, f := range all {
		switch f.number {
		case 1:
			rank = int64(f.varint)
		case 2:
			has = true
			if e, err = decodeElement(f.bytes); err != nil {
				return e, err
			}
		default:
			return e, fmt.Errorf("field %d in a ZRANKRes", f.number)
		}
	}
	if err == nil && (!has || rank != e.Rank) {
		err = fmt.Errorf("the rank %d stands beside an element %+v, if that is one: %v", rank, e, has)
	}
	return e, err
}

// decodeStruct decodes a Value that is a Struct that is an element.
func decodeStruct(b []byte) (e Element, err error) {
	value, err := fields(b)
	if err != nil || len(value) != 1 || value[0].number != 5 {
		return e, fmt.Errorf("a value in a list that is no struct: %v", err)
	}
	entries, err := fields(value[0].bytes)
	if err != nil || len(entries) != 3 {
		return e, fmt.Errorf("%d fields in a struct: %v", len(entries), err)
	}
	for _, entry := range entries {
		parts, err := fields(entry.bytes)
		if err != nil || entry.number != 1 || len(parts) != 2 {
			return e, fmt.Errorf("no entry of a struct: %v", err)
		}
		content, err := fields(parts[1].bytes)
		if err != nil || len(content) != 1 {
			return e, fmt.Errorf("no value in a struct: %v", err)
		}
		number := int64(math.Float64frombits(content[0].varint))
		switch name := string(parts[0].bytes); {
		case name == "rank" && content[0].number == 2:
			e.Rank = number
		case name == "score" && content[0].number == 2:
			e.Score = number
		case name == "member" && content[0].number == 3:
			e.Member = string(content[0].bytes)
		default:
			return e, fmt.Errorf("%q in a struct, of kind %d", name, content[0].number)
		}
	}
	return e, nil
}
