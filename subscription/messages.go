package subscription

import (
	"github.com/troupedb/troupe/resp"
)

// The texts that links are sent. RESP3 and RESP2 differ in the first byte of a
// message, so one text does for both.

// encode makes the text of a message; pattern is nil but for "pmessage".
func encode(kind string, pattern, channel, payload []byte) []byte {
	n := 3
	if pattern != nil {
		n = 4
	}
	text := make([]byte, 0, 64+len(pattern)+len(channel)+len(payload))
	text = appendBulk(resp.AppendHeader(text, '>', n), kind)
	if pattern != nil {
		text = appendBulk(text, pattern)
	}
	return appendBulk(appendBulk(text, channel), payload)
}

func appendBulk[T string | []byte](dst []byte, text T) []byte {
	dst = append(resp.AppendHeader(dst, '$', len(text)), text...)
	return append(dst, '\r', '\n')
}

// InvalidateChannel is where RESP2 links hear of invalidations.
const InvalidateChannel = "__redis__:invalidate"

var (
	invalidateHead3 = appendBulk([]byte(">2\r\n"), "invalidate")
	invalidateHead2 = appendBulk(appendBulk([]byte("*3\r\n"), "message"), InvalidateChannel)
	nothing3        = []byte("_\r\n")
	nothing2        = []byte("$-1\r\n")
)

// append writes the letter as a link's protocol has it.
func (l *letter) append(dst []byte, p Protocol) []byte {
	start := len(dst)
	switch {
	case l.kind == message:
		if dst = append(dst, l.text...); p.Version == 2 {
			dst[start] = '*'
		}
	case p.Version == 3 && l.kind == broken:
		dst = append(dst, l.text...)
	case p.Version == 3:
		dst = append(dst, invalidateHead3...)
		dst = append(dst, textOr(l.text, nothing3)...)
	case l.kind == invalidate && p.Subscriber:
		dst = append(dst, invalidateHead2...)
		dst = append(dst, textOr(l.text, nothing2)...)
	}
	return dst
}

// textOr is the text of a letter, or what stands for all keys.
func textOr(text, nothing []byte) []byte {
	if text == nil {
		return nothing
	}
	return text
}
