package main

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// The sizes that files, functions and parameter lists keep. Tests and generated files are left out.
const (
	fileLinesMax     = 500
	functionLinesMax = 70
	parametersMax    = 4
	caseLinesMax     = 8 // of one case of a switch that is a flat list
)

func checkFileLength(file *sourceFile, report report) {
	if !file.test && !file.generated && file.lines > fileLinesMax {
		report(file.syntax.Pos(), "%d lines, more than %d", file.lines, fileLinesMax)
	}
}

// checkFunctionLength finds long functions, except those that are one flat list.
func checkFunctionLength(file *sourceFile, report report) {
	if file.test || file.generated {
		return
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		name, body := functionOf(n)
		if body == nil {
			return true
		}
		lines := file.linesOf(n)
		if lines <= functionLinesMax || file.isFlatList(body) {
			return true
		}
		report(n.Pos(), "%s has %d lines, more than %d", name, lines, functionLinesMax)
		return false
	})
}

func functionOf(n ast.Node) (name string, body *ast.BlockStmt) {
	switch fn := n.(type) {
	case *ast.FuncDecl:
		return fn.Name.Name, fn.Body
	case *ast.FuncLit:
		return "a function literal", fn.Body
	}
	return "", nil
}

func (file *sourceFile) linesOf(n ast.Node) int {
	return file.set.Position(n.End()).Line - file.set.Position(n.Pos()).Line + 1
}

// isFlatList tells a body that is one literal, or one switch of short cases; a plain statement may stand
// before it and one after it.
func (file *sourceFile) isFlatList(body *ast.BlockStmt) bool {
	const besideMax = 2
	lists, beside := 0, 0
	for _, stmt := range body.List {
		switch {
		case file.isList(stmt):
			lists++
		case file.linesOf(stmt) == 1:
			beside++
		default:
			return false
		}
	}
	return lists == 1 && beside <= besideMax
}

// isList tells a statement that is one literal or one switch of short cases, and longer than a line.
func (file *sourceFile) isList(stmt ast.Stmt) bool {
	if file.linesOf(stmt) == 1 {
		return false
	}
	switch s := stmt.(type) {
	case *ast.SwitchStmt:
		return file.hasShortCases(s.Body)
	case *ast.TypeSwitchStmt:
		return file.hasShortCases(s.Body)
	case *ast.ReturnStmt:
		return len(s.Results) == 1 && isLiteral(s.Results[0])
	case *ast.AssignStmt:
		return len(s.Rhs) == 1 && isLiteral(s.Rhs[0])
	}
	return false
}

func isLiteral(x ast.Expr) bool {
	if address, isUnary := x.(*ast.UnaryExpr); isUnary {
		x = address.X
	}
	_, isComposite := x.(*ast.CompositeLit)
	return isComposite
}

func (file *sourceFile) hasShortCases(body *ast.BlockStmt) bool {
	return !slices.ContainsFunc(body.List, func(clause ast.Stmt) bool { return file.linesOf(clause) > caseLinesMax })
}

func checkParameters(file *sourceFile, report report) {
	if file.test || file.generated {
		return
	}
	for _, decl := range file.syntax.Decls {
		fn, isFunc := decl.(*ast.FuncDecl)
		if isFunc && fn.Type.Params.NumFields() > parametersMax {
			report(fn.Pos(), "%s takes %d parameters, more than %d", fn.Name.Name, fn.Type.Params.NumFields(), parametersMax)
		}
	}
}

// unfinished are the marks of work left undone. They are put together here so that this line is none.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)

func checkUnfinished(file *sourceFile, report report) {
	if file.generated {
		return
	}
	for _, group := range file.syntax.Comments {
		for _, comment := range group.List {
			if mark := unfinished.FindString(comment.Text); mark != "" {
				report(comment.Pos(), "%s in a comment", mark)
			}
		}
	}
}

// vagueNames say that something is kept, not what.
var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers"}

// checkNames finds packages, files and types with names that fit everything.
func checkNames(file *sourceFile, report report) {
	if name := strings.TrimSuffix(file.syntax.Name.Name, "_test"); slices.Contains(vagueNames, name) {
		report(file.syntax.Name.Pos(), "a package named %s", name)
	}
	if name := strings.TrimSuffix(file.subject(), ".go"); slices.Contains(vagueNames, name) {
		report(file.syntax.Name.Pos(), "a file named %s", name)
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		if spec, isType := n.(*ast.TypeSpec); isType && strings.HasSuffix(spec.Name.Name, "Manager") {
			report(n.Pos(), "type %s: name what it owns", spec.Name.Name)
		}
		return true
	})
}
