package flow

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// Bounds of a workflow.
const (
	maxWorkflow = 64 << 10 // bytes of its texts, and some for each
	maxPhases   = 20
)

const workflowHelp = "git liza help goal show"

// checkWorkflow refuses a workflow that a goal could not be worked on by.
func checkWorkflow(p *play, w *board.Workflow, goal board.GoalID) *Refusal {
	if r := checkWorkflowForm(w, goal); r != nil {
		return r
	}
	var seen []board.TypedPattern
	for i := range w.Phases {
		f := &w.Phases[i]
		for _, a := range f.Artifacts {
			pattern := board.Expand(a.Path, goal)
			for _, other := range seen {
				if glob.Overlap(pattern, other.Glob) {
					return refuse(RuleWorkflow, workflowHelp, "%s has two artifacts on one path: %s and %s", w.Name, board.Clip(other.Glob), board.Clip(pattern))
				}
			}
			seen = append(seen, board.TypedPattern{Glob: pattern})
		}
		if r := checkPhaseOf(p, w, f); r != nil {
			return r
		}
	}
	return checkApart(p.board, goal, w.Patterns())
}

// checkApart refuses globs of artifacts that another goal in progress has too.
func checkApart(k *board.Board, goal board.GoalID, globs []string) *Refusal {
	mine := glob.ParseAll(globs)
	for _, other := range board.OpenWorkflows(k) {
		if other.Goal == goal {
			continue
		}
		if a, b, overlap := glob.FirstOverlap(mine, glob.ParseAll(other.Patterns()), true, new(int)); overlap {
			return refuse(RuleWorkflow, "git liza goal show "+string(other.Goal), "%s of %s overlaps %s of %s: an artifact belongs to one goal", board.Clip(a), goal, board.Clip(b), other.Goal)
		}
	}
	return nil
}

// workflowSize is about how many bytes the workflow has on the board.
func workflowSize(w *board.Workflow) (n int) {
	walk(reflect.ValueOf(w), func(v reflect.Value) *Refusal {
		if n += 16; v.Kind() == reflect.String {
			n += v.Len()
		}
		return nil
	})
	return n
}

// checkWorkflowForm refuses what no board could work with.
func checkWorkflowForm(w *board.Workflow, goal board.GoalID) *Refusal {
	wrong := func(reason string, args ...any) *Refusal { return refuse(RuleWorkflow, workflowHelp, reason, args...) }
	switch n := workflowSize(w); {
	case w.Goal != goal:
		return wrong("the workflow is one of %q, not of %s", board.Clip(string(w.Goal)), goal)
	case !board.ValidID(w.Name) || w.Name == board.PlainWorkflow:
		return wrong("%q cannot be the name of a workflow with phases", board.Clip(w.Name))
	case n > maxWorkflow:
		return wrong("the workflow %s has about %d bytes, at most %d are allowed", w.Name, n, maxWorkflow)
	case len(w.Phases) == 0 || len(w.Phases) > maxPhases:
		return wrong("the workflow %s has 1 to %d phases, not %d", w.Name, maxPhases, len(w.Phases))
	case w.Parallel < 0:
		return wrong("the workflow %s bounds claims below 0", w.Name)
	}
	for i, t := range w.Types {
		if !slices.Contains([]string{"", "markdown", board.PlanType, "any"}, t.Format) {
			return wrong("%q is no format of artifacts: markdown, plan or any", board.Clip(t.Format))
		}
		if !board.ValidID(t.Name) || slices.ContainsFunc(w.Types[:i], func(o board.ArtifactType) bool { return o.Name == t.Name }) {
			return wrong("%q is no name of a type of artifacts, or %s has it twice", board.Clip(t.Name), w.Name)
		}
		for _, h := range t.Headings {
			if h.Title == "" || h.Min < 0 {
				return wrong("a heading of %s has no title, or a length below 0", t.Name)
			}
		}
		for _, c := range t.Frozen {
			if c.Field == "" || len(c.Values) == 0 || slices.Contains(c.Values, "") {
				return wrong("%s is frozen when a field has one of some values: one of them is missing", t.Name)
			}
		}
	}
	for i, f := range w.Phases {
		if f.Name == "" || slices.ContainsFunc([]board.PhaseID{board.AnyPhase, noPhase}, func(word board.PhaseID) bool { return strings.EqualFold(string(word), string(f.Name)) }) || slices.ContainsFunc(w.Phases[:i], func(o board.WorkflowPhase) bool { return strings.EqualFold(string(o.Name), string(f.Name)) }) {
			return wrong("%q is no name of a phase, or %s has it twice", board.Clip(string(f.Name)), w.Name)
		}
		for _, a := range f.Artifacts {
			switch {
			case w.Type(a.Type) == nil:
				return wrong("the phase %s produces %q, which is no type of %s", f.Name, board.Clip(a.Type), w.Name)
			case a.Count < 0 || a.Count > board.MaxList:
				return wrong("the phase %s asks for %d artifacts of the type %s, 0 to %d are allowed", f.Name, a.Count, a.Type, board.MaxList)
			}
			if r := checkGlob(board.Expand(a.Path, goal), workflowHelp); r != nil {
				return wrong("the phase %s: %s", f.Name, r.Reason)
			}
			if r := boundGlobs("the phase "+string(f.Name), []string{board.Expand(a.Path, goal)}, workflowHelp); r != nil {
				return wrong("%s", r.Reason)
			}
		}
	}
	return nil
}

