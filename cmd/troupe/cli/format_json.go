package cli

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/troupedb/troupe/resp"
)

// appendJSON adds a reply as JSON: an error as {"error": text}, a text that is no
// UTF-8 as {"base64": text}, a map as an object unless its keys are aggregates.
func appendJSON(dst []byte, r resp.Reply) []byte {
	switch r.Kind() {
	case resp.Null, resp.NullArray, resp.None:
		return append(dst, "null"...)
	case resp.Failure:
		return append(appendJSONText(append(dst, `{"error":`...), r.Str()), '}')
	case resp.Number:
		return strconv.AppendInt(dst, r.Int(), 10)
	case resp.Truth:
		return strconv.AppendBool(dst, r.Int() != 0)
	case resp.Decimal:
		if f := r.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
			return appendJSONText(dst, decimal(r))
		}
		return append(dst, decimal(r)...)
	case resp.Pairs:
		return appendJSONMap(dst, r.Items())
	case resp.List, resp.Unordered, resp.Out:
		dst = append(dst, '[')
		for i, item := range r.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	}
	return appendJSONText(dst, r.Str())
}

func appendJSONMap(dst []byte, items []resp.Reply) []byte {
	dst = append(dst, '{')
	for i := 0; i+1 < len(items); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONKey(dst, items[i]), ':')
		dst = appendJSON(dst, items[i+1])
	}
	return append(dst, '}')
}

// appendJSONKey adds a key, which in JSON is a text: what is none is put into one.
func appendJSONKey(dst []byte, r resp.Reply) []byte {
	key := appendJSON(nil, r)
	if key[0] == '"' {
		return append(dst, key...)
	}
	return appendJSONText(dst, string(key))
}

// jsonEscapes are the letters behind a backslash.
var jsonEscapes = map[byte]byte{'"': '"', '\\': '\\', '\n': 'n', '\f': 'f', '\r': 'r', '\t': 't', '\b': 'b'}

func appendJSONText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		dst = append(dst, `{"base64":"`...)
		return append(base64.StdEncoding.AppendEncode(dst, []byte(s)), `"}`...)
	}
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		c := s[i]
		switch letter, found := jsonEscapes[c]; {
		case found:
			dst = append(dst, '\\', letter)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
