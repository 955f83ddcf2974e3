package geo_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace/geo"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes in both protocols, and what is made
// known the same. Only scores that are distances may differ in their last
// digits, which depend on how a machine takes sines.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "EA")
	events := redis.Subscribe("__keyevent@*")
	geo.EachSeed(t, 8, func(t *testing.T, rng *rand.Rand) {
		for range 20 {
			r := &trial{
				t: t, rng: rng, redis: redis, events: events, encoder: resp.V2,
				world: shardtest.New(t, 1+rng.IntN(3), families...), members: []int{20, 500, 3000}[rng.IntN(3)],
				middle: [2]float64{rng.Float64()*360 - 180, rng.Float64()*170 - 85}, narrow: rng.IntN(3) == 0,
			}
			if rng.IntN(2) == 0 {
				r.encoder = resp.V3
			}
			r.run(600)
		}
	})
}

// trial is one stream, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	events  *shardtest.Events
	encoder resp.Encoder
	members int        // that there are
	middle  [2]float64 // where most of them are around
	narrow  bool       // so near to each other that some are at the same place
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(commands int) {
	r.redis.Ask([][][]byte{words("HELLO", fmt.Sprint(r.encoder.Proto())), words("FLUSHALL")})
	r.events.Until(r.redis)
	sent := [][][]byte{r.filled("a"), r.filled("b")}
	const together = 50
	for range commands / together {
		for range together {
			sent = append(sent, r.command())
		}
		var made []string
		for i, want := range r.redis.Ask(sent) {
			got := r.world.Exchange(sent[i], r.encoder)
			if !bytes.Equal(got, want) && !(string(sent[i][0]) == "ZRANGE" && near(got, want)) && !roundedAlike(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				from := max(0, at-60)
				r.t.Fatalf("%.300q (RESP%d): from byte %d on %.300q, from Redis %.300q", sent[i], r.encoder.Proto(), from, got[from:], want[from:])
			}
			for _, e := range r.world.Events {
				made = append(made, "0 "+e.Name+" "+e.Key)
			}
		}
		if told := r.events.Until(r.redis); !slices.Equal(made, told) {
			r.t.Fatalf("made known: %q\nby Redis: %q", made, told)
		}
		sent = sent[:0]
	}
}

// near reports whether replies are the same but for the last digits of numbers.
func near(a, b []byte) bool {
	x, _, errX := resp.Decode(a)
	y, _, errY := resp.Decode(b)
	return errX == nil && errY == nil && nearReplies(x, y)
}

// roundedAlike reports whether two replies are the same but for distances that lie
// at the edge of two roundings: those have four digits behind the point, and the
// last bit before is that of a sine, which C and Go may round otherwise.
func roundedAlike(a, b []byte) bool {
	x, _, errX := resp.Decode(a)
	y, _, errY := resp.Decode(b)
	return errX == nil && errY == nil && sameDistances(x, y)
}

var distance = regexp.MustCompile(`^\d+\.\d{4}$`)

func sameDistances(x, y resp.Reply) bool {
	if len(x.Items()) != len(y.Items()) || x.Kind() != y.Kind() {
		return false
	}
	for i, item := range x.Items() {
		if !sameDistances(item, y.Items()[i]) {
			return false
		}
	}
	if len(x.Items()) > 0 || resp.Format(x) == resp.Format(y) {
		return true
	}
	if !distance.MatchString(x.Str()) || !distance.MatchString(y.Str()) {
		return false
	}
	var f, g float64
	fmt.Sscan(x.Str(), &f)
	fmt.Sscan(y.Str(), &g)
	return math.Abs(f-g) < 1.5e-4
}

