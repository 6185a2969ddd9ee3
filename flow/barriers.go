package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// barriers knows what waits for what: open tasks for those that they need and, where
// their goal has that barrier, for the open ones of its levels below.
type barriers struct {
	play    *play
	changed map[board.TaskID]bool // tasks by which a circle can have come about
	open    map[board.TaskID]*board.Summary
	levels  map[waiting][]*board.Summary // of goals with that barrier
	state   map[waiting]int
	path    []waiting
}

// A waiting is a task, or a level of a goal with those below it.
type waiting struct {
	task  board.TaskID
	goal  board.GoalID
	level int
}

// checkBarriers refuses a move after which tasks of several goals wait for each other for
// ever: none of them could be claimed.
func (p *play) checkBarriers() *Refusal {
	b := &barriers{play: p, changed: map[board.TaskID]bool{}}
	for _, e := range p.board.Changes() {
		if t, ok := e.Document.(*board.Task); ok && e.Key.Folder == board.Tasks && !t.Status.Final() && rewired(t, p.prior.Task(t.ID)) {
			b.changed[t.ID] = true
		}
	}
	risen := b.risen()
	if len(b.changed) == 0 && len(risen) == 0 || len(p.board.IDs(board.Goals)) < 2 {
		return nil
	}
	b.collect(risen)
	for _, s := range p.board.Summaries() {
		if b.changed[s.ID] && b.state[waiting{task: s.ID}] == 0 {
			if r := b.visit(waiting{task: s.ID}); r != nil {
				return r
			}
		}
	}
	return nil
}

// rewired reports whether the task waits for other ones than before.
func rewired(t, was *board.Task) bool {
	return was == nil || was.Goal != t.Goal || was.Level != t.Level || !slices.Equal(was.DependsOn, t.DependsOn) || was.Status.Final()
}

// risen are the goals that have the barrier since this move.
func (b *barriers) risen() (list []board.GoalID) {
	look := func(goal board.GoalID) {
		if board.BarrierOf(b.play.board, goal) == board.LevelBarrier && board.BarrierOf(b.play.prior, goal) != board.LevelBarrier {
			list = append(list, goal)
		}
	}
	if b.play.board.Settings().Config.Schedule != b.play.prior.Settings().Config.Schedule {
		for _, id := range b.play.board.IDs(board.Goals) {
			look(board.GoalID(id))
		}
		return list
	}
	for _, e := range b.play.board.Changes() {
		if g, ok := e.Document.(*board.Goal); ok {
			look(g.ID)
		}
	}
	return list
}

// collect finds the open tasks, by level where their goal has that barrier.
func (b *barriers) collect(risen []board.GoalID) {
	b.open, b.levels, b.state = map[board.TaskID]*board.Summary{}, map[waiting][]*board.Summary{}, map[waiting]int{}
	for _, s := range b.play.board.Summaries() {
		if s.Status.Final() {
			continue
		}
		b.open[s.ID] = s
		b.changed[s.ID] = b.changed[s.ID] || slices.Contains(risen, s.Goal)
		if board.BarrierOf(b.play.board, s.Goal) == board.LevelBarrier {
			at := waiting{goal: s.Goal, level: s.Level}
			b.levels[at] = append(b.levels[at], s)
		}
	}
}

// visit follows what is waited for. It refuses a circle that comes back to a task which
// the move has changed: what the board had before stays.
func (b *barriers) visit(at waiting) *Refusal {
	const visiting, done = 1, 2
	b.state[at] = visiting
	b.path = append(b.path, at)
	for _, next := range b.next(at) {
		switch {
		case b.play.board.Interrupted():
			return nil
		case b.state[next] == visiting && b.changed[next.task]:
			return b.refuse(next)
		case b.state[next] == 0:
			if r := b.visit(next); r != nil {
				return r
			}
		}
	}
	b.state[at] = done
	b.path = b.path[:len(b.path)-1]
	return nil
}

// next is what a task or a level waits for.
func (b *barriers) next(at waiting) (list []waiting) {
	if at.task == "" {
		list = lists.Of(b.levels[at], func(s *board.Summary) waiting { return waiting{task: s.ID} })
		if at.level > 1 {
			list = append(list, waiting{goal: at.goal, level: at.level - 1})
		}
		return list
	}
	s := b.open[at.task]
	for _, id := range s.DependsOn {
		if b.open[id] != nil {
			list = append(list, waiting{task: id})
		}
	}
	if s.Level > 1 && board.BarrierOf(b.play.board, s.Goal) == board.LevelBarrier {
		list = append(list, waiting{goal: s.Goal, level: s.Level - 1})
	}
	return list
}

// refuse names the tasks of the circle that ends the path.
func (b *barriers) refuse(back waiting) *Refusal {
	circle := lists.Of(b.path[slices.Index(b.path, back):], func(at waiting) board.TaskID { return at.task })
	circle = slices.DeleteFunc(circle, func(id board.TaskID) bool { return id == "" })
	goal := cmp.Or(b.open[back.task].Goal, b.play.goalID())
	return refuse(RuleLevel, "git liza plan show --goal "+string(goal), "tasks would wait for each other for ever, by needs or for levels below: %s", board.Clip(board.Cycle(circle)))
}
