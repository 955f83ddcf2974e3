package script

import (
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// The library bit, Mike Pall's BitOp 1.0.2: operations on 32 bits, whose results
// are signed.

// bitsOf brings a number into 32 bits, rounding to the nearest.
func bitsOf(l *lua.LState, at int) uint32 {
	f := float64(l.CheckNumber(at)) + 6755399441055744.0 // 2^52 + 2^51
	return uint32(math.Float64bits(f))
}

func pushBits(l *lua.LState, b uint32) int {
	l.Push(lua.LNumber(int32(b)))
	return 1
}

func bitFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"tobit":   func(l *lua.LState) int { return pushBits(l, bitsOf(l, 1)) },
		"bnot":    func(l *lua.LState) int { return pushBits(l, ^bitsOf(l, 1)) },
		"bswap":   func(l *lua.LState) int { return pushBits(l, bits.ReverseBytes32(bitsOf(l, 1))) },
		"band":    foldBits(func(a, b uint32) uint32 { return a & b }),
		"bor":     foldBits(func(a, b uint32) uint32 { return a | b }),
		"bxor":    foldBits(func(a, b uint32) uint32 { return a ^ b }),
		"lshift":  shiftBits(func(a uint32, n int) uint32 { return a << n }),
		"rshift":  shiftBits(func(a uint32, n int) uint32 { return a >> n }),
		"arshift": shiftBits(func(a uint32, n int) uint32 { return uint32(int32(a) >> n) }),
		"rol":     shiftBits(bits.RotateLeft32),
		"ror":     shiftBits(func(a uint32, n int) uint32 { return bits.RotateLeft32(a, -n) }),
		"tohex":   toHex,
	}
}

func foldBits(op func(a, b uint32) uint32) lua.LGFunction {
	return func(l *lua.LState) int {
		all := bitsOf(l, 1)
		for i := l.GetTop(); i > 1; i-- {
			all = op(all, bitsOf(l, i))
		}
		return pushBits(l, all)
	}
}

func shiftBits(op func(a uint32, n int) uint32) lua.LGFunction {
	return func(l *lua.LState) int {
		a, n := bitsOf(l, 1), bitsOf(l, 2)
		return pushBits(l, op(a, int(n&31)))
	}
}

// toHex writes so many hexadecimal digits, capitals if the number is negative.
func toHex(l *lua.LState) int {
	b, n, digits := bitsOf(l, 1), int32(8), "0123456789abcdef"
	if l.GetTop() >= 2 {
		n = int32(bitsOf(l, 2))
	}
	if n < 0 {
		n, digits = -n, "0123456789ABCDEF"
	}
	if n > 8 || n < 0 {
		n = 8
	}
	out := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = digits[b&15]
		b >>= 4
	}
	l.Push(lua.LString(out))
	return 1
}
