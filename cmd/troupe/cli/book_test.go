package cli

import (
	"testing"

	"github.com/troupedb/troupe/resp"
)

const docs = `%{
  "get": %{"summary": "Reads", "group": "string", "arguments": [%{"name": "key", "type": "key"}]},
  "set": %{"arguments": [
    %{"name": "key", "type": "key"}, %{"name": "value", "type": "string"},
    %{"name": "condition", "type": "oneof", "flags": ~[+optional], "arguments": [
      %{"name": "nx", "type": "pure-token", "token": "NX"}, %{"name": "xx", "type": "pure-token", "token": "XX"}]},
    %{"name": "seconds", "type": "integer", "token": "EX", "flags": ~[+optional]}]},
  "mset": %{"arguments": [%{"name": "key_value", "type": "block", "flags": ~[+multiple], "arguments": [
    %{"name": "key", "type": "key"}, %{"name": "value", "type": "string"}]}]},
  "config": %{"subcommands": %{
    "config|get": %{"arguments": [%{"name": "parameter", "type": "string", "flags": ~[+multiple]}]},
    "config|set": %{}}},
}`

func testBook(t *testing.T, encoded resp.Reply) *book {
	t.Helper()
	b := &book{entries: map[string]*entry{}}
	b.addAll(encoded)
	b.sort()
	return b
}

func TestHints(t *testing.T) {
	t.Parallel()
	asMaps := notated(t, docs)
	flat, _, err := resp.Decode(resp.V2.Append(nil, asMaps)) // as RESP2 has it
	if err != nil {
		t.Fatal(err)
	}
	for _, encoded := range []resp.Reply{asMaps, flat} {
		b := testBook(t, encoded)
		f := func(line, want string) {
			t.Helper()
			if got := b.hint(line); got != want {
				t.Errorf("behind %q is hinted %q, want %q", line, got, want)
			}
		}
		f("", "")
		f("ge", "")
		f("get", " key")
		f("get ", "key")
		f("get k", "")
		f("SET", " key value [NX|XX] [EX seconds]")
		f("SET k ", "value [NX|XX] [EX seconds]")
		f("SET k v", " [NX|XX] [EX seconds]")
		f("SET k v nx ", "[EX seconds]")
		f("mset ", "key value [key value ...]")
		f("config", " subcommand")
		f("config ", "subcommand")
		f("config get ", "parameter [parameter ...]")
		f("get \"open", "")
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	b := testBook(t, notated(t, docs))
	f := func(line string, want ...string) {
		t.Helper()
		endings, _ := b.complete([]rune(line), len([]rune(line)))
		var got []string
		for _, ending := range endings {
			got = append(got, string(ending))
		}
		if quoted(got) != quoted(want) {
			t.Errorf("%q goes on as %q, want %q", line, got, want)
		}
	}
	f("ge", "t ")
	f("GE", "T ")
	f("con", "fig ")
	f("config ", "get ", "set ")
	f("CONFIG S", "ET ")
	f("help ms", "et ")
	f("nothing")
	f("get k")
}
