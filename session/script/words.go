package script

import (
	"regexp"
	"strings"
)

// luasWords are what the Lua state says otherwise than Lua 5.1.
var luasWords = []struct {
	said *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`(?s)attempt to index a non-table object\((\S+)\) with key '.*'`), "attempt to index a $1 value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between (?:number|string) and (\S+)`), "attempt to perform arithmetic on a $1 value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between (\S+) and \S+`), "attempt to perform arithmetic on a $1 value"},
	{regexp.MustCompile(`__unm undefined`), "attempt to perform arithmetic on a nil value"},
	{regexp.MustCompile(`__len undefined`), "attempt to get length of a nil value"},
	{regexp.MustCompile(`attempt to call a non-function object`), "attempt to call a nil value"},
	{regexp.MustCompile(`bad argument #(\d+) to (\w+) \(`), "bad argument #$1 to '$2' ("},
}

// inLuasWords words an error as Lua does.
func inLuasWords(said string) string {
	if !strings.Contains(said, "attempt to") && !strings.Contains(said, "bad argument") && !strings.Contains(said, "perform") && !strings.Contains(said, "undefined") {
		return said
	}
	for _, w := range luasWords {
		said = w.said.ReplaceAllString(said, w.word)
	}
	return said
}
