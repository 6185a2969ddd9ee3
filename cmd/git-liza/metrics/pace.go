package metrics

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// fewestMerged is how many merged tasks an estimate needs.
const fewestMerged = 10

// A Pace is how fast work went so far: the part of the counts that a glance at the board
// needs. The zero value says nothing.
type Pace struct {
	Tip    flow.ObjectID // the last move that was counted
	Moves  int
	Goals  []GoalPace // of all goals together first, its Goal is ""
	Active []Active   // the last one first
}

// A GoalPace is the pace of a goal. Low, Median and High are the percentiles 25, 50 and
// 90 of how long its merged tasks were worked on, in seconds.
type GoalPace struct {
	Goal              flow.GoalID
	Merged            int
	Low, Median, High int64
	Burn              Burn
}

// Active is when an actor last worked on a task: claimed, submitted, reviewed or judged
// it, or ended a session; in seconds since 1970. Approved is how many of its verdicts were
// approvals since its last rejection.
type Active struct {
	By       flow.Actor
	At       int64
	Approved int
}

// The bounds of a pace, so that it fits into PaceSize.
const (
	mostGoals  = 100
	mostActive = 300
)

// Pace is the pace of what was counted.
func (n *Counts) Pace() Pace {
	p := Pace{Tip: n.tip, Moves: n.last.n}
	goals := []flow.GoalID{""}
	for _, s := range slices.Backward(n.sprints) {
		if !slices.Contains(goals, s.goal) && len(goals) < mostGoals {
			goals = append(goals, s.goal)
		}
	}
	for _, goal := range goals {
		w := n.view(Ask{Goal: goal, Now: n.At()})
		var worked samples
		for _, t := range w.tasks {
			if _, ok := t.merged(w.now); ok {
				worked = append(worked, t.working())
			}
		}
		g := GoalPace{Goal: goal, Merged: len(worked), Burn: burnOf(w.until(goal), burnWindow)}
		if len(worked) > 0 {
			slices.Sort(worked)
			g.Low, g.Median, g.High = rank(worked, 25), rank(worked, 50), rank(worked, 90)
		}
		p.Goals = append(p.Goals, g)
	}
	p.Active = n.active()
	return p
}

// active are the actors that worked in the last day of the board.
func (n *Counts) active() (list []Active) {
	last := map[flow.Actor]int64{}
	note := func(by flow.Actor, at int64) {
		if by != "" && at > n.last.at-dayLength {
			last[by] = max(last[by], at)
		}
	}
	for _, t := range n.tasks {
		for _, c := range t.claims {
			note(c.by, c.at.at)
		}
		for i, s := range t.stays {
			if i > 0 && isClaimed(t.stays[i-1].status) {
				note(t.claimedBy(s.since.at), s.since.at)
			}
		}
		for _, r := range t.reviews {
			note(r.by, r.begun)
		}
	}
	approved := map[flow.Actor]int{}
	for _, v := range n.verdicts {
		note(v.by, v.at.at)
		if approved[v.by]++; !v.approved {
			approved[v.by] = 0
		}
	}
	for i := range n.sessions {
		if s := &n.sessions[i]; s.task != "" {
			note(s.by, s.at.at)
		}
	}
	for by, at := range last {
		list = append(list, Active{by, at, approved[by]})
	}
	slices.SortFunc(list, func(x, y Active) int {
		if x.At != y.At {
			return int(y.At - x.At)
		}
		if x.By < y.By {
			return -1
		}
		return 1
	})
	return list[:min(len(list), mostActive)]
}

// Of is the pace of a goal, "" for all; the zero value if nothing is known of it.
func (p Pace) Of(goal flow.GoalID) GoalPace {
	for _, g := range p.Goals {
		if g.Goal == goal {
			return g
		}
	}
	return GoalPace{Goal: goal}
}

// An Estimate says how long open tasks may take from now on.
type Estimate struct {
	Tasks, Agents     int
	Low, Median, High time.Duration
}

// Estimate is how long the open tasks of a goal may take the actors that work now; false
// where there is too little history, or nothing to do. A goal with little history of its
// own goes at the pace of all.
func (p Pace) Estimate(goal flow.GoalID, open, actors int) (Estimate, bool) {
	g := p.known(goal)
	if g.Merged < fewestMerged || open == 0 || actors == 0 {
		return Estimate{}, false
	}
	share := func(each int64) time.Duration {
		return time.Duration(each*int64(open)/int64(min(actors, open))) * time.Second // nobody shares a task
	}
	return Estimate{open, actors, share(g.Low), share(g.Median), share(g.High)}, true
}

// known is the pace of a goal, or of all where a goal has little history of its own.
func (p Pace) known(goal flow.GoalID) GoalPace {
	if g := p.Of(goal); g.Merged >= fewestMerged {
		return g
	}
	return p.Of("")
}
