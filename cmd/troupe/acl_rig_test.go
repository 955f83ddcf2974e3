package main

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// The random tests of rights: users with random rules, and lines of random words
// over every command.

// The names that random lines use. Each key says by its name what it holds.
var (
	aclKeys     = []string{"str1", "str2", "num1", "list1", "list2", "hash1", "set1", "set2", "zset1", "geo1", "stream1", "hll1", "none1", "none2", "w_1"}
	aclPatterns = []string{"*", "str*", "*1", "list?", "set*", "num1", "hash1", "z*", "stream1", "none*", "geo1", "str2", "w_*"}
	aclChannels = []string{"news", "sport", "newer"}
	aclHeard    = []string{"*", "new*", "news", "spor?", "x"}
	aclWords    = []string{"0", "1", "2", "-1", "10", "m", "a", "b", "*", "+", "-", "$", ">", "0-0", "", "#", "(1", "[a", "u8", "str*", "w_*", "0.01"}
)

// groupKeys are the keys that commands of a group find something in.
var groupKeys = map[string][]string{
	"string": {"str1", "str2", "num1"}, "list": {"list1", "list2"}, "hash": {"hash1"}, "set": {"set1", "set2"},
	"sorted-set": {"zset1"}, "geo": {"geo1"}, "stream": {"stream1"}, "hyperloglog": {"hll1"}, "bitmap": {"str1", "str2"},
	"pubsub": {"news", "sport", "new*"}, "scripting": {"str1", "num1"},
}

// lineMaker makes lines of a set of commands. Those that are often used are
// those about channels, and those that do more than touch what they name.
type lineMaker struct {
	rng  *rand.Rand
	rows []*session.Command
	main []*session.Command // those that are often used
}

// often notes a command that is often to be used.
func (m *lineMaker) often(row *session.Command) {
	if row.Channels != command.NoChannels || row.Reaches != nil || row.NextKey != nil {
		m.main = append(m.main, row)
	}
}

func (m *lineMaker) pick(from []string) string { return from[m.rng.IntN(len(from))] }

// keywords are the words in capitals of a syntax.
var keywords = regexp.MustCompile(`[A-Z][A-Z0-9]+`)

// line is a call of a random command: nearly always of enough words, which are
// keys, numbers, keywords of that command, and whatever else.
func (m *lineMaker) line() (*session.Command, []string) {
	row := m.rows[m.rng.IntN(len(m.rows))]
	if len(m.main) > 0 && m.rng.IntN(5) == 0 {
		row = m.main[m.rng.IntN(len(m.main))]
	}
	keys := groupKeys[row.Group]
	if keys == nil {
		keys = aclKeys
	}
	line := strings.Split(row.Name, "|")
	least := row.Arity
	if least < 0 {
		least = -least + m.rng.IntN(4)
	}
	options := keywords.FindAllString(row.Syntax, -1)
	for len(line) < least {
		switch n := m.rng.IntN(10); {
		case n < 4:
			line = append(line, m.pick(keys))
		case n < 5:
			line = append(line, m.pick(aclKeys))
		case n < 6:
			line = append(line, m.pick(aclChannels))
		case n < 8 && len(options) > 0:
			line = append(line, m.pick(options))
		default:
			line = append(line, m.pick(aclWords))
		}
	}
	m.shape(row, line)
	if strings.HasPrefix(row.Name, "SORT") && m.rng.IntN(2) == 0 {
		line = []string{row.Name, m.pick([]string{"list1", "set1"}), m.pick([]string{"BY", "GET"}), "w_*"}
	}
	return row, line
}

// shape makes counts of keys right, mostly, and gives scripts something to run.
func (m *lineMaker) shape(row *session.Command, line []string) {
	for i := range row.Keys {
		at := row.Keys[i].First
		if row.Keys[i].Counted && at < len(line) && m.rng.IntN(4) > 0 {
			line[at] = strconv.Itoa(m.rng.IntN(len(line) - at))
		}
	}
	if row.Name == "EVAL" || row.Name == "EVAL_RO" {
		line[1] = "return redis.call('GET', KEYS[1] or ARGV[1] or 'str1')"
	}
}

// rules are a random user's, for commands of those names.
func (m *lineMaker) rules(names []string) (rules []string) {
	rules = []string{"reset", "on", "nopass"}
	rules = append(rules, m.rights(names)...)
	for m.rng.IntN(3) == 0 {
		rules = append(rules, "("+strings.Join(m.rights(names), " ")+")")
	}
	return rules
}

// rights are the rules of one selector. Patterns that let everything through are
// rare.
func (m *lineMaker) rights(names []string) (rules []string) {
	for range 1 + m.rng.IntN(3) {
		rules = append(rules, m.pick([]string{"~", "~", "%R~", "%W~"})+m.pick(aclPatterns[m.rng.IntN(4)/3:]))
	}
	for range m.rng.IntN(3) {
		rules = append(rules, "&"+m.pick(aclHeard[1:]))
	}
	if m.rng.IntN(3) > 0 {
		rules = append(rules, "+@all")
	}
	for range m.rng.IntN(5) {
		categories := []string{"@read", "@write", "@string", "@list", "@fast", "@slow", "@dangerous", "@keyspace", "@pubsub", "@scripting", "@admin"}
		switch m.rng.IntN(6) {
		case 0, 1:
			rules = append(rules, m.pick([]string{"+", "-"})+m.pick(categories))
		case 2:
			rules = append(rules, "+select|0", "+get|str1")
		default:
			rules = append(rules, m.pick([]string{"+", "+", "-"})+m.pick(names))
		}
	}
	return slices.DeleteFunc(rules, func(rule string) bool { return rule == "~*" || rule == "&*" })
}
