package script

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// compile compiles a chunk. a .. b becomes a call of joinName: there the length
// of the text is bounded, and numbers look as they do in C.
func compile(source, chunk string) (*lua.FunctionProto, error) {
	if strings.HasPrefix(source, "\x1b") {
		return nil, errors.New("precompiled chunks are not allowed")
	}
	stmts, err := parse.Parse(strings.NewReader(source), chunk)
	if err != nil {
		return nil, syntaxError(chunk, err)
	}
	w := &rewriter{own: map[string]bool{}}
	w.all(stmts)
	return compileTree(stmts, chunk)
}

// compileTree compiles what has been rewritten.
func compileTree(stmts []ast.Stmt, chunk string) (*lua.FunctionProto, error) {
	proto, err := lua.Compile(stmts, chunk)
	if err != nil {
		return nil, syntaxError(chunk, err)
	}
	proto.IsVarArg &^= lua.VarArgNeedsArg // a chunk has no table arg, which would cost more than all else
	return proto, nil
}

// The chunks of scripts and of libraries.
const (
	scriptChunk   = "user_script"
	functionChunk = "user_function"
)

// joinName cannot be written in a script.
const joinName = " join"

// parserSays takes the parser's error apart, and compilerSays the compiler's.
var (
	parserSays   = regexp.MustCompile(`(?s)^\S+ line:(\d+)\(column:\d+\) near '(.*?)':\s*(.*?)\s*$`)
	endSays      = regexp.MustCompile(`(?s)^\S+ at EOF:\s*(.*?)\s*$`)
	compilerSays = regexp.MustCompile(`(?s)^compile error near line\((\d+)\) \S+: (.*)$`)
)

// syntaxError words an error as Lua does, as far as the parser tells.
func syntaxError(chunk string, err error) error {
	text := err.Error()
	if m := parserSays.FindStringSubmatch(text); m != nil {
		said := m[3]
		if said == "syntax error" || said == "parse error" {
			said = "unexpected symbol"
		}
		return fmt.Errorf("%s:%s: %s near '%s'", chunk, m[1], said, m[2])
	}
	if m := endSays.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:1: unexpected symbol near '<eof>'", chunk)
	}
	if m := compilerSays.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s: %s", chunk, m[1], m[2])
	}
	return errors.New(text)
}

func (w *rewriter) all(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.stmt(s)
	}
}

func (w *rewriter) stmt(s ast.Stmt) {
	if w.noting {
		w.note(s)
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.list(s.Lhs)
		w.list(s.Rhs)
	case *ast.LocalAssignStmt:
		w.list(s.Exprs)
	case *ast.FuncCallStmt:
		w.expr(&s.Expr)
	case *ast.DoBlockStmt:
		w.all(s.Stmts)
	case *ast.WhileStmt:
		w.expr(&s.Condition)
		w.all(s.Stmts)
	case *ast.RepeatStmt:
		w.expr(&s.Condition)
		w.all(s.Stmts)
	case *ast.IfStmt:
		w.expr(&s.Condition)
		w.all(s.Then)
		w.all(s.Else)
	case *ast.NumberForStmt:
		w.expr(&s.Init)
		w.expr(&s.Limit)
		w.expr(&s.Step)
		w.all(s.Stmts)
	case *ast.GenericForStmt:
		if len(s.Exprs) == 1 {
			w.looksInto(s.Exprs[0], "ipairs")
		}
		w.list(s.Exprs)
		w.all(s.Stmts)
	case *ast.FuncDefStmt:
		w.function(s.Func)
	case *ast.ReturnStmt:
		w.list(s.Exprs)
	}
}

func (w *rewriter) function(x *ast.FunctionExpr) {
	if w.noting && x.ParList != nil {
		w.names(x.ParList.Names)
	}
	w.depth++
	w.all(x.Stmts)
	w.depth--
}

func (w *rewriter) list(list []ast.Expr) {
	for i := range list {
		w.expr(&list[i])
	}
}

func (w *rewriter) expr(at *ast.Expr) {
	switch x := (*at).(type) {
	case *ast.IdentExpr:
		w.global(x)
	case *ast.Comma3Expr:
		w.varargs = w.varargs || w.depth == 0
	case *ast.AttrGetExpr:
		if alias := w.field(x); alias != nil {
			*at = alias
			return
		}
		w.alias(x.Object)
		w.expr(&x.Object)
		w.expr(&x.Key)
	case *ast.TableExpr:
		for _, f := range x.Fields {
			w.expr(&f.Key)
			w.expr(&f.Value)
		}
	case *ast.FuncCallExpr:
		w.looksInto(x, "unpack")
		w.expr(&x.Func)
		w.expr(&x.Receiver)
		w.list(x.Args)
	case *ast.LogicalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.RelationalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.ArithmeticOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.UnaryMinusOpExpr:
		w.expr(&x.Expr)
	case *ast.UnaryNotOpExpr:
		w.expr(&x.Expr)
	case *ast.UnaryLenOpExpr:
		w.alias(x.Expr)
		w.expr(&x.Expr)
	case *ast.FunctionExpr:
		w.function(x)
	case *ast.StringConcatOpExpr:
		if w.noting {
			w.expr(&x.Lhs)
			w.expr(&x.Rhs)
			return
		}
		*at = w.joinCall(x)
	}
}

// joinMost is how many operands one call joins: fewer than a function has
// registers for.
const joinMost = 100

// joinCall is the call that stands for a .. b .. c, which Lua joins from the
// right.
func (w *rewriter) joinCall(x *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var last ast.Expr = x
	for len(operands) < joinMost {
		more, ok := last.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, more.Lhs)
		last = more.Rhs
	}
	operands = append(operands, last)
	for i := range operands {
		w.expr(&operands[i])
		operands[i] = single(operands[i])
	}
	name := &ast.IdentExpr{Value: joinName}
	name.SetLine(x.Line())
	name.SetLastLine(x.LastLine())
	call := &ast.FuncCallExpr{Func: name, Args: operands, AdjustRet: true}
	call.SetLine(x.Line())
	call.SetLastLine(x.LastLine())
	return call
}

// single makes an expression have one value.
func single(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.FuncCallExpr:
		x.AdjustRet = true
	case *ast.Comma3Expr:
		x.AdjustRet = true
	}
	return x
}
