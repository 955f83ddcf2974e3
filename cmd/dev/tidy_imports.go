package main

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// layers are the top-level packages from the left to the right of the arrows: each may import those after
// it, none those before.
var layers = []string{"cmd", "actors", "session", "subscription", "keyspace", "resp"}

// leaves are the packages that keyspace stands on. They import nothing of ours but each other, and so
// are the one case of a parent that imports its child.
var leaves = []string{"keyspace/slab", "keyspace/table", "keyspace/deadline", "keyspace/pack", "keyspace/dict", "keyspace/rank"}

// plain are packages of rules and records that their parent decides by. They import nothing of their own
// layer, and so are another case of a parent that imports its child.
var plain = []string{"session/acl"}

// formats are the packages that families may use though they stand beside them: what they know of
// values is the elements that every family can tell.
var formats = []string{"keyspace/rdb"}

// builtOn is what packages use that stands beside them: the values of geo are
// those of zset, and what is kept on disk is a journal and files of others' formats.
// The program is made of the server and its client.
var builtOn = map[string][]string{
	"cmd/troupe":   {"cmd/troupe/cli"},
	"keyspace/geo": {"keyspace/zset"}, "keyspace/persist": {"keyspace/journal", "keyspace/aof"},
}

// isOnDisk reports whether a file belongs to the packages about what is on disk, which
// are no part of the pure keyspace.
func isOnDisk(f *sourceFile) bool {
	return slices.Contains([]string{"keyspace/journal", "keyspace/rdb", "keyspace/aof", "keyspace/persist", "keyspace/tier", "keyspace/journal/faultfs"}, f.dir)
}

// checkArrows holds the direction of imports. A test may use its package's sub-packages and their
// siblings, but points back no more than other code.
func checkArrows(file *sourceFile, report report) {
	for _, spec := range file.syntax.Imports {
		to, ours := strings.CutPrefix(importPath(spec), file.module+"/")
		if !ours {
			continue
		}
		if why := arrowBroken(file, to); why != "" {
			report(spec.Pos(), "%s imports %s: %s", file.dir, to, why)
		}
	}
}

// arrowBroken says why a file may not import the package to of this module, or nothing.
func arrowBroken(file *sourceFile, to string) string {
	from := file.dir
	if slices.Contains(leaves, from) && !slices.Contains(leaves, to) && !(file.test && to == from) {
		return "a leaf imports only leaves"
	}
	if slices.Contains(plain, from) && topOf(from) == topOf(to) && !(file.test && to == from) {
		return "it imports nothing of its own layer"
	}
	fromLayer, toLayer := slices.Index(layers, topOf(from)), slices.Index(layers, topOf(to))
	switch {
	case fromLayer < 0 || toLayer < 0:
		return "not one of the layers " + strings.Join(layers, ", ")
	case fromLayer > toLayer:
		return "against the arrow " + strings.Join(layers, " → ")
	case fromLayer < toLayer || file.test || strings.HasPrefix(from, to+"/"):
		return ""
	case slices.Contains(leaves, to), slices.Contains(plain, to), slices.Contains(builtOn[from], to):
		return ""
	case strings.HasPrefix(to, from+"/"):
		return "a parent does not import its child"
	case slices.Contains(formats, to):
		return ""
	}
	return "a sub-package imports its parent, not its sibling"
}

func topOf(dir string) string {
	top, _, _ := strings.Cut(dir, "/")
	return top
}

// importPath is the path of an import without its quotes.
func importPath(spec *ast.ImportSpec) string {
	unquoted, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser lets no such import through
		return spec.Path.Value
	}
	return unquoted
}

// licence lets a library in at some places only.
type licence struct {
	prefix string // of the import path
	where  string // in words
	holds  func(*sourceFile) bool
}

