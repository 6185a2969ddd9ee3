package planforms

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
)

const (
	graphName        = "task-graph.json"
	requirementsName = "requirements.md"
)

// isGSDSpecs reports whether a folder holds what ZERG keeps in .gsd.
func isGSDSpecs(tree fs.FS) bool {
	return isFile(tree, graphName) || isFile(tree, "tasks/"+graphName) || len(globs(tree, "specs/*/"+graphName, "specs/*/requirements.md")) > 0
}

// readGSDSpecs reads the one task-graph.json of the folder, wherever versions of ZERG keep
// it.
func (r *reading) readGSDSpecs() error {
	r.report.System = "ZERG"
	if r.hasFolder("milestones") {
		return refusef(nil, "milestones is a folder of GSD 2, which is not known here; %s of ZERG is", graphName)
	}
	found := slices.DeleteFunc(slices.Clone(r.names), func(name string) bool { return path.Base(name) != graphName })
	switch len(found) {
	case 0:
		return refusef(nil, "there is no %s: ZERG makes it of requirements.md and design.md", graphName)
	case 1:
	default:
		return refusef(found, "there are %d task graphs, and a plan is one of them: %s", len(found), strings.Join(found, ", "))
	}
	name := found[0]
	text, err := r.text(name)
	if err != nil {
		r.fail(name, err)
		return r.err
	}
	f := planfile.Read(name, []byte(text), MaxFile)
	if beside := path.Join(path.Dir(name), requirementsName); r.has(beside) {
		for i := range f.Plan.Tasks {
			f.Plan.Tasks[i].Spec = r.rooted(beside)
		}
		r.taken[beside] = true
	}
	f.Within(path.Join(string(r.below), name))
	f.Report.System = "ZERG, " + f.Report.System
	r.whole = f
	return r.err
}
