package dice

import (
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

// errAddArity is the answer to scores and members that are not in pairs.
var errAddArity = resp.Error("ERR wrong number of arguments for 'ZADD' command")

// isAddOption reports whether a word, in capitals, is an option of ZADD.
func isAddOption(word string) bool {
	switch word {
	case "NX", "XX", "GT", "LT", "CH", Increments:
		return true
	}
	return false
}

// zaddWords puts ZADD's words into ours. Options stand wherever a score could:
// a member may be called as one of them.
func zaddWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	var options, pairs [][]byte
	for at := 2; at < len(argv); {
		if option := strings.ToUpper(string(argv[at])); isAddOption(option) {
			options = append(options, []byte(option))
			at++
			continue
		}
		if at+1 == len(argv) {
			return nil, errAddArity
		}
		score, err := ParseNumber(argv[at])
		if err.IsError() {
			return nil, err
		}
		pairs = append(pairs, digits(score), argv[at+1])
		at += 2
	}
	if len(pairs) == 0 {
		return nil, errAddArity
	}
	return append(append(argv[:2:2], incrementFirst(options)...), pairs...), resp.Nothing
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
