// Package geo holds the commands on places on the earth.
//
// A set of places is a sorted set: each place's score is its geohash, a number
// of 52 bits in which those of its longitude and its latitude take turns. So
// places of one cell of a grid lie beside each other in the order of the set,
// at every width of the grid, and a search asks the set for nine cells.
//
// The arithmetic follows Redis's step by step, since scores, distances and
// coordinates have to be the same to the last digit that is told, and searches
// have to find the same places in the same order. Where an order or a rounding
// matters for that, it says so.
package geo

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

var errUnit = resp.Error("ERR unsupported unit provided. please use M, KM, FT, MI")

// readUnit reads a unit of length, in meters.
func readUnit(a *command.Args) (meters float64) {
	switch {
	case a.Option("M"):
		return 1
	case a.Option("KM"):
		return 1000
	case a.Option("FT"):
		return 0.3048
	case a.Option("MI"):
		return 1609.34
	}
	a.Fail(errUnit)
	return 0
}

// readFloat reads a number; mistake is the answer to what is none.
func readFloat(a *command.Args, mistake resp.Reply) float64 {
	word := a.Bytes()
	if n, isInt := command.ParseInt(word); isInt { // the quick way
		return float64(n)
	}
	f, ok := keyspace.ParseDouble(word)
	if !ok {
		a.Fail(mistake)
	}
	return f
}
