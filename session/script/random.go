package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// random is the sequence of lrand48, as POSIX describes it: every script begins
// with the same one, so that what it does depends on its arguments alone.
type random struct{ x uint64 }

func (r *random) seed(n int32) { r.x = uint64(uint32(n))<<16 | 0x330e }

// next is a number below 2^31.
func (r *random) next() int64 {
	r.x = (r.x*0x5deece66d + 0xb) & (1<<48 - 1)
	return int64(r.x >> 17)
}

func (m *machine) maths() map[string]lua.LGFunction {
	m.random.seed(0)
	return map[string]lua.LGFunction{
		"random": m.mathRandom,
		"randomseed": func(l *lua.LState) int {
			m.random.seed(int32(l.CheckNumber(1)))
			return 0
		},
		"log10": func(l *lua.LState) int {
			l.Push(lua.LNumber(math.Log10(float64(l.CheckNumber(1)))))
			return 1
		},
	}
}

func (m *machine) mathRandom(l *lua.LState) int {
	r := float64(m.random.next()%math.MaxInt32) / math.MaxInt32
	low, high := 1.0, 0.0
	switch l.GetTop() {
	case 0:
		l.Push(lua.LNumber(r))
		return 1
	case 1:
		high = float64(l.CheckInt(1))
		if high < 1 {
			l.ArgError(1, "interval is empty")
		}
	case 2:
		low, high = float64(l.CheckInt(1)), float64(l.CheckInt(2))
		if low > high {
			l.ArgError(2, "interval is empty")
		}
	default:
		raisef(l, "wrong number of arguments")
	}
	l.Push(lua.LNumber(math.Floor(r*(high-low+1)) + low))
	return 1
}
