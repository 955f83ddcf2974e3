package geo

import "math"

// Distances are told to the last digit where they are kept, as the scores of
// STOREDIST, and decide the order of results. Go's sines may be an ulp off, C's
// are hardly ever more than the half that rounding takes. So those here are
// worked out in about twice the precision, and rounded at the end: then
// distances are those of Redis, but for a few in a hundred of very long ones.

// pair is a number in two parts, of which the second is small.
type pair struct{ high, low float64 }

func (p pair) negative() pair { return pair{-p.high, -p.low} }

// sum is the exact sum of two numbers, the larger of which comes first.
func sum(a, b float64) pair {
	high := a + b
	return pair{high, b - (high - a)}
}

// quarter is π/2 in steps of π/64.
const quarter = 32

// sineAt is the sine of so many steps, any number.
func sineAt(steps int) pair {
	part := steps & (2*quarter - 1)
	if part > quarter {
		part = 2*quarter - part
	}
	if steps&(2*quarter) != 0 {
		return sines[part].negative()
	}
	return sines[part]
}

// sine is that of an angle between -π and π, and so many steps more. The angle
// is a multiple of a step, whose sine and cosine are in the table, and the rest
// r, for which short series do:
//
//	sin(a+r) = sin a + cos a · r + sin a · (cos r - 1) + cos a · (sin r - r)
//
// Only the first two terms have to be exact.
func sine(angle float64, more int) pair {
	steps := int(math.Round(angle * (2 * quarter / pi)))
	nearest := angles[max(steps, -steps)]
	if steps < 0 {
		nearest = nearest.negative()
	}
	r := sum(angle-nearest.high, -nearest.low)
	square := r.high * r.high
	cosLess1 := square * (-1.0/2 + square*(1.0/24-square*(1.0/720)))
	sinLessR := r.high * square * (-1.0/6 + square*(1.0/120-square*(1.0/5040)))

	s, c := sineAt(steps+more), sineAt(steps+more+quarter)
	second := c.high * r.high
	beside := math.FMA(c.high, r.high, -second)
	small := s.low + s.high*cosLess1 + (beside + c.high*(r.low+sinLessR) + c.low*r.high)
	both := sum(s.high, second)
	if math.Abs(second) > math.Abs(s.high) {
		both = sum(second, s.high)
	}
	return sum(both.high, both.low+small)
}

func sin(angle float64) float64 { return sine(angle, 0).high }

func cos(angle float64) float64 { return sine(angle, quarter).high }

// asin is the arc sine of a number from 0 to 1: Go's, and a step of Newton's.
func asin(x float64) float64 {
	y := math.Asin(x)
	const steep = 1e-4 // of a cosine that is no good to divide by
	if c := math.Sqrt((1 - x) * (1 + x)); c > steep {
		s := sine(y, 0)
		y += (x - s.high - s.low) / c
	}
	return y
}
