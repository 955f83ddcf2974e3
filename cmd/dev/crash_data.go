package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// datum is a value as the crash harness knows it: enough of every type to say
// exactly what commands make of it.
type datum struct {
	kind  string            // as TYPE tells it
	text  string            // of a string
	items []string          // of a list; of a stream: id, field, value, id, …
	pairs map[string]string // of a hash; of a sorted set, by member; of a set, to ""

	gone bool // it was not there any more when it was read

	// The deadline is one of these, Unix milliseconds; 0 for none. They differ when
	// the server's clock has decided.
	deadline, latest int64
}

// String is the same for the same values. It leaves out the deadline.
func (c *datum) String() string {
	var b strings.Builder
	b.WriteString(c.kind + " ")
	b.WriteString(strconv.Quote(c.text))
	for _, item := range c.items {
		b.WriteString(" " + strconv.Quote(item))
	}
	for _, name := range slices.Sorted(maps.Keys(c.pairs)) {
		b.WriteString(" " + strconv.Quote(name) + "=" + strconv.Quote(c.pairs[name]))
	}
	return b.String()
}

func (c *datum) clone() *datum {
	own := *c
	own.items, own.pairs = slices.Clone(c.items), maps.Clone(c.pairs)
	return &own
}

// isEmpty reports whether a collection has lost its last element, and so its key.
func (c *datum) isEmpty() bool {
	switch c.kind {
	case "list":
		return len(c.items) == 0
	case "hash", "set", "zset":
		return len(c.pairs) == 0
	}
	return false
}

// like reports whether found, nil for none, is what c, nil for none, may have
// become by a time at which it was read.
func (c *datum) like(found *datum, now int64) bool {
	switch {
	case c == nil:
		return found == nil
	case found == nil:
		return c.deadline > 0 && c.deadline <= now
	case found.deadline < c.deadline || found.deadline > max(c.deadline, c.latest):
		return false
	}
	return c.String() == found.String()
}

// dataset is all values of one owner, by database and key: "3/key".
type dataset map[string]*datum

func (s dataset) clone() dataset {
	own := make(dataset, len(s))
	for name, c := range s {
		own[name] = c.clone()
	}
	return own
}

// differ gives the names of all that is not as it was found, at most so many.
func (s dataset) differ(found dataset, now int64, most int) (names []string) {
	all := maps.Clone(s)
	maps.Copy(all, found)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !s[name].like(found[name], now) && len(names) < most {
			names = append(names, name)
		}
	}
	return names
}

// show is a cell for a message.
func (c *datum) show() string {
	if c == nil {
		return "nothing"
	}
	text := c.String()
	if c.deadline > 0 {
		text += " until " + strconv.FormatInt(c.deadline, 10)
	}
	return text
}
