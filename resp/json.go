package resp

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends r as JSON, for HTTP and for live queries of clients that
// have no types of their own:
//
//	text, status         a string, or {"base64": "…"} if it is not UTF-8
//	error                {"error": "CODE text"}
//	integer, double      a number; "inf", "-inf" and "nan" are strings
//	big number           a string of digits
//	boolean, null        true, false, null
//	array, set, push     an array
//	map                  an object if its keys are all different texts in
//	                     UTF-8, else an array of arrays of key and value
//
// The result is one line: it has no bytes below a blank, so it fits a frame of
// server-sent events. Integers beyond ±2^53 are exact here, but JavaScript
// rounds them.
func AppendJSON(dst []byte, r Reply) []byte { return appendJSON(dst, &r) }

func appendJSON(dst []byte, r *Reply) []byte {
	switch r.kind {
	case Status, Text, Verbatim, BigNumber:
		return appendJSONText(dst, r.Str())
	case Failure:
		dst = appendJSONText(append(dst, `{"error":`...), r.text)
		return append(dst, '}')
	case Number:
		return strconv.AppendInt(dst, r.n, 10)
	case Truth:
		return strconv.AppendBool(dst, r.n != 0)
	case Decimal:
		return appendJSONDouble(dst, r.Float())
	case List, Unordered, Out:
		return appendJSONList(dst, r.Items())
	case Pairs:
		return appendJSONMap(dst, r.items)
	case Couples:
		return appendJSONCouples(dst, r.items)
	}
	return append(dst, "null"...)
}

func appendJSONDouble(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(FormatDouble(append(dst, '"'), f), '"')
	}
	// The shortest digits that read back as the same number, with an exponent
	// where JavaScript writes one (ECMA-262, Number::toString).
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

func appendJSONList(dst []byte, items []Reply) []byte {
	dst = append(dst, '[')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, &items[i])
	}
	return append(dst, ']')
}

func appendJSONMap(dst []byte, items []Reply) []byte {
	if !keysFitJSON(items) {
		return appendJSONCouples(dst, items)
	}
	dst = append(dst, '{')
	for i := 0; i+1 < len(items); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONText(dst, items[i].Str()), ':')
		dst = appendJSON(dst, &items[i+1])
	}
	return append(dst, '}')
}

// appendJSONCouples appends an array of arrays of two.
func appendJSONCouples(dst []byte, items []Reply) []byte {
	dst = append(dst, '[')
	for i := 0; i+1 < len(items); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONList(dst, items[i:i+2])
	}
	return append(dst, ']')
}

// keysFitJSON reports whether the keys of a map can be those of an object.
func keysFitJSON(items []Reply) bool {
	seen := make(map[string]struct{}, len(items)/2)
	for i := 0; i < len(items); i += 2 {
		key := items[i]
		if key.kind != Text && key.kind != Status || !utf8.ValidString(key.text) {
			return false
		}
		seen[key.text] = struct{}{}
	}
	return len(seen) == (len(items)+1)/2
}

func appendJSONText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		dst = append(dst, `{"base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, `"}`...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"
