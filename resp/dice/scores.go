package dice

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Scores and options of the commands on sorted sets in words of ours.

// errNumber is the answer to a score, or an end of a range, that is no whole
// number.
var errNumber = resp.Error("ERR value is not an integer or a float")

// ParseNumber reads a whole number of 64 bits as DiceDB does, a sign before it
// or not; err is the answer to anything else.
func ParseNumber(word []byte) (n int64, err resp.Reply) {
	n, mistake := strconv.ParseInt(string(word), 10, 64)
	if mistake != nil {
		return 0, errNumber
	}
	return n, resp.Nothing
}

// Increments is the option of ZADD that has the score added, which stands
// first among the words that zaddWords makes.
const Increments = "INCR"

// sortOut tells the options of a command of writing from what it writes, which
// comes in groups of words: options stand wherever a group could begin, so that
// a member may be called as one of them. refusal: the last group is not whole,
// or there is none.
func sortOut(argv [][]byte, names []string, group int) (options, groups [][]byte, refusal resp.Reply) {
	for at := 2; at < len(argv); {
		if option := strings.ToUpper(string(argv[at])); slices.Contains(names, option) {
			options = append(options, []byte(option))
			at++
			continue
		}
		end := min(at+group, len(argv))
		groups = append(groups, argv[at:end]...)
		at = end
	}
	if len(groups) == 0 || len(groups)%group != 0 {
		refusal = resp.Error("ERR wrong number of arguments for '" + strings.ToUpper(string(argv[0])) + "' command")
	}
	return options, groups, refusal
}

// zaddWords puts ZADD's words into ours.
func zaddWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	options, pairs, refusal := sortOut(argv, []string{"NX", "XX", "GT", "LT", "CH", Increments}, 2)
	if refusal.IsError() {
		return nil, refusal
	}
	for i := 0; i < len(pairs); i += 2 {
		score, err := ParseNumber(pairs[i])
		if err.IsError() {
			return nil, err
		}
		pairs[i] = digits(score)
	}
	return slices.Concat(argv[:2], incrementFirst(options), pairs), resp.Nothing
}

// incrementFirst moves the option that has the score added to the front.
func incrementFirst(options [][]byte) [][]byte {
	for i := range options {
		if string(options[i]) == Increments {
			options[0], options[i] = options[i], options[0]
		}
	}
	return options
}

// zcountWords puts ZCOUNT's words into ours: its ends are whole numbers, both
// included, or infinite.
func zcountWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	words := append([][]byte{}, argv...)
	for i := 2; i < len(words); i++ {
		if end := string(argv[i]); end == "-inf" || end == "+inf" {
			continue
		}
		n, err := ParseNumber(argv[i])
		if err.IsError() {
			return nil, err
		}
		words[i] = digits(n)
	}
	return words, resp.Nothing
}