// licences are the libraries that are kept behind a few files, so that leaving one costs these files.
var licences = []licence{
	{"github.com/asynkron/protoactor-go", "actors, actor.go, mailbox.go and dispatcher.go", isActorFile},
	{"github.com/tidwall/redcon", "resp and session/resp.go", func(f *sourceFile) bool {
		return topOf(f.dir) == "resp" || f.dir == "session" && (f.base == "resp.go" || f.test && strings.HasPrefix(f.base, "resp_"))
	}},
	{"golang.org/x/sys", "session/transport/system_linux.go, keyspace/slab's mmap files and keyspace/journal/fs_unix.go", isSystemFile},
	{"syscall", "session/transport/system_linux.go, keyspace/slab's mmap files, keyspace/journal/fs_unix.go and tests of Linux alone", func(f *sourceFile) bool {
		return isSystemFile(f) || usesOnlySystemNames(f) || f.test && strings.HasSuffix(f.base, "_linux_test.go")
	}},
	{"github.com/cockroachdb/pebble", "keyspace/tier, tests and measurements", func(f *sourceFile) bool {
		return f.dir == "keyspace/tier" || f.test || in("cmd/dev")(f)
	}},
	{"google.golang.org/protobuf", "resp/dice", in("resp/dice")},
	{"github.com/golang/protobuf", "resp/dice", in("resp/dice")},
	{"github.com/yuin/gopher-lua", "session/script", in("session/script")},
	{"github.com/alecthomas/kong", "cmd", in("cmd")},
	{"github.com/coder/websocket", "actors/web", in("actors/web")},
	{"github.com/prometheus/client_golang", "actors/web", in("actors/web")},
}

// checkImporters holds the licences.
func checkImporters(file *sourceFile, report report) {
	for _, spec := range file.syntax.Imports {
		name := importPath(spec)
		for _, l := range licences {
			if (name == l.prefix || strings.HasPrefix(name, l.prefix+"/")) && !l.holds(file) {
				report(spec.Pos(), "%s belongs only in %s", name, l.where)
			}
		}
	}
}

func in(dir string) func(*sourceFile) bool {
	return func(f *sourceFile) bool { return f.dir == dir || strings.HasPrefix(f.dir, dir+"/") }
}

// subject is the file a file is about: itself, or what it tests.
func (file *sourceFile) subject() string {
	if name, isTest := strings.CutSuffix(file.base, "_test.go"); isTest {
		return name + ".go"
	}
	return file.base
}

// isActorFile tells the files where actors are, and where therefore time passes and things run at once.
func isActorFile(f *sourceFile) bool {
	return topOf(f.dir) == "actors" || slices.Contains([]string{"actor.go", "mailbox.go", "dispatcher.go"}, f.subject())
}

func isSystemFile(f *sourceFile) bool {
	return f.dir == "session/transport" && f.subject() == "system_linux.go" ||
		f.dir == "keyspace/slab" && strings.HasPrefix(f.base, "mmap") ||
		f.dir == "keyspace/journal" && f.base == "fs_unix.go"
}

// usesOnlySystemNames tells whether a file takes only names from syscall, no calls: signals (SIGTERM),
// error numbers (ENOSPC) and what os/exec is told of a new process, which have no other home.
func usesOnlySystemNames(f *sourceFile) bool {
	only := true
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if name, found := f.selected(n, "syscall"); found {
			only = only && (strings.HasPrefix(name, "SIG") || name == "Signal" || name == "Errno" || name == "SysProcAttr" ||
				strings.HasPrefix(name, "E") && name == strings.ToUpper(name))
		}
		return only
	})
	return only
}

// selected gives Name if a node is pkg.Name, whatever the file calls the package it imports from path.
func (file *sourceFile) selected(n ast.Node, from string) (name string, found bool) {
	selector, isSelector := n.(*ast.SelectorExpr)
	if !isSelector {
		return "", false
	}
	pkg, isIdent := selector.X.(*ast.Ident)
	if !isIdent || pkg.Name != file.localName(from) {
		return "", false
	}
	return selector.Sel.Name, true
}

// localName is what a file calls a package, or nothing if it does not import it.
func (file *sourceFile) localName(of string) string {
	for _, spec := range file.syntax.Imports {
		if importPath(spec) != of {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(of)
	}
	return ""
}
