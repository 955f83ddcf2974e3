package slab

import "math/bits"

const (
	// fineMax is the largest size with classes 8 bytes apart; above it each
	// doubling has eight classes.
	fineMax = 512
	// slotMax is the largest allocation that lives in a slot of a span.
	slotMax = 32 << 10
	// classCount counts the classes, with the unused class 0.
	classCount = fineMax/unitBytes + 1 + 6*8
	// spanPagesMax bounds a span, and so what one small survivor can hold.
	spanPagesMax = 8
)

// shape is the geometry of a class's spans.
type shape struct {
	size   uint32 // bytes of a slot
	units  uint16 // the same in 8-byte units
	slots  uint16 // slots of a span
	pages  uint8  // pages of a span
	binMul uint32 // bin of a span = used * binMul >> 16
}

var shapes = makeShapes()

// classOf returns the class of an allocation of n bytes, 0 < n <= slotMax.
func classOf(n int) int {
	if n <= fineMax {
		return (n + unitBytes - 1) / unitBytes
	}
	octave := bits.Len(uint(n - 1))
	step := (n - 1) >> (octave - 4)
	return fineMax/unitBytes + (octave-bits.Len(fineMax))*8 + step - 7
}

// slotSize returns the bytes of the slot that holds n, 0 < n <= slotMax.
func slotSize(n int) int {
	if n <= fineMax {
		return (n + unitBytes - 1) &^ (unitBytes - 1)
	}
	shift := bits.Len(uint(n-1)) - 4
	return ((n-1)>>shift + 1) << shift
}

func makeShapes() (all [classCount]shape) {
	for n := 1; n <= slotMax; n = slotSize(n) + 1 {
		size := slotSize(n)
		pages := spanPages(size)
		slots := pages * pageBytes / size
		all[classOf(n)] = shape{
			size:   uint32(size),
			units:  uint16(size / unitBytes),
			slots:  uint16(slots),
			pages:  uint8(pages),
			binMul: uint32(binCount<<16) / uint32(slots),
		}
	}
	return all
}

// spanPages returns the pages of a span of slots of size bytes: the fewest
// that waste at most 1/32 at the end, or else those that waste least.
func spanPages(size int) int {
	best, bestWaste := 0, 1.0
	for pages := (size + pageBytes - 1) / pageBytes; pages <= spanPagesMax; pages++ {
		total := pages * pageBytes
		waste := float64(total%size) / float64(total)
		if waste < bestWaste {
			best, bestWaste = pages, waste
		}
		if waste <= 1.0/32 {
			break
		}
	}
	return best
}
