// Picture counts the arrows between the files of packages: a file that uses a declaration,
// a method or a field of another file has an arrow to it. Files stand in one order, by a
// fixed rule (see [order]); an arrow to a file that stands higher points up. A house whose
// arrows all point down can be read from below, a file at a time.
//
// Its arguments are sets of packages, each a list of folders joined by commas. Without
// arguments it shows the rooms of this module, and with -files each file of them.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// rooms are the sets that are shown without arguments; those that were once one package are
// counted together.
var rooms = []string{"flow,flow/board,flow/glob", "gitstore", "gitstore/git", "worktrees", "hooks", "cmd/git-liza",
	"cmd/git-liza/internal/view", "cmd/git-liza/internal/work", "cmd/git-liza/internal/supervise"}

func main() {
	files := flag.Bool("files", false, "show each file, the highest first")
	flag.Parse()
	sets := flag.Args()
	if len(sets) == 0 {
		sets = rooms
	}
	if err := show(os.Stdout, ".", sets, *files); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func show(w io.Writer, root string, sets []string, files bool) error {
	fmt.Fprintf(w, "%-36s %5s %6s %5s %4s\n", "packages", "files", "arrows", "up", "%")
	for _, set := range sets {
		uses, err := read(root, strings.Split(set, ","))
		if err != nil {
			return err
		}
		order := order(uses)
		all, up := count(uses, order)
		fmt.Fprintf(w, "%-36s %5d %6d %5d %4d\n", set, len(order), all, up, 100*up/max(1, all))
		if !files {
			continue
		}
		for i, file := range slices.Backward(order) {
			higher := slices.DeleteFunc(slices.Clone(order[i+1:]), func(other string) bool { return !uses[file][other] })
			fmt.Fprintf(w, "  %s\t%s\n", file, strings.Join(higher, " "))
		}
	}
	return nil
}

// uses are, of each file, the other files that it uses.
type uses map[string]map[string]bool

// order is the files from the lowest to the highest: of those that are left, the next is that
// which most of the others use, less those of them that it uses; then the first by name.
func order(u uses) []string {
	var left, list []string
	for file := range u {
		left = append(left, file)
	}
	slices.Sort(left)
	for len(left) > 0 {
		weight := func(file string) (n int) {
			for _, other := range left {
				if u[other][file] {
					n++
				}
				if u[file][other] {
					n--
				}
			}
			return n
		}
		best := slices.MaxFunc(left, func(x, y string) int { return cmp.Or(cmp.Compare(weight(x), weight(y)), strings.Compare(y, x)) })
		list = append(list, best)
		left = slices.DeleteFunc(left, func(file string) bool { return file == best })
	}
	return list
}

// count counts the arrows, and those that point to a later file of the order.
func count(u uses, order []string) (all, up int) {
	for i, file := range order {
		for _, other := range order[i+1:] {
			if u[file][other] {
				up++
			}
		}
		all += len(u[file])
	}
	return all, up
}

// A listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// read finds the uses between the files of some packages below root. Tests are left out.
func read(root string, folders []string) (uses, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	command := exec.Command("go", args...)
	command.Dir, command.Stderr = root, os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	wanted := map[string]bool{}
	for _, folder := range folders {
		dir, err := filepath.Abs(filepath.Join(root, folder))
		if err != nil {
			return nil, err
		}
		wanted[dir] = true
	}
	exports, packages := map[string]string{}, []listed{}
	for decoder := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if wanted[p.Dir] {
			packages = append(packages, p)
		}
	}
	return usesOf(root, packages, exports)
}

// usesOf checks the packages in the order of go list, each after those that it imports.
func usesOf(root string, packages []listed, exports map[string]string) (uses, error) {
	fset, checked := token.NewFileSet(), map[string]*types.Package{}
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found := uses{}
	for _, p := range packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: importing(func(path string) (*types.Package, error) {
			if p := checked[path]; p != nil {
				return p, nil
			}
			return compiled.Import(path)
		})}
		pkg, err := config.Check(p.ImportPath, fset, files, info)
		if err != nil {
			return nil, err
		}
		checked[p.ImportPath] = pkg
		place := func(at token.Pos) string {
			name, err := filepath.Rel(root, fset.Position(at).Filename)
			if err != nil {
				return fset.Position(at).Filename
			}
			return name
		}
		for _, file := range files {
			found[place(file.Pos())] = map[string]bool{}
		}
		for id, of := range info.Uses {
			if of.Pkg() == nil || checked[of.Pkg().Path()] != of.Pkg() || !outlives(of) {
				continue
			}
			if from, to := place(id.Pos()), place(of.Pos()); from != to {
				found[from][to] = true
			}
		}
	}
	return found, nil
}

// outlives reports whether an object is of a package, or a method or field, and not a name
// within a function.
func outlives(of types.Object) bool {
	if v, ok := of.(*types.Var); ok && v.IsField() {
		return true
	}
	if f, ok := of.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return of.Parent() == of.Pkg().Scope()
}

type importing func(path string) (*types.Package, error)

// Import finds a package among those that were checked, or compiled.
func (i importing) Import(path string) (*types.Package, error) { return i(path) }
