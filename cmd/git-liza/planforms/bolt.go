package planforms

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A bolt is a part of a unit of work with its plans, one after the other.
type bolt struct {
	id    string
	dir   string
	ended string
	needs []string
	line  int    // on which it says them
	says  string // the file that does
	tasks []boltTask
}

type boltTask struct {
	file  string
	line  int
	ended string
	flow.TaskInput
}

// readBolts reads the bolts of a unit of work. Where the first plan of a bolt needs other
// bolts, it needs their last plans.
func (r units) readBolts(u unit, dirs []string) error {
	entries := r.boltEntries(path.Join(u.dir, "bolts/plan.json"))
	var list []*bolt
	seen := map[string]bool{}
	for _, dir := range dirs {
		b := r.readBolt(u, dir, entries[path.Base(dir)])
		seen[b.id], list = true, append(list, b)
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		if !seen[id] {
			list = append(list, r.readBolt(u, path.Join(u.dir, "bolts", id), entries[id]))
		}
	}
	last := map[string]flow.TaskID{}
	for _, b := range list {
		last[b.id] = b.tasks[len(b.tasks)-1].ID
	}
	for _, b := range list {
		first := &b.tasks[0].TaskInput
		for _, id := range b.needs {
			if last[id] == "" {
				r.wrong(b.says, b.line, "the bolt %s depends on %.40q, which is not there", b.id, id)
				continue
			}
			first.DependsOn = append(first.DependsOn, last[id])
		}
		for i, t := range b.tasks {
			if i > 0 {
				t.DependsOn = []flow.TaskID{b.tasks[i-1].ID}
			}
			r.add(t.file, t.line, t.TaskInput, firstOf(t.ended, b.ended, endOf("the unit of work", u.state)))
		}
	}
	return r.err
}

// endOf says that something is finished by its status, "" if it is not.
func endOf(what, status string) string {
	if isEnded(status) || isGivenUp(status) {
		return what + " is " + status
	}
	return ""
}

// boltEntries are the bolts of a plan.json by their ids, none if there is no such file.
func (r units) boltEntries(name string) map[string]document.Value {
	entries := map[string]document.Value{}
	if !r.has(name) {
		return entries
	}
	root := r.structured(name)
	list := root.Entries()
	if root.IsMapping() {
		r.leaveKeys(name, root, "bolts", "id", "uow", "title")
		list = root.Key("bolts").Entries()
	}
	for _, one := range list {
		id := textOf(one.Key("id"))
		if id == "" || strings.ContainsAny(id, "/\\") || entries[id].Line() > 0 {
			r.wrong(name, one.Line(), "a bolt has no id of its own")
			continue
		}
		r.leaveKeys(name, one, append([]string{"depends_on"}, boltPlanKeys...)...)
		entries[id] = one
	}
	return entries
}

// boltPlanKeys are the keys of the front matter of a bolt's plan.
var boltPlanKeys = []string{"id", "title", "objective", "steps", "verification", "context", "status"}

var planNumberPattern = pattern.Late(`(?i)^(?:plan|task)-?0*([0-9]+)`)

// readBolt reads a bolt: its plans with the reports of what became of them.
func (r units) readBolt(u unit, dir string, entry document.Value) *bolt {
	b := &bolt{id: path.Base(path.Join(r.within, dir)), dir: dir}
	if entry.Line() > 0 {
		b.says = path.Join(u.dir, "bolts/plan.json")
		b.needs, b.line = textsOf(entry.Key("depends_on")), entry.Line()
	}
	if name := path.Join(dir, "status.yaml"); r.has(name) {
		v := r.structured(name)
		r.leaveKeys(name, v, "id", "parent_uow", "type", "status", "progress", "depends_on", "created_at", "updated_at")
		if needs := v.Key("depends_on"); needs.Line() > 0 {
			b.says, b.needs, b.line = name, textsOf(needs), needs.Line()
		}
		b.ended = endOf("the bolt", textOf(v.Key("status")))
	}
	reports := map[string]string{}
	for _, name := range r.filesIn(path.Join(dir, "tasks")) {
		if m := planNumberPattern().FindStringSubmatch(path.Base(name)); m != nil {
			reports[m[1]] = name
		}
	}
	for _, name := range r.filesIn(path.Join(dir, "plans")) {
		m := planNumberPattern().FindStringSubmatch(path.Base(name))
		if m == nil || path.Ext(name) != ".md" {
			continue // the report names it as a file without work
		}
		if t := r.readBoltPlan(u, b, name, m[0]); t != nil {
			r.readBoltReport(t, reports[m[1]], name)
			b.tasks = append(b.tasks, *t)
		}
		delete(reports, m[1])
	}
	for _, name := range slices.Sorted(maps.Values(reports)) {
		r.taken[name] = true
		r.leave(name, 1, "the file", "its plan is not there, so that there is no work to be done")
	}
	if len(b.tasks) == 0 {
		b.tasks = []boltTask{r.wholeBolt(u, b, entry)}
	}
	return b
}

