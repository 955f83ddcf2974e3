package dice

import (
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Texts of errors in DiceDB's words, which begin with no code.
const (
	wrongType   = "wrongtype operation against a key holding the wrong kind of value"
	unknownType = "unknown object type"
)

// errorTexts are the words for errors of ours; readsText and readsInteger those
// of commands that read a value as a text or as a number, readsNumber those of
// commands that are given numbers.
var (
	errorTexts   = map[string]string{resp.ErrWrongType.Str(): wrongType}
	readsText    = map[string]string{resp.ErrWrongType.Str(): unknownType}
	readsNumber  = map[string]string{resp.ErrNotFloat.Str(): errNumber.Str()[len("ERR "):]}
	readsInteger = map[string]string{resp.ErrNotInteger.Str(): wrongType}
)

// message is the text of an error in DiceDB's words, where it has any: else
// ours, without the code that says no more than that it is an error.
func (c *Command) message(text string) string {
	if own, ok := c.errors[text]; ok {
		return own
	}
	if general, ok := errorTexts[text]; ok {
		return general
	}
	if text == resp.ErrSyntax.Str() {
		return "invalid syntax for '" + c.Name + "' command"
	}
	text, _ = strings.CutPrefix(text, "ERR ")
	if rest, ok := strings.CutPrefix(text, "unknown command '"); ok {
		name, _, _ := strings.Cut(rest, "', with args beginning with: ")
		return "ERROR unknown command '" + name + "'"
	}
	for _, before := range []string{"wrong number of arguments for '", "invalid expire time in '"} {
		if c.Name != "" && strings.HasPrefix(text, before) {
			return before + c.Name + "' command"
		}
	}
	return text
}