func nearReplies(x, y resp.Reply) bool {
	if len(x.Items()) != len(y.Items()) || x.Kind() != y.Kind() {
		return false
	}
	for i, item := range x.Items() {
		if !nearReplies(item, y.Items()[i]) {
			return false
		}
	}
	if x.Kind() == resp.Text {
		var f, g float64
		if _, err := fmt.Sscan(x.Str(), &f); err != nil {
			return x.Str() == y.Str()
		}
		fmt.Sscan(y.Str(), &g)
		return math.Abs(f-g) <= 1e-13*math.Abs(f)
	}
	return math.Abs(x.Float()-y.Float()) <= 1e-13*math.Abs(x.Float())
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string {
	switch r.rng.IntN(80) {
	case 0:
		return "h"
	case 1:
		return "none"
	case 2, 3:
		return "any"
	}
	return r.pick("a", "a", "b", "c", "d")
}

func (r *trial) member() string { return fmt.Sprint("m", r.rng.IntN(r.members)) }

// anywhere is a longitude and a latitude, of which two thirds are around the
// middle.
func (r *trial) anywhere() (x, y float64) {
	x, y = r.rng.Float64()*360-180, r.rng.Float64()*170-85
	if r.rng.IntN(3) > 0 {
		spread := math.Pow(10, r.rng.Float64()*2)
		if r.narrow {
			spread /= 1000
		}
		x, y = r.middle[0]+(r.rng.Float64()-0.5)*spread, r.middle[1]+(r.rng.Float64()-0.5)*spread
		if math.Abs(y) > 85 {
			y = math.Copysign(170, y) - y
		}
	}
	return math.Remainder(x, 360), y
}

// place is a longitude and a latitude, most near the middle, some at the ends
// of the maps.
func (r *trial) place() []string {
	x, y := r.anywhere()
	switch r.rng.IntN(400) {
	case 0:
		return []string{r.pick("180", "-180", "181", "x", "", "nan", "inf", "0x10", "1e1", " 1"), fmt.Sprint(y)}
	case 1:
		return []string{fmt.Sprint(x), r.pick("85.05112878", "-85.05112878", "85.0512", "90", "y", "-inf", "0")}
	case 2:
		return []string{"180", r.pick("85.05112878", "-85.05112878")}
	}
	return []string{fmt.Sprint(x), fmt.Sprint(y)}
}

// filled puts many members into a set.
func (r *trial) filled(key string) [][]byte {
	line := []string{"GEOADD", key}
	for i := range r.members {
		x, y := r.anywhere()
		line = append(line, fmt.Sprint(x), fmt.Sprint(y), fmt.Sprint("m", i))
	}
	return words(line...)
}

// command is a random command on one of few sets.
func (r *trial) command() [][]byte {
	key := r.key()
	switch r.rng.IntN(40) {
	case 0:
		return words("HSET", "h", "f", "v")
	case 1:
		if key != "a" {
			return words("DEL", key)
		}
	case 2:
		return words("ZADD", "any", r.pick("-1", "0", "1.5", "1e18", "inf", "-inf", "4503599627370496", "1e19", "13510798882111488", "3377699720527872"), r.member())
	case 3, 4:
		return words("ZRANGE", r.pick("c", "d", "dist"), "0", "-1", "WITHSCORES")
	case 5, 6, 7:
		line := []string{"GEOADD", key}
		line = append(line, [][]string{{}, {"NX"}, {"XX"}, {"CH"}, {"xx", "ch"}, {"NX", "XX"}}[r.rng.IntN(6)]...)
		for range 1 + r.rng.IntN(3) {
			line = append(append(line, r.place()...), r.member())
		}
		return words(line...)
	case 8, 9:
		return words("GEOPOS", key, r.member(), r.member(), r.member())
	case 10, 11:
		return words("GEOHASH", key, r.member(), r.member())
	case 12, 13, 14:
		line := []string{"GEODIST", key, r.member(), r.member()}
		return words(append(line, [][]string{{}, {"m"}, {"KM"}, {"mi"}, {"ft"}, {"yd"}, {"m", "m"}}[r.rng.IntN(7)]...)...)
	case 15, 16, 17, 18, 19:
		return words(r.radius(key)...)
	case 20, 21, 22:
		line := append([]string{"GEOSEARCHSTORE", r.pick("c", "d"), key}, r.shape()...)
		if r.rng.IntN(3) == 0 {
			line[1] = "dist"
			line = append(line, "STOREDIST")
		}
		return words(append(line, r.options(key)...)...)
	}
	return words(append(append([]string{"GEOSEARCH", key}, r.shape()...), r.shown(key)...)...)
}

func (r *trial) length() string {
	if r.rng.IntN(60) == 0 {
		return r.pick("-1", "x", "", "inf", "1e300", "0", "nan")
	}
	return fmt.Sprint(math.Pow(10, r.rng.Float64()*8-1))
}

func (r *trial) unit() string {
	if r.rng.IntN(60) == 0 {
		return r.pick("x", "")
	}
	return r.pick("m", "m", "M", "km", "ft", "mi")
}

func (r *trial) from() []string {
	if r.rng.IntN(3) == 0 {
		return []string{"FROMMEMBER", r.member()}
	}
	return append([]string{"FROMLONLAT"}, r.place()...)
}

// shape is where GEOSEARCH looks, now and then more or less than it needs.
func (r *trial) shape() (line []string) {
	line = r.from()
	if r.rng.IntN(2) == 0 {
		line = append(line, "BYRADIUS", r.length(), r.unit())
	} else {
		line = append(line, "BYBOX", r.length(), r.length(), r.unit())
	}
	switch r.rng.IntN(60) {
	case 0:
		line = append(line, r.from()...)
	case 1:
		line = append(line, "BYRADIUS", "1", "km")
	case 2:
		line = line[:r.rng.IntN(len(line))]
	}
	return line
}

// options are those that all searches have. Of members at the same distance
// Redis chooses others, so the first in order are not asked for where some are.
func (r *trial) options(key string) (line []string) {
	for range r.rng.IntN(3) {
		choices := [][]string{
			{"ASC"}, {"DESC"}, {"asc"}, {"COUNT", "5", "ANY"}, {"COUNT", "100", "ANY"},
			{"COUNT", fmt.Sprint(1 + r.rng.IntN(20))}, {"COUNT", fmt.Sprint(1 + r.rng.IntN(2000))},
		}
		if r.narrow || key == "any" {
			choices = choices[:5]
		}
		line = append(line, choices[r.rng.IntN(len(choices))]...)
	}
	if r.rng.IntN(50) == 0 {
		line = append(line, r.pick("ANY", "COUNT", "MORE", "WITHDIST", "STOREDIST", "STORE"))
	}
	if r.rng.IntN(50) == 0 {
		line = append(line, "COUNT", r.pick("0", "-1", "x", "9223372036854775807", "9223372036854775808"))
	}
	return line
}

func (r *trial) shown(key string) (line []string) {
	for _, word := range []string{"WITHDIST", "WITHHASH", "WITHCOORD"} {
		if r.rng.IntN(3) == 0 {
			line = append(line, word)
		}
	}
	return append(line, r.options(key)...)
}

// radius is a search in the old form.
func (r *trial) radius(key string) []string {
	line := []string{r.pick("GEORADIUS", "GEORADIUS_RO"), key}
	if r.rng.IntN(2) == 0 {
		line = append([]string{r.pick("GEORADIUSBYMEMBER", "GEORADIUSBYMEMBER_RO"), key}, r.member(), r.length(), r.unit())
	} else {
		line = append(append(line, r.place()...), r.length(), r.unit())
	}
	switch r.rng.IntN(6) {
	case 0:
		line = append(append(line, r.options(key)...), "STORE", r.pick("c", "d"))
	case 1:
		line = append(append(line, r.options(key)...), "STOREDIST", "dist")
	default:
		line = append(line, r.shown(key)...)
	}
	return line
}
