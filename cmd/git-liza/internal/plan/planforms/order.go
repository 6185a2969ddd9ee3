package planforms

import (
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// joinPhases gives the plans their ids and what they need: what they say, else those of
// the wave before, else the plan before. What needs no plan of its phase needs the last
// ones of the phases before it.
func (r *reading) joinPhases(phases []*phase, plans map[*phase][]*gsdPlan, byKey map[string]*gsdPlan) {
	for _, of := range phases {
		for _, g := range plans[of] {
			g.task.ID = r.planID(of, g)
			if of.number != "" {
				g.task.Labels = []string{idOf("phase", padded(of.number))}
			}
		}
	}
	known := lists.Set(phases, func(of *phase) string { return of.number })
	before := map[string][]string{} // phases, of each phase
	lasts := map[string][]board.TaskID{}
	for i, of := range phases {
		before[of.number] = of.needs
		if i > 0 && len(of.needs) == 0 && !of.saysNone && of.number != "" {
			before[of.number] = []string{phases[i-1].number}
		}
		for _, number := range of.needs {
			if !known[number] {
				r.wrong(roadmapName, of.line, "phase %s depends on phase %s, which is not there", of.number, number)
			}
		}
		lasts[of.number] = r.joinPlans(plans[of], byKey)
	}
	var ends func(number string, seen []string) []board.TaskID
	ends = func(number string, seen []string) (ids []board.TaskID) {
		if len(lasts[number]) > 0 || slices.Contains(seen, number) {
			return lasts[number]
		}
		for _, one := range before[number] { // a phase without plans hands on what it waits for
			ids = append(ids, ends(one, append(seen, number))...)
		}
		return ids
	}
	for _, of := range phases {
		for _, g := range plans[of] {
			wants := g.phases
			if !g.inside {
				wants = append(wants, before[of.number]...)
			}
			for _, number := range wants {
				g.task.DependsOn = append(g.task.DependsOn, ends(number, nil)...)
			}
			g.task.DependsOn = once(g.task.DependsOn)
			r.add(g.file, g.line, g.task, g.ended)
		}
	}
}

// joinPlans gives the plans of one phase what they need of plans, and returns those that no
// other one of the phase needs.
func (r *reading) joinPlans(list []*gsdPlan, byKey map[string]*gsdPlan) (lasts []board.TaskID) {
	own := lists.Set(list, func(g *gsdPlan) board.TaskID { return g.task.ID })
	fed := map[board.TaskID]bool{}
	for n, g := range list {
		needs := r.findNeeds(g, byKey)
		if len(g.needs) == 0 && len(g.task.Labels) > 0 { // plans of no phase have no order
			needs = earlier(list, n)
		}
		for _, id := range needs {
			fed[id] = true
			g.inside = g.inside || own[id]
		}
		g.task.DependsOn = needs
	}
	for _, g := range list {
		if !fed[g.task.ID] {
			lasts = append(lasts, g.task.ID)
		}
	}
	return lasts
}

// planID is the id of a plan: of its number, else of its folder.
func (r *reading) planID(of *phase, g *gsdPlan) board.TaskID {
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(g.file), "PLAN.md"), "-")
	switch {
	case g.key != "":
		return taskID(idOfKey(g.key))
	case of.number != "" && stem != "" && g.file != roadmapName:
		return taskID("plan", padded(of.number), stem)
	case of.number != "":
		return taskID("phase", padded(of.number))
	}
	words := []string{"plan"}
	name := path.Base(path.Join(r.within, path.Dir(g.file)))
	if name != "." && name != ".planning" {
		words = append(words, name)
	}
	if stem != "" && !strings.HasPrefix(name, stem) {
		words = append(words, stem)
	}
	return taskID(words...)
}

// earlier are the plans that come before a plan of a phase by its wave, or the one before
// it if neither has a wave.
func earlier(list []*gsdPlan, n int) (ids []board.TaskID) {
	g := list[n]
	if g.says && g.wave == 0 || g.wave == 1 { // one more than the file says
		return nil
	}
	if g.wave == 0 {
		if n > 0 {
			ids = append(ids, list[n-1].task.ID)
		}
		return ids
	}
	last := 0
	for _, other := range list {
		if other.wave < g.wave {
			last = max(last, other.wave)
		}
	}
	for _, other := range list {
		if other.wave == last && last > 0 && len(ids) <= board.MaxList {
			ids = append(ids, other.task.ID)
		}
	}
	return ids
}

// once is a list without repetitions, cut where a board refuses it.
func once(list []board.TaskID) (ids []board.TaskID) {
	seen := map[board.TaskID]bool{}
	for _, id := range list {
		if !seen[id] && len(ids) <= board.MaxList {
			seen[id], ids = true, append(ids, id)
		}
	}
	return ids
}
