package acl

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/troupedb/troupe/resp"
)

// The mistakes that a rule can be, in Redis's words.
var (
	ErrUnknown  = errors.New("Unknown command or category name in ACL")
	ErrRule     = errors.New("Syntax error")
	ErrAllKeys  = errors.New("Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns")
	ErrAllHeard = errors.New("Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels")
	ErrNoSuch   = errors.New("The password you are trying to remove from the user does not exist")
	ErrHash     = errors.New("The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters")
	ErrFirstArg = errors.New("Allowing first-arg of a subcommand is not supported")
	ErrName     = errors.New("Usernames can't contain spaces or null characters")
)

// RuleError is a rule that cannot be taken.
type RuleError struct {
	// Rule is the rule as it was given, without passwords.
	Rule string
	Err  error
}

func (e *RuleError) Error() string { return e.Rule + ": " + e.Err.Error() }
func (e *RuleError) Unwrap() error { return e.Err }

// Unmatched is a parenthesis that is opened by a rule, which it is without
// passwords, and not closed.
type Unmatched string

func (e Unmatched) Error() string { return "Unmatched parenthesis in selector definition." }

// shownRule is a rule without passwords, which its author may have written
// wrong and which errors must not repeat.
func shownRule(rule string) string {
	words := strings.Split(rule, " ")
	for i, word := range words {
		bare := strings.TrimPrefix(word, "(")
		if bare == "" || !strings.ContainsRune("><#!", rune(bare[0])) {
			continue
		}
		words[i] = word[:len(word)-len(bare)+1] + "(redacted)"
		if rule[0] == '(' && strings.HasSuffix(bare, ")") {
			words[i] += ")"
		}
	}
	return strings.Join(words, " ")
}

// hasBlanks reports whether a name or pattern could not stand in a line of rules.
func hasBlanks(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == 0 || r < unicode.MaxASCII && unicode.IsSpace(r) })
}

// mergeSelectors joins rules that are one selector's, in parentheses, and were
// given as several words.
func mergeSelectors(rules []string) (merged []string, err error) {
	open := ""
	isOpen, opened := false, ""
	for _, rule := range rules {
		switch {
		case strings.HasPrefix(rule, "(") && !strings.HasSuffix(rule, ")"):
			open, opened, isOpen = rule, rule, true
		case isOpen:
			open += " " + rule
			if strings.HasSuffix(rule, ")") {
				merged, isOpen = append(merged, open), false
			}
		default:
			merged = append(merged, rule)
		}
	}
	if isOpen {
		return nil, Unmatched(shownRule(opened))
	}
	return merged, nil
}

// draft is a user who is being made. Nothing of it is shared with a User.
type draft struct {
	User
	commands *Commands
	// hearsAll says that selectors begin with all channels (acl-pubsub-default).
	hearsAll bool
	// lenient takes names of commands that are not known.
	lenient bool
}

// newDraft is a new user: off, without passwords or rights.
func (us *Users) newDraft(name string) *draft {
	d := &draft{User: User{name: name}, commands: us.Commands, hearsAll: us.hearsAll.Load()}
	d.selectors = []*selector{d.newSelector()}
	return d
}

// draftOf is a user who is there already, to be changed.
func (us *Users) draftOf(u *User) *draft {
	d := &draft{User: *u, commands: us.Commands, hearsAll: us.hearsAll.Load()}
	d.passwords = slices.Clone(u.passwords)
	d.selectors = nil
	for _, s := range u.selectors {
		d.selectors = append(d.selectors, s.clone())
	}
	return d
}

func (d *draft) newSelector() *selector {
	return &selector{commands: newSet(len(d.commands.all)), allChannels: d.hearsAll}
}

// done is the user as he is now. The draft is not used any more.
func (d *draft) done() *User {
	u := d.User
	u.mayAll = slices.ContainsFunc(u.selectors, (*selector).isAll)
	return &u
}

