package geo

import "math"

// earthRadius is that of the earth, taken for a sphere, in meters.
const earthRadius = 6372797.560856

// degree is π/180, of a π that is rounded already, as in C.
const (
	pi     float64 = math.Pi
	degree         = pi / 180
)

// origin is a place from which distances are taken.
type origin struct {
	place
	lambda, phi float64 // its longitude and latitude in radians
	cosPhi      float64 // about
}

func newOrigin(p place) origin {
	phi := p.latitude * degree
	return origin{p, p.longitude * degree, phi, math.Cos(phi)}
}

// distance is how far a place is, in meters, by the haversine formula. Products
// are rounded by themselves, which a processor may otherwise save.
func (o *origin) distance(p place) float64 {
	phi := p.latitude * degree
	u, v := sin((phi-o.phi)/2), sin((p.longitude*degree-o.lambda)/2)
	haversine := float64(u*u) + float64(float64(float64(cos(o.phi)*cos(phi))*v)*v)
	return 2 * earthRadius * asin(math.Sqrt(min(haversine, 1)))
}

// height is how much further north or south a place is, in meters.
func (o *origin) height(p place) float64 {
	return earthRadius * math.Abs(p.latitude*degree-o.phi)
}

// haversine is the haversine of the angle to a place, the square of the sine of
// its half, more quickly and nearly as exactly as in distance.
func (o *origin) haversine(p place) float64 {
	phi := p.latitude * degree
	u := math.Sin((phi - o.phi) / 2)
	return u*u + o.aside(p, math.Cos(phi)*o.cosPhi)
}

// aside is what longitude has of a haversine; cosines is the product of those
// of both latitudes.
func (o *origin) aside(p place, cosines float64) float64 {
	v := math.Sin((p.longitude*degree - o.lambda) / 2)
	return cosines * v * v
}

// length is about the distance of a haversine, in meters.
func length(haversine float64) float64 {
	return 2 * earthRadius * math.Asin(math.Sqrt(min(haversine, 1)))
}

// told is the distance of a place, whose haversine is known, as it is told in
// so many meters with four digits after the point. Only where a digit depends
// on the last bits is it worked out exactly; and for the other end of the
// world, where sines are flat.
func (o *origin) told(p place, haversine, unit float64) float64 {
	const (
		flat  = 0.99
		doubt = 0.01 // of a last digit, more than a length may be off
	)
	if haversine < flat {
		quick := length(haversine) / unit
		_, beside := math.Modf(quick * distanceUnits)
		if math.Abs(beside-0.5) > doubt {
			return quick
		}
	}
	return o.distance(p) / unit
}

// limit is a length, and the haversines of which it is clear whether they are
// longer: for those between, the distance has to be worked out.
type limit struct {
	meters         float64
	surely, hardly float64
}

func newLimit(meters float64) limit {
	const doubt = 1e-9 // much more than what rounding does to either side
	angle := meters / earthRadius / 2
	if angle > pi/2+doubt {
		return limit{meters, 1 + doubt, 2}
	}
	h := math.Sin(angle) * math.Sin(angle)
	return limit{meters, h * (1 - doubt), h * (1 + doubt)}
}

// reaches reports whether a haversine is no longer, unless it can't be sure.
func (l *limit) reaches(haversine float64) (within, sure bool) {
	within = haversine <= l.surely
	return within, within || haversine > l.hardly
}

// farSouth is a bit more than a length, in meters: what is as much further
// north or south is longer, whatever rounding does.
func (l *limit) farSouth() float64 { return l.meters*(1+1e-6) + 1 }
