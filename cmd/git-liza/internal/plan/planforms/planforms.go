// Package planforms reads the plans of other systems: phases and plans of GSD, prd.json of
// bounded loops, and the task graphs of ZERG. Each becomes the one plan that planfile knows,
// with a report of what has no place in it. It reads a file system that it is given, follows
// no link in it, and writes nothing.
package planforms

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
)

// An Error says why a folder holds no plan that can be read. Try are paths below it, of
// which one is probably meant; "." is the folder itself.
type Error struct {
	Reason string
	Try    []string
}

// Error is the reason.
func (e *Error) Error() string { return e.Reason }

func refusef(try []string, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), try}
}

// A system is one of those whose plans are read.
type system struct {
	home  string // the folder of a project that it keeps its files in; "" for none
	marks func(tree fs.FS) bool
	read  func(*reading) error
	few   []string // all of its files, in a folder that has the first of them
}

var (
	zerg     = system{".gsd", isGSDSpecs, (*reading).readGSDSpecs, []string{graphName, "design.md", requirementsName}}
	planning = system{".planning", isPlanning, (*reading).readPlanning, nil}
	bundles  = system{"", func(tree fs.FS) bool { return isFile(tree, storiesName) }, func(r *reading) error { return r.readStories(storiesName) }, []string{storiesName, "PRD.md", "RUNBOOK.md", "progress.txt", "run.log"}}
)

// systems are in the order in which a folder is asked for their marks.
var systems = []system{zerg, planning, bundles}

// IsNamed reports whether a file has the name of one that a system keeps its plan in, so
// that [Read] takes it.
func IsNamed(base string) bool {
	return base == storiesName || base == roadmapName || isPlanFile(base)
}

// Read reads the plan of a folder, which is at within from the root of the repository: a
// project, the folder in which a system keeps its files, or a part of that. base is a file
// of the folder if only that is meant, else "". The error is an [*Error] if there is no
// plan, or if nobody can tell which one is meant, else that of the file system.
func Read(tree fs.FS, within, base string) (*planfile.File, error) {
	found, at, err := system{}, ".", error(nil)
	if base != "" {
		switch info, err := lstat(tree, base); {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, refusef(nil, "it is a link or no plain file, and is not followed")
		}
	}
	switch {
	case base == storiesName:
		found = bundles
	case base == roadmapName:
		found = planning
	case base != "":
		found = planning
		found.few = []string{base, summaryName(base)}
	default:
		found, at, err = find(tree, within)
	}
	if err != nil {
		return nil, err
	}
	if at != "." {
		if tree, err = fs.Sub(tree, at); err != nil {
			return nil, err
		}
	}
	r := &reading{files: &files{tree: tree}, within: path.Join(within, at), below: place(at)}
	if err := r.list(found.few); err != nil {
		return nil, r.below.error(err)
	}
	if err := found.read(r); err != nil {
		return nil, r.below.error(err)
	}
	return r.result(), nil
}

// find finds the system to which a folder belongs, and where its files are.
func find(tree fs.FS, within string) (found system, at string, err error) {
	var homes []string
	for _, s := range systems {
		if s.home != "" && isFolder(tree, s.home) {
			found, homes = s, append(homes, s.home)
		}
	}
	if isFile(tree, storiesName) && len(homes) > 0 {
		homes = append(homes, storiesName)
	}
	switch len(homes) {
	case 0:
	case 1:
		return found, homes[0], nil
	default:
		return found, "", refusef(homes, "the folder has plans of several systems: %s; say which", strings.Join(homes, ", "))
	}
	for _, s := range systems {
		if s.home != "" && path.Base(within) == s.home || s.marks(tree) {
			return s, ".", nil
		}
	}
	return found, "", refusef(nil, "the folder has no plan: no .gsd, .planning or prd.json, and nothing that stands in one of them")
}

// A place is the folder in which a system keeps its files, below the one that was read.
type place string

// error makes paths below the place paths below the folder that was read.
func (p place) error(err error) error {
	if e, is := errors.AsType[*Error](err); is {
		for i := range e.Try {
			e.Try[i] = path.Join(string(p), e.Try[i])
		}
	}
	return err
}

func isFolder(tree fs.FS, name string) bool {
	info, err := lstat(tree, name)
	return err == nil && info.IsDir()
}

func isFile(tree fs.FS, name string) bool {
	info, err := lstat(tree, name)
	return err == nil && info.Mode().IsRegular()
}

// lstat looks at a file, and at a link itself where the file system can.
func lstat(tree fs.FS, name string) (fs.FileInfo, error) { return fs.Lstat(tree, name) }
