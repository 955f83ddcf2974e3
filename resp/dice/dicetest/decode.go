package dicetest

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// response is a command's own message in a Result: the name of its one field
// there, and a zero value of that field's kind.
type response struct {
	inner string
	kind  any
}

// responses are those messages, by name; results are their names by the number
// of their field in Result.
var responses = map[string]response{
	"TYPERes": {"type", ""}, "PINGRes": {"message", ""}, "ECHORes": {"message", ""}, "HANDSHAKERes": {},
	"EXISTSRes": {"count", int64(0)}, "GETRes": {"value", ""}, "SETRes": {}, "DELRes": {"count", int64(0)},
	"KEYSRes": {"keys", []string(nil)}, "GETDELRes": {"value", ""}, "GETEXRes": {"value", ""}, "GETSETRes": {"value", ""},
	"INCRRes": {"value", int64(0)}, "DECRRes": {"value", int64(0)}, "INCRBYRes": {"value", int64(0)}, "DECRBYRes": {"value", int64(0)},
	"FLUSHDBRes": {}, "EXPIRERes": {"isChanged", false}, "EXPIREATRes": {"isChanged", false},
	"EXPIRETIMERes": {"unixSec", int64(0)}, "TTLRes": {"seconds", int64(0)}, "UNWATCHRes": {},
	"HGETRes": {"value", ""}, "HSETRes": {"count", int64(0)}, "HGETALLRes": {"elements", [][2]string(nil)},
	"ZADDRes": {"count", int64(0)}, "ZCOUNTRes": {"count", int64(0)}, "ZREMRes": {"count", int64(0)}, "ZCARDRes": {"count", int64(0)},
	"ZRANGERes": {"elements", []Element(nil)}, "ZPOPMAXRes": {"elements", []Element(nil)}, "ZPOPMINRes": {"elements", []Element(nil)},
	"ZRANKRes": {"element", Element{}}, "GEOADDRes": {"count", int64(0)}, "GEODISTRes": {"distance", float64(0)},
	"GEOSEARCHRes": {"elements", []Place(nil)}, "GEOHASHRes": {"hashes", []string(nil)}, "GEOPOSRes": {"coords", []Coords(nil)},
}

var results = map[protowire.Number]string{
	11: "TYPERes", 12: "PINGRes", 13: "ECHORes", 14: "HANDSHAKERes", 15: "EXISTSRes", 16: "GETRes", 17: "SETRes",
	18: "DELRes", 19: "KEYSRes", 20: "GETDELRes", 21: "GETEXRes", 22: "GETSETRes", 23: "INCRRes", 24: "DECRRes",
	25: "INCRBYRes", 26: "DECRBYRes", 27: "FLUSHDBRes", 28: "EXPIRERes", 29: "EXPIREATRes", 30: "EXPIRETIMERes",
	31: "TTLRes", 33: "UNWATCHRes", 34: "HGETRes", 35: "HSETRes", 36: "HGETALLRes",
	39: "ZADDRes", 40: "ZCOUNTRes", 41: "ZRANGERes", 42: "ZPOPMAXRes", 43: "ZREMRes", 44: "ZPOPMINRes", 45: "ZRANKRes", 46: "ZCARDRes",
	51: "GEOADDRes", 52: "GEODISTRes", 53: "GEOSEARCHRes", 54: "GEOHASHRes", 55: "GEOPOSRes",
}

// field is one field of a message: its bytes, or its number if it has none, of
// a double the bits.
type field struct {
	number protowire.Number
	bytes  []byte
	varint uint64
}

// fields takes a message apart.
func fields(b []byte) (all []field, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		f := field{number: number}
		switch kind {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			f.varint, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.varint, n = protowire.ConsumeFixed64(b)
		default:
			return nil, fmt.Errorf("a field of wire type %d", kind)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		all = append(all, f)
	}
	return all, nil
}

