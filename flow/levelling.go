package flow

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// levelling gives tasks of a board their levels.
type levelling struct {
	board  *board.Board
	before *board.Board // without the tasks that are new
}

// assign gives the tasks of a list without a level theirs, and raises those that come to
// need a task of a higher level, unless the list says their level. It returns tasks
// outside of the list that need one of it and are raised too. The board has the list, and
// no task needs itself. replaced is the task that the list replaces, nil if there is none.
func (l levelling) assign(list []*board.Task, replaced *board.Task, found *faults) (raised []*board.Task) {
	place := make(map[board.TaskID]int, len(list))
	for i, t := range list {
		place[t.ID] = i
	}
	visited := make(map[board.TaskID]bool, len(list))
	var visit func(t *board.Task)
	visit = func(t *board.Task) {
		if visited[t.ID] {
			return
		}
		visited[t.ID] = true
		var deepest *board.Task
		for _, id := range t.DependsOn {
			d := l.board.Task(id)
			if i, listed := place[id]; listed {
				d = list[i]
				visit(d)
			}
			if d != nil && d.Goal == t.Goal && (deepest == nil || d.Level > deepest.Level) {
				deepest = d
			}
		}
		if r := l.level(t, deepest, replaced); r != nil {
			found.add(place[t.ID], r)
		}
	}
	said := map[board.TaskID]bool{}
	for _, t := range list {
		was := l.before.Task(t.ID)
		said[t.ID] = t.Level > 0 && (was == nil || was.Level != t.Level)
	}
	for _, t := range list {
		visit(t)
	}
	l.checkGaps(list, said, place, found)
	return l.raise(list)
}

// checkGaps refuses levels that are said and leave out one below, and those that are too
// high.
func (l levelling) checkGaps(list []*board.Task, said map[board.TaskID]bool, place map[board.TaskID]int, found *faults) {
	deepest := map[board.GoalID]int{}
	l.board.Each(func(s *board.Summary) {
		if _, listed := place[s.ID]; !listed {
			deepest[s.Goal] = max(deepest[s.Goal], s.Level)
		}
	})
	ascending := slices.SortedStableFunc(slices.Values(list), func(x, y *board.Task) int { return cmp.Compare(x.Level, y.Level) })
	for _, t := range ascending {
		switch {
		case t.Level > board.MaxTasks:
			found.add(place[t.ID], refuse(RuleLimit, "git liza goal show "+string(t.Goal), "%s would be at level %d, at most %d are allowed", t.ID, t.Level, board.MaxTasks))
		case t.Level > deepest[t.Goal]+1 && said[t.ID]:
			found.add(place[t.ID], refuse(RuleLevel, "git liza goal show "+string(t.Goal), "%s is at level %d, and nothing of %s at level %d", t.ID, t.Level, t.Goal, deepest[t.Goal]+1))
		}
		deepest[t.Goal] = max(deepest[t.Goal], t.Level)
	}
}

// level gives a task its level. deepest is the task of the highest level that it needs,
// nil if it needs none.
func (l levelling) level(t, deepest, replaced *board.Task) *Refusal {
	floor, said := 0, t.Level > 0
	if deepest != nil {
		floor = deepest.Level
	}
	if was := l.before.Task(t.ID); was != nil && was.Level == t.Level {
		said = false
	}
	switch {
	case said && t.Level < floor:
		return refuse(RuleLevel, "git liza help task add", "%s is at level %d and needs %s of level %d", t.ID, t.Level, deepest.ID, floor)
	case t.Level > 0:
		t.Level = max(t.Level, floor)
	default:
		t.Level = floor + 1
		if inherited := l.inherited(t, replaced); inherited > 0 {
			t.Level = max(inherited, floor)
		}
	}
	return nil
}

// raise brings open tasks that need one of a list, directly or not, to the level of what
// they need if they were at a lower one. It returns those outside of the list.
func (l levelling) raise(list []*board.Task) []*board.Task {
	if !slices.ContainsFunc(list, func(t *board.Task) bool {
		was := l.before.Task(t.ID)
		return was != nil && was.Level < t.Level
	}) {
		return nil
	}
	dependants, listed := map[board.TaskID][]*board.Summary{}, map[board.TaskID]*board.Task{}
	for _, t := range list {
		listed[t.ID] = t
	}
	l.board.Each(func(s *board.Summary) {
		if s.Status.Final() {
			return
		}
		for _, id := range s.DependsOn {
			dependants[id] = append(dependants[id], s)
		}
	})
	raised := map[board.TaskID]*board.Task{}
	for rest := slices.Clone(list); len(rest) > 0; rest = rest[1:] {
		for _, s := range dependants[rest[0].ID] {
			t := cmp.Or(listed[s.ID], raised[s.ID])
			if t == nil {
				t = l.board.Task(s.ID).Clone()
			}
			if t.Goal != rest[0].Goal || t.Level >= rest[0].Level {
				continue
			}
			if t.Level = rest[0].Level; listed[s.ID] == nil {
				raised[s.ID] = t
			}
			rest = append(rest, t)
		}
	}
	all := slices.Collect(maps.Values(raised))
	slices.SortFunc(all, func(x, y *board.Task) int { return board.CompareIDs(x.ID, y.ID) })
	return all
}

// inherited is the level of what a new task replaces, takes back or does again; 0 if it
// does none of that.
func (l levelling) inherited(t, replaced *board.Task) int {
	if replaced != nil {
		return replaced.Level
	}
	lowest := 0
	for _, id := range slices.Concat(t.Reverts, t.Supersedes) {
		if d := l.board.Task(id); d != nil && d.Level > 0 && (lowest == 0 || d.Level < lowest) {
			lowest = d.Level
		}
	}
	return lowest
}

// checkSchedule refuses names of levels that cannot be told apart.
func checkSchedule(s *board.Schedule, _ *play) *Refusal {
	for i, name := range s.Levels {
		if name == "" || len(name) > maxLabel || slices.Contains(s.Levels[:i], name) {
			return refuse(RuleForm, "git liza help goal schedule", "the name %q of level %d is empty, long, or that of another level", board.Clip(name), i+1)
		}
	}
	return nil
}

// ScheduleMove schedules a goal anew.
type ScheduleMove struct {
	Schedule board.Schedule `yaml:"schedule"`
}

func (s *ScheduleMove) subject() string { return "goal" }

func (s *ScheduleMove) check(p *play) *Refusal { return checkSchedule(&s.Schedule, p) }

func (s *ScheduleMove) already(p *play) bool {
	g := p.board.Goal(p.goalID())
	return g != nil && g.Schedule != nil && reflect.DeepEqual(*g.Schedule, s.Schedule)
}

func (s *ScheduleMove) apply(p *effect) {
	to := s.Schedule
	editGoal(p, func(g *board.Goal) { g.Schedule = &to })
}
