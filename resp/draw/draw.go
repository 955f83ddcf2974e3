// Package draw draws commands at random, for tests that compare servers or
// states: mostly sound ones on a few keys, so that they meet, and now and then a
// mistake. The same random numbers draw the same commands.
package draw

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Source is where commands are drawn from.
type Source struct {
	Rand *rand.Rand
	// Skip are the names of commands that are not drawn.
	Skip []string
	// Now is the time that AtWill draws moments around, Unix milliseconds.
	Now int64
}

// Alike draws a command that two servers answer alike, or as far as they can, though
// they are asked at different times and each has its own chance.
func (w Source) Alike() (argv []string) {
	argv = w.from(alike)
	if strings.EqualFold(argv[0], "UNWATCH") {
		return argv[:1] // with a word it is about live queries
	}
	return argv
}

// from draws one of some commands, and now and then spoils it.
func (w Source) from(commands []func(Source) []string) (argv []string) {
	for argv == nil || slices.Contains(w.Skip, argv[0]) {
		argv = commands[w.Rand.IntN(len(commands))](w)
	}
	for i, word := range argv {
		if lower := strings.ToLower(word); i == 0 && w.OneIn(20) {
			argv[i] = lower
		}
	}
	switch {
	case mustStay(argv):
	case w.OneIn(60) && len(argv) > 1:
		argv = argv[:len(argv)-1]
	case w.OneIn(60):
		argv = append(argv, w.pick("nonsense", "NX", "1", ""))
	case w.OneIn(100) && len(argv) > 1 && !tellsTime(argv):
		argv[1+w.Rand.IntN(len(argv)-1)] = strings.ReplaceAll(w.value(), "\x00", "0") // redis-server's numbers end at a NUL
	}
	return argv
}

// mustStay reports whether a mistake in a command would be answered differently with reason, or lead to data
// that are not the same.
func mustStay(argv []string) bool {
	switch {
	case len(argv) > 1 && strings.HasPrefix(argv[1], alikePrefix):
		return true
	case strings.EqualFold(argv[0], "SPOP"): // without its count it takes one by chance
		return true
	case slices.Contains([]string{"BLPOP", "BRPOP", "BLMOVE", "BZPOPMIN", "BZPOPMAX"}, strings.ToUpper(argv[0])): // might wait for hours
		return true
	}
	// These have gained a word since Redis 7.0; COMMAND GETKEYS may be asked of them.
	return slices.ContainsFunc(argv, func(word string) bool { return strings.HasSuffix(strings.ToUpper(word), "RANK") })
}

// tellsTime reports whether a command gives a time to live. A wrong one, drawn at random, might end while
// the servers are asked one after the other.
func tellsTime(argv []string) bool {
	name := strings.ToUpper(argv[0])
	return strings.Contains(name, "EX") || slices.ContainsFunc(argv, func(word string) bool {
		return slices.Contains([]string{"EX", "PX", "EXAT", "PXAT"}, word)
	})
}

// OneIn reports true once in n times.
func (w Source) OneIn(n int) bool            { return w.Rand.IntN(n) == 0 }
func (w Source) pick(from ...string) string  { return from[w.Rand.IntN(len(from))] }
func (w Source) number(low, high int) string { return strconv.Itoa(low + w.Rand.IntN(high-low+1)) }

// Times draws a number from 1 to most.
func (w Source) Times(most int) int             { return 1 + w.Rand.IntN(most) }
func (w Source) maybe(argv ...string) []string  { return w.choose(nil, argv) }
func (w Source) choose(of ...[]string) []string { return of[w.Rand.IntN(len(of))] }

// key draws a key, most likely one that holds what the command is about.
func (w Source) key(kind string) string {
	if w.OneIn(8) {
		kind = w.pick("s", "h", "n", "x", "l", "t", "z")
	}
	if w.OneIn(40) {
		return w.pick("", "a b", "\xff\x00\r\n", "{t}", "{}"+kind)
	}
	return w.pick(kind, "{t}"+kind) + w.number(0, 3)
}

