package acl

import (
	"maps"
	"slices"

	"github.com/troupedb/troupe/resp/command"
)

// selector is one set of rights: commands, and the keys and channels that they
// may name. A user has one, and more if rules in parentheses say so; what one of
// them allows alone is allowed.
type selector struct {
	commands    set
	allCommands bool // whatever there is
	future      bool // began with all commands, so those to come are meant too
	// firstArgs are the first arguments with which a command is allowed that is
	// not in commands, by the command's number. The slices are never changed.
	firstArgs map[int][]firstArg

	allKeys     bool
	keys        []keyPattern
	allChannels bool
	channels    [][]byte
}

// firstArg is a first argument, as it was given and in capitals.
type firstArg struct{ given, capitals string }

type keyPattern struct {
	pattern []byte
	access  Access
}

// clone is a copy that may be changed. Patterns themselves never are.
func (s *selector) clone() *selector {
	c := *s
	c.commands = slices.Clone(s.commands)
	c.firstArgs = maps.Clone(s.firstArgs)
	c.keys = slices.Clone(s.keys)
	c.channels = slices.Clone(s.channels)
	return &c
}

// isAll reports whether the selector allows everything.
func (s *selector) isAll() bool { return s.allCommands && s.allKeys && s.allChannels }

// line is a command that is being checked, and its keys.
type line struct {
	meta *command.Meta
	argv [][]byte
	keys []command.KeyAt
}

// newLine finds the keys among the words, for which there is place in few. A
// command whose count of keys is wrong has none: it answers with an error and
// touches nothing.
func newLine(meta *command.Meta, argv [][]byte, few []command.KeyAt) line {
	keys, ok := meta.AppendKeys(few, argv)
	if !ok {
		keys = nil
	}
	return line{meta, argv, keys}
}

// check is what the selector refuses the command for, and at which word.
func (s *selector) check(l line) (why Reason, at int) {
	if !s.runs(l.meta, l.argv) {
		return DeniedCommand, 0
	}
	if !s.allKeys {
		for _, k := range l.keys {
			if k.Pos < len(l.argv) && k.Flags&command.NotKey == 0 && !s.reaches(l.argv[k.Pos], accessOf(k.Flags)) {
				return DeniedKey, k.Pos
			}
		}
	}
	if !s.allChannels {
		if at := s.deafAt(l.meta.Channels, l.argv); at > 0 {
			return DeniedChannel, at
		}
	}
	return None, 0
}

// runs reports whether the command is allowed, whatever it names.
func (s *selector) runs(meta *command.Meta, argv [][]byte) bool {
	if s.allCommands || meta.Flags.Has(command.NoAuth) || s.commands.has(meta.ID()) {
		return true
	}
	at := meta.Words()
	if len(argv) <= at {
		return false
	}
	for _, arg := range s.firstArgs[meta.ID()] {
		if command.EqualFold(argv[at], arg.capitals) {
			return true
		}
	}
	return false
}

// reaches reports whether a key may be used like that.
func (s *selector) reaches(key []byte, need Access) bool {
	if s.allKeys {
		return true
	}
	for i := range s.keys {
		if k := &s.keys[i]; k.access&need == need && command.Match(k.pattern, key) {
			return true
		}
	}
	return false
}

// readsAll reports whether every key may be read.
func (s *selector) readsAll() bool {
	return s.allKeys || slices.ContainsFunc(s.keys, func(k keyPattern) bool { return k.access&Read != 0 && string(k.pattern) == "*" })
}

// deafAt is the place of the first channel among the words that is not allowed,
// 0 if there is none.
func (s *selector) deafAt(channels command.Channels, argv [][]byte) (at int) {
	end := len(argv)
	switch channels {
	case command.NoChannels:
		return 0
	case command.OneChannel:
		end = min(end, 2)
	}
	for at := 1; at < end; at++ {
		if !s.hears(argv[at], channels == command.ChannelPatterns) {
			return at
		}
	}
	return 0
}

// hears reports whether a channel is allowed. A pattern to subscribe to must be
// one of those of the rules itself: whether one allows less than another is not
// looked into.
func (s *selector) hears(name []byte, isPattern bool) bool {
	if s.allChannels {
		return true
	}
	for _, pattern := range s.channels {
		if isPattern && string(pattern) == string(name) || !isPattern && command.Match(pattern, name) {
			return true
		}
	}
	return false
}
