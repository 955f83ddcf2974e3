package admin_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
	"github.com/troupedb/troupe/session"
)

// What commands say of themselves is compared with what a real redis-server
// says of its own. What is otherwise on purpose is listed with the reason; a
// difference that is not listed fails, and so does one that has gone.

// described is COMMAND INFO of one command, less what has no order.
type described struct {
	arity, first, last, step int64
	flags, categories        []string
	keys                     string
	subs                     []string
}

// describeAll asks a server for all its commands, subcommands included.
func describeAll(l *link) map[string]described {
	l.tb.Helper()
	all := map[string]described{}
	var read func(items []resp.Reply)
	read = func(items []resp.Reply) {
		for _, item := range items {
			parts := item.Items()
			d := described{
				arity: parts[1].Int(), first: parts[3].Int(), last: parts[4].Int(), step: parts[5].Int(),
				flags: sorted(parts[2]), categories: sorted(parts[6]), keys: keysOf(parts[8]),
			}
			for _, sub := range parts[9].Items() {
				d.subs = append(d.subs, sub.Items()[0].Str())
			}
			slices.Sort(d.subs)
			all[parts[0].Str()] = d
			read(parts[9].Items())
		}
	}
	read(l.ask("COMMAND").Items())
	return all
}

func sorted(list resp.Reply) (words []string) {
	for _, item := range list.Items() {
		words = append(words, item.Str())
	}
	slices.Sort(words)
	return words
}

// keysOf writes key specifications down, without Redis's notes on them.
func keysOf(list resp.Reply) string {
	var specs []string
	for _, spec := range list.Items() {
		parts := spec.Items()
		var text []string
		for i := 0; i+1 < len(parts); i += 2 {
			if parts[i].Str() == "notes" {
				continue
			}
			value := resp.Format(parts[i+1])
			if parts[i].Str() == "flags" {
				value = strings.Join(sorted(parts[i+1]), " ")
			}
			text = append(text, parts[i].Str()+" "+value)
		}
		specs = append(specs, strings.Join(text, ", "))
	}
	return strings.Join(specs, "; ")
}

// ownCommands are those that redis-server 7.0 has not, and why we have them.
func ownCommand(name string) string {
	container, _, _ := strings.Cut(name, "|")
	switch {
	case strings.HasSuffix(container, strings.ToLower(session.WatchSuffix)), container == "observe", container == "unobserve", container == "watches":
		return "live queries"
	case container == "debug" && name != "debug":
		return "Redis does not declare the subcommands of DEBUG"
	}
	return map[string]string{
		"delifeq": "conditional deletion", "actors": "the actors", "keyrange": "keys in order", "client|setinfo": "of Redis 7.2", "waitaof": "of Redis 7.2", "client|no-touch": "of Redis 7.2", "cluster|myshardid": "of Redis 7.2",
		"hexpire": fieldsEnd, "hpexpire": fieldsEnd, "hexpireat": fieldsEnd, "hpexpireat": fieldsEnd, "hexpiretime": fieldsEnd, "hpexpiretime": fieldsEnd,
		"httl": fieldsEnd, "hpttl": fieldsEnd, "hpersist": fieldsEnd, "hgetdel": fieldsEnd, "hgetex": fieldsEnd, "hsetex": fieldsEnd,
	}[name]
}

const fieldsEnd = "fields that end are of Redis 7.4 and later"

// oddCommands are the differences in COMMAND INFO, by command and field.
var oddCommands = map[string]string{
	"unwatch arity": "with a fingerprint it ends a live query",
	"zrank arity":   scoreReason, "zrevrank arity": scoreReason,
	"migrate flags": "in a transaction it could not wait", "restore-asking flags": "only a node of a cluster would have to ask",
}

const scoreReason = "WITHSCORE is of Redis 7.2"

// oddReason is why a field of a command is otherwise, "" for no reason.
func oddReason(name, field, got, want string) string {
	if field == "flags" && strings.ReplaceAll(want, " no_async_loading", "") == got {
		return "nothing is loaded while serving, which this flag is about"
	}
	return oddCommands[name+" "+field]
}

