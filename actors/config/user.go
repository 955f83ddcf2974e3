package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// The rules of a user line that mean: everything.
var everything = []string{"on", "~*", "allkeys", "&*", "allchannels", "+@all", "allcommands", "sanitize-payload", "skip-sanitize-payload"}

// parseUser takes the one user that there is: the default one with all
// rights, as redis-server writes it into the files that it rewrites.
func parseUser(s *Setting, words []string, before string) (string, error) {
	value, err := parseDirective(s, words, before)
	if err != nil {
		return "", err
	}
	rules := slices.DeleteFunc(slices.Clone(words[1:]), func(rule string) bool {
		return isPassword(rule) || slices.Contains(everything, strings.ToLower(rule))
	})
	if words[0] != "default" || len(rules) > 0 || !slices.Contains(words, "on") {
		return "", errors.New("not supported yet: " + noACL)
	}
	return value, nil
}

func isPassword(rule string) bool {
	return rule == "nopass" || strings.HasPrefix(rule, ">") || strings.HasPrefix(rule, "#")
}

// adoptUser makes the password of the default user's line requirepass. A hash
// can only be compared with the requirepass that is there: redis-server writes
// both.
func (c *Config) adoptUser() error {
	for _, words := range c.directive("user") {
		for _, rule := range words[1:] {
			if isPassword(rule) && !c.adoptPassword(rule) {
				return &Mistake{"settings", "user", "the default user's password must be that of requirepass"}
			}
		}
	}
	return nil
}

func (c *Config) adoptPassword(rule string) bool {
	row := must("requirepass")
	switch password := c.values[row.index]; {
	case rule == passwordRule(password), rule == ">"+password:
	case rule[0] == '>' && password == "":
		c.values[row.index] = rule[1:]
	default:
		return false
	}
	return true
}

// passwordRule is how a user line gives the password without telling it.
func passwordRule(password string) string {
	if password == "" {
		return "nopass"
	}
	sum := sha256.Sum256([]byte(password))
	return "#" + hex.EncodeToString(sum[:])
}

// directive are the words of each use of a directive.
func (c *Config) directive(name string) [][]string {
	var uses [][]string
	for line := range strings.Lines(c.Text(name)) {
		words, _ := splitLine(line) // it was written by us
		uses = append(uses, words)
	}
	return uses
}
