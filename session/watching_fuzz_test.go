package session

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/subscription/watch"
)

// queryTable has commands as live queries are made of: one that reads, one with
// subcommands, one that writes.
func queryTable() *command.Table[*keyspace.Tx] {
	t := &command.Table[*keyspace.Tx]{}
	add := func(name string, arity int, flags command.Flag) {
		t.Add(command.Spec[*keyspace.Tx]{
			Meta: command.Meta{Name: name, Arity: arity, Summary: "Is there.", Group: "string", Since: "0.1.0", Flags: flags, Keys: command.OneKey(command.RO)},
			Run:  func(*keyspace.Tx, *command.Args) resp.Reply { return resp.Nil },
		})
	}
	add("GET", 2, command.ReadOnly)
	add("MGET", -2, command.ReadOnly)
	add("SET", -3, command.Write)
	return t
}

// FuzzQueryChannel: a channel's name is a query that may be watched, whose words
// written again are the same query, or it is refused by one line.
func FuzzQueryChannel(f *testing.F) {
	for _, seed := range []string{"GET k", `get "my key"`, `MGET 'a' "\x00\xff" b`, "SET k v", "GET", "", `GET "k`, "GET k\x00z", "GET \"k\x00z\"", "NO k", "  GET\tk ", `"GET" ""`} {
		f.Add([]byte(seed))
	}
	catalogue := &Catalogue{}
	catalogue.AddData(queryTable())
	catalogue.Seal()
	s := &Session{server: &Server{Catalogue: catalogue}}
	f.Fuzz(func(t *testing.T, name []byte) {
		row, words, refusal := s.channelQuery(append([]byte(QueryChannel), name...))
		if row == nil {
			if text := refusal.Str(); !refusal.IsError() || !strings.HasPrefix(text, "ERR ") || strings.ContainsAny(text, "\r\n") {
				t.Fatalf("%q is refused by %q", name, text)
			}
			return
		}
		if strings.IndexByte(string(name), 0) >= 0 {
			t.Fatalf("%q is %q", name, words)
		}
		if !row.Flags.Has(command.ReadOnly) || !row.ArityOK(len(words)) {
			t.Fatalf("%q is %s with %d words", name, row.Name, len(words))
		}
		q := watch.NewQuery(row.Data, words[row.Words():], 0, "default")
		again := []byte(QueryChannel)
		for _, word := range q.Argv {
			again = append(resp.AppendQuoted(again, string(word)), ' ')
		}
		row, words, refusal = s.channelQuery(again)
		if row == nil || !q.Equal(watch.NewQuery(row.Data, words[row.Words():], 0, "default")) {
			t.Fatalf("%q, written %q, is %q, %s", name, again, words, refusal.Str())
		}
	})
}

// FuzzWatchOptions: options stand before the command, which is left as it is, or
// are refused.
func FuzzWatchOptions(f *testing.F) {
	for _, seed := range []string{"GET k", "EVERY GET k", "delta MAXRATE 10 PROGRESS 1000 GET k", "RESUME 0000000000000001.1.0 GET k", "RESUME", "MAXRATE", "MAXRATE x GET k", "EVERY", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var argv [][]byte
		for _, word := range strings.Split(line, " ") {
			argv = append(argv, []byte(word))
		}
		o, query, refusal := watchOptions(argv)
		switch {
		case refusal.IsError() && !strings.HasPrefix(refusal.Str(), "ERR "):
			t.Fatalf("%q is refused by %q", line, refusal.Str())
		case refusal.IsError():
		case len(query) > len(argv):
			t.Fatalf("%q: %d words are left of %d", line, len(query), len(argv))
		case o.Rate < 0 || o.Rate > watch.IntervalMax || o.Progress < 0 || o.Progress > watch.IntervalMax:
			t.Fatalf("%q: %+v", line, o)
		}
		for i, word := range query {
			if string(word) != string(argv[len(argv)-len(query)+i]) {
				t.Fatalf("%q: what is left is %q", line, query)
			}
		}
	})
}
