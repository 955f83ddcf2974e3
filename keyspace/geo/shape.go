package geo

import "math"

// shape is what is searched: a circle, or a box whose sides go by the compass.
type shape struct {
	center        place
	box           bool
	radius        float64 // of a circle, in units
	width, height float64 // of a box, in units
	unit          float64 // meters
}

// reach is how far the shape goes from its center to the east and to the
// north, and in any direction, in meters.
func (s *shape) reach() (east, north, any float64) {
	if !s.box {
		r := s.unit * s.radius
		return r, r, r
	}
	w, h := s.width/2, s.height/2
	return s.unit * w, s.unit * h, math.Sqrt(float64(w*w)+float64(h*h)) * s.unit
}

// bounds are the longitudes and latitudes that the shape reaches. Meridians
// come together towards the poles, so the end that is nearer to one decides
// how many of them it spans. Of a shape that reaches over a pole that end is
// behind it, and so some of what lies there is not found, as in Redis.
func (s *shape) bounds() area {
	east, north, _ := s.reach()
	up := north / earthRadius / degree
	nearer := s.center.latitude + up
	if s.center.latitude < 0 {
		nearer = s.center.latitude - up
	}
	aside := east / earthRadius / math.Cos(nearer*degree) / degree
	return area{
		low:  place{s.center.longitude - aside, s.center.latitude - up},
		high: place{s.center.longitude + aside, s.center.latitude + up},
	}
}

// mercatorMax is half the earth's circumference as Mercator maps have it, in
// meters.
const mercatorMax = 20037726.37

// step is how fine a grid may be for the shape to lie, with most places of its
// center, within nine of its cells.
func (s *shape) step() uint {
	_, _, meters := s.reach()
	if meters == 0 {
		return stepMax
	}
	step := -1
	for ; meters < mercatorMax; meters *= 2 {
		step++
	}
	if polar := math.Abs(s.center.latitude); polar > 80 {
		step -= 2
	} else if polar > 66 {
		step--
	}
	return uint(max(1, min(step, stepMax)))
}

// cells are those that have to be searched, in the order of the search, which
// is that of the results: the one with the center, then its neighbours.
func (s *shape) cells() []cell {
	bounds, step := s.bounds(), s.step()
	if step > 1 && tooNear(cellOf(s.center, step), bounds) {
		step--
	}
	middle := cellOf(s.center, step)
	have := middle.area()
	list := make([]cell, 1, len(neighbours)+1)
	list[0] = middle
	for _, n := range neighbours {
		if step >= 2 && n.needless(have, bounds) {
			continue
		}
		c := middle.move(n.columns, n.rows)
		// In a grid of few cells the ways round the earth end in the same one.
		if last := len(list) - 1; last > 0 && list[last] == c {
			continue
		}
		list = append(list, c)
	}
	return list
}

// tooNear reports whether the bounds reach further than a cell and its
// neighbours, as those in the four directions of the compass tell.
func tooNear(c cell, bounds area) bool {
	return c.move(0, 1).area().high.latitude < bounds.high.latitude ||
		c.move(0, -1).area().low.latitude > bounds.low.latitude ||
		c.move(1, 0).area().high.longitude < bounds.high.longitude ||
		c.move(-1, 0).area().low.longitude > bounds.low.longitude
}

// neighbour is the way to one of the cells around.
type neighbour struct{ columns, rows int }

var neighbours = [8]neighbour{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}

// needless reports whether the cell in the middle, whose area is given, goes
// further in the neighbour's direction than the bounds.
func (n neighbour) needless(middle, bounds area) bool {
	return n.rows < 0 && middle.low.latitude < bounds.low.latitude ||
		n.rows > 0 && middle.high.latitude > bounds.high.latitude ||
		n.columns < 0 && middle.low.longitude < bounds.low.longitude ||
		n.columns > 0 && middle.high.longitude > bounds.high.longitude
}

// window is the columns and rows of the finest grid among which a shape lies,
// each in the bits that it has in a cell: there they compare as they are.
type window struct{ lowX, highX, lowY, highY uint64 }

// The bits of columns and of rows in a cell's.
const (
	columnBits = 0xaaaaaaaaaaaaaaaa
	rowBits    = 0x5555555555555555
)

// has reports whether a place may lie in the shape.
func (w *window) has(bits uint64) bool {
	x, y := bits&columnBits, bits&rowBits
	return x >= w.lowX && x <= w.highX && y >= w.lowY && y <= w.highY
}

// window is a bit more than the shape needs. Its meridians are known only of
// shapes that are not too large, far from the poles and from the date line.
func (s *shape) window() window {
	const (
		radians = 0.2
		polar   = 80
		spare   = 1.2 // for what the bounds leave out of a box so large
	)
	w := window{highX: columnBits, highY: rowBits}
	b := s.bounds()
	if b.low.latitude > -latitudeMax {
		w.lowY = spread(uint32(max(row(b.low.latitude)-1, 0)))
	}
	if b.high.latitude < latitudeMax {
		w.highY = spread(uint32(row(b.high.latitude) + 1))
	}
	_, _, reach := s.reach()
	half := (b.high.longitude - b.low.longitude) / 2 * spare
	west, east := s.center.longitude-half, s.center.longitude+half
	if reach/earthRadius < radians && b.low.latitude > -polar && b.high.latitude < polar && west > -longitudeMax && east < longitudeMax {
		w.lowX = spread(uint32(max(column(west)-1, 0))) << 1
		w.highX = spread(uint32(column(east)+1)) << 1
	}
	return w
}

// row and column are those of the finest grid.

func row(latitude float64) float64 {
	return (latitude + latitudeMax) / (2 * latitudeMax) * (1 << stepMax)
}

func column(longitude float64) float64 {
	return (longitude + longitudeMax) / (2 * longitudeMax) * (1 << stepMax)
}
