package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
)

// TestMain runs the tests at the top of the tree, so that they name files as readers do.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../../../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// A parsedFile is a Go file of this module.
type parsedFile struct {
	name string
	file *ast.File
}

// parseModule parses this module once for all tests.
var parseModule = sync.OnceValues(func() (list []parsedFile, err error) {
	err = parseFiles(os.DirFS("."), func(name string, file *ast.File) { list = append(list, parsedFile{name, file}) })
	return list, err
})

// eachFile visits the Go files below root that are no tests. It changes none of them.
func eachFile(root fs.FS, visit func(name string, file *ast.File)) error {
	if root != os.DirFS(".") {
		return parseFiles(root, visit)
	}
	list, err := parseModule()
	for _, one := range list {
		visit(one.name, one.file)
	}
	return err
}

func parseFiles(root fs.FS, visit func(name string, file *ast.File)) error {
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() {
			if base != "." && (base[0] == '.' || base[0] == '_' || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			visit(name, file)
		}
		return err
	})
}

// The kinds of declarations.
type kind int

const (
	function kind = iota
	method
	typ
	field // of a struct, or method of an interface
	value // a constant or variable
)

// eachDeclaration visits what a file declares outside of function bodies. of is the
// type of a method or field. The name of a field that embeds is "*".
func eachDeclaration(file *ast.File, visit func(what kind, of, name string)) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				visit(function, "", decl.Name.Name)
			} else {
				visit(method, receiverType(decl), decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				eachSpec(spec, visit)
			}
		}
	}
}

// eachSpec is eachDeclaration for one line of a declaration.
func eachSpec(spec ast.Spec, visit func(what kind, of, name string)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			visit(value, "", id.Name)
		}
	case *ast.TypeSpec:
		visit(typ, "", spec.Name.Name)
		var fields *ast.FieldList
		switch t := spec.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			return
		}
		for _, f := range fields.List {
			for _, id := range f.Names {
				visit(field, spec.Name.Name, id.Name)
			}
			if len(f.Names) == 0 {
				visit(field, spec.Name.Name, "*")
			}
		}
	}
}

// receiverType is the name of the type that a method belongs to.
func receiverType(method *ast.FuncDecl) string {
	expr := method.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch generic := expr.(type) {
	case *ast.IndexExpr:
		expr = generic.X
	case *ast.IndexListExpr:
		expr = generic.X
	}
	return expr.(*ast.Ident).Name
}
