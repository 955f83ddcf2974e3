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
	rewriteAll(stmts)
	proto, err := lua.Compile(stmts, chunk)
	if err != nil {
		return nil, syntaxError(chunk, err)
	}
	return proto, nil
}

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

func rewriteAll(stmts []ast.Stmt) {
	for _, s := range stmts {
		rewriteStmt(s)
	}
}

func rewriteStmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		rewriteList(s.Lhs)
		rewriteList(s.Rhs)
	case *ast.LocalAssignStmt:
		rewriteList(s.Exprs)
	case *ast.FuncCallStmt:
		rewrite(&s.Expr)
	case *ast.DoBlockStmt:
		rewriteAll(s.Stmts)
	case *ast.WhileStmt:
		rewrite(&s.Condition)
		rewriteAll(s.Stmts)
	case *ast.RepeatStmt:
		rewrite(&s.Condition)
		rewriteAll(s.Stmts)
	case *ast.IfStmt:
		rewrite(&s.Condition)
		rewriteAll(s.Then)
		rewriteAll(s.Else)
	case *ast.NumberForStmt:
		rewrite(&s.Init)
		rewrite(&s.Limit)
		rewrite(&s.Step)
		rewriteAll(s.Stmts)
	case *ast.GenericForStmt:
		rewriteList(s.Exprs)
		rewriteAll(s.Stmts)
	case *ast.FuncDefStmt:
		rewriteAll(s.Func.Stmts)
	case *ast.ReturnStmt:
		rewriteList(s.Exprs)
	}
}

func rewriteList(list []ast.Expr) {
	for i := range list {
		rewrite(&list[i])
	}
}

func rewrite(at *ast.Expr) {
	switch x := (*at).(type) {
	case *ast.AttrGetExpr:
		rewrite(&x.Object)
		rewrite(&x.Key)
	case *ast.TableExpr:
		for _, f := range x.Fields {
			rewrite(&f.Key)
			rewrite(&f.Value)
		}
	case *ast.FuncCallExpr:
		rewrite(&x.Func)
		rewrite(&x.Receiver)
		rewriteList(x.Args)
	case *ast.LogicalOpExpr:
		rewrite(&x.Lhs)
		rewrite(&x.Rhs)
	case *ast.RelationalOpExpr:
		rewrite(&x.Lhs)
		rewrite(&x.Rhs)
	case *ast.ArithmeticOpExpr:
		rewrite(&x.Lhs)
		rewrite(&x.Rhs)
	case *ast.UnaryMinusOpExpr:
		rewrite(&x.Expr)
	case *ast.UnaryNotOpExpr:
		rewrite(&x.Expr)
	case *ast.UnaryLenOpExpr:
		rewrite(&x.Expr)
	case *ast.FunctionExpr:
		rewriteAll(x.Stmts)
	case *ast.StringConcatOpExpr:
		*at = joinCall(x)
	}
}

// joinMost is how many operands one call joins: fewer than a function has
// registers for.
const joinMost = 100

// joinCall is the call that stands for a .. b .. c, which Lua joins from the
// right.
func joinCall(x *ast.StringConcatOpExpr) ast.Expr {
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
		rewrite(&operands[i])
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
