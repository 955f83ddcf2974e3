package admin_test

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// COMMAND DOCS is made from each command's Syntax. These tests put it together
// again as redis-cli does for its hints, and compare that with the Syntax.

func TestDocsOfAllCommands(t *testing.T) {
	t.Parallel()
	system := start(t)
	l := dial(t, system)
	docs := map[string]resp.Reply{}
	var read func(pairs []resp.Reply)
	read = func(pairs []resp.Reply) {
		for i := 0; i+1 < len(pairs); i += 2 {
			docs[pairs[i].Str()] = pairs[i+1]
			read(field(pairs[i+1], "subcommands").Items())
		}
	}
	read(l.ask("COMMAND DOCS").Items())
	for _, row := range system.Server.Catalogue.List() {
		doc, ok := docs[row.Lower()]
		switch {
		case !ok:
			if container, sub := row.Container(); sub == "" || !strings.HasSuffix(container, session.WatchSuffix) {
				t.Errorf("%s is not described", row.Name)
			}
			continue
		case field(doc, "summary").Str() == "", field(doc, "since").Str() == "", field(doc, "complexity").Str() == "":
			t.Errorf("%s is described without summary, since or complexity: %s", row.Name, resp.Format(doc))
		}
		got := hintOf(field(doc, "arguments").Items(), " ")
		if want := asHint(row.Syntax); got != want && !strings.Contains(row.Syntax, "[...]") {
			t.Errorf("%s: the hint is\n%s, want\n%s", row.Name, got, want)
		}
	}
}

// asHint is a syntax as redis-cli would write it.
func asHint(syntax string) string {
	return strings.NewReplacer("<", "", ">", "", " | ", "|", `""`, "").Replace(syntax)
}

// field is the value of a field in a flat map, or nothing.
func field(m resp.Reply, name string) resp.Reply {
	items := m.Items()
	for i := 0; i+1 < len(items); i += 2 {
		if items[i].Str() == name {
			return items[i+1]
		}
	}
	return resp.Nothing
}

func hintOf(args []resp.Reply, between string) string {
	var parts []string
	for _, arg := range args {
		parts = append(parts, hintOfOne(arg))
	}
	return strings.Join(parts, between)
}

func hintOfOne(arg resp.Reply) string {
	var value string
	switch field(arg, "type").Str() {
	case "oneof":
		value = hintOf(field(arg, "arguments").Items(), "|")
	case "block":
		value = hintOf(field(arg, "arguments").Items(), " ")
	case "pure-token":
	case "key", "string", "integer", "double", "pattern", "unix-time":
		value = field(arg, "name").Str()
	default:
		return "unknown type " + field(arg, "type").Str()
	}
	token := field(arg, "token").Str()
	hint := strings.TrimSpace(token + " " + value)
	flags := resp.Format(field(arg, "flags"))
	if strings.Contains(flags, "+multiple_token") {
		value = hint
	}
	if strings.Contains(flags, "+multiple") {
		hint += " [" + value + " ...]"
	}
	if strings.Contains(flags, "+optional") {
		hint = "[" + hint + "]"
	}
	return hint
}
