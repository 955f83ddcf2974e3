package dicetest

import (
	"fmt"
	"math"
	"strconv"
)

// Coords are a GEOCoords. Place is a GEOElement.
type (
	Coords struct{ Longitude, Latitude float64 }
	Place  struct {
		Member   string
		Coords   Coords
		Distance float64
		Hash     uint64
	}
)

// text is the place as the client prints it, behind its number.
func (p *Place) text() string {
	return fmt.Sprintf("%d, %f, (%f, %f), %s", p.Hash, p.Distance, p.Coords.Longitude, p.Coords.Latitude, p.Member)
}

func (c *Coords) text() string {
	if c.Longitude == 0 || c.Latitude == 0 {
		return "(nil)"
	}
	return fmt.Sprintf("%f, %f", c.Longitude, c.Latitude)
}

// plain is the coordinates as JSON has them.
func (c *Coords) plain() map[string]any {
	out := map[string]any{}
	if c.Longitude != 0 {
		out["longitude"] = c.Longitude
	}
	if c.Latitude != 0 {
		out["latitude"] = c.Latitude
	}
	return out
}

func (p *Place) plain() map[string]any {
	out := map[string]any{"coords": p.Coords.plain()}
	if p.Member != "" {
		out["member"] = p.Member
	}
	if p.Distance != 0 {
		out["distance"] = p.Distance
	}
	if p.Hash != 0 {
		out["hash"] = strconv.FormatUint(p.Hash, 10)
	}
	return out
}

func decodeCoords(b []byte) (c Coords, err error) {
	all, err := fields(b)
	for _, f := range all {
		switch f.number {
		case 1:
			c.Longitude = math.Float64frombits(f.varint)
		case 2:
			c.Latitude = math.Float64frombits(f.varint)
		default:
			return c, fmt.Errorf("field %d in coordinates", f.number)
		}
	}
	return c, err
}

// decodePlace decodes a GEOElement. The client takes its coordinates for given.
func decodePlace(b []byte) (p Place, err error) {
	all, err := fields(b)
	hasCoords := false
	for _, f := range all {
		switch f.number {
		case 1:
			p.Member = string(f.bytes)
		case 2:
			hasCoords = true
			if p.Coords, err = decodeCoords(f.bytes); err != nil {
				return p, err
			}
		case 3:
			p.Distance = math.Float64frombits(f.varint)
		case 4:
			p.Hash = f.varint
		default:
			return p, fmt.Errorf("field %d in a place", f.number)
		}
	}
	if err == nil && !hasCoords {
		err = fmt.Errorf("a place without coordinates")
	}
	return p, err
}
