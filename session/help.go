package session

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// helpWidth is where HELP breaks the lines of its sentences.
const helpWidth = 76

// Help is the answer to a container's HELP, in the lines that Redis makes: each
// subcommand with its arguments, and what it does.
func (c *Catalogue) Help(container string) resp.Reply {
	row := c.Named(container)
	if row == nil { // renamed away; its subcommands go on
		return resp.EmptyList
	}
	lines := []resp.Reply{resp.Simple(container + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")}
	if row.Here != nil || row.Data != nil {
		lines = appendHelp(lines, "(no subcommand)", row.Meta)
	}
	var help *Command
	for _, sub := range row.Subcommands() {
		_, name := sub.Container()
		if name == "HELP" {
			help = sub
			continue
		}
		lines = appendHelp(lines, strings.TrimSpace(name+" "+sub.Syntax), sub.Meta)
	}
	if help != nil {
		lines = appendHelp(lines, "HELP", help.Meta)
	}
	return resp.Array(lines...)
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
