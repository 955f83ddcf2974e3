package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tidyCmd says where the tree leaves its own style: which package may import which, what the pure
// packages may not do, how long files and functions get.
type tidyCmd struct{}

// Run prints the findings, a line each, and fails if there are any.
func (*tidyCmd) Run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	findings, err := inspectTree(root)
	if err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		return fmt.Errorf("%d findings", len(findings))
	}
	return nil
}

// finding is one place that breaks a rule.
type finding struct {
	path string
	line int // 0 for a whole file or folder
	rule string
	text string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", f.path, f.line, f.text, f.rule)
}

// sourceFile is a Go file as the rules see it. Paths have slashes and begin at the module's root.
type sourceFile struct {
	path, dir, base string
	module          string
	syntax          *ast.File
	set             *token.FileSet
	lines           int
	test, generated bool
}

// report takes what a rule found at a position.
type report func(at token.Pos, format string, args ...any)

// rule is a check of one file.
type rule struct {
	name  string
	check func(*sourceFile, report)
}

// fileRules are the checks of each Go file, written and generated ones alike where they say nothing else.
var fileRules = []rule{
	{"arrows", checkArrows},
	{"importers", checkImporters},
	{"pure keyspace", checkPure},
	{"sleep in a test", checkSleep},
	{"skip without a reason", checkSkip},
	{"file length", checkFileLength},
	{"function length", checkFunctionLength},
	{"parameters", checkParameters},
	{"unfinished", checkUnfinished},
	{"names", checkNames},
}

// inspectTree applies all rules to the module at root. Findings come in the order of their places.
func inspectTree(root string) ([]finding, error) {
	findings, err := inspectTop(root)
	if err != nil {
		return nil, err
	}
	module, err := moduleName(root)
	if err != nil {
		return nil, err
	}
	var files []*sourceFile
	err = filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && full != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(full, ".go") {
			return nil
		}
		file, err := readSource(root, full, module)
		if err != nil {
			findings = append(findings, finding{path: relative(root, full), rule: "syntax", text: err.Error()})
			return nil
		}
		files = append(files, file)
		findings = append(findings, inspectFile(file)...)
		return nil
	})
	findings = append(findings, inspectPackageComments(files)...)
	slices.SortStableFunc(findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
	})
	return findings, err
}

func relative(root, full string) string {
	rel, err := filepath.Rel(root, full)
	if err != nil {
		return full
	}
	return filepath.ToSlash(rel)
}

// moduleName is the path that go.mod gives the module.
func moduleName(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("go.mod names no module")
}

func readSource(root, full, module string) (*sourceFile, error) {
	text, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	return parseSource(relative(root, full), string(text), module)
}

// parseSource makes a file of its text; rel is its path below the module's root.
func parseSource(rel, text, module string) (*sourceFile, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, rel, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &sourceFile{
		path: rel, dir: path.Dir(rel), base: path.Base(rel), module: module,
		syntax: syntax, set: set, lines: strings.Count(text, "\n"),
		test: strings.HasSuffix(rel, "_test.go"), generated: ast.IsGenerated(syntax),
	}, nil
}

// inspectFile applies the rules to one file.
func inspectFile(file *sourceFile) []finding {
	var out []finding
	for _, r := range fileRules {
		r.check(file, func(at token.Pos, format string, args ...any) {
			line := file.set.Position(at).Line
			out = append(out, finding{path: file.path, line: line, rule: r.name, text: fmt.Sprintf(format, args...)})
		})
	}
	return out
}

// topLevel is what the root of the tree holds, beside names that begin with a dot.
var topLevel = []string{
	"cmd", "actors", "keyspace", "session", "subscription", "resp", "testdata", "deploy",
	"go.mod", "go.sum", "README.md", "LICENSE",
}

// inspectTop compares the root with topLevel, both ways.
func inspectTop(root string) ([]finding, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var out []finding
	present := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		present[name] = true
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) {
			out = append(out, finding{path: name, rule: "top level", text: "does not belong at the top level"})
		}
	}
	for _, name := range topLevel {
		if !present[name] {
			out = append(out, finding{path: name, rule: "top level", text: "is missing"})
		}
	}
	return out, nil
}

// inspectPackageComments finds the packages of which no file says what they own and promise.
func inspectPackageComments(files []*sourceFile) []finding {
	first := map[string]*sourceFile{}
	commented := map[string]bool{}
	for _, file := range files {
		if file.test {
			continue
		}
		if first[file.dir] == nil {
			first[file.dir] = file
		}
		commented[file.dir] = commented[file.dir] || file.syntax.Doc != nil
	}
	var out []finding
	for dir, file := range first {
		if !commented[dir] {
			out = append(out, finding{path: file.path, line: 1, rule: "package comment", text: "no file of the package says what it owns"})
		}
	}
	return out
}
