package planforms

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

const roadmapName = "ROADMAP.md"

const stateName = "STATE.md"

// isPlanning reports whether a folder holds what GSD keeps in .planning, or a bundle of
// stories beside it.
func isPlanning(tree fs.FS) bool {
	return isFile(tree, roadmapName) || isFile(tree, stateName) || isFile(tree, "PLAN.md") || isFolder(tree, "phases") || isFolder(tree, "ralph") ||
		len(globs(tree, "*-PLAN.md", "*/PLAN.md", "*/*-PLAN.md")) > 0
}

// globs are the files that match patterns; most of these are looked for in few folders.
func globs(tree fs.FS, patterns ...string) (list []string) {
	for _, one := range patterns {
		found, _ := fs.Glob(tree, one) // the patterns are well formed
		list = append(list, found...)
	}
	return list
}

var phaseFolderPattern = pattern.Late(`^(?:phase-?)?([0-9]+(?:\.[0-9]+)*)(?:[-_].*)?$`)

// readPlanning reads phases and plans. Bundles of bounded loops are plans of their own.
func (r *reading) readPlanning() error {
	r.report.System = "GSD"
	if err := r.checkState(); err != nil {
		return err
	}
	if r.hasFolder("milestones") && !r.has(roadmapName) && !r.hasFolder("phases") {
		r.leave("milestones", 1, "the folder", "phases of milestones that have ended are not imported")
	}
	plans := slices.DeleteFunc(slices.Clone(r.names), func(name string) bool {
		return !isPlanFile(name) || strings.HasPrefix(name, "milestones/") || strings.HasPrefix(name, "ralph/")
	})
	if len(plans) == 0 && !r.has(roadmapName) {
		return r.readBundles()
	}
	var known []*phase
	if r.has(roadmapName) {
		known = r.readRoadmap(roadmapName)
	} else if r.hasFolder("phases") {
		r.lack(roadmapName, "phases have no goals and no needs")
	}
	for _, name := range globsIn(r.names, "ralph", storiesName) {
		r.takeBelow(path.Dir(name))
		r.leave(name, 1, "the bundle", "it is a plan of its own: git liza plan import "+r.rooted(name)+", or git liza loop "+r.rooted(name))
	}
	r.addPhases(known, plans)
	return r.err
}

// checkState refuses a version of GSD that is not known here. What STATE.md says of work the
// board says itself.
func (r *reading) checkState() error {
	if !r.has(stateName) {
		return nil
	}
	p := r.page(stateName)
	if p == nil {
		return r.err
	}
	if v := p.front.Key("gsd_state_version"); v.Line() > 0 {
		if major, _, _ := strings.Cut(textOf(v), "."); major != "1" {
			return refusef(nil, "STATE.md has version %.20q of the state of GSD, which is not known here; version 1 is", textOf(v))
		}
	}
	return nil
}

// globsIn are the files of a name in the folders of a folder.
func globsIn(names []string, dir, base string) []string {
	return lists.Where(names, func(name string) bool { return path.Base(name) == base && path.Dir(path.Dir(name)) == dir })
}

// addPhases adds the plans of all phases, and a draft for what is not planned yet.
func (r *reading) addPhases(phases []*phase, files []string) {
	byNumber := map[string]*phase{}
	for _, one := range phases {
		byNumber[one.number] = one
	}
	plans := map[*phase][]*gsdPlan{}
	byKey := map[string]*gsdPlan{}
	loose := &phase{number: ""}
	for _, file := range files {
		g := r.readPlan(file)
		if g == nil {
			continue
		}
		of := cmp.Or(r.phaseOf(g, byNumber, &phases), loose)
		if g.key != "" && byKey[g.key] != nil {
			r.wrong(file, 1, "the plan %s is there twice: %s has its number too", padded(g.key), byKey[g.key].file)
			continue
		}
		if g.key != "" {
			byKey[g.key] = g
		}
		plans[of] = append(plans[of], g)
	}
	slices.SortStableFunc(phases, func(a, b *phase) int { return compareNumbers(a.number, b.number) })
	for _, one := range phases {
		plans[one] = r.listPlans(one, plans[one], byKey)
	}
	r.joinPhases(append(phases, loose), plans, byKey)
}

// phaseOf is the phase of a plan: that of its number, or of its folder.
func (r *reading) phaseOf(g *gsdPlan, byNumber map[string]*phase, phases *[]*phase) *phase {
	dir := path.Dir(g.file)
	number, _, _ := strings.Cut(g.key, "-")
	name := path.Base(path.Join(r.within, dir))
	above := path.Base(path.Join(r.within, path.Dir(dir)))
	if m := phaseFolderPattern().FindStringSubmatch(name); number == "" && m != nil && (above == "phases" || path.Dir(dir) == ".") {
		number = plainNumber(m[1])
	}
	if number == "" {
		return nil
	}
	of := byNumber[number]
	if of == nil {
		of = &phase{number: number, name: strings.ReplaceAll(name, "-", " ")}
		byNumber[number] = of
		*phases = append(*phases, of)
	}
	of.dir = dir
	return of
}

func compareNumbers(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	return slices.CompareFunc(x, y, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// listPlans are the plans of a phase, with those that only the roadmap lists. A phase
// without any is one itself.
func (r *reading) listPlans(of *phase, list []*gsdPlan, byKey map[string]*gsdPlan) []*gsdPlan {
	for _, one := range of.listed {
		if g := byKey[one.key]; g != nil {
			if one.done && g.ended == "" {
				g.ended = roadmapName + " has its box ticked"
			}
			continue
		}
		g := &gsdPlan{key: one.key, file: roadmapName, line: one.line}
		g.task = board.TaskInput{Title: cmp.Or(one.title, "Plan "+padded(one.key)), Scope: cmp.Or(one.title, of.goal), Draft: true}
		if one.done {
			g.ended = roadmapName + " has its box ticked"
		} else {
			r.leave(roadmapName, one.line, idOfKey(one.key), "its file is not there: the task is a draft")
		}
		byKey[one.key] = g
		list = append(list, g)
	}
	if len(list) == 0 && of.line > 0 {
		g := &gsdPlan{file: roadmapName, line: of.line}
		g.task = board.TaskInput{Title: cmp.Or(of.name, "Phase "+of.number), Scope: of.goal, DoneWhen: lines(of.criteria), Acceptance: of.criteria, Draft: true}
		if !of.done {
			r.leave(roadmapName, of.line, "Phase "+of.number, "it has no plan yet: the task is a draft")
		}
		list = append(list, g)
	}
	for _, g := range list {
		if of.done && g.ended == "" {
			g.ended = roadmapName + " has the box of phase " + of.number + " ticked"
		}
	}
	slices.SortStableFunc(list, func(a, b *gsdPlan) int { return compareKeys(a.key, b.key) })
	return list
}

func compareKeys(a, b string) int {
	x, m, _ := strings.Cut(a, "-")
	y, n, _ := strings.Cut(b, "-")
	return cmp.Or(compareNumbers(x, y), compareNumbers(m, n))
}
