package dice

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp"
)

// The fields of Result.
const (
	resultStatus      = 1
	resultMessage     = 2
	resultFingerprint = 3
)

// statusErr is Result's status of an error; that of success is 0 and left out.
const statusErr = 1

// framedEncoder encodes the replies of a command as Results in frames.
type framedEncoder struct {
	command Command
	watches bool
}

// Proto implements resp.Encoder: where a version of RESP is asked for, the
// first one is meant, which has no types that its clients must know.
func (*framedEncoder) Proto() int { return 2 }

// Append implements resp.Encoder.
func (e *framedEncoder) Append(dst []byte, r resp.Reply) []byte {
	fingerprint := uint64(0)
	if e.watches {
		fingerprint, r = unwatched(r)
	}
	if err := Unspeakable(&r); err.IsError() {
		r = err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if r.IsError() {
		dst = appendNumber(dst, resultStatus, statusErr)
		dst = appendText(dst, resultMessage, e.command.message(r.Str()))
		dst = appendNumber(dst, resultFingerprint, int64(fingerprint))
	} else {
		dst = appendText(dst, resultMessage, "OK")
		dst = appendNumber(dst, resultFingerprint, int64(fingerprint))
		dst = e.appendResponse(dst, &r)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-frameBytes))
	return dst
}

// appendResponse appends the command's own message.
func (e *framedEncoder) appendResponse(dst []byte, r *resp.Reply) []byte {
	if e.command.field == 0 {
		return dst
	}
	dst = appendTag(dst, e.command.field, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(e.command.shape.size(r)))
	return e.command.shape.append(dst, r)
}

// The fields of Response.
const (
	responseErr   = 1
	responseNil   = 2
	responseInt   = 3
	responseStr   = 4
	responseAttrs = 7
	responseList  = 8
	responseMap   = 9
)

// rawReadBytes is what their clients read at once: they take a read that
// fills it for the beginning of a reply that goes on.
const rawReadBytes = 16384

// rawEncoder encodes the replies of a command as Responses. A reply's kind says
// which of its fields it stands in.
type rawEncoder struct {
	command Command
	watches bool
}

// Proto implements resp.Encoder, as framedEncoder does.
func (*rawEncoder) Proto() int { return 2 }

// Append implements resp.Encoder.
func (e *rawEncoder) Append(dst []byte, r resp.Reply) []byte {
	start, fingerprint := len(dst), uint64(0)
	if e.watches {
		fingerprint, r = unwatched(r)
	}
	if err := Unspeakable(&r); err.IsError() {
		r = err
	}
	if r.IsError() {
		dst = appendText(dst, responseErr, e.command.message(r.Str()))
	}
	if fingerprint != 0 {
		dst = appendAttribute(dst, "fingerprint", strconv.FormatUint(fingerprint, 10))
	}
	dst = e.appendValue(dst, &r)
	if (len(dst)-start)%rawReadBytes == 0 {
		dst = append(dst, responseErr<<3|byte(protowire.BytesType), 0) // no error; it says nothing
	}
	return dst
}

// appendValue appends the value. One of those that exclude each other is sent
// even if it is zero: that is how null, 0 and "" differ.
func (e *rawEncoder) appendValue(dst []byte, r *resp.Reply) []byte {
	switch r.Kind() {
	case resp.Failure:
		return dst
	case resp.Number, resp.Truth:
		return protowire.AppendVarint(appendTag(dst, responseInt, protowire.VarintType), uint64(r.Int()))
	case resp.Null, resp.NullArray:
		return appendNil(dst)
	case resp.Pairs:
		if len(r.Items()) == 0 {
			return appendNil(dst)
		}
		return appendMap(dst, r.Items())
	case resp.List:
		return e.appendList(dst, r)
	}
	return protowire.AppendString(appendTag(dst, responseStr, protowire.BytesType), r.Str())
}

// appendList appends the elements of a sorted set. Where there is always one,
// its rank says it all, and 0 that there is none.
func (e *rawEncoder) appendList(dst []byte, r *resp.Reply) []byte {
	rank := elementOf(r)[0].Int()
	switch {
	case rank == 0:
		return appendNil(dst)
	case e.command.shape == elementShape:
		return protowire.AppendVarint(appendTag(dst, responseInt, protowire.VarintType), uint64(rank))
	}
	return appendElements(dst, r.Items())
}

// appendMap appends a map, whose entries say even what is empty.
func appendMap(dst []byte, items []resp.Reply) []byte {
	for ; len(items) > 1; items = items[2:] {
		key, value := items[0].Str(), items[1].Str()
		dst = appendTag(dst, responseMap, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(2+protowire.SizeBytes(len(key))+protowire.SizeBytes(len(value))))
		dst = protowire.AppendString(appendTag(dst, 1, protowire.BytesType), key)
		dst = protowire.AppendString(appendTag(dst, 2, protowire.BytesType), value)
	}
	return dst
}

func appendNil(dst []byte) []byte {
	return protowire.AppendVarint(appendTag(dst, responseNil, protowire.VarintType), 1)
}

// The answers instead of replies that their clients could not decode.
var (
	errNotText  = resp.Error("ERR the value is not UTF-8, which this protocol cannot carry: read it with a Redis client")
	ErrTooLarge = resp.Error("ERR the reply is longer than the 32 MiB that this protocol carries: read it in parts, or with a Redis client")
)

// roomForHeads is left, in bytes, for what stands around a reply's texts. Each
// item of a list has at most itemHead bytes beside its text.
const (
	roomForHeads = 256
	itemHead     = 24
)

// Unspeakable is the error to be answered instead of the reply, if any. Errors
// may quote what they are about: of them, too, none is sent that is not text.
func Unspeakable(r *resp.Reply) resp.Reply {
	size, ok := measure(r)
	switch {
	case !ok:
		return errNotText
	case size > MessageMax-roomForHeads:
		return ErrTooLarge
	}
	return resp.Nothing
}

// measure reports about how long the reply's texts are, and whether all are
// UTF-8.
func measure(r *resp.Reply) (size int, ok bool) {
	size, ok = len(r.Str()), utf8.ValidString(r.Str())
	for i := range r.Items() {
		n, valid := measure(&r.Items()[i])
		size, ok = size+n+itemHead, ok && valid
	}
	return size, ok
}
