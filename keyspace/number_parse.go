package keyspace

import (
	"math/big"
	"math/bits"

	"github.com/troupedb/troupe/resp/command"
)

// longDoubleLen bounds the notation of a number, in bytes; it is Redis's.
const longDoubleLen = 5*1024 - 1

// ParseLongDouble reads a number in C's notation (strtold): decimal with an
// optional exponent, hexadecimal ("0x1.8p3"), or inf, which is not Finite.
// Blanks, NaN, and what is too large or too small are refused, as by Redis.
func ParseLongDouble(text []byte) (x LongDouble, ok bool) {
	if len(text) == 0 || len(text) > longDoubleLen {
		return LongDouble{}, false
	}
	neg := text[0] == '-'
	if neg || text[0] == '+' {
		text = text[1:]
	}
	if command.EqualFold(text, "INF") || command.EqualFold(text, "INFINITY") {
		return LongDouble{exp: expBeyond, neg: neg}, true
	}
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' {
		return parseHex(text[2:], neg)
	}
	return parseDecimal(text, neg)
}

// digitsFast is how many decimal digits always fit into 64 bits.
const digitsFast = 19

// decimal is digits · 10^exp. Only as many digits as fit are in mant; all of
// them, and among them a point, are in text.
type decimal struct {
	mant  uint64
	count int // digits from the first that isn't 0
	exp   int
	text  []byte
}

func parseDecimal(text []byte, neg bool) (x LongDouble, ok bool) {
	d, ok := scanDecimal(text)
	if !ok {
		return LongDouble{}, false
	}
	switch {
	case d.count == 0:
		return LongDouble{}, true
	case d.count > digitsFast || d.exp < -digitsFast || d.exp > digitsFast:
		x = d.round(neg)
	case d.exp >= 0:
		hi, lo := bits.Mul64(d.mant, powersOf10[d.exp])
		x = roundLongDouble(neg, hi, lo, 64)
	default:
		x = divide(neg, d.mant, powersOf10[-d.exp])
	}
	return x, x.Finite() && x.mant != 0
}

// scanDecimal reads digits, of which there must be one, with a point or not,
// and an exponent or not.
func scanDecimal(text []byte) (d decimal, ok bool) {
	point, some, i := false, false, 0
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		some = true
		if point {
			d.exp--
		}
		if c == '0' && d.count == 0 {
			continue
		}
		if d.count++; d.count <= digitsFast {
			d.mant = d.mant*10 + uint64(c-'0')
		}
	}
	if !some {
		return d, false
	}
	d.text = text[:i]
	exp, ok := parseExponent(text[i:], 'e')
	d.exp += exp
	return d, ok
}

// exponentMax bounds an exponent while it is read. What is as far from 0 is
// zero or infinite, whatever digits stand before it.
const exponentMax = 1 << 20

// parseExponent reads nothing, or all of an exponent after its letter.
func parseExponent(text []byte, letter byte) (exp int, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0]|0x20 != letter {
		return 0, false
	}
	text = text[1:]
	neg := len(text) > 0 && text[0] == '-'
	if neg || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		exp = min(exp*10+int(c-'0'), exponentMax)
	}
	if neg {
		exp = -exp
	}
	return exp, len(text) > 0
}

// divide is n/by, both not 0, with 128 bits of the quotient known.
func divide(neg bool, n, by uint64) LongDouble {
	upN, upBy := bits.LeadingZeros64(n), bits.LeadingZeros64(by)
	n, by = n<<upN, by<<upBy
	exp, low := upBy-upN-64, uint64(0)
	if n >= by {
		exp, n, low = exp+1, n>>1, n<<63
	}
	hi, rest := bits.Div64(n, low, by)
	lo, rest := bits.Div64(rest, 0, by)
	return roundLongDouble(neg, hi, lo|sticky(rest), exp)
}

// The powers of ten between which, with some room, all long doubles lie.
const (
	tensMax = 4950
	tensMin = -5000
)

// round is divide for numbers of any length.
func (d *decimal) round(neg bool) LongDouble {
	switch top := d.exp + d.count; {
	case top > tensMax:
		return LongDouble{exp: expBeyond, neg: neg}
	case top < tensMin:
		return LongDouble{}
	}
	digits := make([]byte, 0, len(d.text))
	for _, c := range d.text {
		if c != '.' {
			digits = append(digits, c)
		}
	}
	n, _ := new(big.Int).SetString(string(digits), 10)
	by := big.NewInt(1)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exp, -d.exp))), nil)
	if d.exp < 0 {
		by = scale
	} else {
		n.Mul(n, scale)
	}
	// So that the quotient has 128 bits, or one more.
	exp := n.BitLen() - by.BitLen() - 128
	if exp < 0 {
		n.Lsh(n, uint(-exp))
	} else {
		by.Lsh(by, uint(exp))
	}
	quotient, rest := n.QuoRem(n, by, new(big.Int))
	if quotient.BitLen() > 128 {
		rest.SetUint64(uint64(rest.Sign()) | uint64(quotient.Bit(0)))
		quotient.Rsh(quotient, 1)
		exp++
	}
	lo := new(big.Int).And(quotient, new(big.Int).SetUint64(1<<64-1)).Uint64()
	hi := quotient.Rsh(quotient, 64).Uint64()
	return roundLongDouble(neg, hi, lo|sticky(uint64(rest.Sign())), exp+64)
}

// parseHex reads what follows "0x".
func parseHex(text []byte, neg bool) (x LongDouble, ok bool) {
	var hi, lo uint64
	point, some, i, exp := false, false, 0, 64
	for ; i < len(text); i++ {
		if text[i] == '.' && !point {
			point = true
			continue
		}
		digit, isDigit := hexDigit(text[i])
		if !isDigit {
			break
		}
		some = true
		if point {
			exp -= 4
		}
		if hi>>60 != 0 { // 128 bits are known, the rest only counts as not 0
			exp, lo = exp+4, lo|sticky(digit)
			continue
		}
		hi, lo = hi<<4|lo>>60, lo<<4|digit
	}
	if !some {
		return LongDouble{}, false
	}
	power, ok := parseExponent(text[i:], 'p')
	zero := hi|lo == 0
	x = roundLongDouble(neg, hi, lo, exp+power)
	return x, ok && (zero || x.Finite() && x.mant != 0)
}

func hexDigit(c byte) (digit uint64, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10, true
	}
	return 0, false
}

// appendBig appends an integer of more than 64 bits.
func (x LongDouble) appendBig(dst []byte) []byte {
	n := new(big.Int).SetUint64(x.mant)
	n.Lsh(n, uint(x.exp))
	if x.neg {
		n.Neg(n)
	}
	return n.Append(dst, 10)
}

var powersOf10 = func() (powers [digitsFast + 1]uint64) {
	powers[0] = 1
	for i := 1; i < len(powers); i++ {
		powers[i] = powers[i-1] * 10
	}
	return powers
}()
