package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// familyAt makes a module with one family, keyspace/zset, and gives its root.
func familyAt(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "keyspace", "zset")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "package zset\n\nvar Commands command.Table[*keyspace.Tx]\n\nvar m = Meta{\n\tGroup:   \"sorted-set\",\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "zset.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestNewWrites(t *testing.T) {
	t.Parallel()
	root := familyAt(t)
	f := func(name, wantFile string, wantText ...string) {
		t.Helper()
		path, err := (&newCmd{Name: name, Family: "zset", Since: "9.9.9"}).write(root)
		if err != nil || relative(root, path) != wantFile {
			t.Fatalf("new %s wrote %s, %v; want %s", name, path, err, wantFile)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(wantText, "package zset\n", `"sorted-set"`, `Since: "9.9.9"`) {
			if !strings.Contains(string(text), want) {
				t.Errorf("the file of %s lacks %s:\n%s", name, want, text)
			}
		}
	}
	f("zadd", "keyspace/zset/zadd.go", `Name: "ZADD"`, "func zadd(", "Run: zadd,", "Arity: 2,", `> ZADD nokey\n`)
	f("OBJECT|FREQ-OF", "keyspace/zset/object_freq_of.go", "func objectFreqOf(", "Arity: 3,", `> OBJECT FREQ-OF nokey\n`)
	f("TYPE", "keyspace/zset/type.go", "func typeCommand(", "Run: typeCommand,")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	root := familyAt(t)
	f := func(name, family, want string) {
		t.Helper()
		if _, err := (&newCmd{Name: name, Family: family}).write(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("new %s %s: %v, want an error with %q", name, family, err, want)
		}
	}
	f("zset", "zset", "keyspace/zset/zset.go is there already")
	f("zadd", "list", "no family")
	f("../x", "zset", "no command name")
	f("", "zset", "no command name")
	f("A|B|C", "zset", "no command name")
}

// TestNewCompiles builds a skeleton within this tree's strings, without writing it there.
func TestNewCompiles(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&newCmd{Family: "str", Since: "0.1.0"}).skeleton("SKELETON", "string")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	written, overlay := filepath.Join(dir, "skeleton.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(root, "keyspace", "str", "skeleton.go"): written},
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{written: text, overlay: replace} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", overlay, "./keyspace/str")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("the skeleton does not compile: %v\n%s", err, out)
	}
}
