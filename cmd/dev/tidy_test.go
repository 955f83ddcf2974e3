package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTree holds this repository to its style: each rule is a test, each place that breaks it an error.
func TestTree(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	findings, err := inspectTree(root)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"top level", "syntax", "package comment"}
	for _, r := range fileRules {
		names = append(names, r.name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, f := range findings {
				if f.rule == name {
					t.Error(f)
				}
			}
		})
	}
}

// found gives the rules that a file breaks, in order and each once.
func found(t *testing.T, path, text string) []string {
	t.Helper()
	file, err := parseSource(path, text, "example.org/m")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, f := range inspectFile(file) {
		rules = append(rules, f.rule)
	}
	return slices.Compact(rules)
}

// importing is a file that imports paths and does nothing.
func importing(paths ...string) string {
	text := "package p\n"
	for _, path := range paths {
		text += fmt.Sprintf("import _ %q\n", path)
	}
	return text
}

func TestArrows(t *testing.T) {
	t.Parallel()
	f := func(path, imports string, want ...string) {
		t.Helper()
		if got := found(t, path, importing("example.org/m/"+imports)); !slices.Equal(got, want) {
			t.Errorf("%s importing %s breaks %q, want %q", path, imports, got, want)
		}
	}
	f("cmd/troupe/main.go", "actors")
	f("cmd/troupe/cli.go", "resp")
	f("actors/system.go", "keyspace/str")
	f("session/route.go", "resp/command")
	f("subscription/hub.go", "session", "arrows")
	f("resp/reply.go", "keyspace", "arrows")
	f("actors/tree.go", "cmd/dev", "arrows")
	f("keyspace/str/set.go", "keyspace")
	f("keyspace/str/set.go", "keyspace/slab")
	f("keyspace/shard.go", "keyspace/table")
	f("keyspace/shard.go", "keyspace/str", "arrows")
	f("keyspace/zset/zadd.go", "keyspace/set", "arrows")
	f("keyspace/generic/dump.go", "keyspace/rdb")
	f("keyspace/shard.go", "keyspace/rdb", "arrows")
	f("keyspace/rdb/encode.go", "keyspace/set", "arrows")
	f("keyspace/zset/zadd_test.go", "keyspace/set")
	f("keyspace/zset/zadd_test.go", "session", "arrows")
	f("actors/system.go", "actors/admin", "arrows")
	f("actors/admin/info.go", "actors")
	f("keyspace/table/table.go", "keyspace/slab")
	f("keyspace/table/table.go", "keyspace", "arrows")
	f("keyspace/slab/slab.go", "resp", "arrows")
	f("keyspace/table/table_test.go", "keyspace/table")
	f("resp/dice/read.go", "resp")
	f("actors/x.go", "attic", "arrows")
	f("keyspacer/x.go", "resp", "arrows")
}

func TestImporters(t *testing.T) {
	t.Parallel()
	f := func(path, imports string, want ...string) {
		t.Helper()
		if got := found(t, path, importing(imports)); !slices.Equal(got, want) {
			t.Errorf("%s importing %s breaks %q, want %q", path, imports, got, want)
		}
	}
	const no = "importers"
	f("actors/http/watch.go", "github.com/asynkron/protoactor-go/actor")
	f("keyspace/mailbox.go", "github.com/asynkron/protoactor-go/actor")
	f("keyspace/mailbox_test.go", "github.com/asynkron/protoactor-go/actor")
	f("subscription/watch/actor.go", "github.com/asynkron/protoactor-go/actor")
	f("session/session.go", "github.com/asynkron/protoactor-go/actor", no)
	f("resp/encode2.go", "github.com/tidwall/redcon")
	f("session/resp.go", "github.com/tidwall/redcon")
	f("session/resp_fuzz_test.go", "github.com/tidwall/redcon")
	f("session/session.go", "github.com/tidwall/redcon", no)
	f("session/conn/resp.go", "github.com/tidwall/redcon", no)
	f("session/transport/system_linux.go", "golang.org/x/sys/unix")
	f("session/transport/system_linux.go", "syscall")
	f("keyspace/slab/mmap_linux.go", "golang.org/x/sys/unix")
	f("keyspace/slab/slab.go", "golang.org/x/sys/unix", no)
	f("keyspace/journal/fs_unix.go", "golang.org/x/sys/unix")
	f("keyspace/journal/log.go", "golang.org/x/sys/unix", no)
	f("cmd/dev/proc.go", "golang.org/x/sys/unix", no)
	f("resp/dice/read.go", "google.golang.org/protobuf/proto")
	f("session/dice.go", "google.golang.org/protobuf/proto", no)
	f("session/script/eval.go", "github.com/yuin/gopher-lua")
	f("session/eval.go", "github.com/yuin/gopher-lua", no)
	f("cmd/troupe/main.go", "github.com/alecthomas/kong")
	f("actors/config/flags.go", "github.com/alecthomas/kong", no)
	f("actors/config/flags.go", "github.com/alecthomas/kongress")
}

