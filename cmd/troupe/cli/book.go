package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// shelf holds the book in use. The editor's goroutine reads it while another may
// put a new one there.
type shelf struct{ atomic.Pointer[book] }

func (s *shelf) book() *book {
	if b := s.Load(); b != nil {
		return b
	}
	return &book{}
}

// Do completes a line: see book.
func (s *shelf) Do(line []rune, at int) (endings [][]rune, shared int) {
	return s.book().complete(line, at)
}

func (s *shelf) hint(line string) string { return s.book().hint(line) }

// book is what the server tells of its commands: what is completed and hinted at.
// It does not change once it is read. The zero book knows nothing.
type book struct {
	entries map[string]*entry // by name in capitals, a subcommand's "CLIENT LIST"
	names   []string          // in order
}

// entry is a command.
type entry struct {
	name, summary, since, group, complexity string
	args                                    []argument
	container                               bool
}

// argument is one of a command's, as COMMAND DOCS tells it.
type argument struct {
	name, kind, token               string
	optional, multiple, repeatToken bool
	parts                           []argument
}

func (b *book) isEmpty() bool { return len(b.names) == 0 }

// readBook asks the server. One that tells nothing (its version may be old, its
// user may not ask) has at least names, or the book stays empty.
func readBook(ctx context.Context, c *client) *book {
	b := &book{entries: map[string]*entry{}}
	docs, err := c.ask(ctx, "COMMAND", "DOCS")
	if err != nil {
		return b
	}
	if docs.IsError() {
		b.readNames(ctx, c)
	}
	b.addAll(docs)
	b.sort()
	return b
}

func (b *book) sort() {
	b.names = slices.Sorted(maps.Keys(b.entries))
}

// readNames takes the names that COMMAND tells, in any version of Redis.
func (b *book) readNames(ctx context.Context, c *client) {
	table, err := c.ask(ctx, "COMMAND")
	if err != nil {
		return
	}
	for _, row := range table.Items() {
		if items := row.Items(); len(items) > 0 {
			name := strings.ToUpper(items[0].Str())
			b.entries[name] = &entry{name: name}
		}
	}
}

// addAll adds commands from a map by name, and their subcommands.
func (b *book) addAll(docs resp.Reply) {
	items := docs.Items()
	if docs.IsError() {
		return
	}
	for i := 0; i+1 < len(items); i += 2 {
		about := fields(items[i+1])
		name := strings.ToUpper(strings.ReplaceAll(items[i].Str(), "|", " "))
		subs, container := about["subcommands"]
		b.entries[name] = &entry{
			name: name, summary: about["summary"].Str(), since: about["since"].Str(), group: about["group"].Str(),
			complexity: about["complexity"].Str(), args: argumentsOf(about["arguments"]), container: container,
		}
		b.addAll(subs)
	}
}

func argumentsOf(list resp.Reply) (all []argument) {
	for _, item := range list.Items() {
		about := fields(item)
		a := argument{name: about["display_text"].Str(), kind: about["type"].Str(), token: about["token"].Str(), parts: argumentsOf(about["arguments"])}
		if a.name == "" {
			a.name = about["name"].Str()
		}
		for _, flag := range about["flags"].Items() {
			switch flag.Str() {
			case "optional":
				a.optional = true
			case "multiple":
				a.multiple = true
			case "multiple_token":
				a.repeatToken = true
			}
		}
		all = append(all, a)
	}
	return all
}

// find is the command that words begin with, and how many of them are its name.
func (b *book) find(words []string) (_ *entry, used int) {
	for used = min(2, len(words)); used > 0; used-- {
		if found := b.entries[strings.ToUpper(strings.Join(words[:used], " "))]; found != nil {
			return found, used
		}
	}
	return nil, 0
}

// complete completes the name of a command, or of a subcommand, in the case in which it
// was begun.
func (b *book) complete(line []rune, at int) (endings [][]rune, shared int) {
	begun := strings.TrimLeft(string(line[:at]), " ")
	helps := ""
	if rest, asks := cutFold(begun, "help "); asks {
		helps, begun = begun[:len(begun)-len(rest)], rest
	}
	wanted := strings.ToUpper(begun)
	for _, name := range b.names {
		rest, fits := strings.CutPrefix(name, wanted)
		// A subcommand is offered once its container is written out.
		if !fits || strings.Contains(rest, " ") {
			continue
		}
		if begun != wanted || begun == "" && helps != "" && helps != strings.ToUpper(helps) {
			rest = strings.ToLower(rest)
		}
		endings = append(endings, []rune(rest+" "))
	}
	return endings, len([]rune(begun)) - strings.LastIndex(begun, " ") - 1
}

// cutFold is CutPrefix in whatever case.
func cutFold(s, prefix string) (rest string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// hint is what may follow a line.
func (b *book) hint(line string) string {
	words, ok := splitLine(line)
	if !ok || len(words) == 0 {
		return ""
	}
	found, used := b.find(words)
	if found == nil {
		return ""
	}
	text := syntax(left(found.args, words[used:]))
	if found.container && used == 1 {
		text = "subcommand"
	}
	if text != "" && !strings.HasSuffix(line, " ") { // the last word may go on
		text = " " + text
	}
	return text
}

// left are the arguments that may still come behind some words. What takes any
// number of words, or none, goes on being shown; an option whose token was
// written does not.
func left(args []argument, given []string) []argument {
	at := 0
	for at < len(args) && len(given) > 0 {
		a := args[at]
		if a.optional || a.multiple || a.token != "" || len(a.parts) > 0 {
			break
		}
		at, given = at+1, given[1:]
	}
	return slices.DeleteFunc(slices.Clone(args[at:]), func(a argument) bool {
		return a.optional && !a.repeatToken && a.isAmong(given)
	})
}

// isAmong reports whether words hold the token of an argument, or of a choice.
func (a argument) isAmong(words []string) bool {
	if a.token != "" {
		return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, a.token) })
	}
	return a.kind == "oneof" && slices.ContainsFunc(a.parts, func(part argument) bool { return part.isAmong(words) })
}

// syntax writes arguments as redis.io does.
func syntax(args []argument) string {
	var words []string
	for _, a := range args {
		words = append(words, a.String())
	}
	return strings.Join(words, " ")
}

func (a argument) String() string {
	text := a.name
	switch a.kind {
	case "pure-token":
		text = ""
	case "oneof":
		var choices []string
		for _, part := range a.parts {
			choices = append(choices, part.String())
		}
		text = strings.Join(choices, "|")
	case "block":
		text = syntax(a.parts)
	}
	more := text
	if a.token != "" {
		text = strings.TrimSpace(a.token + " " + text)
		if a.repeatToken {
			more = text
		}
	}
	if a.multiple {
		text += " [" + more + " ...]"
	}
	if a.optional {
		text = "[" + text + "]"
	}
	return text
}
