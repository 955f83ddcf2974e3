package acl

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp/command"
)

// Commands is every command that rules may name. It is never changed, and does
// not follow rename-command: rules name commands as they were made.
type Commands struct {
	all        []*entry // by number
	byName     map[string]*entry
	categories []set // in the order of command.Categories
}

// entry is a command as rules see it.
type entry struct {
	*command.Meta
	name string // as shown: "config|get"
	subs []*entry
	sub  bool
}

// NewCommands makes the table of commands whose numbers are their places.
func NewCommands(metas []*command.Meta) *Commands {
	c := &Commands{byName: map[string]*entry{}, categories: make([]set, len(command.Categories))}
	for i := range c.categories {
		c.categories[i] = newSet(len(metas))
	}
	for number, meta := range metas {
		e := &entry{Meta: meta, name: meta.Lower(), sub: meta.Words() > 1}
		c.all = append(c.all, e)
		c.byName[e.name] = e
		for _, category := range meta.ACL() {
			c.categories[slices.Index(command.Categories, category)].put(number, true)
		}
	}
	for _, e := range c.all {
		if container, _, isSub := strings.Cut(e.name, "|"); isSub {
			parent := c.byName[container]
			parent.subs = append(parent.subs, e)
		}
	}
	return c
}

// find is the command of that name in any case, or nil.
func (c *Commands) find(name string) *entry { return c.byName[strings.ToLower(name)] }

// category is the set of a category's commands, by its name in any case.
func (c *Commands) category(name string) (of set, ok bool) {
	i := slices.Index(command.Categories, strings.ToLower(name))
	if i < 0 {
		return nil, false
	}
	return c.categories[i], true
}

// Category lists the names of a category's commands, in the order in which they
// were declared; ok is false if there is no such category.
func (c *Commands) Category(name string) (names []string, ok bool) {
	of, ok := c.category(name)
	for number, e := range c.all {
		if of.has(number) {
			names = append(names, e.name)
		}
	}
	return names, ok
}

// set is a set of commands, by their numbers.
type set []uint64

const wordBits = 64

func newSet(size int) set { return make(set, (size+wordBits-1)/wordBits) }

// has reports whether a number is in the set; none is that is out of its range.
func (s set) has(n int) bool {
	return n>>6 < len(s) && s[n>>6]&(1<<(n%wordBits)) != 0
}

func (s set) put(n int, in bool) {
	if in {
		s[n>>6] |= 1 << (n % wordBits)
	} else {
		s[n>>6] &^= 1 << (n % wordBits)
	}
}

// fill makes all numbers members, or none.
func (s set) fill(in bool) {
	for i := range s {
		s[i] = 0
		if in {
			s[i] = ^uint64(0)
		}
	}
}

// count is how many members of the set are in another, and how many are not.
func (s set) count(in set) (on, off int) {
	for i, word := range s {
		on += bits.OnesCount64(word & in[i])
		off += bits.OnesCount64(word &^ in[i])
	}
	return on, off
}
