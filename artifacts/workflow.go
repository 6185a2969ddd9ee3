package artifacts

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// A Workflow is a list of phases that a goal goes through, one after the other.
type Workflow struct {
	Name     string  `yaml:"name"`
	About    string  `yaml:"about"`    // one line for lists
	Parallel int     `yaml:"parallel"` // claims of the goal at once; 0 is no bound
	Phases   []Phase `yaml:"phases"`
	Types    []Type  `yaml:"types"` // of the artifacts, by name; a file of a workflow has none, they are files of their own
}

// A Phase says who may work in it on what, and what there must be before it ends.
type Phase struct {
	Name      string       `yaml:"name"`
	About     string       `yaml:"about"`
	Roles     []board.Role `yaml:"roles"` // of the agents that work in it; none is all
	Kinds     []board.Kind `yaml:"kinds"` // of its tasks; none is all
	Artifacts []Artifact   `yaml:"artifacts"`
	Tasks     []Task       `yaml:"tasks"` // added when it begins
	Gates     []string     `yaml:"gates"` // that must pass before it ends
	Human     bool         `yaml:"human"` // it ends when a person says so
}

// An Artifact is what a phase produces: files of a type at paths that match a pattern.
type Artifact struct {
	Type     string `yaml:"type"`
	Path     string `yaml:"path"`     // a glob with {goal} for the id of the goal
	Count    int    `yaml:"count"`    // how many there must be; 0 is one
	Optional bool   `yaml:"optional"` // the phase ends without it, too
}

// A Task is a task that a phase begins with. Its texts can say {goal}.
type Task struct {
	Name      string       `yaml:"name"` // within the phase
	Title     string       `yaml:"title"`
	Role      board.Role   `yaml:"role"` // that does it; none is coder
	Kind      board.Kind   `yaml:"kind"` // zero is code
	Owns      []string     `yaml:"owns"`
	DoneWhen  string       `yaml:"done_when"`
	Spec      string       `yaml:"spec"` // "" is that of the goal
	BasedOn   []string     `yaml:"based_on"`
	Verify    string       `yaml:"verify"`
	DependsOn []string     `yaml:"depends_on"` // names of other tasks of the phase
	ReviewBy  []board.Role `yaml:"review_by"`
}

// goalWord stands for the id of the goal.
const goalWord = "{goal}"

// InGoal returns a text of a definition with the id of a goal.
func InGoal(text string, goal board.GoalID) string {
	return strings.ReplaceAll(text, goalWord, string(goal))
}

// Needs is how many files the phase must have at the paths.
func (a *Artifact) Needs() int {
	if a.Optional {
		return 0
	}
	return max(a.Count, 1)
}

// Type is the type of that name, nil if the workflow has none.
func (w *Workflow) Type(name string) *Type {
	return lists.Find(w.Types, func(t Type) bool { return t.Name == name })
}

var phaseName = pattern.Late(`^[A-Za-z][A-Za-z0-9_-]{0,30}$`)

// reserved are the words that git liza goal phase and tasks use beside the names of phases.
var reserved = []string{"any", "next", "back", "all", "none"}

// Check returns all that is wrong with the workflow and its types but for their schemas.
// row is that of a role; nil means that there is no such role. Without a function nobody is
// asked about roles.
func (w *Workflow) Check(row func(board.Role) *board.RoleRow) []Fault {
	c := checker{Workflow: w, row: row, firsts: map[string]int{}}
	if !goodName(w.Name) {
		c.wrong.add(CodeName, "name", "%q is no name of a workflow (2 to 31 of a-z, 0-9 and -, such as two-reviews)", w.Name)
	}
	if w.Parallel < 0 {
		c.wrong.add(CodeValue, "parallel", "the number of claims at once is not negative")
	}
	if len(w.Phases) == 0 {
		c.wrong.add(CodeMissing, "phases", "a workflow has at least one phase")
	}
	if len(w.Phases) > most {
		c.wrong.add(CodeLimit, "phases", "a workflow has at most %d phases", most)
		return c.wrong
	}
	for i := range w.Phases {
		c.phase(i)
	}
	c.overlaps()
	for i := range w.Types {
		for _, one := range w.Types[i].Check() {
			one.Field = entry("types", i) + "." + one.Field
			c.wrong = append(c.wrong, one)
		}
	}
	return c.wrong
}

// A checker looks for what is wrong with a workflow.
type checker struct {
	*Workflow
	row    func(board.Role) *board.RoleRow
	firsts map[string]int // of phases, by name
	wrong  faults
}

