package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// What nearly all scripts use, redis.call and KEYS, is given to a script as
// arguments, which its first statement puts into locals whose names cannot be
// written: local call, KEYS = ... . As globals they take three searches: _G
// shows what lies behind it.

// handed are the things that a script may be handed.
type handed uint8

const (
	handCall handed = iota
	handPcall
	handKeys
	handArgv
	handKinds
)

// aliases are the names of those locals.
var aliases = [handKinds]string{" call", " pcall", " KEYS", " ARGV"}

// handedWords and calls are what they stand for: globals, and fields of redis.
var (
	handedWords = map[string]handed{"KEYS": handKeys, "ARGV": handArgv}
	calls       = map[string]handed{"call": handCall, "pcall": handPcall}
)

// wants is what the compiler has found that a script needs to be given.
type wants struct {
	// arguments are what the script is called with.
	arguments []handed
	// globals says that it may look for KEYS and ARGV among the globals.
	globals bool
	// keeps says that it may change KEYS or ARGV, or keep them in a place
	// where they are found later: else the tables can be used again.
	keeps bool
}

// rewriter rewrites the tree of a chunk before it is compiled.
type rewriter struct {
	own     map[string]bool // the names that the chunk gives something itself
	noting  bool            // these are being gathered, and nothing is rewritten
	aliases bool            // aliases may be put in
	used    [handKinds]bool
	varargs bool // the chunk uses its own arguments
	depth   int  // of functions
	wants   wants
}

// compileScript compiles a script to be called with what it wants.
func compileScript(source string) (*lua.FunctionProto, wants, error) {
	if stmts, err := parse.Parse(strings.NewReader(source), scriptChunk); err == nil {
		w := &rewriter{own: map[string]bool{}, aliases: true}
		w.gather(stmts)
		w.all(stmts)
		if proto, err := compileTree(w.handOver(stmts), scriptChunk); err == nil && !w.varargs {
			return proto, w.wants, nil
		}
	}
	// It is wrong, or has too many locals for another one, or wants arguments.
	proto, err := compile(source, scriptChunk)
	return proto, wants{globals: true, keeps: true}, err
}

// handOver puts the statement that takes the arguments before the others.
func (w *rewriter) handOver(stmts []ast.Stmt) []ast.Stmt {
	take := &ast.LocalAssignStmt{Exprs: []ast.Expr{&ast.Comma3Expr{}}}
	for kind, used := range w.used {
		if used {
			w.wants.arguments = append(w.wants.arguments, handed(kind))
			take.Names = append(take.Names, aliases[kind])
		}
	}
	if take.Names == nil {
		return stmts
	}
	take.SetLine(1)
	take.SetLastLine(1)
	take.Exprs[0].SetLine(1)
	return append([]ast.Stmt{take}, stmts...)
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

// global looks at a global that may be used in any way.
func (w *rewriter) global(x *ast.IdentExpr) {
	switch {
	case w.noting:
	case w.alias(x):
		w.wants.keeps = true
	case aliased(x.Value), x.Value == "_G", x.Value == "load", x.Value == "loadstring":
		w.wants.globals, w.wants.keeps = true, true
	}
}

func aliased(name string) bool {
	_, ok := handedWords[name]
	return ok
}

// alias puts an alias in the place of KEYS or ARGV, and reports whether it has.
func (w *rewriter) alias(x ast.Expr) bool {
	name, ok := x.(*ast.IdentExpr)
	if !ok || w.noting || !w.aliases || w.own[name.Value] {
		return false
	}
	kind, ok := handedWords[name.Value]
	if ok {
		w.used[kind] = true
		name.Value = aliases[kind]
	}
	return ok
}

// looksInto puts aliases where a call does no more with KEYS than look into it.
func (w *rewriter) looksInto(call ast.Expr, name string) {
	x, ok := call.(*ast.FuncCallExpr)
	if !ok || len(x.Args) == 0 || w.own[name] {
		return
	}
	if f, ok := x.Func.(*ast.IdentExpr); ok && f.Value == name {
		w.alias(x.Args[0])
	}
}

// field puts an alias in the place of redis.call.
func (w *rewriter) field(x *ast.AttrGetExpr) (alias ast.Expr) {
	of, isName := x.Object.(*ast.IdentExpr)
	key, isText := x.Key.(*ast.StringExpr)
	if w.noting || !w.aliases || !isName || !isText || of.Value != "redis" || w.own["redis"] {
		return nil
	}
	kind, ok := calls[key.Value]
	if !ok {
		return nil
	}
	w.used[kind] = true
	name := &ast.IdentExpr{Value: aliases[kind]}
	name.SetLine(x.Line())
	name.SetLastLine(x.LastLine())
	return name
}