func TestSystemNames(t *testing.T) {
	t.Parallel()
	f := func(use string, want ...string) {
		t.Helper()
		if got := found(t, "cmd/troupe/main.go", "package main\nimport \"syscall\"\nvar x = "+use+"\n"); !slices.Equal(got, want) {
			t.Errorf("%s breaks %q, want %q", use, got, want)
		}
	}
	f("syscall.SIGTERM")
	f("syscall.ENOSPC")
	f("syscall.Errno(5)")
	f("syscall.Exec", "importers")
	f("syscall.Kill(1, syscall.SIGTERM)", "importers")
}

func TestPure(t *testing.T) {
	t.Parallel()
	f := func(path, text string, want ...string) {
		t.Helper()
		if got := found(t, path, "package p\n"+text); !slices.Equal(got, want) {
			t.Errorf("%s with %q breaks %q, want %q", path, text, got, want)
		}
	}
	const no = "pure keyspace"
	f("keyspace/str/set.go", "import \"time\"\nvar x = time.Now()", no)
	f("keyspace/str/set.go", "import clock \"time\"\nvar x = clock.Since(y)", no)
	f("keyspace/str/set.go", "import \"time\"\nvar x = time.Second")
	f("keyspace/str/set.go", "import \"sync\"", no)
	f("keyspace/str/set.go", "import \"sync/atomic\"")
	f("keyspace/str/set.go", "import \"math/rand/v2\"", no)
	f("keyspace/str/set.go", "import \"github.com/hashicorp/go-hclog\"", no)
	f("keyspace/shard.go", "func f() { go f() }", no)
	f("keyspace/actor.go", "import \"time\"\nvar x = time.Now()\nfunc f() { go f() }")
	f("keyspace/dispatcher.go", "import \"sync\"")
	f("keyspace/journal/segment.go", "import \"sync\"")
	f("keyspace/rdb/load.go", "import \"time\"\nvar x = time.Now()")
	f("keyspace/shard_test.go", "import \"time\"\nvar x = time.Now()")
	f("session/session.go", "import \"sync\"\nfunc f() { go f() }")
}

func TestTestsNeitherSleepNorSkip(t *testing.T) {
	t.Parallel()
	f := func(path, body string, want ...string) {
		t.Helper()
		text := "package p\nimport \"time\"\nfunc f(t T) { " + body + " }\n"
		if got := found(t, path, text); !slices.Equal(got, want) {
			t.Errorf("%s with %s breaks %q, want %q", path, body, got, want)
		}
	}
	f("session/a_test.go", "time.Sleep(time.Second)", "sleep in a test")
	f("session/a.go", "time.Sleep(time.Second)")
	f("session/a_test.go", "t.SkipNow()", "skip without a reason")
	f("session/a_test.go", "t.Skip()", "skip without a reason")
	f("session/a_test.go", `t.Skip(" ")`, "skip without a reason")
	f("session/a_test.go", `t.Skip("needs Linux")`)
	f("session/a_test.go", `t.Skipf("needs %s", name)`)
	f("session/a_test.go", "reader.Skip()")
}

