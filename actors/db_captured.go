package actors

import (
	"bytes"
	"strconv"

	"github.com/troupedb/troupe/resp"
)

// captured takes replies from the shards as they are, without the detour through
// a protocol: it is the Encoder of a call's batch. What it takes is copied into
// memory that it keeps, in the shard's turn; what the caller gets is made of that
// afterwards, so that no turn waits for memory of Go's heap.
type captured struct {
	whole   bool         // replies are kept as they are
	replies []resp.Reply // if whole

	kind    resp.Kind // of the last reply
	number  int64
	decimal float64
	data    []byte    // the texts: of the reply, or of all elements
	cuts    []int     // where each element's ends; that of a null is complemented
	floats  []float64 // elements that are decimals
}

// Proto implements resp.Encoder.
func (c *captured) Proto() int { return 3 }

// Append implements resp.Encoder: nothing is appended, all is kept here.
func (c *captured) Append(dst []byte, r resp.Reply) []byte {
	switch {
	case !c.whole:
		c.take(r)
	case r.Kind() == resp.Status && r.Str() == "OK":
		c.replies = append(c.replies, resp.OK)
	default:
		c.replies = append(c.replies, r.Clone())
	}
	return dst
}

func (c *captured) take(r resp.Reply) {
	c.kind = r.Kind()
	switch c.kind {
	case resp.Number, resp.Truth:
		c.number = r.Int()
	case resp.Decimal:
		c.decimal = r.Float()
	case resp.List, resp.Unordered, resp.Pairs, resp.Couples, resp.Out:
		c.takeItems(r.Items())
	default:
		c.data = append(c.data, r.Str()...)
	}
}

// takeItems takes the elements of a reply, and the elements of these, in a row.
func (c *captured) takeItems(items []resp.Reply) {
	for i := range items {
		item := &items[i]
		switch item.Kind() {
		case resp.Null, resp.NullArray:
			c.cuts = append(c.cuts, ^len(c.data))
		case resp.Decimal:
			c.floats = append(c.floats, item.Float())
		case resp.Number, resp.Truth:
			c.data = strconv.AppendInt(c.data, item.Int(), 10)
			c.cuts = append(c.cuts, len(c.data))
		case resp.List, resp.Unordered, resp.Pairs, resp.Couples:
			c.takeItems(item.Items())
		default:
			c.data = append(c.data, item.Str()...)
			c.cuts = append(c.cuts, len(c.data))
		}
	}
}

func (c *captured) clear() {
	if cap(c.data) > keepBytes {
		c.data = nil
	}
	if cap(c.cuts) > keepBytes/8 {
		c.cuts, c.floats = nil, nil
	}
	clear(c.replies)
	c.whole, c.replies, c.kind, c.data, c.cuts, c.floats = false, c.replies[:0], resp.None, c.data[:0], c.cuts[:0], c.floats[:0]
}

// err is the failure that the reply is, or nil.
func (c *captured) err() error {
	if c.kind == resp.Failure {
		return commandError(string(c.data))
	}
	return nil
}

// floatOf is a number, which may come as a text.
func (c *captured) floatOf() float64 {
	switch c.kind {
	case resp.Number, resp.Truth:
		return float64(c.number)
	case resp.Decimal:
		return c.decimal
	}
	f, _ := strconv.ParseFloat(string(c.data), 64)
	return f
}

func (c *captured) isNull() bool { return c.kind == resp.Null || c.kind == resp.NullArray }

// handOver is how long, in bytes, a text is that is not copied once more but
// given away.
const handOver = 4 << 10

// takeBytes is the text of the reply, the caller's from here on.
func (c *captured) takeBytes() []byte {
	if len(c.data) < handOver {
		return append(make([]byte, 0, len(c.data)), c.data...)
	}
	b := c.data
	c.data = nil
	return b[:len(b):len(b)]
}

// strings are the texts of all elements, in one piece of memory; nulls are "".
func (c *captured) strings() []string {
	all, list, start := string(c.data), make([]string, len(c.cuts)), 0
	for i, end := range c.cuts {
		if end < 0 {
			continue
		}
		list[i] = all[start:end]
		start = end
	}
	return list
}

// slices are the texts of all elements; nulls are nil.
func (c *captured) slices() [][]byte {
	all, list, start := bytes.Clone(c.data), make([][]byte, len(c.cuts)), 0
	for i, end := range c.cuts {
		if end < 0 {
			continue
		}
		list[i] = all[start:end:end]
		start = end
	}
	return list
}
