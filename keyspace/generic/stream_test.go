package generic_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

var testKeys = []string{"a", "b", "c", "{a}d", "", "other"}

// stream makes random commands.
type stream struct {
	rng *rand.Rand
	// past says that keys may get a deadline in the past. Whether such a key
	// is still counted depends on who looked; so nothing is scanned then.
	past bool
	time int64
}

func newStream(rng *rand.Rand) *stream { return &stream{rng: rng, past: rng.IntN(2) == 0} }

// The templates of commands. K is a key, V a value, N an integer, F a float, T
// a length of time, E a time, W one to come, D a database, B one that there is; O(a|b) is one of these or nothing.
var templates = strings.Split(strings.TrimSpace(`
GET K
SET K V
SET K V
SET K V S S
SETNX K V
SETEX K T V
PSETEX K T000 V
GETSET K V
GETDEL K
GETEX K G
MGET K K K
MSET K V K V
MSETNX K V K V
APPEND K V
STRLEN K
SETRANGE K N V
GETRANGE K N N
SUBSTR K N N
INCR K
DECR K
INCRBY K N
DECRBY K N
INCRBYFLOAT K F
LCS K K L L L
DEL K K
UNLINK K
EXISTS K K K
TOUCH K K
TYPE K
KEYS P
SCAN 0 C COUNT 1000
RANDOMKEY
RENAME K K
RENAMENX K K
COPY K K Y Y
MOVE K D
EXPIRE K T X X
PEXPIRE K T000 X
EXPIREAT K E X
PEXPIREAT K E000 X
TTL K
PTTL K
EXPIRETIME K
PEXPIRETIME K
PERSIST K
OBJECT ENCODING K
OBJECT REFCOUNT K
OBJECT IDLETIME K
OBJECT FREQ K
DBSIZE
SELECT B
FLUSHDB Z
FLUSHALL Z
SWAPDB D D
HSET K V V
`), "\n")

// next is a command, now and then a wrong one.
func (s *stream) next() [][]byte {
	for {
		template := strings.Fields(templates[s.rng.IntN(len(templates))])
		switch template[0] {
		case "SCAN", "RANDOMKEY":
			if s.past {
				continue
			}
		case "FLUSHDB", "FLUSHALL", "SWAPDB":
			if s.rng.IntN(4) > 0 {
				continue
			}
		}
		var argv [][]byte
		for _, word := range template {
			for _, w := range s.fill(word) {
				argv = append(argv, []byte(w))
			}
		}
		return s.spoil(argv)
	}
}

// spoil leaves out, doubles or replaces a word of one command in twenty.
func (s *stream) spoil(argv [][]byte) [][]byte {
	at, name := 1+s.rng.IntN(len(argv)), strings.ToUpper(string(argv[0]))
	if at == len(argv) || name == "SELECT" || name == "OBJECT" || name == "SCAN" {
		return argv
	}
	switch s.rng.IntN(60) {
	case 0:
		return append(argv[:at:at], argv[at+1:]...)
	case 1:
		return append(argv[:at:at], append([][]byte{argv[at]}, argv[at:]...)...)
	case 2:
		if name != "SET" || s.past { // it might become a time in the past
			argv[at] = []byte(s.value())
		}
	}
	return argv
}

// fill is what a word of a template stands for.
func (s *stream) fill(word string) []string {
	switch {
	case len(word) > 1 && strings.ContainsRune("TEW", rune(word[0])) && strings.HasSuffix(word, "000"):
		return []string{s.fill(word[:1])[0] + "000"}
	case len(word) > 1:
		return []string{s.anyCase(word)}
	}
	switch word[0] {
	case 'K':
		return []string{testKeys[s.rng.IntN(len(testKeys))]}
	case 'V':
		return []string{s.value()}
	case 'N':
		return []string{s.integer()}
	case 'F':
		return []string{s.float()}
	case 'T':
		return []string{s.pick(s.seconds(), s.seconds(), s.seconds(), s.seconds(), "0", "-1", "9223372036854775807", "x")}
	case 'W':
		return []string{s.when()}
	case 'E':
		return []string{s.pick(s.when(), s.when(), s.when(), "1", "0", "-5", "9223372036854775807", "x")}
	case 'B':
		return []string{s.pick("0", "1", "2")}
	case 'D':
		return []string{s.pick("0", "1", "2", "0", "1", "2", "16", "-1", "x", "99999999999")}
	}
	return s.option(word)
}

