package config

import (
	"strings"
)

// Setting is one row of the table: all that is known of a setting. The flags,
// the environment, the lines of the file and CONFIG come from it.
type Setting struct {
	// Name is the setting's; Alias its former name, which is taken and shown
	// by CONFIG GET as well.
	Name, Alias string
	Kind        Kind
	// Default is the value of a server without configuration, as CONFIG GET
	// shows it; of a Memory it may be written with a unit.
	Default string
	// Min and Max bound an Int, Memory (bytes) or Octal.
	Min, Max int64
	// Values are those that an Enum or EnumSet may take.
	Values []string
	// When says whether a running server can change it.
	When When
	// Role says what it does here.
	Role Role
	// Why is the reason why it does nothing (Ignored) or why only its default
	// and what Allowed lists can be had (Reserved). A sentence without a
	// full stop.
	Why     string
	Allowed []string
	// Hidden settings are shown by CONFIG GET only to those who know the name.
	Hidden bool
	// Secret values are never shown in errors and logs.
	Secret bool
	// Group is the heading under which help lists it.
	Group string
	// Help is one line.
	Help string

	index  int
	parse  parser // in place of that of the kind
	effect effect // what puts it in force in a running server
	format func(value string) []string
}

// parser turns the words after a setting's name into its value. Before is the
// value that the words add to, for the settings that are given in parts.
type parser func(s *Setting, words []string, before string) (value string, err error)

// Kind is what a setting's value is made of.
type Kind uint8

// The kinds.
const (
	Text    Kind = iota // any text, one word
	Int                 // a whole number
	Memory              // bytes, with or without a unit
	Share               // bytes, or a percentage
	Octal               // permissions
	Bool                // yes or no
	Enum                // one of Values
	EnumSet             // some of Values
	Words               // several words
	Lines               // several words, and what is repeated adds up
	// Directive is what a file, or a flag, asks to be done at the start;
	// CONFIG does not know it. Repeated ones add up.
	Directive
)

// When says when a setting can be changed.
type When uint8

// The choices of When.
const (
	Anytime   When = iota // CONFIG SET changes it
	AtStart               // only the start
	Protected             // CONFIG SET, if enable-protected-configs allows it
)

// Role is what a setting does in this server.
type Role uint8

// The roles.
const (
	// Works: it does what it says.
	Works Role = iota
	// Ignored: it is held and shown, and changes nothing.
	Ignored
	// Reserved: it cannot be honoured yet, and somebody would rely on it. So
	// only the value that asks for nothing is taken.
	Reserved
)

// Variable is the name of the environment variable that sets it, "" for a
// directive.
func (s *Setting) Variable() string {
	if s.Kind == Directive {
		return ""
	}
	return VariablePrefix + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// VariablePrefix begins the names of our environment variables.
const VariablePrefix = "TROUPE_"

// IsMany reports whether the value may be several words.
func (s *Setting) IsMany() bool {
	switch s.Kind {
	case EnumSet, Words, Lines, Directive:
		return true
	}
	return false
}

// adds reports whether a setting given twice in one place means both.
func (s *Setting) adds() bool { return s.Kind == Lines || s.Kind == Directive }

// read turns words into a value and checks it, for the setting alone.
func (s *Setting) read(words []string, before string) (string, error) {
	parse := s.parse
	if parse == nil {
		parse = parsers[s.Kind]
	}
	return parse(s, words, before)
}

// unmet is the reason why a value cannot be honoured, "" if it can.
func (s *Setting) unmet(value string) string {
	if s.Role != Reserved || value == s.Default {
		return ""
	}
	for _, allowed := range s.Allowed {
		if value == allowed {
			return ""
		}
	}
	return s.Why
}

// split divides the value of CONFIG SET or a variable into words.
func (s *Setting) split(value string) []string {
	switch {
	case !s.IsMany():
		return []string{value}
	case value == "":
		return nil
	}
	return strings.Split(value, " ")
}

// unpack divides several words that were given as one, quoted: --save "60 1".
// ok is false if there are quotes in it that are not closed.
func (s *Setting) unpack(words []string) (unpacked []string, ok bool) {
	isOne := len(words) == 1 && s.IsMany() && (s.Kind != Directive || s.Min > 1)
	if !isOne {
		return words, true
	}
	return splitLine(words[0])
}

// Written is the value as people write it: bytes with a unit.
func (s *Setting) Written(value string) string {
	if s.Kind == Memory {
		return memoryText(value)
	}
	return value
}

// lines are the lines of a file that give the setting the value.
func (s *Setting) lines(value string) []string {
	if s.format != nil {
		return s.format(value)
	}
	words := []string{s.Written(value)}
	if s.IsMany() && value != "" {
		words = strings.Split(value, " ")
	}
	return []string{line(s.Name, words)}
}
