package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

const generalHelp = `troupe cli
To get help about the commands of the server type:
      "help @<group>" to get a list of commands in <group>
      "help <command>" for help on <command>
      "help <tab>" to get a list of possible help topics
Beside the server's commands there are:
      "NAME.WATCH args" and "OBSERVE NAME args" keep a result up to date until Ctrl-C
      "<number> <command>" to run a command more than once
      "connect <host> <port>" to speak to another server
      "clear" to clear the screen
      "quit" to leave
`

// help explains commands in the server's own words.
func (t *talk) help(ctx context.Context, about []string) error {
	if len(about) == 0 {
		t.emit([]byte(generalHelp))
		return nil
	}
	if err := t.client.open(ctx); err != nil {
		return err
	}
	t.learnCommands(ctx, true)
	var text []byte
	if group, isGroup := strings.CutPrefix(about[0], "@"); isGroup {
		text = t.shelf.book().appendGroup(text, group)
	} else {
		text = t.shelf.book().appendMatching(text, about)
	}
	if len(text) == 0 {
		t.sayf("The server tells nothing about %s", strings.Join(about, " "))
		return nil
	}
	t.emit(append(text, '\n'))
	return nil
}

func (b *book) appendGroup(dst []byte, group string) []byte {
	for _, name := range b.names {
		if e := b.entries[name]; strings.EqualFold(e.group, group) {
			dst = e.append(dst)
		}
	}
	return dst
}

// appendMatching adds the command of that name, or all that begin with the words.
func (b *book) appendMatching(dst []byte, words []string) []byte {
	wanted := strings.ToUpper(strings.Join(words, " "))
	if e := b.entries[wanted]; e != nil {
		dst = e.append(dst)
	}
	at, _ := slices.BinarySearch(b.names, wanted+" ")
	for ; at < len(b.names) && strings.HasPrefix(b.names[at], wanted+" "); at++ {
		dst = b.entries[b.names[at]].append(dst)
	}
	return dst
}

func (e *entry) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "\n  %s\n  summary: %s\n  since: %s\n", strings.TrimSpace(e.name+" "+syntax(e.args)), e.summary, e.since)
	if e.complexity != "" {
		dst = fmt.Appendf(dst, "  complexity: %s\n", e.complexity)
	}
	return fmt.Appendf(dst, "  group: %s\n", e.group)
}
