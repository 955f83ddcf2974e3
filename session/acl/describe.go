package acl

import (
	"math"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp/command"
)

// Flags are the words about the user himself, as ACL GETUSER shows them.
func (u *User) Flags() []string {
	flags := []string{"off"}
	if u.enabled {
		flags[0] = "on"
	}
	if u.noPass {
		flags = append(flags, "nopass")
	}
	switch u.sanitize {
	case sanitizeNever:
		flags = append(flags, "skip-sanitize-payload")
	case sanitizeAlways:
		flags = append(flags, "sanitize-payload")
	}
	return flags
}

// Passwords are the hashes of the user's passwords.
func (u *User) Passwords() []string { return slices.Clone(u.passwords) }

// Rights are those of a selector, in the form of rules.
type Rights struct{ Commands, Keys, Channels string }

// Rights are those of the user's selectors, the first being his own.
func (us *Users) Rights(u *User) (all []Rights) {
	for _, s := range u.selectors {
		all = append(all, Rights{us.Commands.describe(s), s.keyRules(), s.channelRules()})
	}
	return all
}

// Describe is the user in the form of the rules that make him: "on ~* +@all".
func (us *Users) Describe(u *User) string {
	words := u.Flags()
	for _, digits := range u.passwords {
		words = append(words, "#"+digits)
	}
	for i, s := range u.selectors {
		rules := us.describe(s)
		if i > 0 {
			rules = "(" + rules + ")"
		}
		words = append(words, rules)
	}
	return strings.Join(words, " ")
}

func (us *Users) describe(s *selector) string {
	var words []string
	if keys := s.keyRules(); keys != "" {
		words = append(words, keys)
	}
	if !s.allChannels {
		words = append(words, "resetchannels")
	}
	if channels := s.channelRules(); channels != "" {
		words = append(words, channels)
	}
	return strings.Join(append(words, us.Commands.describe(s)), " ")
}

func (s *selector) keyRules() string {
	if s.allKeys {
		return "~*"
	}
	var rules []string
	for _, k := range s.keys {
		mark := map[Access]string{readWrite: "~", Read: "%R~", Write: "%W~"}[k.access]
		rules = append(rules, mark+string(k.pattern))
	}
	return strings.Join(rules, " ")
}

func (s *selector) channelRules() string {
	if s.allChannels {
		return "&*"
	}
	var rules []string
	for _, pattern := range s.channels {
		rules = append(rules, "&"+string(pattern))
	}
	return strings.Join(rules, " ")
}

// describe finds rules that make the selector's commands. As Redis does, it
// begins with all or none, takes the category that fits best as long as one fits
// better than not, and ends with what is left, command by command. like follows
// what the rules make so far, left what they have still to tell.
func (c *Commands) describe(s *selector) string {
	adding := !s.future
	rules := []string{"+@all"}
	if adding {
		rules[0] = "-@all"
	}
	like, left := &selector{commands: newSet(len(c.all))}, &selector{commands: slices.Clone(s.commands)}
	like.setAll(!adding)
	used := make([]bool, len(c.categories))
	for {
		best := c.bestCategory(left, adding, used)
		if best < 0 {
			break
		}
		used[best] = true
		like.changeCategory(c, c.categories[best], adding)
		left.changeCategory(c, c.categories[best], !adding)
		rules = append(rules, sign(adding)+"@"+command.Categories[best])
	}
	for _, e := range c.all {
		if !e.sub {
			rules = c.describeRest(rules, s, like, e)
		}
	}
	return strings.Join(rules, " ")
}

// bestCategory is the category which has the fewest commands that it should not
// change, of those which have more that it should; of equals that with more of
// these. It is -1 if there is none.
func (c *Commands) bestCategory(left *selector, adding bool, used []bool) (best int) {
	best = -1
	least, most := math.MaxInt, 0
	for i, of := range c.categories {
		same, different := of.count(left.commands)
		if !adding {
			same, different = different, same
		}
		if !used[i] && same > different && (different < least || different == least && same > most) {
			best, least, most = i, different, same
		}
	}
	return best
}

// describeRest adds the rules about a command, and then its subcommands, that
// make what is like the selector equal to it.
func (c *Commands) describeRest(rules []string, s, like *selector, e *entry) []string {
	allowed := s.commands.has(e.ID())
	if allowed != like.commands.has(e.ID()) {
		rules = append(rules, sign(allowed)+e.name)
		like.change(e, allowed)
	}
	for _, sub := range e.subs {
		rules = c.describeRest(rules, s, like, sub)
	}
	if !allowed {
		for _, arg := range s.firstArgs[e.ID()] {
			rules = append(rules, "+"+e.name+"|"+arg.given)
		}
	}
	return rules
}

func sign(allowed bool) string {
	if allowed {
		return "+"
	}
	return "-"
}
