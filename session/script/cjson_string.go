package script

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonPlain are the escapes of one letter.
var jsonPlain = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// text reads a string; the decoder stands at its first quote.
func (d *jsonDecoder) text(t jsonToken) jsonToken {
	var b strings.Builder
	d.at++
	for {
		c := d.byteAt(d.at)
		switch {
		case c == 0:
			return jsonToken{kind: jsonError, at: d.at, text: "unexpected end of string"}
		case c == '"':
			d.at++
			t.kind, t.text = jsonString, b.String()
			return t
		case c != '\\':
			b.WriteByte(c)
			d.at++
			continue
		}
		escape := d.byteAt(d.at + 1)
		if plain, ok := jsonPlain[escape]; ok {
			b.WriteByte(plain)
			d.at += 2
			continue
		}
		if escape != 'u' {
			return jsonToken{kind: jsonError, at: d.at, text: "invalid escape code"}
		}
		if !d.unicode(&b) {
			return jsonToken{kind: jsonError, at: d.at, text: "invalid unicode escape code"}
		}
	}
}

// unicode reads an escape of four digits, or two that are a surrogate pair.
func (d *jsonDecoder) unicode(b *strings.Builder) (ok bool) {
	code, ok := d.hex(d.at)
	if !ok || code&0xf800 == 0xd800 && code&0x400 != 0 {
		return false
	}
	length := 6
	if code&0xf800 == 0xd800 {
		low, ok := d.hex(d.at + 6)
		if !ok || low&0xfc00 != 0xdc00 {
			return false
		}
		code, length = utf16.DecodeRune(code, low), 12
	}
	b.Write(utf8.AppendRune(nil, code))
	d.at += length
	return true
}

// hex reads an escape at a place: \u and four hexadecimal digits.
func (d *jsonDecoder) hex(at int) (code rune, ok bool) {
	if at+6 > len(d.in) || d.in[at] != '\\' || d.in[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(d.in[at+2:at+6], 16, 32)
	return rune(n), err == nil
}
