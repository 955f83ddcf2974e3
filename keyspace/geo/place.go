package geo

import (
	"fmt"
	"math"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// The places that can be kept: those of the Mercator maps that are square.
const (
	longitudeMax = 180.0
	latitudeMax  = 85.05112878
)

// place is a place on the earth, in degrees.
type place struct{ longitude, latitude float64 }

// readPlace reads a longitude and a latitude.
func readPlace(a *command.Args) place {
	p := place{readFloat(a, resp.ErrNotFloat), readFloat(a, resp.ErrNotFloat)}
	if !a.Bad() && (math.Abs(p.longitude) > longitudeMax || math.Abs(p.latitude) > latitudeMax) {
		text := strings.NewReplacer("+Inf", "inf", "-Inf", "-inf").Replace(fmt.Sprintf("%f,%f", p.longitude, p.latitude)) // as in C
		a.Fail(resp.Error("ERR invalid longitude,latitude pair " + text))
	}
	return p
}

// stepMax is how often scores halve the ranges of longitude and latitude.
const stepMax = 26

// cell is one of a grid of 4^step cells: the bits of the latitude's at the even
// places, those of the longitude's at the odd ones.
type cell struct {
	bits uint64
	step uint
}

// cellOf is the cell that a place is in. At the northern or eastern end it is
// one too far, as in Redis.
func cellOf(p place, step uint) cell { return gridCell(p, latitudeMax, step) }

// gridCell is cellOf for a grid that goes to the latitude most.
func gridCell(p place, most float64, step uint) cell {
	cells := float64(uint64(1) << step)
	y := (p.latitude + most) / (2 * most) * cells
	x := (p.longitude + longitudeMax) / (2 * longitudeMax) * cells
	return newCell(uint32(x), uint32(y), step)
}

func newCell(x, y uint32, step uint) cell { return cell{spread(y) | spread(x)<<1, step} }

// xy are the column and the row of the cell.
func (c cell) xy() (x, y uint32) { return gather(c.bits >> 1), gather(c.bits) }

// spread puts the bits of n at the even places of a number.
func spread(n uint32) uint64 {
	w := uint64(n)
	w = (w | w<<16) & 0x0000ffff0000ffff
	w = (w | w<<8) & 0x00ff00ff00ff00ff
	w = (w | w<<4) & 0x0f0f0f0f0f0f0f0f
	w = (w | w<<2) & 0x3333333333333333
	return (w | w<<1) & 0x5555555555555555
}

// gather is the reverse of spread; the bits at odd places do not matter.
func gather(w uint64) uint32 {
	w &= 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint32(w | w>>16)
}

// area is a cell's extent, in degrees.
type area struct{ low, high place }

func (c cell) area() area {
	x, y := c.xy()
	return area{
		low:  place{edge(x, longitudeMax, c.step), edge(y, latitudeMax, c.step)},
		high: place{edge(x+1, longitudeMax, c.step), edge(y+1, latitudeMax, c.step)},
	}
}

// edge is where the nth cell begins, of those from -most to most.
func edge(n uint32, most float64, step uint) float64 {
	return float64(float64(n)/float64(uint64(1)<<step)*(2*most)) - most
}

// center is the place that stands for all those of the cell.
func (c cell) center() place {
	a := c.area()
	return place{
		between((a.low.longitude+a.high.longitude)/2, longitudeMax),
		between((a.low.latitude+a.high.latitude)/2, latitudeMax),
	}
}

func between(f, most float64) float64 { return max(min(f, most), -most) }

// score is the sorted set's score of the places in the cell with the least one.
func (c cell) score() float64 { return float64(c.bits << (2*stepMax - 2*c.step)) }

// scoreOf is the score of a place.
func scoreOf(p place) float64 { return cellOf(p, stepMax).score() }

// placeOf is the place of a score. Any score has one, be it out of the world or
// of no meaning: what is no number of 64 bits is taken as C on x86 takes it.
func placeOf(score float64) place { return cell{uint64Of(score), stepMax}.center() }

func uint64Of(score float64) uint64 {
	if score < 1<<63 {
		return uint64(int64Of(score))
	}
	return uint64(int64Of(score-1<<63)) ^ 1<<63
}

// int64Of is a number without its fraction.
func int64Of(score float64) int64 {
	if score >= -1<<63 && score < 1<<63 {
		return int64(score)
	}
	return math.MinInt64
}

// move is the cell so many columns and rows away, round the earth.
func (c cell) move(columns, rows int) cell {
	x, y := c.xy()
	mask := uint32(1)<<c.step - 1
	if columns != 0 {
		x = (x + uint32(columns)) & mask
	}
	if rows != 0 {
		y = (y + uint32(rows)) & mask
	}
	return newCell(x, y, c.step)
}

// alphabet is that of geohashes in their usual notation, five bits a letter.
const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// hashLetters is how many letters a geohash has. The 52 bits that there are
// suffice for ten; the last one is always that of zeros.
const hashLetters = 11

// geohash is a place in the usual notation, for which the grid goes to the
// poles.
func (p place) geohash() (letters [hashLetters]byte) {
	const poles = 90
	b := gridCell(p, poles, stepMax).bits
	for i := range letters[:hashLetters-1] {
		letters[i] = alphabet[b>>(2*stepMax-5*(i+1))&31]
	}
	letters[hashLetters-1] = alphabet[0]
	return letters
}
