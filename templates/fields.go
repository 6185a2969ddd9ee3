package templates

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/git-liza/git-liza/flow/lists"
)

// A fieldCheck looks in a template for fields that the values which it is filled in with do
// not have. It follows the types of values from [Input] on; a nil type is one that only a
// prompt shows, and has every field. All that it finds would fail in some prompt, but not
// all that would fail is found: a field of nil, for example, is not.
type fieldCheck struct {
	name     string // of the file
	set      *template.Template
	vars     []typedVariable
	assigned map[string]bool // variables whose type may change
	called   map[calledTemplate]bool
	place    parse.Node     // the last one of the file: what is in a built-in piece is called there
	inPiece  bool           // that is built in
	found    int            // at most maxFaults
	wrong    map[int]string // by line
}

// maxFaults bounds for how many faults of a file their lines are looked up.
const maxFaults = 100

type typedVariable struct {
	name string
	is   reflect.Type
}

type calledTemplate struct {
	name string
	dot  reflect.Type
}

// unknownFields are the lines of a template that ask for what there is not, with what each
// asks for.
func unknownFields(t *template.Template) []Fault {
	c := &fieldCheck{name: t.Name(), set: t, assigned: map[string]bool{}}
	for range 2 { // the first walk learns which variables are assigned to
		c.found, c.called, c.wrong = 0, map[calledTemplate]bool{}, map[int]string{}
		c.body(t, reflect.TypeFor[Input]())
	}
	return lists.Of(slices.Sorted(maps.Keys(c.wrong)), func(line int) Fault { return Fault{Path: c.name, Line: line, Text: c.wrong[line]} })
}

func (c *fieldCheck) fault(n parse.Node, format string, args ...any) {
	if c.found++; c.found > maxFaults {
		return
	}
	if c.inPiece {
		n = c.place
	}
	location, _ := c.set.ErrorContext(n) // NAME:LINE:BYTE
	place, _, _ := strings.Cut(strings.TrimPrefix(location, c.name+":"), ":")
	line, _ := strconv.Atoi(place)
	c.wrong[line] = cmp.Or(c.wrong[line], fmt.Sprintf(format, args...))
}

// body walks a template that is called with a dot of a type.
func (c *fieldCheck) body(t *template.Template, dot reflect.Type) {
	call := calledTemplate{t.Name(), dot}
	if c.called[call] {
		return
	}
	c.called[call] = true
	vars, inPiece := c.vars, c.inPiece
	c.vars, c.inPiece = []typedVariable{{"$", dot}}, t.ParseName != c.name
	c.walk(t.Root, dot)
	c.vars, c.inPiece = vars, inPiece
}

func (c *fieldCheck) walk(n parse.Node, dot reflect.Type) {
	switch n := n.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			c.walk(one, dot)
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, dot)
	case *parse.IfNode:
		c.branch(&n.BranchNode, dot)
	case *parse.WithNode:
		c.branch(&n.BranchNode, dot)
	case *parse.RangeNode:
		c.branch(&n.BranchNode, dot)
	case *parse.TemplateNode:
		given := c.pipe(n.Pipe, dot)
		t := c.set.Lookup(n.Name)
		if t == nil || t.Tree == nil {
			c.fault(n, "asks for the template %q, which there is not", n.Name)
			return
		}
		if !c.inPiece {
			c.place = n
		}
		c.body(t, given)
	}
}

// branch walks if, with and range. What they declare is there until their end.
func (c *fieldCheck) branch(n *parse.BranchNode, dot reflect.Type) {
	outer := len(c.vars)
	value, inner := c.pipe(n.Pipe, dot), dot
	switch n.NodeType {
	case parse.NodeWith:
		inner = value
	case parse.NodeRange:
		inner = elementOf(value)
		if declared := c.vars[outer:]; len(declared) > 0 {
			declared[0].is = nil // the index of two
			declared[len(declared)-1].is = inner
		}
	}
	c.walk(n.List, inner)
	if n.ElseList != nil {
		c.walk(n.ElseList, dot)
	}
	c.vars = c.vars[:outer]
}

// pipe returns the type of a pipeline's value, and declares its variables.
func (c *fieldCheck) pipe(p *parse.PipeNode, dot reflect.Type) (value reflect.Type) {
	if p == nil {
		return nil
	}
	for _, command := range p.Cmds {
		value = c.operand(command.Args[0], dot)
		for _, arg := range command.Args[1:] {
			c.operand(arg, dot)
		}
	}
	for _, v := range p.Decl {
		if p.IsAssign {
			c.assigned[v.Ident[0]] = true
		} else {
			c.vars = append(c.vars, typedVariable{v.Ident[0], value})
		}
	}
	return value
}

func (c *fieldCheck) operand(n parse.Node, dot reflect.Type) reflect.Type {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return c.fields(n, dot, n.Ident)
	case *parse.ChainNode:
		return c.fields(n, c.operand(n.Node, dot), n.Field)
	case *parse.VariableNode:
		return c.fields(n, c.variable(n.Ident[0]), n.Ident[1:])
	case *parse.PipeNode:
		return c.pipe(n, dot)
	case *parse.IdentifierNode:
		if f := functions[n.Ident]; f != nil {
			return reflect.TypeOf(f).Out(0)
		}
	}
	return nil
}

func (c *fieldCheck) variable(name string) reflect.Type {
	for _, v := range slices.Backward(c.vars) {
		if v.name == name && !c.assigned[name] {
			return v.is
		}
	}
	return nil
}

// fields returns the type of a field of a field.
func (c *fieldCheck) fields(n parse.Node, of reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		if of == nil {
			return nil
		}
		is, there := fieldOf(of, name)
		if !there {
			asked := n.String()
			if n.Type() == parse.NodeChain {
				asked = "(…)." + strings.Join(names, ".")
			}
			c.fault(n, "asks for %s, and %s has no %s", asked, typeName(of), name)
			return nil
		}
		of = is
	}
	return of
}

// fieldOf returns the type of a field, of what a method returns, or of the elements of a map,
// as text/template finds them.
func fieldOf(t reflect.Type, name string) (is reflect.Type, there bool) {
	t = pointed(t)
	if method, ok := reflect.PointerTo(t).MethodByName(name); ok && method.Type.NumOut() > 0 {
		return method.Type.Out(0), true
	}
	switch t.Kind() {
	case reflect.Interface:
		return nil, true
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
		field, ok := t.FieldByName(name)
		return field.Type, ok && field.IsExported()
	}
	return nil, false
}

// elementOf returns the type of what range goes through, nil where that is not known.
func elementOf(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	switch t = pointed(t); t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
		return t.Elem()
	}
	return nil
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func typeName(t reflect.Type) string {
	if t = pointed(t); t == reflect.TypeFor[Input]() {
		return "a prompt"
	}
	return "a " + cmp.Or(t.Name(), t.String())
}
