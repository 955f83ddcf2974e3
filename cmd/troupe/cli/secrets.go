package cli

import (
	"slices"
	"strings"
)

// hasSecret reports whether a command holds what must not be kept: a password or
// a key. It is known here and not asked of the server, which may be any; when in
// doubt a line is left out.
func hasSecret(words []string) bool {
	if is(words, "AUTH", "ACL SETUSER", "ACL GENPASS") {
		return true
	}
	if is(words, "CONFIG SET") {
		return slices.ContainsFunc(words[2:], isSecretSetting)
	}
	if is(words, "HELLO", "MIGRATE") {
		return slices.ContainsFunc(words[1:], func(word string) bool {
			return strings.EqualFold(word, "AUTH") || strings.EqualFold(word, "AUTH2")
		})
	}
	// A number before a command repeats it.
	return len(words) > 1 && isNumber(words[0]) && hasSecret(words[1:])
}

func isSecretSetting(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "pass") || strings.Contains(name, "auth") || strings.Contains(name, "secret")
}

func isNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }
