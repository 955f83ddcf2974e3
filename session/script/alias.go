package script

import "github.com/yuin/gopher-lua/ast"

// What nearly all scripts use, redis.call and KEYS, is found in the globals at
// once under a name that cannot be written, and so can't be changed. Elsewhere
// it takes three searches: _G shows what lies behind it.

const (
	callAlias  = " call"
	pcallAlias = " pcall"
	keysAlias  = " KEYS"
	argvAlias  = " ARGV"
)

// aliases are the names of globals and their aliases.
var aliases = map[string]string{"KEYS": keysAlias, "ARGV": argvAlias}

// calls are the functions of redis that have an alias.
var calls = map[string]string{"call": callAlias, "pcall": pcallAlias}

// rewriter rewrites the tree of a chunk before it is compiled.
type rewriter struct {
	own    map[string]bool // the names that the chunk gives something itself
	noting bool            // these are being gathered, and nothing is rewritten
}

// gather notes the names that a chunk gives to something, wherever it does.
func (w *rewriter) gather(stmts []ast.Stmt) {
	w.noting = true
	w.all(stmts)
	w.noting = false
}

// note notes the names that a statement gives to something.
func (w *rewriter) note(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		w.names(s.Names)
	case *ast.NumberForStmt:
		w.own[s.Name] = true
	case *ast.GenericForStmt:
		w.names(s.Names)
	case *ast.FuncDefStmt:
		if s.Name != nil {
			w.noteTarget(s.Name.Func)
		}
	case *ast.AssignStmt:
		for _, at := range s.Lhs {
			w.noteTarget(at)
		}
	}
}

// noteTarget notes the name that an assignment changes, be it by a field.
func (w *rewriter) noteTarget(at ast.Expr) {
	switch at := at.(type) {
	case *ast.IdentExpr:
		w.own[at.Value] = true
	case *ast.AttrGetExpr:
		w.noteTarget(at.Object)
	}
}

func (w *rewriter) names(names []string) {
	for _, name := range names {
		w.own[name] = true
	}
}

// global puts an alias in the place of a global.
func (w *rewriter) global(x *ast.IdentExpr) {
	if alias := aliases[x.Value]; alias != "" && !w.noting && !w.own[x.Value] {
		x.Value = alias
	}
}

// field puts an alias in the place of redis.call.
func (w *rewriter) field(x *ast.AttrGetExpr) (alias ast.Expr) {
	of, isName := x.Object.(*ast.IdentExpr)
	key, isText := x.Key.(*ast.StringExpr)
	if w.noting || !isName || !isText || of.Value != "redis" || w.own["redis"] || calls[key.Value] == "" {
		return nil
	}
	name := &ast.IdentExpr{Value: calls[key.Value]}
	name.SetLine(x.Line())
	name.SetLastLine(x.LastLine())
	return name
}
