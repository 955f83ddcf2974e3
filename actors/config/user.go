package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/session/acl"
)

// parseUser takes a user line: a name and rules. What these say of commands can
// only be looked at when the commands are known, see addUsers.
func parseUser(s *Setting, words []string, before string) (string, error) {
	value, err := parseDirective(s, words, before)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(before) {
		if have, _ := splitLine(line); have[0] == words[0] {
			return "", errors.New("Duplicate user found. A user can only be defined once in config files")
		}
	}
	if err := acl.Plausible(words[0], words[1:]); err != nil {
		return "", err
	}
	return value, nil
}

// addUsers makes the users whom the settings name, in a system that does not
// serve yet: those of the user lines, or of the aclfile.
func (c *Config) addUsers(s *actors.System) error {
	server := s.Server
	if err := defineUsers(server.Users, c.directive("user")); err != nil {
		return err
	}
	if server.UsersFile = c.Text("aclfile"); server.UsersFile != "" {
		if err := server.ReloadUsers(); err != nil {
			return &Mistake{"settings", "aclfile", err.Error()}
		}
	}
	for _, a := range server.Users.All() {
		if !a.Now().Enabled() && a.Name() != "default" { // who is on unless that is said
			server.Log.Warn("a user may not log in: his rules do not say on", "user", a.Name())
		}
	}
	return nil
}

// defineUsers adds users, each given by his name and rules.
func defineUsers(users *acl.Users, lines [][]string) error {
	for _, words := range lines {
		if _, err := users.Define(words[0], words[1:]); err != nil {
			return &Mistake{"settings", "user", fmt.Sprintf("%s: %v", words[0], err)}
		}
	}
	return nil
}

// errUsersElsewhere is the answer to a rewrite that cannot tell of the users.
var errUsersElsewhere = errors.New("Users that an included file gives have been changed; that file is left alone")

// updateUsers makes the file's user lines say who the users are now, if it does
// not say so already. With an aclfile it is that which tells of them.
func (p *page) updateUsers(c *Config, values []string, replace func(row *Setting, lines []string)) error {
	if c.system == nil || values[must("aclfile").index] != "" {
		return nil
	}
	now, user := c.system.Server.Users, must("user")
	said := acl.NewUsers(now.Commands)
	said.SetHearsAll(values[must("acl-pubsub-default").index] == "allchannels")
	said.SetPassword(values[must("requirepass").index])
	plain := said.Lines()
	if err := defineUsers(said, directiveLines(p.said[user.index])); err == nil && slices.Equal(said.Lines(), now.Lines()) {
		return nil
	}
	if p.included[user] {
		return errUsersElsewhere
	}
	var lines []string
	for _, text := range now.Lines() {
		if !slices.Contains(plain, text) {
			words := strings.Split(text, " ")
			lines = append(lines, line(words[0], words[1:]))
		}
	}
	replace(user, lines)
	return nil
}

// directive are the words of each use of a directive.
func (c *Config) directive(name string) [][]string { return directiveLines(c.Text(name)) }

// directiveLines are the words of each line of a directive's value.
func directiveLines(value string) [][]string {
	var uses [][]string
	for text := range strings.Lines(value) {
		words, _ := splitLine(text) // it was written by us
		uses = append(uses, words)
	}
	return uses
}
