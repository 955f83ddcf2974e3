package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp/command"
)

// User is a user at one moment. It is never changed.
type User struct {
	name      string
	enabled   bool
	noPass    bool // any password will do
	sanitize  sanitizing
	passwords []string    // SHA-256, in hexadecimal digits
	selectors []*selector // the first is the user's own
	mayAll    bool
}

// sanitizing is what a user's payloads of RESTORE are said to need. All are
// checked here; it is kept for who reads the rules.
type sanitizing uint8

const (
	sanitizeUnsaid sanitizing = iota
	sanitizeAlways
	sanitizeNever
)

// Name is the user's name.
func (u *User) Name() string { return u.name }

// Enabled reports whether the user may log in.
func (u *User) Enabled() bool { return u.enabled }

// Open reports whether no password is needed to be this user.
func (u *User) Open() bool { return u.enabled && u.noPass }

// NoPass reports whether any password is good.
func (u *User) NoPass() bool { return u.noPass }

// MayAll reports whether the user may do everything, so that nothing needs to be
// checked.
func (u *User) MayAll() bool { return u.mayAll }

// Check tells whether the user may run a command. Of what its selectors refuse
// it for, that which came closest to running is told.
func (u *User) Check(meta *command.Meta, argv [][]byte) Denial {
	if u.mayAll {
		return Denial{}
	}
	var few [8]command.KeyAt
	l := newLine(meta, argv, few[:0])
	told, at := DeniedCommand, 0
	for _, s := range u.selectors {
		why, where := s.check(l)
		switch {
		case why == None:
			return Denial{}
		case why > told || why == told && where > at:
			told, at = why, where
		}
	}
	d := Denial{Reason: told, Meta: meta}
	if at > 0 {
		d.Word = argv[at]
	}
	return d
}

// ReadsAll reports whether the user may run the command and read every key: what
// a command must be allowed that reaches keys which are not among its words.
func (u *User) ReadsAll(meta *command.Meta, argv [][]byte) bool {
	if u.mayAll {
		return true
	}
	l := newLine(meta, argv, nil)
	return slices.ContainsFunc(u.selectors, func(s *selector) bool {
		why, _ := s.check(l)
		return why == None && s.readsAll()
	})
}

// Hears reports whether the user may listen to a channel, or by a pattern.
func (u *User) Hears(name []byte, isPattern bool) bool {
	return slices.ContainsFunc(u.selectors, func(s *selector) bool { return s.hears(name, isPattern) })
}

// ReadsUnder reports whether the user may read every key that begins with prefix.
// Of patterns only those are looked at that say so plainly: a text and a *.
func (u *User) ReadsUnder(prefix string) bool {
	return slices.ContainsFunc(u.selectors, func(s *selector) bool {
		return s.allKeys || slices.ContainsFunc(s.keys, func(k keyPattern) bool {
			text, isOpen := strings.CutSuffix(string(k.pattern), "*")
			return k.access&Read != 0 && isOpen && !strings.ContainsAny(text, `*?[\`) && strings.HasPrefix(prefix, text)
		})
	})
}

// Accepts reports whether the user may log in with the password. How long it
// takes does not tell how much of the password is right.
func (u *User) Accepts(password []byte) bool {
	if !u.enabled || u.noPass {
		return u.enabled
	}
	given := []byte(hash(password))
	right := 0
	for _, one := range u.passwords {
		right |= subtle.ConstantTimeCompare(given, []byte(one))
	}
	return right == 1
}

// hash is how passwords are kept.
func hash(password []byte) string {
	sum := sha256.Sum256(password)
	return hex.EncodeToString(sum[:])
}
