package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/session"
)

// commandsCmd writes the README's table of commands, which stands between two marks, from what the commands
// say of themselves.
type commandsCmd struct{}

// The marks around the table.
const (
	tableBegins = "<!-- commands -->\n"
	tableEnds   = "<!-- end of commands -->"
)

// Run writes README.md.
func (*commandsCmd) Run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	path := filepath.Join(root, "README.md")
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := withTable(string(before))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(after), 0o644)
}

// withTable puts the table between its marks; the rest of the text stays as it is.
func withTable(readme string) (string, error) {
	before, rest, found := strings.Cut(readme, tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !found || !ends {
		return "", fmt.Errorf("README.md has no %s … %s", strings.TrimSpace(tableBegins), tableEnds)
	}
	c, err := catalogue()
	if err != nil {
		return "", err
	}
	return before + tableBegins + commandTable(c) + tableEnds + after, nil
}

// catalogue is that of a server which is never started.
func catalogue() (c *session.Catalogue, err error) {
	loaded, err := config.Load(config.Sources{})
	if err != nil {
		return nil, err
	}
	options := loaded.Options(hclog.NewNullLogger())
	admin.New(loaded).Join(&options)
	options.Binds, options.Unix = nil, ""
	system, err := actors.Start(options)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	return system.Server.Catalogue, nil
}

// firstGroups are those that the table begins with; the others follow by name.
var firstGroups = []string{"string", "hash", "generic", "transactions"}

// commandTable is a row a command, by group.
func commandTable(c *session.Catalogue) string {
	rows := map[string][]*session.Command{}
	for _, row := range c.List() {
		if isShown(row) {
			rows[row.Group] = append(rows[row.Group], row)
		}
	}
	var b strings.Builder
	b.WriteString("| command | what it does |\n| --- | --- |\n")
	for _, group := range slices.SortedFunc(maps.Keys(rows), compareGroups) {
		fmt.Fprintf(&b, "| **%s** | |\n", group)
		slices.SortFunc(rows[group], func(x, y *session.Command) int { return strings.Compare(x.Name, y.Name) })
		for _, row := range rows[group] {
			fmt.Fprintf(&b, "| `%s`%s | %s |\n", cell(usage(row)), liveMark(row), cell(row.Summary))
		}
	}
	return b.String()
}

// isShown leaves out containers, which do nothing by themselves, their HELP, live forms, which have a mark,
// and the commands about clusters, which say that there is none.
func isShown(row *session.Command) bool {
	_, sub := row.Container()
	return row.Watches == nil && (row.Here != nil || row.Data != nil) && sub != "HELP" && row.Group != "cluster"
}

func compareGroups(a, b string) int {
	place := func(group string) int { return slices.Index(append(slices.Clone(firstGroups), group), group) }
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

func usage(row *session.Command) string {
	return strings.TrimSpace(strings.ReplaceAll(row.Name, "|", " ") + " " + row.Syntax)
}

// liveMark tells the commands that can be watched.
func liveMark(row *session.Command) string {
	if row.Watchable() {
		return " ●"
	}
	return ""
}

// cell is text for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