// DecodeResult decodes the body of a frame.
func DecodeResult(b []byte) (m Message, err error) {
	all, err := fields(b)
	for _, f := range all {
		switch name, isResponse := results[f.number]; {
		case f.number == 1:
			m.Failed = f.varint == 1
		case f.number == 2:
			m.Text = string(f.bytes)
		case f.number == 3:
			m.Fingerprint = strconv.FormatUint(f.varint, 10)
		case isResponse && m.Field == "":
			m.Field = name
			if name == "ZRANKRes" {
				m.Value, err = decodeRanked(f.bytes)
			} else {
				m.Value, err = decodeValue(responses[name].kind, f.bytes)
			}
		default:
			err = fmt.Errorf("a second response, or field %d", f.number)
		}
		if err != nil {
			return m, err
		}
	}
	return m, err
}

// decodeValue decodes a command's own message, whose field is of the kind.
func decodeValue(kind any, b []byte) (value any, err error) {
	all, err := fields(b)
	value = kind
	for i := range all {
		if all[i].number != 1 {
			return nil, fmt.Errorf("field %d in a response", all[i].number)
		}
		if value, err = decodeField(value, &all[i]); err != nil {
			return nil, err
		}
	}
	return value, err
}

// decodeField decodes a field of the kind that the value is; if it is repeated,
// the value is that so far.
func decodeField(value any, f *field) (any, error) {
	switch v := value.(type) {
	case string:
		return string(f.bytes), nil
	case int64:
		return int64(f.varint), nil
	case bool:
		return f.varint != 0, nil
	case float64:
		return math.Float64frombits(f.varint), nil
	case []string:
		return append(v, string(f.bytes)), nil
	case [][2]string:
		pair, err := decodePair(f.bytes)
		return append(v, pair), err
	case []Element:
		element, err := decodeElement(f.bytes)
		return append(v, element), err
	case []Coords:
		coords, err := decodeCoords(f.bytes)
		return append(v, coords), err
	case []Place:
		place, err := decodePlace(f.bytes)
		return append(v, place), err
	}
	return nil, fmt.Errorf("a field in a response that has none")
}

func decodePair(b []byte) (pair [2]string, err error) {
	all, err := fields(b)
	for _, f := range all {
		if f.number != 1 && f.number != 2 {
			return pair, fmt.Errorf("field %d in an element", f.number)
		}
		pair[f.number-1] = string(f.bytes)
	}
	return pair, err
}

// DecodeResponse decodes a message without a frame.
func DecodeResponse(b []byte) (m Message, err error) {
	m.Raw = true
	all, err := fields(b)
	if err != nil {
		return m, err
	}
	for _, f := range all {
		switch f.number {
		case 1:
			m.Text = string(f.bytes)
			m.Failed = m.Text != ""
		case 2:
			m.Field, m.Value = "vNil", f.varint != 0
		case 3:
			m.Field, m.Value = "vInt", int64(f.varint)
		case 4:
			m.Field, m.Value = "vStr", string(f.bytes)
		case 8:
			element, bad := decodeStruct(f.bytes)
			elements, _ := m.Value.([]Element)
			m.Field, m.Value, err = "vList", append(elements, element), bad
		case 7:
			m.Fingerprint, err = decodeFingerprint(f.bytes)
		case 9:
			pair, bad := decodePair(f.bytes)
			pairs, _ := m.Value.([][2]string)
			m.Field, m.Value, err = "vSsMap", append(pairs, pair), bad
		default:
			err = fmt.Errorf("field %d in a Response", f.number)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// decodeFingerprint finds the fingerprint in a Struct.
func decodeFingerprint(b []byte) (string, error) {
	entries, err := fields(b)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		parts, err := fields(entry.bytes)
		if err != nil {
			return "", err
		}
		if len(parts) == 2 && string(parts[0].bytes) == "fingerprint" {
			value, err := fields(parts[1].bytes)
			if err != nil || len(value) != 1 || value[0].number != 3 {
				return "", fmt.Errorf("a fingerprint that is no string: %v", err)
			}
			return string(value[0].bytes), nil
		}
	}
	return "", fmt.Errorf("attrs without a fingerprint")
}
