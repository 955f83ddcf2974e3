package session

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// helpWidth is where HELP breaks the lines of its sentences.
const helpWidth = 76

// addHelp gives a container the subcommand HELP. One that declares its own keeps
// that.
func (c *Catalogue) addHelp(container *Command) {
	if container.Subs["HELP"] != nil {
		return
	}
	var one command.Table[*Session]
	name := container.Name
	spec := one.Add(command.Spec[*Session]{
		Meta: command.Meta{
			Name: name + "|HELP", Arity: 2, Complexity: "O(1)",
			Summary: "Lists the subcommands.",
			Group:   container.Group, Since: container.Since, Categories: container.Categories,
			Flags: container.Flags&^command.SubCommands | command.Loading | command.Stale,
			Examples: "> " + name + " HELP\n*\n" +
				"> " + name + " HELP me\n-ERR wrong number of arguments for '" + container.Lower() + "|help' command\n",
		},
		Run: func(*Session, *command.Args) resp.Reply { return c.help(container) },
	})
	row := &Command{Meta: &spec.Meta, Here: spec.Run, Guard: container.Guard}
	c.add(row)
	container.Subs["HELP"] = row
}

// help is the answer to a container's HELP, in the lines that Redis makes: each
// subcommand with its arguments, and what it does.
func (c *Catalogue) help(row *Command) resp.Reply {
	lines := []resp.Reply{resp.Simple(row.Name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")}
	if row.Here != nil || row.Data != nil {
		lines = appendHelp(lines, "(no subcommand)", row.Meta)
	}
	for _, sub := range row.Subcommands() {
		if _, name := sub.Container(); name != "HELP" {
			lines = appendHelp(lines, strings.TrimSpace(name+" "+sub.Syntax), sub.Meta)
		}
	}
	return resp.Array(appendHelp(lines, "HELP", row.Subs["HELP"].Meta)...)
}

func appendHelp(lines []resp.Reply, usage string, of *command.Meta) []resp.Reply {
	lines = append(lines, resp.Simple(usage))
	line := ""
	for _, word := range strings.Fields(of.Summary) {
		if line != "" && len(line)+1+len(word) > helpWidth {
			lines = append(lines, resp.Simple("    "+line))
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, resp.Simple("    "+line))
}
