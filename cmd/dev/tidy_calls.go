package main

import (
	"go/ast"
	"slices"
	"strings"
)

// impureImports are the packages that the keyspace does without: it is told the time and the seed, is
// never shared and logs nothing.
var impureImports = []string{
	"sync", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "github.com/hashicorp/go-hclog",
}

// impureTimes are the functions of package time that read or await the clock.
var impureTimes = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}

// checkPure holds that the keyspace and its families are plain data and plain functions.
func checkPure(file *sourceFile, report report) {
	if topOf(file.dir) != "keyspace" || file.test || isActorFile(file) || file.dir == "keyspace" && file.base == "node.go" || isOnDisk(file) || file.dir == "keyspace/shardtest" {
		return
	}
	for _, spec := range file.syntax.Imports {
		if name := importPath(spec); slices.Contains(impureImports, name) {
			report(spec.Pos(), "%s in the keyspace", name)
		}
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		if name, found := file.selected(n, "time"); found && slices.Contains(impureTimes, name) {
			report(n.Pos(), "time.%s in the keyspace: the time comes in as an argument", name)
		}
		if _, isGo := n.(*ast.GoStmt); isGo {
			report(n.Pos(), "a goroutine in the keyspace")
		}
		return true
	})
}

// checkSleep finds tests that wait instead of being told.
func checkSleep(file *sourceFile, report report) {
	if !file.test {
		return
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		if name, found := file.selected(n, "time"); found && name == "Sleep" {
			report(n.Pos(), "time.Sleep in a test")
		}
		return true
	})
}

// checkSkip finds tests that are skipped without a word.
func checkSkip(file *sourceFile, report report) {
	if !file.test {
		return
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if isCall && skipsSilently(call) {
			report(n.Pos(), "a test is skipped without saying why")
		}
		return true
	})
}

// skipsSilently tells t.SkipNow(), t.Skip() and t.Skip("").
func skipsSilently(call *ast.CallExpr) bool {
	selector, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return false
	}
	receiver, isIdent := selector.X.(*ast.Ident)
	if !isIdent || !slices.Contains([]string{"t", "b", "f", "tb"}, receiver.Name) {
		return false
	}
	switch selector.Sel.Name {
	case "SkipNow":
		return true
	case "Skip", "Skipf":
		return len(call.Args) == 0 || isBlank(call.Args[0])
	}
	return false
}

func isBlank(arg ast.Expr) bool {
	literal, isLiteral := arg.(*ast.BasicLit)
	return isLiteral && strings.Trim(literal.Value, "\"` ") == ""
}