func TestSizes(t *testing.T) {
	t.Parallel()
	f := func(path, text string, want ...string) {
		t.Helper()
		if got := found(t, path, text); !slices.Equal(got, want) {
			t.Errorf("%s of %d lines breaks %q, want %q", path, strings.Count(text, "\n"), got, want)
		}
	}
	many := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	f("resp/a.go", "package resp\n"+many("", 499))
	f("resp/a.go", "package resp\n"+many("", 500), "file length")
	f("resp/a_test.go", "package resp\n"+many("", 500))
	f("resp/a.go", "// Code generated by x. DO NOT EDIT.\n\npackage resp\n"+many("", 500))

	f("resp/a.go", "package resp\nfunc f() {\n"+many("f()", 68)+"}\n")
	f("resp/a.go", "package resp\nfunc f() {\n"+many("f()", 69)+"}\n", "function length")
	f("resp/a.go", "package resp\nvar f = func() {\n"+many("g()", 69)+"}\n", "function length")
	f("resp/a.go", "package resp\nfunc f() []int {\nreturn []int{\n"+many("1,", 90)+"}\n}\n")
	f("resp/a.go", "package resp\nfunc f(x int) int {\nswitch x {\n"+many("case 1:\nreturn 1", 90)+"}\nreturn 0\n}\n")
	f("resp/a.go", "package resp\nfunc f(x int) int {\nswitch x {\n"+many("case 1:\n"+many("f(2)", 9), 9)+"}\nreturn 0\n}\n", "function length")
	f("resp/a.go", "package resp\nfunc f(x int) {\nif x > 0 {\n"+many("f(2)", 9)+"}\nswitch x {\n"+many("case 1:\nf(1)", 40)+"}\n}\n", "function length")

	f("resp/a.go", "package resp\nfunc f(a, b, c, d int) {}\n")
	f("resp/a.go", "package resp\nfunc (r R) f(a, b, c, d int) {}\n")
	f("resp/a.go", "package resp\nfunc f(a, b, c, d int, e bool) {}\n", "parameters")
	f("resp/a_test.go", "package resp\nfunc f(a, b, c, d, e int) {}\n")
}

func TestWords(t *testing.T) {
	t.Parallel()
	f := func(path, text string, want ...string) {
		t.Helper()
		if got := found(t, path, text); !slices.Equal(got, want) {
			t.Errorf("%s with %q breaks %q, want %q", path, text, got, want)
		}
	}
	mark := "TO" + "DO"
	f("resp/a.go", "package resp\n// "+mark+": later\n", "unfinished")
	f("resp/a_test.go", "package resp\n/* FIX"+"ME */\n", "unfinished")
	f("resp/a.go", "package resp\n// "+mark+"S are plural, todo is a word.\n")
	f("resp/a.go", "package resp\nvar x = \""+mark+"\"\n")
	f("resp/utils/a.go", "package utils\n", "names")
	f("resp/x/a_test.go", "package common_test\n", "names")
	f("resp/helpers.go", "package resp\n", "names")
	f("resp/helpers_test.go", "package resp\n", "names")
	f("resp/a.go", "package resp\ntype ShardManager struct{}\n", "names")
	f("resp/a.go", "package resp\ntype Management struct{}\n")
}

// TestInspectTree checks the walk: what is looked at, and that findings come sorted by their place.
func TestInspectTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/m\n\ngo 1.26\n")
	for _, name := range []string{"go.sum", "README.md", "LICENSE", ".ci/run", "deploy/x", ".hidden/a.go", "testdata/a.go"} {
		write(name, "not Go\n")
	}
	for _, dir := range []string{"cmd", "actors", "session", "resp"} {
		write(dir+"/a.go", "// Package p owns nothing.\npackage p\n")
	}
	write("keyspace/a.go", "package keyspace\n\nimport _ \"example.org/m/session\"\n")
	write("keyspace/b_test.go", "// Package keyspace is said here, which does not count.\npackage keyspace\n")
	write("resp/bad.go", "package\n")
	write("scripts/a.sh", "")

	findings, err := inspectTree(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s:%d %s", f.path, f.line, f.rule))
	}
	want := []string{
		"keyspace/a.go:1 package comment", "keyspace/a.go:3 arrows", "resp/bad.go:0 syntax",
		"scripts:0 top level", "subscription:0 top level",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