func (w Source) keys(kind string, most int) (keys []string) {
	for range w.Times(most) {
		keys = append(keys, w.key(kind))
	}
	return keys
}

func (w Source) field() string {
	if w.OneIn(30) {
		return w.pick("", strings.Repeat("f", 70), "\x00", "12")
	}
	return "f" + w.number(0, 12)
}

func (w Source) integer() string {
	if w.OneIn(12) {
		return w.pick("9223372036854775807", "-9223372036854775808", "4611686018427387904", "-1", "0", "+1", " 1", "1 ", "01", "-0", "1.0", "9223372036854775808", "ten", "")
	}
	return w.number(-100, 100)
}

// float draws no number so large or small that C says so: redis-server's SORT takes it amiss long after.
func (w Source) float() string {
	if w.OneIn(10) {
		return w.pick("inf", "-inf", "nan", "0x1p3", "1e18", "1e-17", " 1", "1 ", "", "-0", ".5", "5.", "1e5", "+1", "infinity", "1_0", "1e")
	}
	whole := w.number(-1000, 1000)
	return w.pick(whole, whole+"."+w.number(0, 999), whole+"."+w.number(0, 99999)+"e"+w.number(-5, 5))
}

func (w Source) value() string {
	switch w.Rand.IntN(12) {
	case 0:
		return w.float()
	case 1, 2, 3:
		return w.integer()
	case 4:
		return strings.Repeat(w.pick("a", "1", "\x00"), w.Rand.IntN(80))
	case 5:
		if w.OneIn(20) {
			return strings.Repeat("big", 100+w.Rand.IntN(40_000))
		}
		return w.pick("", "\r\n", "\xff\xfe", strings.Repeat("long ", 300), "12345678901234567890")
	}
	return w.pick("apple", "banana", "cherry", "ohmytext", "mynewtext") + w.pick("", "", w.number(0, 9))
}

// soon draws a time to live in seconds that does not end while anybody looks, or has ended.
func (w Source) soon() string {
	if w.OneIn(15) {
		return w.pick("0", "-1", "ten", "9223372036854775807", "-9223372036854775808", "1.5", "")
	}
	return w.number(1, 50) + "00000"
}

// moment draws a Unix time in seconds that is far off, or past.
func (w Source) moment() string {
	if w.OneIn(10) {
		return w.pick("1", "0", "-1", "ten", "1000000000", "9223372036854775807", "-9223372036854775808")
	}
	return "330" + w.number(0, 9) + "0000000"
}

// life draws the words of a time to live, as SET and GETEX have them. It is none that has ended: redis-server
// keeps a key that is set with such a one until it looks at it, and counts it meanwhile.
func (w Source) life() []string {
	far := "330" + w.number(0, 9) + "0000000"
	return w.choose([]string{"EX", w.soon()}, []string{"PX", w.soon() + "000"}, []string{"EXAT", far}, []string{"PXAT", far + "000"}, []string{"EXAT", w.pick("0", "-1", "ten")})
}

// pattern draws one for KEYS and the like.
func (w Source) pattern() string {
	return w.pick("*", "*", "s*", "?0", "[sh][0-1]", "[^s]*", "*t*1", "l*", "z?", "\\*", "f1?", "", "[", "[a-", "*[0-", "h\\0", "**a*")
}

func (w Source) db() string {
	if w.OneIn(20) {
		return w.pick("-1", "16", "one", "15", "")
	}
	return w.number(0, 2)
}

// many draws a command on some hundred keys out of thousands, so that tables grow and shrink.
func (w Source) many(name string) []string {
	argv := []string{name}
	for from := w.Rand.IntN(3000); len(argv) < 500; from++ {
		argv = append(argv, "many:"+strconv.Itoa(from))
		if name == "MSET" {
			argv = append(argv, w.value())
		}
	}
	return argv
}

func join(parts ...[]string) (argv []string) {
	for _, part := range parts {
		argv = append(argv, part...)
	}
	return argv
}

// twos draws alternating words: keys with values, fields with values.
func twos(most int, w Source, first func() string) (argv []string) {
	for range w.Times(most) {
		argv = append(argv, first(), w.value())
	}
	return argv
}
