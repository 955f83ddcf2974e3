package main

import (
	"net"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/transcript"
	"github.com/troupedb/troupe/session"
)

// What each command says of itself is complete, and the examples among it are
// true: they run on a fresh server, over a socket, in RESP3.

// withoutMistake are the commands that need no example of a mistake, and why.
var withoutMistake = map[string]string{
	"COMMAND|DOCS":       "it takes any words, and tells nothing of those that are no commands",
	"COMMAND|INFO":       "it takes any words, and tells nothing of those that are no commands",
	"INFO":               "it takes any words, and tells nothing of those that are no sections",
	"DEBUG|DIGEST-VALUE": "it takes any words for keys",
	"LATENCY|HISTOGRAM":  "it takes any words, and tells nothing of those that are no commands",
	"LATENCY|RESET":      "it takes any words for events",
	"UNSUBSCRIBE":        "it takes any words for channels",
	"PUNSUBSCRIBE":       "it takes any words for patterns",
	"SUNSUBSCRIBE":       "it takes any words for channels",
	"PUBSUB|NUMSUB":      "it takes any words for channels",
	"PUBSUB|SHARDNUMSUB": "it takes any words for channels",
	"QUIT":               "it takes any words, and does not look at them",
}

// withoutGood are those whose good case cannot be shown in one conversation
// with a fresh server, and why. Beside them there are the containers, which
// do nothing by themselves, and what HELP says, which other tests compare.
var withoutGood = map[string]string{
	"SCAN":           "its cursors depend on the number of shards",
	"SHUTDOWN":       "it ends the server",
	"SCRIPT|KILL":    "it needs a script that runs",
	"FUNCTION|KILL":  "it needs a function that runs",
	"DEBUG|CRASH":    "it ends the server",
	"DEBUG|ERROR":    "what it is for is an error",
	"CONFIG|REWRITE": "it needs a file",
	"BGREWRITEAOF":   "it needs a journal",
	"ACL|LOAD":       "it needs a file",
	"ACL|SAVE":       "it needs a file",
	"MODULE|LOAD":    "there are no modules",
	"MODULE|LOADEX":  "there are no modules",
	"MODULE|UNLOAD":  "there are no modules",
	"FAILOVER":       "there are no replicas",
	"READONLY":       "there is no cluster",
	"READWRITE":      "there is no cluster",
}

// whyWithoutGood is why no good case of a command needs to be shown.
func whyWithoutGood(row *session.Command) string {
	container, sub := row.Container()
	switch {
	case row.Subs != nil && row.Name != "COMMAND":
		return "it is a container"
	case container == "CLUSTER":
		return "there is no cluster"
	case sub == "HELP":
		return "it is long"
	}
	return withoutGood[row.Name]
}

func TestExamples(t *testing.T) {
	t.Parallel()
	for _, row := range startServer(t, shape{shards: 2}).Server.Catalogue.List() {
		if row.Watches != nil {
			continue // it is its command's, with .WATCH
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			holdDescription(t, row)
			script, err := transcript.Parse(row.Name, row.Examples)
			if err != nil {
				t.Fatal(err)
			}
			holdExamples(t, row, script)
			playExamples(t, script)
		})
	}
}

// holdDescription holds what can be said of any command's description.
func holdDescription(t *testing.T, row *session.Command) {
	t.Helper()
	f := func(field, value string) {
		t.Helper()
		if value == "" {
			t.Errorf("it has no %s", field)
		}
		if strings.TrimSpace(value) != value {
			t.Errorf("its %s has blanks around it: %q", field, value)
		}
	}
	f("summary", row.Summary)
	f("group", row.Group)
	f("since", row.Since)
	f("complexity", row.Complexity)
	if !strings.HasSuffix(row.Summary, ".") {
		t.Errorf("its summary is no sentence: %q", row.Summary)
	}
	if words := row.Words(); row.Arity != words && row.Subs == nil && row.Syntax == "" && row.Name != "QUIT" {
		t.Errorf("it takes arguments (arity %d) and has no syntax", row.Arity)
	}
}

// holdExamples holds that there is a good case and a mistake, of this command.
func holdExamples(t *testing.T, row *session.Command, script *transcript.Transcript) {
	t.Helper()
	good, mistake := false, false
	for _, step := range script.Steps {
		if len(step.Want) == 0 || !isCallOf(row.Name, step.Text) {
			continue
		}
		isError := step.Want[0].Reply.IsError()
		good, mistake = good || !isError, mistake || isError
	}
	if !good && whyWithoutGood(row) == "" {
		t.Error("no example shows a good case")
	}
	if why := withoutGood[row.Name]; good && why != "" {
		t.Errorf("an example shows a good case, and it is said why none does: %s", why)
	}
	if why := withoutMistake[row.Name]; mistake == (why != "") {
		t.Errorf("an example shows a mistake: %v; why none does: %q", mistake, why)
	}
}

// isCallOf reports whether a command line calls the command of that name.
func isCallOf(name, line string) bool {
	words, _ := resp.SplitLine([]byte(line))
	container, sub, isSub := strings.Cut(name, "|")
	if len(words) == 0 || !strings.EqualFold(string(words[0]), container) {
		return false
	}
	return !isSub || len(words) > 1 && strings.EqualFold(string(words[1]), sub)
}

func playExamples(t *testing.T, script *transcript.Transcript) {
	t.Helper()
	s := startServer(t, shape{shards: 2})
	defer s.stop()
	player := &transcript.Player{
		Proto: 3, Patience: patience,
		Dial: func() (net.Conn, error) { return net.Dial("tcp", s.addr) },
	}
	result, err := player.Play(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Differences {
		t.Errorf("%s\n%s", d.Step, d.Text)
	}
}