// option is what a word of a template stands for that may stand for nothing.
func (s *stream) option(word string) []string {
	var all string
	switch word {
	case "S": // of SET
		all = "NX|XX|GET|KEEPTTL|EX T|PX T000|EXAT W|PXAT W000"
		if s.past {
			all += "|PXAT 1|EXAT 1"
		}
	case "G": // of GETEX
		all = "PERSIST|EX T|PX T000|EXAT E|PXAT E000"
	case "L": // of LCS
		all = "LEN|IDX|WITHMATCHLEN|MINMATCHLEN N|MINMATCHLEN 2"
	case "X": // of EXPIRE
		all = "NX|XX|GT|LT"
	case "Y": // of COPY
		all = "REPLACE|DB D"
	case "Z": // of FLUSHDB
		all = "SYNC|ASYNC"
	case "C": // of SCAN
		all = "MATCH P|TYPE string|TYPE HASH|TYPE nonsense|MATCH *"
	case "P": // a pattern, which is never missing
		return []string{s.pick("*", "a", "?", "[a-b]*", "*a*", "\\a", "")}
	default:
		return []string{word} // 0
	}
	if s.rng.IntN(3) == 0 {
		return nil
	}
	choices := strings.Split(all, "|")
	var list []string
	for _, w := range strings.Fields(choices[s.rng.IntN(len(choices))]) {
		list = append(list, s.fill(w)...)
	}
	return list
}

func (s *stream) pick(choices ...string) string { return choices[s.rng.IntN(len(choices))] }

func (s *stream) anyCase(word string) string {
	if s.rng.IntN(4) == 0 {
		return strings.ToLower(word)
	}
	return word
}

// seconds is a length of time unlike any other, so that it does not matter for
// a comparison when exactly it began.
func (s *stream) seconds() string {
	s.time++
	return strconv.FormatInt(s.time*7919%99991*1000+500, 10)
}

func (s *stream) when() string {
	s.time++
	return strconv.FormatInt(4_000_000_000+s.time*7919%99991*1000, 10)
}

func (s *stream) integer() string {
	switch s.rng.IntN(10) {
	case 0:
		return s.pick("9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775807")
	case 1:
		return s.pick("", " 1", "1 ", "+1", "01", "0x10", "1.0", "-0", "ten")
	case 2:
		return s.pick("536870912", "4294967296", "-536870912")
	}
	return strconv.Itoa(s.rng.IntN(60) - 20)
}

func (s *stream) float() string {
	switch s.rng.IntN(8) {
	case 0:
		return s.pick("inf", "-inf", "nan", "1e400", "1e5000", "1e-5000", "x", "", " 1", "1e", "0x1p4")
	case 1:
		return s.integer()
	}
	return fmt.Sprintf("%d.%0*d", s.rng.IntN(200)-100, 1+s.rng.IntN(4), s.rng.IntN(10))
}

func (s *stream) value() string {
	switch s.rng.IntN(8) {
	case 0, 1:
		return s.integer()
	case 2:
		return s.float()
	case 3:
		n := s.pick("44", "45", "255", "256", "300", "40000")
		length, _ := strconv.Atoi(n)
		return strings.Repeat("x", length)
	case 4:
		b := make([]byte, s.rng.IntN(20))
		for i := range b {
			b[i] = byte(s.rng.IntN(256))
		}
		return string(b)
	}
	b := make([]byte, s.rng.IntN(30))
	for i := range b {
		b[i] = "abcd"[s.rng.IntN(4)]
	}
	return string(b)
}
