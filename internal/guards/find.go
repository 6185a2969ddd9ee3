package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// A guard is a condition under which a function of the rules refuses: an if, or a case of a
// switch without a tag, whose body is the refusal.
type guard struct {
	name  string // file, function and condition, as in the list of accepted survivors
	file  string // path below the root of the module
	at    int    // line
	cond  ast.Expr
	value bool // the condition is a refusal or nil, one of several
}

// judged are the folders with the guards. In gitstore those files alone that judge what
// others made.
var judged = map[string]func() *regexp.Regexp{
	"flow":     pattern.Late(`.`),
	"hooks":    pattern.Late(`.`),
	"gitstore": pattern.Late(`^(replay|object_checker|brought|search|commits|vouch|audit|snapshot|frozen|history|anew|join|mirror_advance)`),
}

// refusing matches the names of functions that make a refusal or report a breach.
var refusing = pattern.Late(`^refuse$|[rR]efusal$|^Errorf$|^New$`)

// A source is a parsed file with its guards.
type source struct {
	path   string // below the root
	text   []byte
	fset   *token.FileSet
	file   *ast.File
	guards []*guard
}

// findSources parses the judged folders below root, in the order of their names.
func findSources(root string) (all []*source, err error) {
	for folder, judges := range judged {
		names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || !judges().MatchString(filepath.Base(name)) {
				continue
			}
			s, err := parse(root, name)
			if err != nil {
				return nil, err
			}
			if len(s.guards) > 0 {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func parse(root, name string) (*source, error) {
	s := &source{path: strings.TrimPrefix(name, root+string(filepath.Separator)), fset: token.NewFileSet()}
	var err error
	if s.text, err = os.ReadFile(name); err != nil {
		return nil, err
	}
	if s.file, err = parser.ParseFile(s.fset, name, s.text, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	for _, d := range s.file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
			s.inFunction(f)
		}
	}
	return s, nil
}

// inFunction adds the guards of a function.
func (s *source) inFunction(f *ast.FuncDecl) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if refuses(n.Body.List) || passesOn(f, n) {
				s.add(f, n.Init, n.Cond)
			}
		case *ast.CallExpr:
			if called(n) == "Or" && returnsRefusal(f) && !slices.ContainsFunc(n.Args, isLiteral) {
				for _, one := range n.Args {
					if _, is := one.(*ast.CallExpr); is {
						s.add(f, nil, one)
						s.guards[len(s.guards)-1].value = true // a call is never left out
					}
				}
			}
		case *ast.SwitchStmt:
			if n.Tag != nil {
				break
			}
			for _, c := range n.Body.List {
				if c := c.(*ast.CaseClause); len(c.List) == 1 && refuses(c.Body) {
					s.add(f, nil, c.List[0])
				}
			}
		}
		return true
	})
	s.atEnd(f)
}

// atEnd adds the refusal in which a function ends where nothing let the move pass before.
func (s *source) atEnd(f *ast.FuncDecl) {
	body := f.Body.List
	if len(body) < 2 || !returnsRefusal(f) {
		return
	}
	if done, is := body[len(body)-1].(*ast.ReturnStmt); is && len(done.Results) == 1 {
		if call, is := done.Results[0].(*ast.CallExpr); is && makesRefusal(call) {
			s.add(f, nil, call)
			s.guards[len(s.guards)-1].value = true
		}
	}
}

// passesOn reports whether an if returns the refusal that it got.
func passesOn(f *ast.FuncDecl, n *ast.IfStmt) bool {
	compared, is := n.Cond.(*ast.BinaryExpr)
	if !is || compared.Op != token.NEQ || typeName(compared.Y) != "nil" || len(n.Body.List) != 1 || !returnsRefusal(f) {
		return false
	}
	done, is := n.Body.List[0].(*ast.ReturnStmt)
	return is && len(done.Results) == 1 && typeName(done.Results[0]) != "" && typeName(done.Results[0]) == typeName(compared.X)
}

// returnsRefusal reports whether the only result of a function is a refusal.
func returnsRefusal(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	star, is := f.Type.Results.List[0].Type.(*ast.StarExpr)
	return is && typeName(star.X) == "Refusal"
}

// add enters a guard, unless it passes on an error that is no refusal.
func (s *source) add(f *ast.FuncDecl, before ast.Stmt, cond ast.Expr) {
	var text strings.Builder
	if before != nil {
		_ = printer.Fprint(&text, token.NewFileSet(), before)
		text.WriteString("; ")
	}
	if err := printer.Fprint(&text, token.NewFileSet(), cond); err != nil || strings.Contains(text.String(), "err != nil") {
		return
	}
	name := fmt.Sprintf("%s %s: %s", s.path, f.Name.Name, strings.Join(strings.Fields(text.String()), " "))
	for _, g := range s.guards {
		if g.name == name {
			name += " (again)"
		}
	}
	s.guards = append(s.guards, &guard{name: name, file: s.path, at: s.fset.Position(cond.Pos()).Line, cond: cond})
}

// refuses reports whether statements are one refusal: a return of it, or its entry among
// what is refused, and at most a return after it.
func refuses(body []ast.Stmt) bool {
	if len(body) == 0 || len(body) > 2 {
		return false
	}
	if len(body) == 2 {
		if _, is := body[1].(*ast.ReturnStmt); !is {
			return false
		}
	}
	switch first := body[0].(type) {
	case *ast.ExprStmt:
		call, is := first.X.(*ast.CallExpr)
		return is && refusing().MatchString(called(call))
	case *ast.ReturnStmt:
		return len(body) == 1 && slices.ContainsFunc(first.Results, makesRefusal)
	}
	return false
}

func makesRefusal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return refusing().MatchString(called(e))
	case *ast.UnaryExpr:
		c, is := e.X.(*ast.CompositeLit)
		return is && strings.HasSuffix(typeName(c.Type), "Refusal")
	}
	return false
}

func isLiteral(e ast.Expr) bool {
	_, is := e.(*ast.BasicLit)
	return is
}

func called(call *ast.CallExpr) string { return typeName(call.Fun) }

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// switchable is the text of the file with each guard behind its number: first, first + 1, ….
// Lines keep their numbers.
func (s *source) switchable(first int) []byte {
	type edit struct {
		at   int
		text string
	}
	offset := func(p token.Pos) int { return s.fset.Position(p).Offset }
	edits := []edit{{offset(s.file.Name.End()), `; import guards "` + standsPackage + `"`}}
	for i, g := range s.guards {
		before := fmt.Sprintf("guards.Stand(%d) && (", first+i)
		if _, is := g.cond.(*ast.CallExpr); is && g.value {
			before = fmt.Sprintf("guards.Pass(%d, ", first+i)
		}
		edits = append(edits, edit{offset(g.cond.Pos()), before}, edit{offset(g.cond.End()), ")"})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, s.text[done:e.at]...), e.text...)
		done = e.at
	}
	return append(out, s.text[done:]...)
}