func TestCommandInfo(t *testing.T) {
	t.Parallel()
	theirs := describeAll(newLink(t, redistest.Start(t).Dial()))
	ours := describeAll(dial(t, start(t)))
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		want, common := theirs[name]
		if !common {
			if ownCommand(name) == "" {
				t.Errorf("redis-server has no %s", name)
			}
			continue
		}
		got := ours[name]
		f := func(field string, got, want any) {
			g, w := fmt.Sprint(got), fmt.Sprint(want)
			if g == w {
				return
			}
			if seen[name+" "+field] = true; oddReason(name, field, g, w) == "" {
				t.Errorf("%s, %s: %s, want %s", name, field, g, w)
			}
		}
		f("arity", got.arity, want.arity)
		f("flags", got.flags, want.flags)
		f("categories", got.categories, want.categories)
		f("span", fmt.Sprint(got.first, got.last, got.step), fmt.Sprint(want.first, want.last, want.step))
		f("keys", got.keys, want.keys)
	}
	for place := range oddCommands {
		if !seen[place] {
			t.Errorf("listed as a difference, but redis-server says the same: %s", place)
		}
	}
}

// TestMistakes sends every common command with too few and too many words,
// and every container a subcommand that it has not.
func TestMistakes(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	theirs := newLink(t, redis.Dial())
	ours := dial(t, start(t))
	known := describeAll(theirs)
	f := func(words []string) {
		t.Helper()
		theirs.send(words...)
		ours.send(words...)
		want, got := resp.Format(theirs.receive()), resp.Format(ours.receive())
		if got != want {
			t.Errorf("%q is answered %s, want %s", words, got, want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(describeAll(ours))) {
		want, common := known[name]
		if !common {
			continue
		}
		words := strings.Split(name, "|")
		if want.subs != nil {
			f(append(words, "nonsense"))
		}
		least := int(max(want.arity, -want.arity))
		if least > len(words) {
			f(pad(words, least-1))
		}
		if want.arity > 0 && oddCommands[name+" arity"] == "" {
			f(pad(words, least+1))
		}
	}
}

func pad(words []string, n int) []string {
	padded := slices.Clone(words)
	for len(padded) < n {
		padded = append(padded, "1")
	}
	return padded
}

// TestGetKeys asks for the keys of every common command with some words that
// are numbers, so that counts of keys count.
func TestGetKeys(t *testing.T) {
	t.Parallel()
	theirs := newLink(t, redistest.Start(t).Dial())
	ours := dial(t, start(t))
	known := describeAll(theirs)
	for _, name := range slices.Sorted(maps.Keys(describeAll(ours))) {
		want, common := known[name]
		if !common || want.subs != nil {
			continue
		}
		for more := range 3 {
			least := int(max(want.arity, -want.arity))
			words := append([]string{"COMMAND", "GETKEYS"}, pad(strings.Split(name, "|"), least+more)...)
			theirs.send(words...)
			ours.send(words...)
			want, got := resp.Format(theirs.receive()), resp.Format(ours.receive())
			if got != want && oddKeys[name] == "" {
				t.Errorf("%q is answered %s, want %s", words, got, want)
			}
		}
	}
}

// oddKeys are the commands whose keys are told otherwise.
var oddKeys = map[string]string{"zrank": scoreReason, "zrevrank": scoreReason}

// TestHelp holds that every container's HELP lists its subcommands, and that
// they are Redis's.
func TestHelp(t *testing.T) {
	t.Parallel()
	theirs := describeAll(newLink(t, redistest.Start(t).Dial()))
	l := dial(t, start(t))
	ours := describeAll(l)
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if ours[name].subs == nil {
			continue
		}
		var lines []string
		for _, line := range l.ask(name + " HELP").Items() {
			lines = append(lines, line.Str())
		}
		if name == "cluster" {
			continue // refused, as Redis does
		}
		for _, sub := range ours[name].subs {
			_, word, _ := strings.Cut(strings.ToUpper(sub), "|")
			listed := func(line string) bool { return line == word || strings.HasPrefix(line, word+" ") }
			if !slices.ContainsFunc(lines, listed) {
				t.Errorf("%s HELP does not list %s:\n%s", name, word, strings.Join(lines, "\n"))
			}
		}
		for _, sub := range theirs[name].subs {
			if !slices.Contains(ours[name].subs, sub) {
				t.Errorf("redis-server has %s", sub)
			}
		}
	}
}
