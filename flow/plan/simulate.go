package plan

import (
	"cmp"
	"container/heap"
	"slices"
)

// A Run is what a simulation found.
type Run struct {
	Agents   int   `json:"agents"`
	Makespan int64 `json:"seconds"`      // until the last task is done
	Idle     int64 `json:"idle_seconds"` // of all agents together
}

// Simulate lets agents, at least one, work off the tasks. Whenever an agent is free it
// takes, of the tasks whose needs are done, the first by priority, then by the longest
// chain that begins with it, then by the order of the plan. With a barrier it takes no
// task of a level before all of lower levels are done.
func (g *Graph) Simulate(agents int, barrier bool) Run {
	s := newSimulation(g, barrier)
	for s.open(); s.left > 0; s.finish() {
		for s.ready.Len() > 0 && s.busy.Len() < agents {
			s.start(heap.Pop(&s.ready).(int))
		}
	}
	return Run{agents, s.now, int64(agents)*s.now - g.Work()}
}

// Paying returns the smallest count of agents among the runs whose makespan is within
// 5 % of the best one: more do not pay.
func Paying(runs []Run) int {
	best := slices.MinFunc(runs, func(a, b Run) int { return cmp.Compare(a.Makespan, b.Makespan) }).Makespan
	agents := 0
	for _, r := range runs {
		if r.Makespan <= best+best/20 && (agents == 0 || r.Agents < agents) {
			agents = r.Agents
		}
	}
	return agents
}

type simulation struct {
	*Graph
	now     int64
	left    int   // tasks that are not done
	missing []int // for each task, how many of its needs are not done
	stage   []int // for each task, the number of its level among those that have tasks; 0 for all without barrier
	undone  []int // for each stage, its tasks that are not done
	held    [][]int
	current int   // the stage that may begin
	ready   queue // tasks that an agent may take, best first
	busy    queue // tasks that agents have, first to be done first
	ends    []int64
}

func newSimulation(g *Graph, barrier bool) *simulation {
	n := len(g.order)
	s := &simulation{Graph: g, left: n, missing: make([]int, n), stage: make([]int, n), ends: make([]int64, n)}
	if barrier {
		s.findStages()
	}
	stages := 1
	for i := range n {
		s.missing[i] = len(g.needs[i])
		stages = max(stages, s.stage[i]+1)
	}
	s.undone, s.held = make([]int, stages), make([][]int, stages)
	for _, stage := range s.stage {
		s.undone[stage]++
	}
	s.ready.before = func(a, b int) bool {
		return cmp.Or(cmp.Compare(s.priority(a), s.priority(b)), cmp.Compare(g.rest[b], g.rest[a]), a-b) < 0
	}
	s.busy.before = func(a, b int) bool { return cmp.Or(cmp.Compare(s.ends[a], s.ends[b]), a-b) < 0 }
	for i, missing := range s.missing {
		if missing == 0 {
			s.admit(i)
		}
	}
	return s
}

// findStages numbers the levels. A task that needs one of a higher level counts as one
// of that level: otherwise the barrier would never open.
func (s *simulation) findStages() {
	levels := slices.Clone(s.levels)
	for _, i := range s.order {
		for _, need := range s.needs[i] {
			levels[i] = max(levels[i], levels[need])
		}
	}
	all := slices.Compact(slices.Sorted(slices.Values(levels)))
	for i, level := range levels {
		s.stage[i], _ = slices.BinarySearch(all, level)
	}
}

func (s *simulation) priority(i int) int { return cmp.Or(s.plan.Tasks[i].Priority, 3) }

// admit takes a task whose needs are done.
func (s *simulation) admit(i int) {
	if stage := s.stage[i]; stage > s.current {
		s.held[stage] = append(s.held[stage], i)
		return
	}
	heap.Push(&s.ready, i)
}

// open goes on to the first stage that is not done.
func (s *simulation) open() {
	for s.current < len(s.undone)-1 && s.undone[s.current] == 0 {
		s.current++
		for _, i := range s.held[s.current] {
			heap.Push(&s.ready, i)
		}
	}
}

func (s *simulation) start(i int) {
	s.ends[i] = s.now + s.plan.Tasks[i].Seconds()
	heap.Push(&s.busy, i)
}

// finish goes on to the time at which the next tasks are done.
func (s *simulation) finish() {
	s.now = s.ends[s.busy.list[0]]
	for s.busy.Len() > 0 && s.ends[s.busy.list[0]] == s.now {
		i := heap.Pop(&s.busy).(int)
		s.left--
		s.undone[s.stage[i]]--
		for _, j := range s.feeds[i] {
			if s.missing[j]--; s.missing[j] == 0 {
				s.admit(j)
			}
		}
	}
	s.open()
}

// A queue is a heap of tasks.
type queue struct {
	list   []int
	before func(a, b int) bool
}

func (q *queue) Len() int           { return len(q.list) }
func (q *queue) Less(i, j int) bool { return q.before(q.list[i], q.list[j]) }
func (q *queue) Swap(i, j int)      { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(task any)      { q.list = append(q.list, task.(int)) }

func (q *queue) Pop() any {
	last := len(q.list) - 1
	task := q.list[last]
	q.list = q.list[:last]
	return task
}
