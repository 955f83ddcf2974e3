package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
	"github.com/troupedb/troupe/resp/transcript"
)

// Every command that redis-server has is here, or testdata/missing.txt says
// why not; and every command here is used by some transcript.

// missing are the names, and the groups of names, that are said to be missing.
// In its file they stand before the reason, which is indented. A container
// stands for its subcommands.
//
//	group list
//	  Not in this release.
//	save bgsave
//	  Not in this release.
func missing(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "missing.txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	var before string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		isReason := strings.HasPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "#") || line == "" || isReason && before != "":
		case isReason || before != "":
			t.Errorf("missing.txt: names and reasons do not take turns at %q", line)
		case strings.HasPrefix(line, "group "):
			listed[line] = true
		default:
			for _, name := range strings.Fields(line) {
				listed[name] = true
			}
		}
		if before = line; isReason || strings.HasPrefix(line, "#") {
			before = ""
		}
	}
	return listed
}

func TestComplete(t *testing.T) {
	t.Parallel()
	redis := &client{tb: t, conn: redistest.Start(t).Dial()}
	ours := startServer(t, shape{shards: 1}).client()
	theirs, here := namesOf(t, redis), namesOf(t, ours)
	listed := missing(t)
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		group := "group " + theirs[name]
		container, _, _ := strings.Cut(name, "|")
		_, isHere := here[name]
		switch {
		case isHere && listed[name]:
			t.Errorf("missing.txt says that %s is missing, and it is here", name)
		case !isHere && !listed[name] && !listed[container] && !listed[group]:
			t.Errorf("%s of the group %s is not here, and missing.txt does not say why", name, theirs[name])
		case !isHere:
			used[name], used[group] = true, true
		}
	}
	for name := range listed {
		if !used[name] {
			t.Errorf("missing.txt lists %s, which redis-server does not have, or nothing of which is missing", name)
		}
	}
}

// namesOf are a server's commands and subcommands, with their groups. Those
// that only HELP tells of have the group of their container.
func namesOf(t *testing.T, c *client) map[string]string {
	t.Helper()
	if got := c.ask("HELLO", "3"); !strings.HasPrefix(got, "%{") {
		t.Fatal(got)
	}
	names := map[string]string{}
	docs := c.pairs("COMMAND", "DOCS")
	for name, doc := range docs {
		fields := pairsOf(doc)
		names[name] = fields["group"].Str()
		for sub := range pairsOf(fields["subcommands"]) {
			names[sub] = names[name]
		}
		_, hasHelp := pairsOf(fields["subcommands"])[name+"|help"]
		if hasHelp || name == "debug" {
			for _, sub := range c.helpOf(name) {
				names[name+"|"+sub] = names[name]
			}
		}
	}
	return names
}

// helpOf are the subcommands that HELP lists, in lower case.
func (c *client) helpOf(container string) (subs []string) {
	c.tb.Helper()
	c.send(request(container, "HELP"))
	reply, err := c.next()
	if err != nil {
		c.tb.Fatal(err)
	}
	if reply.IsError() { // CLUSTER, where there is no cluster
		return nil
	}
	for i, line := range reply.Items() {
		word, _, _ := strings.Cut(line.Str(), " ")
		if i > 0 && word != "" && word[0] != '(' && word[0] != '<' {
			subs = append(subs, strings.ToLower(word))
		}
	}
	if len(subs) == 0 {
		c.tb.Errorf("%s HELP lists nothing: %s", container, resp.Format(reply))
	}
	return subs
}

func (c *client) pairs(words ...string) map[string]resp.Reply {
	c.tb.Helper()
	c.send(request(words...))
	reply, err := c.next()
	if err != nil {
		c.tb.Fatal(err)
	}
	return pairsOf(reply)
}

func pairsOf(r resp.Reply) map[string]resp.Reply {
	pairs := map[string]resp.Reply{}
	for i := 0; i+1 < len(r.Items()); i += 2 {
		pairs[r.Items()[i].Str()] = r.Items()[i+1]
	}
	return pairs
}

// HELP lists the subcommands that there are, each once and HELP last.
func TestHelpOfContainers(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 1})
	c := s.client()
	for _, row := range s.Server.Catalogue.Commands() {
		if row.Subs["HELP"] == nil || row.Name == "CLUSTER" {
			continue
		}
		var want []string
		for _, sub := range row.Subcommands() {
			_, name := sub.Container()
			want = append(want, strings.ToLower(name))
		}
		got := c.helpOf(row.Name)
		if last := got[len(got)-1]; last != "help" {
			t.Errorf("%s HELP ends with %s", row.Name, last)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s HELP lists %q, there are %q", row.Name, got, want)
		}
	}
}

// withoutTranscript are the commands that no transcript can show, and why.
var withoutTranscript = map[string]string{
	"SHUTDOWN": "it ends the server: see process_test.go",
	"DEBUG|GC": "it takes long where much else is in the heap",
}

func TestEveryCommandHasATranscript(t *testing.T) {
	t.Parallel()
	catalogue := startServer(t, shape{shards: 1}).Server.Catalogue
	shown := map[string]bool{}
	for _, script := range transcripts(t) {
		for _, step := range script.Steps {
			words, ok := resp.SplitLine([]byte(step.Text))
			if step.Verb == transcript.Raw && ok && len(words) == 1 {
				words, _ = resp.SplitLine(words[0])
			}
			if len(words) == 0 {
				continue
			}
			if row := catalogue.Lookup(words); row != nil {
				shown[row.Name] = true
			}
		}
	}
	for _, row := range catalogue.List() {
		why := withoutTranscript[row.Name]
		switch {
		case row.Watches != nil:
		case shown[row.Name] && why != "":
			t.Errorf("a transcript shows %s, which is said to be impossible: %s", row.Name, why)
		case !shown[row.Name] && why == "":
			t.Errorf("no transcript shows %s", row.Name)
		}
	}
}
