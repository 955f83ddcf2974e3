package resp

// V3 encodes for RESP3, each kind in its own type.
var V3 Encoder = encoder3{}

type encoder3 struct{}

func (encoder3) Proto() int { return 3 }

// Append implements Encoder.
func (encoder3) Append(dst []byte, r Reply) []byte { return append3(dst, &r) }

func append3(dst []byte, r *Reply) []byte {
	switch r.kind {
	case Text:
		return AppendText(dst, r.text)
	case Status:
		return appendLine(dst, '+', r.text)
	case Number:
		return AppendNumber(dst, r.n)
	case Null, NullArray:
		return append(dst, "_\r\n"...)
	case Failure:
		return appendLine(dst, '-', r.text)
	case Truth:
		if r.n != 0 {
			return append(dst, "#t\r\n"...)
		}
		return append(dst, "#f\r\n"...)
	case Decimal:
		dst = appendDecimal(append(dst, ','), r)
		return append(dst, '\r', '\n')
	case BigNumber:
		return appendLine(dst, '(', r.text)
	case Verbatim:
		dst = append(AppendHeader(dst, '=', len(r.text)), r.text...)
		return append(dst, '\r', '\n')
	case List:
		if r.bulked() {
			return appendBulks(dst, r)
		}
		return appendItems3(AppendHeader(dst, '*', len(r.items)), r.items)
	case Unordered:
		return appendItems3(AppendHeader(dst, '~', len(r.items)), r.items)
	case Pairs:
		return appendItems3(AppendHeader(dst, '%', len(r.items)/2), r.items)
	case Couples:
		return appendCouples3(dst, r.items)
	case Out:
		return appendItems3(AppendHeader(dst, '>', len(r.items)), r.items)
	}
	return dst
}

func appendItems3(dst []byte, items []Reply) []byte {
	for i := range items {
		dst = append3(dst, &items[i])
	}
	return dst
}

func appendCouples3(dst []byte, items []Reply) []byte {
	dst = AppendHeader(dst, '*', len(items)/2)
	for i := 0; i+1 < len(items); i += 2 {
		dst = appendItems3(AppendHeader(dst, '*', 2), items[i:i+2])
	}
	return dst
}
