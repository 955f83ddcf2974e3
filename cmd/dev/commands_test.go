package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The README's table is what the commands say of themselves.
func TestTableIsFresh(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := withTable(string(readme))
	if err != nil {
		t.Fatal(err)
	}
	if string(readme) != after {
		t.Error("the table of commands is not fresh: run go run ./cmd/dev commands")
	}
}

func TestWithTable(t *testing.T) {
	t.Parallel()
	got, err := withTable("a\n<!-- commands -->\nold\n<!-- end of commands -->\nb\n")
	if err != nil {
		t.Fatal(err)
	}
	f := func(want string, isThere bool) {
		t.Helper()
		if strings.Contains(got, want) != isThere {
			t.Errorf("%q is there: %v\n%s", want, !isThere, got)
		}
	}
	f("a\n<!-- commands -->\n| command", true)
	f("<!-- end of commands -->\nb\n", true)
	f("| old |", false)
	f("\nold\n", false)
	f("| `GET key` ● | ", true)
	f("| `DEL key [key ...]` | ", true)
	f("GET.WATCH", false)
	f("| `OBJECT ENCODING key` ● | ", true)
	f("| `OBJECT` |", false)
	f("CLIENT HELP", false)
	f("CLUSTER INFO", false)
	if again, err := withTable(got); err != nil || again != got {
		t.Errorf("a second time it changes: %v", err)
	}
	if _, err := withTable("no marks"); err == nil {
		t.Error("a text without marks is taken")
	}
}