func entry(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func (c *checker) phase(i int) {
	p, field := &c.Phases[i], entry("phases", i)
	first, again := c.firsts[strings.ToLower(p.Name)]
	switch {
	case !phaseName().MatchString(p.Name) || slices.Contains(reserved, strings.ToLower(p.Name)):
		c.wrong.add(CodeName, field+".name", "%q is no name of a phase (a letter, then letters, digits, _ and -; none of %s)", p.Name, strings.Join(reserved, ", "))
	case again:
		c.wrong.add(CodeCycle, field+".name", "the phase %s comes a second time, after phases[%d]: a goal goes through each phase once", p.Name, first)
	default:
		c.firsts[strings.ToLower(p.Name)] = i
	}
	if len(p.Artifacts) > most || len(p.Tasks) > most || len(p.Roles) > most || len(p.Gates) > most {
		c.wrong.add(CodeLimit, field, "a phase has at most %d artifacts, tasks, roles and gates each", most)
		return
	}
	for k, role := range p.Roles {
		c.role(role, field+"."+entry("roles", k))
	}
	for k := range p.Artifacts {
		c.artifact(&p.Artifacts[k], field+"."+entry("artifacts", k))
	}
	c.writers(p, field)
	c.tasks(p, field)
}

// role looks for a role that there is not.
func (c *checker) role(role board.Role, field string) {
	if c.row != nil && c.row(role) == nil {
		c.wrong.add(CodeRole, field, "there is no role %s", role)
	}
}

// writers looks for somebody who can write what the phase needs.
func (c *checker) writers(p *Phase, field string) {
	needs := slices.ContainsFunc(p.Artifacts, func(a Artifact) bool { return a.Needs() > 0 })
	if !needs || c.row == nil || len(p.Roles) == 0 {
		return
	}
	if !slices.ContainsFunc(p.Roles, func(r board.Role) bool { row := c.row(r); return row != nil && row.Capacity == board.Does }) {
		c.wrong.add(CodeExit, field+".roles", "nobody can leave the phase %s: it needs artifacts, and none of its roles does tasks", p.Name)
	}
}

func (c *checker) artifact(a *Artifact, field string) {
	t := c.Type(a.Type)
	if t == nil {
		c.wrong.add(CodeType, field+".type", "there is no type %q", a.Type)
	}
	if why := badPattern(a.Path, t); why != "" {
		c.wrong.add(CodePath, field+".path", "%q: %s", a.Path, why)
	}
	switch {
	case a.Count < 0 || a.Count > 1000:
		c.wrong.add(CodeValue, field+".count", "a phase needs 1 to 1000 files of a type")
	case a.Optional && a.Count > 0:
		c.wrong.add(CodeValue, field+".count", "what is optional has no number")
	case a.Count > 1 && !strings.ContainsAny(a.Path, `*?[`):
		c.wrong.add(CodeExit, field+".count", "nobody can leave the phase: it needs %d files, and %s matches one", a.Count, a.Path)
	}
	if t != nil && !a.Optional && t.neverFinished() {
		c.wrong.add(CodeExit, field+".type", "nobody can leave the phase: every status that the type %s allows is one of a text that is not finished", a.Type)
	}
}

// badPattern says why a pattern of paths cannot be one of artifacts, "" if it can.
func badPattern(glob string, t *Type) string {
	plain := strings.ReplaceAll(glob, goalWord, "goal-1")
	first, _, _ := strings.Cut(plain, "/")
	_, err := path.Match(plain, "")
	switch {
	case glob == "":
		return "an artifact needs a path"
	case len(glob) > 200:
		return "the path is longer than 200 bytes"
	case err != nil:
		return "it is no pattern"
	case strings.HasPrefix(plain, "/") || path.Clean(plain) != plain || plain == "." || first == ".." || strings.Contains(plain, `\`):
		return "it is not the path of a file in the repository, such as specs/{goal}/prd.md"
	case strings.EqualFold(first, ".git") || strings.EqualFold(first, layout.Worktrees):
		return "nothing below " + first + " is kept"
	case strings.ContainsAny(plain, "{}"):
		return "{goal} is the only word in braces"
	case t == nil || t.IsAny():
		return ""
	case t.IsPlan() && !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(plain)):
		return "a plan ends in .yaml, .yml or .json"
	case !t.IsPlan() && path.Ext(plain) != ".md":
		return "an artifact in Markdown ends in .md"
	}
	return ""
}

// overlaps looks for paths that two artifacts claim.
func (c *checker) overlaps() {
	type claim struct{ field, path string }
	var claims []claim
	for i, p := range c.Phases {
		for k, a := range p.Artifacts {
			one := claim{entry("phases", i) + "." + entry("artifacts", k), InGoal(a.Path, "goal-1")}
			for _, other := range claims {
				if glob.Overlap(one.path, other.path) {
					c.wrong.add(CodePath, one.field+".path", "some file matches both %s and that of %s: a path has one artifact", a.Path, other.field)
					break
				}
			}
			claims = append(claims, one)
		}
	}
}

// tasks looks at the tasks that a phase begins with. One that nobody may work on would
// keep the phase from ending.
func (c *checker) tasks(p *Phase, field string) {
	names := map[string]int{}
	for i, t := range p.Tasks {
		at := field + "." + entry("tasks", i)
		if _, again := names[t.Name]; again && t.Name != "" {
			c.wrong.add(CodeName, at+".name", "two tasks have the name %q", t.Name)
		}
		names[t.Name] = i
		if strings.TrimSpace(t.Title) == "" {
			c.wrong.add(CodeMissing, at+".title", "a task has no title")
		}
		if strings.TrimSpace(t.DoneWhen) == "" {
			c.wrong.add(CodeMissing, at+".done_when", "a task says when it is done")
		}
		role, kind := cmp.Or(t.Role, board.Coder), cmp.Or(t.Kind, board.Code)
		c.role(role, at+".role")
		var row *board.RoleRow
		if c.row != nil {
			row = c.row(role)
		}
		switch {
		case row != nil && row.Capacity != board.Does:
			c.wrong.add(CodeExit, at+".role", "nobody can leave the phase %s: %s does no tasks, and this one is for it", p.Name, role)
		case len(p.Roles) > 0 && !slices.Contains(p.Roles, role):
			c.wrong.add(CodeExit, at+".role", "nobody can leave the phase %s: this task is for %s, which may not work in it", p.Name, role)
		case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, kind):
			c.wrong.add(CodeExit, at+".kind", "nobody can leave the phase %s: this task is of kind %s, which the phase has not", p.Name, kind)
		case row != nil:
			c.owned(p, &t, row, kind, at)
		}
		for k, reviewer := range t.ReviewBy {
			if reviewer != board.HumanRole {
				c.role(reviewer, at+"."+entry("review_by", k))
			}
		}
	}
	c.dependencies(p, field, names)
}

// owned looks for paths of a task that its role may not write.
func (c *checker) owned(p *Phase, t *Task, row *board.RoleRow, kind board.Kind, at string) {
	for k, on := range t.Owns {
		on = InGoal(on, "goal-1")
		meets := func(a Artifact) bool { return glob.Overlap(on, InGoal(a.Path, "goal-1")) }
		if !flow.MayWrite(row, kind, on) || row.Artifacts && !slices.ContainsFunc(p.Artifacts, meets) {
			c.wrong.add(CodeExit, at+"."+entry("owns", k), "nobody can leave the phase %s: %s may not write %s, which this task of kind %s owns", p.Name, row.Name.One(), t.Owns[k], kind)
		}
	}
}

// dependencies looks for tasks that wait for one that is not there, or for themselves.
func (c *checker) dependencies(p *Phase, field string, names map[string]int) {
	after := make([][]int, len(p.Tasks))
	for i, t := range p.Tasks {
		for k, other := range t.DependsOn {
			at, ok := names[other]
			if !ok || other == "" {
				c.wrong.add(CodeName, field+"."+entry("tasks", i)+"."+entry("depends_on", k), "the phase has no task %q", other)
				continue
			}
			after[i] = append(after[i], at)
		}
	}
	const open, done = 1, 2
	state := make([]int, len(p.Tasks))
	var visit func(i int, trail []string)
	visit = func(i int, trail []string) {
		trail = append(trail, p.Tasks[i].Name)
		switch state[i] {
		case done:
			return
		case open:
			first := slices.Index(trail, p.Tasks[i].Name)
			c.wrong.add(CodeCycle, field+"."+entry("tasks", i)+".depends_on", "tasks wait for each other: %s", strings.Join(trail[first:], " waits for "))
			return
		}
		state[i] = open
		for _, next := range after[i] {
			visit(next, trail)
		}
		state[i] = done
	}
	for i := range p.Tasks {
		visit(i, nil)
	}
}
