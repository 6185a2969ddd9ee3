package plan

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// A Difference is what a plan says otherwise than the board. Whether a task is a draft,
// and whose work it does again, is its state and no part of its description.
type Difference struct {
	Added    []int          // tasks that the board lacks
	Changed  []Change       // tasks that the board describes otherwise
	Same     int            // how many it describes equally
	Missing  []board.TaskID // open tasks of the goal that the plan lacks
	Schedule *board.Schedule
	WasSet   bool // the goal has a schedule of its own
}

// A Change is a task with the keys that the board has otherwise.
type Change struct {
	Task   int
	Keys   []string
	Status board.Status
	Goal   board.GoalID
}

// Compare holds a plan against the tasks of a goal. A level that the plan leaves open is
// that of the board. Schedule is nil if the plan says none, or the goal has it.
func Compare(p *Plan, b *board.Board, goal board.GoalID) Difference {
	var d Difference
	named := make(map[board.TaskID]bool, len(p.Tasks))
	for i := range p.Tasks {
		in := p.Tasks[i].TaskInput
		named[in.ID] = true
		t := b.Task(in.ID)
		if t == nil {
			d.Added = append(d.Added, i)
			continue
		}
		keys := differing(in, t)
		if t.Goal != goal {
			keys = append(keys, "goal")
		}
		if len(keys) == 0 {
			d.Same++
			continue
		}
		d.Changed = append(d.Changed, Change{i, keys, t.Status, t.Goal})
	}
	for _, s := range b.Summaries() {
		if s.Goal == goal && !s.Status.Final() && !named[s.ID] {
			d.Missing = append(d.Missing, s.ID)
		}
	}
	if g, s := b.Goal(goal), p.schedule(); s != nil && g != nil {
		d.WasSet = g.Schedule != nil
		if g.Schedule == nil || g.Schedule.Barrier != s.Barrier || !slices.Equal(g.Schedule.Levels, s.Levels) {
			d.Schedule = s
		}
	}
	return d
}

// schedule is what the plan says of its goal, nil if it says nothing. The names are those
// from level 1 on, without gap, up to the deepest level with a task.
func (p *Plan) schedule() *board.Schedule {
	if p.Barrier == 0 {
		return nil
	}
	s := &board.Schedule{Barrier: p.Barrier}
	g, _ := Link(p, nil)
	deepest := 0
	if levels := g.Levels(); len(levels) > 0 {
		deepest = levels[len(levels)-1]
	}
	for n := 1; p.Names[n] != "" && n <= deepest; n++ {
		s.Levels = append(s.Levels, p.Names[n])
	}
	return s
}

// differing are the keys of a description that a task of the board has otherwise.
func differing(in board.TaskInput, t *board.Task) (keys []string) {
	has := t.Input()
	in.Level, in.Phase = cmp.Or(in.Level, has.Level), cmp.Or(in.Phase, has.Phase)
	in.Draft, in.Reopens = has.Draft, has.Reopens
	return board.Differing(in.Normal(), has)
}
