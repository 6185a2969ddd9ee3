package planforms

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

const (
	specName = "spec.md"
	planName = "plan.md"
)

// A spec is one of the second AirsSpec with its plan, in folders or in flat files.
type spec struct {
	id    string
	file  string
	plan  string // "" without one
	state string // the file that says how far it is; "" without one

	title, about, category string
	status                 string
	line                   int
	needs                  []need
	tasks                  []boltTask
}

// A need is how a spec stands to another one.
type need struct {
	id, kind string
	line     int
}

// findSpecs finds specs: those of specs, or of the folder itself.
func (r units) findSpecs() (list []*spec) {
	for _, dir := range []string{"specs", "."} {
		for _, name := range r.filesIn(dir) {
			base := path.Base(name)
			id, isYAML := strings.CutSuffix(base, ".yaml")
			if !isYAML || strings.HasSuffix(id, ".plan") || dir == "." && !r.has(id+".plan.yaml") {
				continue
			}
			list = append(list, &spec{id: id, file: name, plan: r.ifThere(path.Join(dir, id+".plan.yaml"))})
		}
		for _, sub := range r.foldersIn(dir) {
			if dir == "specs" || r.has(sub+"/"+specName) {
				list = append(list, r.specIn(sub))
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	if r.has(specName) {
		return []*spec{r.specIn(".")}
	}
	return nil
}

func (r units) specIn(dir string) *spec {
	return &spec{id: path.Base(path.Join(r.within, dir)), file: path.Join(dir, specName), plan: r.ifThere(path.Join(dir, planName)), state: r.ifThere(path.Join(dir, "state.toon"))}
}

func (r units) ifThere(name string) string {
	if r.has(name) {
		return name
	}
	return ""
}

// readSpecs reads all specs; a step of a plan is a task.
func (r units) readSpecs(list []*spec) error {
	r.report.System = "AirsSpec, specs"
	byID := map[string]*spec{}
	for _, s := range list {
		if byID[s.id] != nil {
			r.wrong(s.file, 1, "the spec %.60s is there twice", s.id)
			continue
		}
		byID[s.id] = s
		r.readSpec(s)
		r.readSpecPlan(s)
	}
	for _, s := range list {
		for i, t := range s.tasks {
			if i > 0 {
				t.DependsOn = []flow.TaskID{s.tasks[i-1].ID}
			} else {
				t.DependsOn = r.specNeeds(s, byID)
			}
			r.add(t.file, t.line, t.TaskInput, firstOf(endOf("the spec", s.status), t.ended))
		}
	}
	if len(list) == 1 {
		r.feature = list[0].id
	}
	return r.err
}

// specNeeds are the last tasks of the specs that a spec is blocked by.
func (r units) specNeeds(s *spec, byID map[string]*spec) (ids []flow.TaskID) {
	for _, n := range s.needs {
		other := byID[n.id]
		switch {
		case n.kind != "blocked_by":
			r.leave(s.file, n.line, "dependencies", "only blocked_by orders work, not "+n.kind)
		case other == nil || len(other.tasks) == 0:
			r.wrong(s.file, n.line, "the spec is blocked by %.60q, which is not there", n.id)
		default:
			ids = append(ids, other.tasks[len(other.tasks)-1].ID)
		}
	}
	return ids
}

var statePattern = pattern.Late(`(?m)^\s*(?:state|status|lifecycle|current)\s*[:=]\s*"?([A-Za-z]+)"?`)

// specKeys are the keys of a spec.
var specKeys = []string{"id", "title", "description", "category", "dependencies", "created_at", "updated_at", "metadata", "content", "status", "state"}

// readSpec reads what a spec says of itself.
func (r units) readSpec(s *spec) {
	s.line = 1
	var v document.Value
	if path.Base(s.file) != specName {
		v = r.structured(s.file)
	} else if !r.has(s.file) {
		r.wrong(s.file, 1, "%s is not there", s.file)
		return
	} else if p := r.page(s.file); p != nil {
		v = p.front
		s.title, s.line = p.title()
		s.about = firstOf(prose(p.section("description", "overview", "summary")), prose(p.lines))
	}
	inner := v
	if v.Key("metadata").IsMapping() {
		inner = v.Key("metadata")
	}
	r.leaveKeys(s.file, v, specKeys...)
	if inner != v {
		r.leaveKeys(s.file, inner, specKeys...)
	}
	s.title, s.about = firstOf(textOf(inner.Key("title")), s.title, s.id), firstOf(textOf(inner.Key("description")), s.about)
	s.category = textOf(inner.Key("category"))
	s.status = firstOf(textOf(v.Key("state")), textOf(v.Key("status")), textOf(inner.Key("status")))
	for _, one := range inner.Key("dependencies").Entries() {
		n := need{id: textOf(one), kind: "blocked_by", line: one.Line()}
		if one.IsMapping() {
			n.id = firstOf(textOf(one.Key("spec_id")), textOf(one.Key("id")), textOf(one.Key("target")), textOf(one.Key("spec")))
			n.kind = firstOf(textOf(one.Key("kind")), n.kind)
		}
		s.needs = append(s.needs, n)
	}
	if s.state != "" {
		text, err := r.text(s.state)
		if err != nil {
			r.fail(s.state, err)
		}
		if m := statePattern().FindStringSubmatch(text); m != nil {
			s.status = m[1]
		}
	}
}

// readSpecPlan makes tasks of the steps of a spec's plan; without one the spec is a draft.
func (r units) readSpecPlan(s *spec) {
	base := flow.TaskInput{Spec: r.rooted(s.file), Labels: []string{idOf(s.id)}}
	switch s.category {
	case "documentation":
		base.Kind = flow.Docs
	case "", "feature", "bugfix":
	default:
		r.leave(s.file, s.line, "category", "a task has no such kind")
	}
	switch {
	case s.plan == "":
	case path.Ext(s.plan) == ".md":
		r.readStepList(s, base)
	default:
		r.readSteps(s, base)
	}
	if len(s.tasks) > 0 {
		return
	}
	t := boltTask{file: s.file, line: s.line, TaskInput: base}
	t.ID, t.Title, t.Scope, t.Draft = taskID(s.id), s.title, s.about, true
	if endOf("", s.status) == "" {
		r.leave(s.file, s.line, "the spec", "it has no plan yet: the task is a draft")
	}
	s.tasks = []boltTask{t}
}

// readSteps reads the steps of a plan in YAML.
func (r units) readSteps(s *spec, base flow.TaskInput) {
	v := r.structured(s.plan)
	r.leaveKeys(s.plan, v, "approach", "steps", "spec_id", "id", "created_at", "updated_at")
	if approach := v.Key("approach"); textOf(approach) != "" {
		base.Context = flow.LongText(textOf(approach))
	}
	for i, one := range v.Key("steps").Entries() {
		r.leaveKeys(s.plan, one, "index", "title", "description", "complexity", "status", "notes")
		index := firstOf(textOf(one.Key("index")), strconv.Itoa(i+1))
		t := boltTask{file: s.plan, line: one.Line(), TaskInput: base}
		t.ID, t.Title = taskID(s.id, index), firstOf(textOf(one.Key("title")), "Step "+index)
		t.Scope = firstOf(textOf(one.Key("description")), t.Title)
		t.DoneWhen = "The step is done: " + t.Title
		status := textOf(one.Key("status"))
		if t.ended = endOf("its status", status); t.ended == "" && !slices.Contains([]string{"", "pending"}, status) {
			r.leave(s.plan, one.Key("status").Line(), "status", "the board says what is in work")
		}
		if notes := textOf(one.Key("notes")); notes != "" {
			t.Context = flow.LongText(strings.TrimSpace(string(t.Context) + "\n\n" + notes))
		}
		if v := one.Key("complexity"); v.Line() > 0 {
			r.leave(s.plan, v.Line(), "complexity", "a task has an estimate instead")
		}
		s.tasks = append(s.tasks, t)
	}
}

var stepTitlePattern = pattern.Late(`^(?:Step\s+)?([0-9]+)\s*[:.–—-]?\s*(.*)$`)

// readStepList reads the steps of a plan in Markdown: headings below Steps, or a list.
func (r units) readStepList(s *spec, base flow.TaskInput) {
	p := r.page(s.plan)
	if p == nil {
		return
	}
	base.Context = flow.LongText(prose(p.section("approach")))
	add := func(number int, title, about string, done bool) {
		index := len(s.tasks) + 1
		t := boltTask{file: s.plan, line: number, TaskInput: base}
		t.ID, t.Title, t.Scope = taskID(s.id, strconv.Itoa(index)), title, firstOf(about, title)
		t.DoneWhen = "The step is done: " + title
		if done {
			t.ended = "its box is ticked"
		}
		s.tasks = append(s.tasks, t)
	}
	steps := p.section("steps", "implementation steps")
	for i, l := range steps {
		level, title := l.heading()
		if level == 0 {
			continue
		}
		if m := stepTitlePattern().FindStringSubmatch(title); m != nil {
			title = m[2]
		}
		body := steps[i+1:]
		if end := slices.IndexFunc(body, func(l line) bool { n, _ := l.heading(); return n > 0 }); end >= 0 {
			body = body[:end]
		}
		add(l.number, title, prose(body), isAllDone(body))
	}
	if len(s.tasks) == 0 {
		for _, one := range items(steps) {
			add(one.number, one.text, "", one.done)
		}
	}
}