// applyAll applies rules in their order, up to the first mistake.
func (d *draft) applyAll(rules []string) error {
	merged, err := mergeSelectors(rules)
	if err != nil {
		return err
	}
	for _, rule := range merged {
		if err := d.apply(rule); err != nil {
			return &RuleError{shownRule(rule), err}
		}
	}
	return nil
}

// apply applies one rule.
func (d *draft) apply(rule string) error {
	if rule == "" {
		return nil
	}
	switch rule[0] {
	case '>', '#', '<', '!':
		return d.changePassword(rule[0], rule[1:])
	case '(':
		if strings.HasSuffix(rule, ")") {
			return d.addSelector(rule[1 : len(rule)-1])
		}
	}
	switch strings.ToLower(rule) {
	case "on":
		d.enabled = true
	case "off":
		d.enabled = false
	case "sanitize-payload":
		d.sanitize = sanitizeAlways
	case "skip-sanitize-payload":
		d.sanitize = sanitizeNever
	case "nopass":
		d.noPass, d.passwords = true, nil
	case "resetpass":
		d.noPass, d.passwords = false, nil
	case "clearselectors":
		d.selectors = d.selectors[:1]
	case "reset":
		d.enabled, d.noPass, d.passwords, d.sanitize = false, false, nil, sanitizeAlways
		d.selectors = []*selector{d.newSelector()}
	default:
		return d.applyTo(d.selectors[0], rule)
	}
	return nil
}

// changePassword adds a password (>) or its hash (#), or takes it away (<, !).
func (d *draft) changePassword(how byte, word string) error {
	digits := word
	switch {
	case how == '>' || how == '<':
		digits = hash([]byte(word))
	case !isHash(word):
		return ErrHash
	}
	at := slices.Index(d.passwords, digits)
	switch {
	case (how == '<' || how == '!') && at < 0:
		return ErrNoSuch
	case how == '<' || how == '!':
		d.passwords = slices.Delete(d.passwords, at, at+1)
		return nil
	case at < 0:
		d.passwords = append(d.passwords, digits)
	}
	d.noPass = false
	return nil
}

func isHash(word string) bool {
	return len(word) == 64 && strings.Trim(word, "0123456789abcdef") == ""
}

// addSelector adds the selector that rules, which stood in parentheses, say.
func (d *draft) addSelector(rules string) error {
	words, ok := resp.SplitLine([]byte(rules))
	if !ok {
		return ErrRule
	}
	s := d.newSelector()
	for _, word := range words {
		if err := d.applyTo(s, string(word)); err != nil {
			return err
		}
		if !isPlain(word) {
			return ErrRule
		}
	}
	d.selectors = append(d.selectors, s)
	return nil
}

// isPlain reports whether a rule of a selector reads the same among others in
// parentheses, where words may be quoted and the last ends with one. Redis takes
// others too, and then writes an aclfile that says something else.
func isPlain(word []byte) bool {
	return !bytes.ContainsAny(word, "\"'") && !bytes.HasSuffix(word, []byte(")"))
}

// applyTo applies a rule about commands, keys or channels to a selector.
func (d *draft) applyTo(s *selector, rule string) error {
	switch strings.ToLower(rule) {
	case "allkeys", "~*":
		s.allKeys, s.keys = true, nil
	case "resetkeys":
		s.allKeys, s.keys = false, nil
	case "allchannels", "&*":
		s.allChannels, s.channels = true, nil
	case "resetchannels":
		s.allChannels, s.channels = false, nil
	case "allcommands", "+@all":
		s.setAll(true)
	case "nocommands", "-@all":
		s.setAll(false)
	case "":
		return ErrRule
	default:
		return d.applyName(s, rule)
	}
	return nil
}

// applyName applies a rule that begins with a sign.
func (d *draft) applyName(s *selector, rule string) error {
	switch rule[0] {
	case '~':
		return s.addKeys(rule[1:], readWrite)
	case '%':
		return s.addMarked(rule[1:])
	case '&':
		return s.addChannels(rule[1:])
	case '+', '-':
		err := d.allow(s, rule[1:], rule[0] == '+')
		if err == ErrUnknown && d.lenient {
			return nil
		}
		return err
	}
	return ErrRule
}

