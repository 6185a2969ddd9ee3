package planfile

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore/document"
)

// Of returns the plan of the open tasks of a goal.
func Of(b *board.Board, goal board.GoalID) *plan.Plan {
	p := &plan.Plan{Feature: string(goal), Names: map[int]string{}}
	if g := b.Goal(goal); g != nil && g.Schedule != nil {
		p.Barrier = g.Schedule.Barrier
		for i, name := range g.Schedule.Levels {
			p.Names[i+1] = name
		}
	}
	for _, s := range b.Summaries() {
		if s.Goal == goal && !s.Status.Final() {
			p.Tasks = append(p.Tasks, plan.Task{TaskInput: b.Task(s.ID).Input()})
		}
	}
	return p
}

// Detach takes out of a plan what only a board with more tasks than those of the plan
// takes: needs of others and gaps between levels.
func Detach(p *plan.Plan) {
	own := map[board.TaskID]bool{}
	var levels []int
	for i := range p.Tasks {
		own[p.Tasks[i].ID] = true
		levels = append(levels, p.Tasks[i].Level)
	}
	closeGaps(p, levels)
	isOther := func(id board.TaskID) bool { return !own[id] }
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for _, list := range []*[]board.TaskID{&t.DependsOn, &t.Consumers, &t.Reverts} {
			*list = slices.DeleteFunc(slices.Clone(*list), isOther)
		}
	}
}

// closeGaps numbers the levels of tasks from 1 without gaps; 0 is none.
func closeGaps(p *plan.Plan, levels []int) {
	slices.Sort(levels)
	levels = slices.DeleteFunc(slices.Compact(levels), func(level int) bool { return level == 0 })
	names := map[int]string{}
	for i, level := range levels {
		if name := p.Names[level]; name != "" {
			names[i+1] = name
		}
	}
	p.Names = names
	for i := range p.Tasks {
		if at, found := slices.BinarySearch(levels, p.Tasks[i].Level); found {
			p.Tasks[i].Level = at + 1
		}
	}
}

// Write returns a plan in our form, which [Read] takes.
func Write(p *plan.Plan) ([]byte, error) {
	m := mapping{Feature: p.Feature, Schedule: schedule{p.Barrier}, Tasks: p.Tasks}
	for n := 1; p.Names[n] != ""; n++ {
		m.Levels = append(m.Levels, p.Names[n])
	}
	return document.Encode(&m)
}
