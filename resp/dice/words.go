package dice

import (
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Options of DiceDB's commands in words of ours. Most are the same; what
// differs is which go together, how numbers may be written, how far ahead an
// end may lie, and what the mistakes are called.

// yearSeconds bounds how far ahead SET and GETEX let a key end.
const yearSeconds = 365 * 24 * 3600

// ending is an option that says when a key ends: in words, how many
// milliseconds its unit has, and whether it tells a time or a length of it.
type ending struct {
	word   string
	millis int64
	isTime bool
}

var endings = [...]ending{{"EX", 1000, false}, {"PX", 1, false}, {"EXAT", 1000, true}, {"PXAT", 1, true}}

// allows reports whether n units is an end to come within a year.
func (e *ending) allows(n, now int64) bool {
	earliest := int64(0)
	if e.isTime {
		earliest = now / e.millis
	}
	return n > earliest && n < earliest+yearSeconds*(1000/e.millis)
}

// translation is the words of SET or GETEX as they are put together.
type translation struct {
	name string // of the command
	argv [][]byte
	at   int // the word to read next
	now  int64
	out  [][]byte
	// What was said of the key's end, and of its being there.
	end, condition string
	err            resp.Reply
}

func (t *translation) fail(text string) { t.err = resp.Error("ERR " + text) }

// conflict notes that the words do not go together.
func (t *translation) conflict() { t.fail("invalid syntax for '" + t.name + "' command") }

// say takes the word of an option over, unless another has said something of
// the same before. said is where that is noted.
func (t *translation) say(said *string, word string) {
	if *said != "" && *said != word {
		t.conflict()
	}
	*said = word
	t.out = append(t.out, []byte(word))
}

// next reads the next option, in capitals.
func (t *translation) next() (word string, more bool) {
	if t.at == len(t.argv) || t.err.IsError() {
		return "", false
	}
	t.at++
	return strings.ToUpper(string(t.argv[t.at-1])), true
}

// ending reads an option that says when the key ends, if the word is one.
func (t *translation) ending(word string) (found bool) {
	for i := range endings {
		e := &endings[i]
		if word != e.word {
			continue
		}
		if t.end != "" || t.at == len(t.argv) {
			t.conflict()
			return true
		}
		n, err := strconv.ParseInt(string(t.argv[t.at]), 10, 64)
		if t.at++; err != nil || !e.allows(n, t.now) {
			t.fail("invalid value for a parameter in '" + t.name + "' command for " + e.word + " parameter")
			return true
		}
		t.say(&t.end, e.word)
		t.out = append(t.out, digits(n))
		return true
	}
	return false
}

func digits(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// setWords puts SET's words into ours. Raw knows GET, and passes over words
// that it does not know.
func setWords(p Protocol, argv [][]byte, now int64) ([][]byte, resp.Reply) {
	const fixed = 3
	if len(argv) == fixed {
		return argv, resp.Nothing
	}
	t := translation{name: "SET", argv: argv, at: fixed, now: now, out: append([][]byte{}, argv[:fixed]...)}
	for word, more := t.next(); more; word, more = t.next() {
		switch {
		case t.ending(word):
		case word == "NX" || word == "XX":
			t.say(&t.condition, word)
		case word == "KEEPTTL":
			t.say(&t.end, word)
		case p == Raw && word == "GET":
			t.out = append(t.out, []byte(word))
		case p != Raw:
			t.conflict()
		}
	}
	return t.out, t.err
}

// getexWords puts GETEX's words into ours. Words that it does not know are
// passed over.
func getexWords(_ Protocol, argv [][]byte, now int64) ([][]byte, resp.Reply) {
	const fixed = 2
	t := translation{name: "GETEX", argv: argv, at: fixed, now: now, out: append([][]byte{}, argv[:fixed]...)}
	for word, more := t.next(); more; word, more = t.next() {
		if !t.ending(word) && word == "PERSIST" {
			t.say(&t.end, word)
		}
	}
	return t.out, t.err
}

// expireWords puts the words of EXPIRE and EXPIREAT into ours. LT is not for
// keys without an end.
func expireWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	const fixed = 3
	n, err := strconv.ParseInt(string(argv[2]), 10, 64)
	if err != nil || n < 0 {
		return nil, resp.Error("ERR invalid expire time in '" + strings.ToUpper(string(argv[0])) + "' command")
	}
	out := [][]byte{argv[0], argv[1], digits(n)}
	for _, word := range argv[fixed:] {
		switch option := strings.ToUpper(string(word)); option {
		case "NX", "XX", "GT":
			out = append(out, []byte(option))
		case "LT":
			out = append(out, []byte("XX"), []byte("LT"))
		default:
			return nil, resp.Error("ERR unsupported option " + string(word))
		}
	}
	return out, resp.Nothing
}

// deltaWords puts the words of INCRBY and DECRBY into ours: what is no number
// is told apart from a value that is none.
func deltaWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	n, err := strconv.ParseInt(string(argv[2]), 10, 64)
	if err != nil {
		return nil, resp.ErrNotInteger
	}
	return [][]byte{argv[0], argv[1], digits(n)}, resp.Nothing
}
