package artifacts

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// OnBoard is the workflow as a goal keeps a copy of it. Counts are written out, and tasks
// stand after those that they depend on: the workflow is one in which [Workflow.Check]
// finds nothing wrong.
func (w *Workflow) OnBoard() *board.Workflow {
	c := &board.Workflow{Name: w.Name, About: w.About, Parallel: w.Parallel}
	c.Phases = lists.Of(w.Phases, func(f Phase) board.WorkflowPhase { return f.onBoard() })
	c.Types = lists.Of(w.Types, func(t Type) board.ArtifactType { return t.onBoard() })
	return c
}

func (p *Phase) onBoard() board.WorkflowPhase {
	c := board.WorkflowPhase{Name: board.PhaseID(p.Name), About: p.About, Roles: p.Roles, Kinds: p.Kinds, Gates: p.Gates, Human: p.Human}
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		c.Artifacts = append(c.Artifacts, board.PhaseArtifact{Type: a.Type, Path: a.Path, Count: a.Needs()})
	}
	added := make([]bool, len(p.Tasks))
	var add func(i int)
	add = func(i int) {
		if added[i] {
			return
		}
		added[i] = true
		t := p.Tasks[i]
		for _, need := range t.DependsOn {
			add(slices.IndexFunc(p.Tasks, func(o Task) bool { return o.Name == need }))
		}
		c.Tasks = append(c.Tasks, board.TaskTemplate{Name: cmp.Or(t.Name, "task-"+strconv.Itoa(i+1)), Title: t.Title, Role: t.Role, Kind: t.Kind, Owns: t.Owns,
			DoneWhen: t.DoneWhen, Verify: t.Verify, Spec: t.Spec, BasedOn: t.BasedOn, ReviewBy: t.ReviewBy, DependsOn: t.DependsOn})
	}
	for i := range p.Tasks {
		add(i)
	}
	return c
}

// TypeOf is a type as the workflow of a goal has it.
func TypeOf(c *board.ArtifactType) *Type {
	t := &Type{Name: c.Name, About: c.About, Format: Format(c.Format), Schema: string(c.Schema), Frozen: map[string][]string{}}
	if c.IsPlan() {
		t.Format = Plan
	}
	t.Headings = lists.Of(c.Headings, func(h board.Heading) Heading { return Heading(h) })
	for _, one := range c.Frozen {
		t.Frozen[one.Field] = append(t.Frozen[one.Field], one.Values...)
	}
	return t
}

func (t *Type) onBoard() board.ArtifactType {
	c := board.ArtifactType{Name: t.Name, About: t.About, Format: string(t.Format), Schema: board.LongText(t.Schema)}
	c.Headings = lists.Of(t.Headings, func(h Heading) board.Heading { return board.Heading(h) })
	c.Frozen = lists.Of(slices.Sorted(maps.Keys(t.Frozen)), func(field string) board.Condition { return board.Condition{Field: field, Values: t.Frozen[field]} })
	return c
}