// wholeBolt is the task of a bolt without plans: what plan.json says of it, or a draft.
func (r units) wholeBolt(u unit, b *bolt, entry document.Value) boltTask {
	t := boltTask{file: firstOf(b.says, path.Join(b.dir, "plans")), line: max(b.line, 1)}
	t.ID, t.Labels = taskID(u.id, b.id), []string{idOf(b.id)}
	t.Title = firstOf(textOf(entry.Key("title")), strings.ReplaceAll(b.id, "-", " "))
	t.Scope = textOf(entry.Key("objective"))
	t.Acceptance = textsOf(entry.Key("verification"))
	t.DoneWhen = lines(t.Acceptance)
	t.Steps = stepsOf(textsOf(entry.Key("steps")))
	if t.Draft = t.Scope == "" || t.DoneWhen == ""; t.Draft {
		r.leave(b.dir, 1, "plans", "it has no plan yet: the task is a draft")
	}
	if b.says == "" {
		t.Spec = r.rooted(path.Join(u.dir, "RFC.md"))
	}
	return t
}

func stepsOf(texts []string) (steps []flow.Step) {
	for i, text := range texts {
		steps = append(steps, flow.Step{Step: i + 1, Action: text})
	}
	return steps
}

// readBoltPlan reads a plan of a bolt; nil if it cannot be read.
func (r units) readBoltPlan(u unit, b *bolt, file, number string) *boltTask {
	p := r.page(file)
	if p == nil {
		return nil
	}
	r.leaveKeys(file, p.front, boltPlanKeys...)
	title, line := p.title()
	if _, rest, ok := strings.Cut(title, ":"); ok && planNumberPattern().MatchString(title) {
		title = strings.TrimSpace(rest)
	}
	t := &boltTask{file: file, line: line, ended: endOf("its status", textOf(p.front.Key("status")))}
	t.ID, t.Labels = taskID(u.id, b.id, strings.ToUpper(number)), []string{idOf(b.id)}
	t.Title = firstOf(textOf(p.front.Key("title")), title, path.Base(file))
	t.Scope = firstOf(textOf(p.front.Key("objective")), prose(p.section("objective", "solution", "goal")), t.Title)
	t.Context = flow.LongText(prose(p.section("context", "root cause")))
	t.Steps = stepsOf(orElse(textsOf(p.front.Key("steps")), r.stepTexts(p)))
	checks := p.section("verification")
	t.Verify = allOf(r.commands(file, checks))
	if t.Acceptance = textsOf(p.front.Key("verification")); len(t.Acceptance) == 0 && t.Verify == "" {
		t.Acceptance = textsIn(checks)
	}
	t.DoneWhen = firstOf(lines(t.Acceptance), "The objective of the plan is reached")
	t.Owns = distinct(pathsIn(p.section("files to modify", "files to create", "files modified", "files")))
	if v := p.front.Key("context"); v.Line() > 0 {
		r.leave(file, v.Line(), "context", "the plan, which is the spec, has it")
	}
	return t
}

// stepTexts are the steps of a plan: entries of a list, or headings.
func (r units) stepTexts(p *page) (list []string) {
	steps := p.section("steps", "implementation steps", "implementation plan")
	for _, l := range steps {
		if level, title := l.heading(); level > 0 {
			list = append(list, title)
		}
	}
	if len(list) == 0 {
		for _, one := range items(steps) {
			list = append(list, one.text)
		}
	}
	return list
}

// readBoltReport reads what became of a plan.
func (r units) readBoltReport(t *boltTask, report, plan string) {
	if report == "" {
		r.leave(plan, 1, path.Base(plan), "its task report is not there")
		return
	}
	p := r.page(report)
	if p == nil {
		return
	}
	status := textOf(p.front.Key("status"))
	for _, l := range p.lines {
		if name, value := l.field(); name == "status" && status == "" {
			status = value
		}
	}
	status = strings.Trim(status, "*`✅ ")
	switch {
	case t.ended != "":
	case status != "" && endOf("", status) != "":
		t.ended = path.Base(report) + " says " + status
	case status == "" && isAllDone(p.lines):
		t.ended = "all boxes of " + path.Base(report) + " are ticked"
	default:
		r.leave(report, 1, "the report", "moves of the board say what becomes of work here")
	}
}
