package hll

import (
	"encoding/binary"
	"math"
)

// histogram is how many registers hold which number. Damaged ones may hold
// more than rankMax.
type histogram [64]uint32

// estimate is the cardinality that the registers speak for, by Otmar Ertl, "New
// cardinality estimation algorithms for HyperLogLog sketches", algorithm 6. The
// steps and their order are such that the last digit is that of Redis; products
// are rounded by themselves, which a processor may otherwise save.
func (h *histogram) estimate() uint64 {
	const m = registers
	const alpha = 0.721347520444481703680 // 1 / (2 ln 2)
	z := float64(m * tau((m-float64(h[rankMax]))/m))
	for rank := rankMax - 1; rank >= 1; rank-- {
		z = float64((z + float64(h[rank])) * 0.5)
	}
	z += float64(m * sigma(float64(h[0])/m))
	if z == 0 { // only of damaged registers; Redis's number is no better
		return 1 << 63
	}
	return uint64(math.Round(alpha * m * m / z))
}

// tau and sigma are the series of Ertl's paper, summed until nothing changes.

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		y *= 0.5
		before := z
		z -= float64(float64((1-x)*(1-x)) * y)
		if z == before {
			return z / 3
		}
	}
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		before := z
		z += float64(x * y)
		y += y
		if z == before {
			return z
		}
	}
}

// addDense counts dense registers, eight at a time. Neighbours are mostly
// equal: each of the eight has counters of its own, so that none waits for the
// one before.
func (h *histogram) addDense(regs []byte) {
	var counts [8]histogram
	for i := 0; i < registers; i += 8 {
		w := load8(regs, i)
		counts[0][w%64]++
		counts[1][w>>8%64]++
		counts[2][w>>16%64]++
		counts[3][w>>24%64]++
		counts[4][w>>32%64]++
		counts[5][w>>40%64]++
		counts[6][w>>48%64]++
		counts[7][w>>56%64]++
	}
	for n := range counts {
		h.addAll(&counts[n])
	}
}

func (h *histogram) addAll(other *histogram) {
	for value, count := range other {
		h[value] += count
	}
}

// addSparse counts sparse registers. It is not ok if they are not as many as
// they must be.
func (h *histogram) addSparse(ops []byte) (ok bool) {
	seen := 0
	for at := 0; at < len(ops) && seen <= registers; {
		r := runAt(ops, at)
		h[r.value] += uint32(r.length)
		seen += r.length
		at += r.size
	}
	return seen == registers
}

// load8 is dense registers i to i+7, a byte each; i is a multiple of 8.
func load8(regs []byte, i int) uint64 {
	at := i / 8 * 6
	b := regs[at : at+6 : at+6]
	x := uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
	x = x&0x000000ffffff | x&0xffffff000000<<8
	x = x&0x00000fff00000fff | x&0x00fff00000fff000<<4
	return x&0x003f003f003f003f | x&0x0fc00fc00fc00fc0<<2
}

// store8 is the reverse of load8.
func store8(regs []byte, i int, x uint64) {
	x = x&0x003f003f003f003f | x>>2&0x0fc00fc00fc00fc0
	x = x&0x00000fff00000fff | x>>4&0x00fff00000fff000
	x = x&0x000000ffffff | x>>8&0xffffff000000
	at := i / 8 * 6
	b := regs[at : at+6 : at+6]
	binary.LittleEndian.PutUint32(b, uint32(x))
	binary.LittleEndian.PutUint16(b[4:], uint16(x>>32))
}
