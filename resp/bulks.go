package resp

import (
	"strconv"
	"strings"
)

// Bulks is an array of n texts that lie in encoded, one after the other, as
// AppendBulk has written them. So a command lists many short texts with one
// copy of each, and without a Reply for each, which takes 56 bytes: in half of
// the time that an Array of them takes. Items are made where somebody wants
// them.
//
// An item may also be an array of texts and arrays, as AppendArray begins one.
func Bulks(n int, encoded []byte) Reply {
	return Reply{kind: List, n: int64(n), text: alias(encoded)}
}

// AppendBulk appends a text to those of a Bulks: a bulk string, which is the
// same in both protocols.
func AppendBulk(dst, text []byte) []byte { return AppendText(dst, alias(text)) }

// AppendArray begins an array of n items in the texts of a Bulks.
func AppendArray(dst []byte, n int) []byte { return AppendHeader(dst, '*', n) }

// bulked reports whether the reply is a Bulks, and not empty.
func (r *Reply) bulked() bool { return r.kind == List && r.text != "" }

// appendBulks encodes a Bulks.
func appendBulks(dst []byte, r *Reply) []byte {
	return append(AppendHeader(dst, '*', int(r.n)), r.text...)
}

// unbulked makes the items of a Bulks.
func (r *Reply) unbulked() []Reply {
	items := make([]Reply, 0, r.n)
	for rest := r.text; rest != ""; {
		var item Reply
		item, rest = unbulkedItem(rest)
		items = append(items, item)
	}
	return items
}

// unbulkedItem makes the first item of what is encoded.
func unbulkedItem(encoded string) (item Reply, rest string) {
	length, after, _ := strings.Cut(encoded[1:], "\r\n")
	n, _ := strconv.Atoi(length)
	if encoded[0] == '$' {
		return BulkString(after[:n]), after[n+len("\r\n"):]
	}
	items := make([]Reply, n)
	for i := range items {
		items[i], after = unbulkedItem(after)
	}
	return Array(items...), after
}