// checkPhaseOf refuses a phase that nobody can work in, or that nobody can leave.
func checkPhaseOf(p *play, w *board.Workflow, f *board.WorkflowPhase) *Refusal {
	wrong := func(hint, reason string, args ...any) *Refusal { return refuse(RuleWorkflow, hint, reason, args...) }
	var may []*board.RoleRow
	for i, name := range f.Roles {
		row := p.board.Role(name)
		switch {
		case row == nil:
			return wrong("git liza role list", "the phase %s names the role %s, which the board lacks", f.Name, board.Clip(string(name)))
		case row.Capacity != board.Does || slices.Contains(f.Roles[:i], name):
			return wrong(workflowHelp, "the phase %s names the role %s, which does no tasks, or names it twice", f.Name, name)
		}
		may = append(may, row)
	}
	if len(f.Roles) == 0 {
		may = lists.Where(p.board.Roles(), func(row *board.RoleRow) bool { return row.Capacity == board.Does })
	}
	kinds := f.Kinds
	if len(kinds) == 0 {
		kinds = board.Kinds()
	}
	for _, a := range f.Artifacts {
		path := sampleOf(board.Expand(a.Path, w.Goal))
		if !slices.ContainsFunc(may, func(row *board.RoleRow) bool {
			return slices.ContainsFunc(kinds, func(k board.Kind) bool { return mayWrite(p.board, row, k, path) })
		}) {
			return wrong("git liza role list", "no role that works in the phase %s may write its artifacts of the type %s at %s", f.Name, a.Type, board.Clip(board.Expand(a.Path, w.Goal)))
		}
	}
	for i, name := range f.Gates {
		if g, there := p.board.Settings().Config.Gate(name); !there || g.Stage() != board.AtPhase || slices.Contains(f.Gates[:i], name) {
			return wrong("git liza config", "the exit of the phase %s needs the gate %q, and the board has none of that name at a phase", f.Name, board.Clip(name))
		}
	}
	return checkTemplates(p, f)
}

// mayWrite reports whether agents of a role may change a path in tasks of a kind.
func mayWrite(b *board.Board, row *board.RoleRow, k board.Kind, path string) bool {
	return MayWrite(row, k, path) && !glob.MatchesAny(glob.ParseAll(b.Settings().Config.Never), path)
}

// sampleOf is a path that a glob matches.
func sampleOf(pattern string) string {
	var list []string
	for _, s := range glob.Segments(pattern) {
		if s == glob.AnySegments {
			s = "x"
		}
		list = append(list, sampleSegment(s))
	}
	return strings.Join(list, "/")
}

