package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/troupedb/troupe/session"
)

// manCmd prints the manual page, which says what --help does.
type manCmd struct{}

// Run prints it in the form of man(7).
func (*manCmd) Run(p process, parser *kong.Kong) error {
	nodes, err := subCommands(parser, p)
	if err != nil {
		return err
	}
	m := manual{out: p.out}
	m.line(".TH TROUPE 1 \"\" \"troupe %s\" \"User commands\"", session.Version)
	m.section("NAME")
	m.text("troupe - " + parser.Model.Help)
	m.section("SYNOPSIS")
	for _, node := range nodes {
		m.line(".B troupe\n%s\n.br", escape(strings.TrimPrefix(node.Summary(), "troupe ")))
	}
	m.section("DESCRIPTION")
	m.text(manDescription)
	m.section("COMMANDS")
	var server *kong.Node
	for _, node := range nodes {
		if node.Name == "server" {
			server = node
			continue
		}
		m.command(node)
	}
	m.section("SETTINGS OF THE SERVER")
	m.text("They stand as flags behind troupe or troupe server, as lines without the dashes in a file that is named first (troupe FILE), and as environment variables: troupe settings lists these, with what is set when nothing is said.")
	m.grouped(server)
	for _, part := range manEnd {
		m.section(part.name)
		m.text(part.text)
	}
	return m.err
}

const manDescription = "Serves strings, lists, sets, hashes, sorted sets and streams to every client of Redis and DiceDB, from memory, and keeps them in a journal. Any command that only reads can be watched: its result is pushed whenever it becomes another."

var manEnd = []struct{ name, text string }{
	{"FILES", "$XDG_STATE_HOME/troupe-data, or ~/.local/state/troupe-data, is the data directory where --dir names none; /var/lib/troupe is that of the service."},
	{"EXIT STATUS", "0 after an orderly end, 1 after a failure, 2 when a tool is asked for what it can't do, 70 when a mistake of the program has ended it, 130 when a second interrupt has."},
	{"SIGNALS", "TERM and INT end the server when all is written; HUP has it read certificates, the file of users and the level of the log anew."},
	{"SEE ALSO", "redis-cli(1), redis-server(1), systemctl(1)"},
}

// manual writes a page.
type manual struct {
	out io.Writer
	err error
}

func (m *manual) line(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.out, format+"\n", args...)
	}
}

func (m *manual) section(name string) { m.line(".SH %s", name) }

func (m *manual) text(text string) { m.line("%s", escape(text)) }

// command tells a sub-command.
func (m *manual) command(node *kong.Node) {
	m.line(".SS %s", escape(strings.TrimSuffix(node.Summary(), " [flags]")))
	m.text(node.Help)
	if node.Detail != "" {
		m.line(".PP")
		m.text(node.Detail)
	}
	for _, flag := range node.Flags {
		m.flag(flag)
	}
}

// grouped tells the flags by their groups.
func (m *manual) grouped(node *kong.Node) {
	group := ""
	for _, flag := range node.Flags {
		if flag.Hidden {
			continue
		}
		if flag.Group != nil && flag.Group.Title != group {
			group = flag.Group.Title
			m.line(".SS %s", escape(group))
		}
		m.flag(flag)
	}
}

func (m *manual) flag(flag *kong.Flag) {
	if flag.Hidden || flag.Name == "help" {
		return
	}
	m.line(".TP\n.B %s", escape(flag.String()))
	m.text(flag.Help)
}

// escape keeps what roff would take for its own.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
