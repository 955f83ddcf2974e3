package cli

import (
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// splitLine splits a line into its words; ok is false if its quotes are not balanced.
func splitLine(line string) (words []string, ok bool) {
	args, ok := resp.SplitLine([]byte(line))
	for _, arg := range args {
		words = append(words, string(arg))
	}
	return words, ok
}

// oneWord decodes one quoted word.
func oneWord(word string) (text string, isOne bool) {
	words, ok := splitLine(word)
	if !ok || len(words) != 1 {
		return "", false
	}
	return words[0], true
}

// is reports whether a command is one of those; "CLIENT LIST" is one of two words.
func is(words []string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		parts := strings.Fields(name)
		if len(words) < len(parts) {
			return false
		}
		for i, part := range parts {
			if !strings.EqualFold(words[i], part) {
				return false
			}
		}
		return true
	})
}

// isWatch reports whether a command begins a live query.
func isWatch(words []string) bool {
	return len(words) > 0 && (is(words, "OBSERVE") ||
		len(words[0]) > len(".WATCH") && strings.EqualFold(words[0][len(words[0])-len(".WATCH"):], ".WATCH"))
}

// isStream reports whether the answers to a command do not end.
func isStream(words []string) bool {
	return is(words, "MONITOR", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE")
}

// isForPeople reports whether the reply of a command is text with lines of its
// own, which is shown as it is.
func isForPeople(words []string) bool {
	return is(words, "INFO", "LOLWUT", "DEBUG HTSTATS", "DEBUG HTSTATS-KEY", "MEMORY MALLOC-STATS", "MEMORY DOCTOR",
		"CLUSTER NODES", "CLUSTER INFO", "CLIENT LIST", "CLIENT INFO", "LATENCY GRAPH", "LATENCY DOCTOR")
}