// sampleSegment replaces the wildcards of a segment.
func sampleSegment(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?':
			b.WriteByte('x')
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '[':
			end := strings.IndexByte(s[i+1:], ']')
			if end < 0 {
				return b.String()
			}
			if c := s[i+1]; c != '^' {
				b.WriteByte(c)
			} else {
				b.WriteByte('x')
			}
			i += end + 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// checkTemplates refuses templates of tasks that no board could enter.
func checkTemplates(p *play, f *board.WorkflowPhase) *Refusal {
	wrong := func(reason string, args ...any) *Refusal { return refuse(RuleWorkflow, workflowHelp, reason, args...) }
	named := func(list []board.TaskTemplate, name string) bool {
		return slices.ContainsFunc(list, func(o board.TaskTemplate) bool { return o.Name == name })
	}
	for i, t := range f.Tasks {
		made := &board.Task{Role: t.Role, Kind: cmp.Or(t.Kind, board.Code)}
		switch row := p.board.Role(made.Doer()); {
		case !board.ValidID(t.Name) || named(f.Tasks[:i], t.Name):
			return wrong("%q is no name of a task of the phase %s, or stands there twice", board.Clip(t.Name), f.Name)
		case t.Title == "" || t.DoneWhen == "":
			return wrong("the task %s of the phase %s has no title, or does not say when it is done", t.Name, f.Name)
		case row == nil || row.Capacity != board.Does || !f.Admits(made):
			return wrong("the task %s of the phase %s is one of the kind %s for %s, which does not belong there", t.Name, f.Name, made.Kind, made.Doer().One())
		case row.Artifacts && len(f.Artifacts) == 0:
			return wrong("the task %s of the phase %s is one for %s, which writes nothing but artifacts: the phase has none", t.Name, f.Name, made.Doer().One())
		}
		if i := slices.IndexFunc(t.ReviewBy, func(r board.Role) bool { return r != board.HumanRole && !isJudge(p.board, r) }); i >= 0 {
			return wrong("the task %s of the phase %s is judged by %s, which the board lacks, or which does not judge", t.Name, f.Name, board.Clip(string(t.ReviewBy[i])))
		}
		for _, need := range t.DependsOn {
			if !named(f.Tasks[:i], need) {
				return wrong("the task %s of the phase %s needs %q, which is no task that stands before it", t.Name, f.Name, board.Clip(need))
			}
		}
		if r := checkGlobs(t.Owns, workflowHelp); r != nil {
			return wrong("the task %s of the phase %s: %s", t.Name, f.Name, r.Reason)
		}
	}
	return nil
}

// checkWorkflows refuses a board on which a goal stands in a phase that its workflow
// lacks.
func checkWorkflows(b *board.Board) *Refusal {
	if r := firstRefusal(b.IDs(board.Goals), func(id string) *Refusal { return checkPhaseOfGoal(b, b.Goal(board.GoalID(id))) }); r != nil {
		return r
	}
	for _, id := range b.IDs(board.Workflows) {
		if w, ok := b.Load(board.Key{Folder: board.Workflows, ID: id}).(*board.Workflow); !ok || string(w.Goal) != id || b.Goal(w.Goal) == nil {
			return breach("the workflow %s is not one of a goal", id)
		}
	}
	return nil
}

// checkPhaseOfGoal refuses a goal whose phase is none of its workflow.
func checkPhaseOfGoal(b *board.Board, g *board.Goal) *Refusal {
	if g == nil {
		return nil
	}
	w := board.FindWorkflow(b, g.ID)
	switch {
	case w == nil && (g.Phase != "" || g.Workflow != ""):
		return breach("%s is in the phase %s of %s, and has no workflow", g.ID, g.Phase, g.Workflow)
	case w != nil && (w.Phase(g.Phase) == nil || w.Name != g.Workflow):
		return breach("%s is in the phase %q of %s, which its workflow lacks", g.ID, g.Phase, g.Workflow)
	}
	return nil
}

// checkPhaseOfTask refuses an open task of a phase that the workflow of its goal lacks:
// nobody could claim it.
func checkPhaseOfTask(b *board.Board, t *board.Task) *Refusal {
	w, g := board.FindWorkflow(b, t.Goal), b.Goal(t.Goal)
	if w == nil || g == nil || g.Status != board.InProgress || t.Status.Final() || t.Phase == board.AnyPhase || w.Phase(t.Phase) != nil {
		return nil
	}
	return breach("%s is open in the phase %q, which the workflow of %s lacks", t.ID, t.Phase, t.Goal)
}