// addMarked adds a pattern behind letters that say what may be done: "R~…",
// "W~…", "RW~…".
func (s *selector) addMarked(rule string) error {
	if s.allKeys {
		return ErrAllKeys
	}
	marks, pattern, _ := strings.Cut(rule, "~")
	var access Access
	for _, mark := range strings.ToUpper(marks) {
		one := map[rune]Access{'R': Read, 'W': Write}[mark]
		if one == 0 || access&one != 0 {
			return ErrRule
		}
		access |= one
	}
	if access == 0 {
		return ErrRule
	}
	return s.addKeys(pattern, access)
}

func (s *selector) addKeys(pattern string, access Access) error {
	switch {
	case s.allKeys:
		return ErrAllKeys
	case hasBlanks(pattern):
		return ErrRule
	}
	at := slices.IndexFunc(s.keys, func(k keyPattern) bool { return string(k.pattern) == pattern })
	if at < 0 {
		s.keys = append(s.keys, keyPattern{[]byte(pattern), access})
	} else {
		s.keys[at].access |= access
	}
	return nil
}

func (s *selector) addChannels(pattern string) error {
	switch {
	case s.allChannels:
		return ErrAllHeard
	case hasBlanks(pattern):
		return ErrRule
	}
	if !slices.ContainsFunc(s.channels, func(have []byte) bool { return string(have) == pattern }) {
		s.channels = append(s.channels, []byte(pattern))
	}
	return nil
}

// setAll allows all commands, or none.
func (s *selector) setAll(allowed bool) {
	s.commands.fill(allowed)
	s.allCommands, s.future, s.firstArgs = allowed, allowed, nil
}

// set allows or forbids one command.
func (s *selector) set(number int, allowed bool) {
	s.commands.put(number, allowed)
	s.allCommands = s.allCommands && allowed
}

// change allows or forbids a command with all of its subcommands.
func (s *selector) change(e *entry, allowed bool) {
	s.set(e.ID(), allowed)
	delete(s.firstArgs, e.ID())
	for _, sub := range e.subs {
		s.set(sub.ID(), allowed)
	}
}

// allow allows or forbids what a name stands for: a category, a command, a
// subcommand, or a command with a first argument.
func (d *draft) allow(s *selector, name string, allowed bool) error {
	if category, isCategory := strings.CutPrefix(name, "@"); isCategory {
		of, ok := d.commands.category(category)
		if !ok {
			return ErrUnknown
		}
		s.changeCategory(d.commands, of, allowed)
		return nil
	}
	at := strings.LastIndexByte(name, '|')
	if at < 0 || !allowed {
		return d.changeNamed(s, name, allowed)
	}
	e := d.commands.find(name[:at])
	switch {
	case e == nil:
		return ErrUnknown
	case e.sub:
		return ErrFirstArg
	case name[at+1:] == "", hasBlanks(name):
		return ErrRule
	case e.subs != nil:
		return d.changeNamed(s, name, true)
	}
	s.addFirstArg(e.ID(), name[at+1:])
	return nil
}

func (d *draft) changeNamed(s *selector, name string, allowed bool) error {
	e := d.commands.find(name)
	if e == nil {
		return ErrUnknown
	}
	s.change(e, allowed)
	return nil
}

func (s *selector) changeCategory(c *Commands, of set, allowed bool) {
	for number, e := range c.all {
		if of.has(number) {
			s.change(e, allowed)
		}
	}
}

// addFirstArg allows a command with a first argument, which may be written in
// any case.
func (s *selector) addFirstArg(number int, arg string) {
	one := firstArg{arg, string(bytes.ToUpper([]byte(arg)))}
	have := s.firstArgs[number]
	if slices.ContainsFunc(have, func(h firstArg) bool { return h.capitals == one.capitals }) {
		return
	}
	if s.firstArgs == nil {
		s.firstArgs = map[int][]firstArg{}
	}
	s.firstArgs[number] = append(slices.Clip(have), one)
}
