package resp

// V2 encodes for RESP2. What that protocol has no type for is told in its
// own types, as Redis does: see the comments at Kind.
var V2 Encoder = encoder2{}

type encoder2 struct{}

func (encoder2) Proto() int { return 2 }

// Append implements Encoder.
func (encoder2) Append(dst []byte, r Reply) []byte { return append2(dst, &r) }

func append2(dst []byte, r *Reply) []byte {
	switch r.kind {
	case Text, BigNumber:
		return AppendText(dst, r.text)
	case Status:
		return appendLine(dst, '+', r.text)
	case Number, Truth:
		return AppendNumber(dst, r.n)
	case Null:
		return append(dst, "$-1\r\n"...)
	case Failure:
		return appendLine(dst, '-', r.text)
	case NullArray:
		return append(dst, "*-1\r\n"...)
	case Decimal:
		var digits [doubleBytesMax]byte
		return AppendText(dst, alias(appendDecimal(digits[:0], r)))
	case Verbatim:
		return AppendText(dst, r.Str())
	case List, Unordered, Pairs, Couples, Out:
		if r.bulked() {
			return appendBulks(dst, r)
		}
		if r.named() {
			return appendNamed2(dst, r.items)
		}
		dst = AppendHeader(dst, '*', len(r.items))
		for i := range r.items {
			dst = append2(dst, &r.items[i])
		}
	}
	return dst
}

// appendNamed2 encodes a Named: an array of arrays of two.
func appendNamed2(dst []byte, items []Reply) []byte {
	dst = AppendHeader(dst, '*', len(items)/2)
	for i := 0; i+1 < len(items); i += 2 {
		dst = AppendHeader(dst, '*', 2)
		dst = append2(dst, &items[i])
		dst = append2(dst, &items[i+1])
	}
	return dst
}
