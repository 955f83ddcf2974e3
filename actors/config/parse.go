package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// The mistakes, in Redis's words.
var (
	errWords         = errors.New("wrong number of arguments")
	errInteger       = errors.New("argument couldn't be parsed into an integer")
	errOctal         = errors.New("argument couldn't be parsed as an octal number")
	errMemory        = errors.New("argument must be a memory value")
	errShare         = errors.New("argument must be a memory or percent value")
	errPercent       = errors.New("percentage argument must be less or equal to 100")
	errMemoryUnknown = errors.New("how much memory there is can't be told here, so a share of it can't either")
	errBool          = errors.New("argument must be 'yes' or 'no'")
	errFileName      = errors.New("can't be a path, just a filename")
)

// parsers are those of the kinds.
var parsers = map[Kind]parser{
	Text:      single(func(_ *Setting, word string) (string, error) { return word, nil }),
	Int:       single(parseInt),
	Memory:    single(parseMemory),
	Share:     single(parseShare),
	Octal:     single(parseOctal),
	Bool:      single(parseBool),
	Enum:      single(parseEnum),
	EnumSet:   parseEnumSet,
	Words:     parseWords,
	Directive: parseDirective,
}

// single makes a parser of one for a word.
func single(parse func(*Setting, string) (string, error)) parser {
	return func(s *Setting, words []string, _ string) (string, error) {
		if len(words) != 1 {
			return "", errWords
		}
		return parse(s, words[0])
	}
}

func (s *Setting) inRange(n int64, text func(int64) string) error {
	if n < s.Min || n > s.Max {
		return fmt.Errorf("argument must be between %s and %s inclusive", text(s.Min), text(s.Max))
	}
	return nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
func octal(n int64) string   { return strconv.FormatInt(n, 8) }

func parseInt(s *Setting, word string) (string, error) {
	n, ok := command.ParseInt([]byte(word))
	if !ok {
		return "", errInteger
	}
	return decimal(n), s.inRange(n, decimal)
}

func parseOctal(s *Setting, word string) (string, error) {
	n, err := strconv.ParseInt(word, 8, 64)
	if err != nil {
		return "", errOctal
	}
	return octal(n), s.inRange(n, octal)
}

func parseMemory(s *Setting, word string) (string, error) {
	n, ok := bytesOf(word)
	if !ok {
		return "", errMemory
	}
	return decimal(n), s.inRange(n, decimal)
}

func parseShare(s *Setting, word string) (string, error) {
	number, isPercent := strings.CutSuffix(word, "%")
	if !isPercent {
		if _, ok := bytesOf(word); !ok {
			return "", errShare
		}
		return parseMemory(s, word)
	}
	n, ok := command.ParseInt([]byte(number))
	switch {
	case !ok || n < 0:
		return "", errShare
	case n > 100:
		return "", errPercent
	}
	return word, nil
}

// units are those of memory sizes, Redis's: k is 1000, kb is 1024.
var units = map[string]int64{
	"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1000 * 1000, "mb": 1 << 20, "g": 1000 * 1000 * 1000, "gb": 1 << 30,
}

// bytesOf reads a memory size. Without digits it is 0, as to Redis.
func bytesOf(word string) (n int64, ok bool) {
	digits := strings.TrimRight(word, "bBkKmMgG")
	unit, known := units[strings.ToLower(word[len(digits):])]
	if digits == "" {
		return 0, known
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if !known || err != nil || digits[0] < '0' || digits[0] > '9' || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// memoryText writes a number of bytes with the largest unit that fits.
func memoryText(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n == 0 {
		return value
	}
	for _, unit := range []string{"gb", "mb", "kb"} {
		if n%units[unit] == 0 {
			return decimal(n/units[unit]) + unit
		}
	}
	return value
}

func parseBool(_ *Setting, word string) (string, error) {
	switch strings.ToLower(word) {
	case "yes":
		return "yes", nil
	case "no":
		return "no", nil
	}
	return "", errBool
}

func (s *Setting) notOneOf() error {
	return errors.New("argument(s) must be one of the following: " + strings.Join(s.Values, ", "))
}

func parseEnum(s *Setting, word string) (string, error) {
	i := slices.IndexFunc(s.Values, func(v string) bool { return strings.EqualFold(v, word) })
	if i < 0 {
		return "", s.notOneOf()
	}
	return s.Values[i], nil
}

// parseEnumSet reads some of the values; the first of them stands for none and
// goes without saying beside others.
func parseEnumSet(s *Setting, words []string, _ string) (string, error) {
	chosen := map[string]bool{}
	for _, word := range words {
		value, err := parseEnum(s, word)
		if err != nil {
			return "", err
		}
		chosen[value] = true
	}
	if len(chosen) == 0 {
		return "", s.notOneOf()
	}
	var list []string
	for _, value := range s.Values[1:] {
		if chosen[value] {
			list = append(list, value)
		}
	}
	if list == nil {
		return s.Values[0], nil
	}
	return strings.Join(list, " "), nil
}

func parseWords(_ *Setting, words []string, _ string) (string, error) {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), " "), nil
}

// parseDirective keeps each use as a line of its own.
func parseDirective(s *Setting, words []string, before string) (string, error) {
	if len(words) < int(s.Min) || len(words) > int(s.Max) {
		return "", errWords
	}
	if before != "" {
		before += "\n"
	}
	return before + line("", words), nil
}

// line is a line of a file: the name and the words, quoted where need be.
func line(name string, words []string) string {
	var b strings.Builder
	b.WriteString(name)
	for _, word := range words {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoted(word))
	}
	return b.String()
}

// quoted is the word as SplitLine reads it back.
func quoted(word string) string {
	plain := word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return r <= ' ' || r >= 127 || r == '"' || r == '\'' || r == '\\'
	})
	if plain {
		return word
	}
	return string(resp.AppendQuoted(nil, word))
}

// splitLine divides a line into its words.
func splitLine(text string) (words []string, ok bool) {
	args, ok := resp.SplitLine([]byte(text))
	for _, arg := range args {
		words = append(words, string(arg))
	}
	return words, ok
}
