package flow

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// plan makes moves about levels, gates, retries and pressure, and moves that lead to them.
func (g *gamble) plan() {
	pick(g.rt, g.planOne, g.planOne, g.levelOne, g.levelOne, g.levelOne, g.scheduleOne, g.setGates, g.outageOne, g.outageOne,
		g.failOne, g.failOne, g.failOne, g.failOne, g.failMany, g.failReview, g.pivotOne)()
}

// planOne adds a task to a goal at some level, describes others anew, and schedules the
// goal.
func (g *gamble) planOne() {
	goal, n := board.GoalID(pick(g.rt, g.board.IDs(board.Goals)...)), len(g.made)
	step := fmt.Sprintf("%s add p%d%s in=%s", pick(g.rt, "planner-1", "human:ann"), n, pick(g.rt, "", "<a1", "<a2,a3"), goal)
	var editable []string
	for _, t := range g.board.Tasks() {
		if t.Goal == goal && board.Described.Has(t.Status) {
			editable = append(editable, string(t.ID)+pick(g.rt, "", "<a2", fmt.Sprintf("<p%d", n)))
		}
	}
	if len(editable) > 0 {
		step += pick(g.rt, "", " update="+pick(g.rt, editable...))
	}
	if id := g.task(board.Draft, board.Unclaimed, board.Blocked); id != "" && pick(g.rt, 0, 1) == 0 {
		g.do(fmt.Sprintf("planner-1 edit %s level=%d", id, pick(g.rt, 1, 2, 3)))
	}
	g.do(step + pick(g.rt, "", "", fmt.Sprintf(" level=%d", pick(g.rt, 1, 2, 3))) + pick(g.rt, "", "", "", " barrier=level") + pick(g.rt, " create=n/*.go", ""))
}

// levelOne records a level of a goal, of which it may first give up what is open.
func (g *gamble) levelOne() {
	goal := board.GoalID(pick(g.rt, g.board.IDs(board.Goals)...))
	next := board.NextLevel(g.board, goal)
	if pick(g.rt, 0, 1) == 0 {
		for _, t := range g.board.Tasks() {
			if t.Goal == goal && t.Level <= next && board.AnyOf(board.Draft, board.Unclaimed, board.Blocked).Has(t.Status) {
				g.do(fmt.Sprintf("%s abandon %s +cascade", pick(g.rt, "human:ann", "human:ann", "human:ann", "planner-1"), t.ID))
			}
		}
	}
	if due := board.DueLevel(g.board, goal); due > 0 && len(g.board.Principals().List) == 0 && g.board.Goal(goal).Status == board.InProgress {
		require.Equal(g.rt, next, due)
		require.True(g.rt, g.do(fmt.Sprintf("coder-1 level in=%s level=%d %s", goal, due, g.allGates(pick(g.rt, "passed", "passed", "failed"), board.AtLevel))), "level %d of %s is due", due, goal)
		return
	}
	g.do(fmt.Sprintf("%s level in=%s level=%d without=%s %s", pick(g.rt, "human:ann", "human:ann", "coder-1", "planner-1"), goal, pick(g.rt, 0, next, next+1, 1),
		pick(g.rt, "", "", string(g.task(board.Abandoned, board.Merged))), g.allGates(pick(g.rt, "passed", "passed", "failed"), board.AtLevel)))
}

// allGates are words for receipts of all gates of a stage.
func (g *gamble) allGates(how string, at board.Stage) string {
	words := how + "="
	for i, gate := range g.board.Settings().Config.GatesAt(at) {
		if i > 0 {
			words += ","
		}
		words += gate.Name + ":" + gate.Command
	}
	return words
}

// scheduleOne says which barrier a goal has.
func (g *gamble) scheduleOne() {
	g.do(fmt.Sprintf("%s schedule in=%s barrier=%s", pick(g.rt, "planner-1", "human:ann", "coder-1"), pick(g.rt, g.board.IDs(board.Goals)...), pick(g.rt, "none", "level")))
}

// setGates says which gates there are, at submissions and levels, and how often failed
// work is tried again.
func (g *gamble) setGates() {
	c := g.board.Settings().Config
	c.Gates = nil
	for i, at := range []board.Stage{board.AtSubmit, board.AtLevel} {
		if pick(g.rt, 0, 1) == 0 {
			c.Gates = append(c.Gates, board.Gate{Name: []string{"lint", "all"}[i], Command: "make", Required: pick(g.rt, true, true, false), Timeout: board.UsualEstimate, At: at})
		}
	}
	c.Retry.Attempts = pick(g.rt, 0, 2, 3, 9)
	c.Retry.Strategy = pick(g.rt, board.Exponential, board.Linear, board.Fixed)
	c.Pressure.Rate = pick(g.rt, 0, 20, 50, 100)
	m := g.by("human:ann", board.ActConfig, "", &ConfigMove{c})
	m.Principal = g.behind("human:ann")
	g.make(m, agreeing(g.board, m))
}

// outageOne says that a gate cannot run on a host, or that it runs there again.
func (g *gamble) outageOne() {
	if pick(g.rt, 0, 1) == 0 {
		g.setGates()
	}
	who := pick(g.rt, "coder-1", "coder-2", "human:ann")
	if who != "human:ann" && pick(g.rt, 0, 1) == 0 {
		g.do(fmt.Sprintf("human:ann register %s host=%s +takeover", who, pick(g.rt, "h1", "h2")))
	}
	g.do(fmt.Sprintf("%s outage %s host=%s %s", who, pick(g.rt, "lint", "lint", "all"), pick(g.rt, "h1", "h2", "h3"), pick(g.rt, "+over", "+x", "+x")))
	if id := g.task(board.Unclaimed); id != "" && who != "human:ann" {
		g.do(fmt.Sprintf("%s claim %s", who, id), fmt.Sprintf("%s session %s outcome=failed +ends", who, id))
	}
	g.makeDue()
}

// pivotOne decides that another goal takes the place of one of several.
func (g *gamble) pivotOne() {
	if g.board.Settings().Control.State == board.Running {
		g.do("human:ann checkpoint")
	}
	goal := pick(g.rt, g.board.IDs(board.Goals)...)
	g.do("human:ann decide PIVOT in=" + goal)
	for _, t := range g.board.Tasks() {
		if string(t.Goal) == goal && board.AnyOf(board.Rejected, board.Unclaimed).Has(t.Status) {
			g.do(fmt.Sprintf("%s claim %s", g.freeCoder(), t.ID))
		}
	}
	g.do(fmt.Sprintf("human:ann goal goal-%d pivot=%s", len(g.made), pick(g.rt, "", goal)))
}

// recordsOf are the levels of a goal of which something is recorded, and how many passed: those
// from the first on. What failed stays, also while something is left to do below it.
func recordsOf(t require.TestingT, b *board.Board, goal board.GoalID) (list []*board.Level, passed int) {
	for _, id := range b.IDs(board.Levels) {
		if l := b.Load(board.Key{Folder: board.Levels, ID: id}).(*board.Level); l.Goal == goal {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(x, y *board.Level) int { return x.Number - y.Number })
	for i, l := range list {
		if !l.Passed {
			require.Greater(t, l.Number, passed)
			continue
		}
		passed++
		require.Equal(t, i+1, passed, "level %d of %s passed above one that failed", l.Number, goal)
		require.Equal(t, passed, l.Number, "a gap below level %d of %s, which passed", l.Number, goal)
	}
	return list, passed
}

// followLevels holds records of levels to the tasks, and claims to the records.
func (g *gamble) followLevels(prior *board.Board, m Move) {
	t, b := g.rt, g.board
	for _, id := range b.IDs(board.Goals) {
		_, passed := recordsOf(t, b, board.GoalID(id))
		if _, was := recordsOf(t, prior, board.GoalID(id)); passed < was {
			g.course.seen["a level that was cleared"]++
		}
		for _, task := range b.Tasks() {
			if task.Goal == board.GoalID(id) && !task.Status.Final() {
				require.Greater(t, task.Level, passed, "%s is %s, and level %d of %s has passed", task.ID, task.Status, passed, id)
				for _, need := range task.DependsOn {
					if d := b.Task(need); d.Goal == task.Goal {
						require.LessOrEqual(t, d.Level, task.Level, "%s needs %s of a higher level, after %s", task.ID, need, m.Act)
					}
				}
			}
		}
	}
	switch d := m.Detail.(type) {
	case *LevelMove:
		g.followLevel(prior, m, d)
	case *ClaimMove:
		if is := b.Task(m.Task); is.Status == board.Claimed {
			g.followBarrier(prior, is)
		}
	case *AbandonMove:
		g.course.gaveUp[m.Task] = m.By
	case *CompleteMove:
		for _, task := range prior.Tasks() {
			if b.Task(task.ID).Status == board.Abandoned && task.Status != board.Abandoned {
				g.course.gaveUp[task.ID] = m.By
			}
		}
	}
	for _, task := range everything(b) {
		require.Equal(t, g.course.gaveUp[task.ID], task.AbandonedBy, "who gave up %s", task.ID)
		was := prior.Task(task.ID)
		switch {
		case was == nil || was.Status != task.Status:
			require.Equal(t, m.At, task.Entered, "%s came to %s", task.ID, task.Status)
		default:
			require.Equal(t, was.Entered, task.Entered, "%s stays %s", task.ID, task.Status)
		}
	}
}

// followLevel holds a level to the tasks that it needs, and to who may record it.
func (g *gamble) followLevel(prior *board.Board, m Move, d *LevelMove) {
	t := g.rt
	was, passed := recordsOf(t, prior, m.Goal)
	next := passed + 1
	require.Equal(t, next, d.Level)
	require.Equal(t, prior.Settings().Integration.Tip, d.Tip)
	require.True(t, m.By.IsHuman() || len(d.Without) == 0, "%s left out %v", m.By, d.Without)
	for _, id := range d.Without {
		require.True(t, prior.Task(id).Status.Final(), "%s was left out in work", id)
	}
	without := slices.Clone(d.Without)
	for _, l := range was {
		if l.Number < next {
			without = append(without, l.Without...)
		}
	}
	for _, task := range prior.Tasks() {
		if task.Goal == m.Goal && task.Level <= next {
			require.True(t, g.course.isDone(prior, task.ID, without, next), "level %d passed, and %s is %s", next, task.ID, task.Status)
		}
	}
	records, _ := recordsOf(t, g.board, m.Goal)
	require.GreaterOrEqual(t, len(records), next)
	require.Equal(t, next, records[next-1].Number)
	switch is := records[next-1]; {
	case len(d.Without) > 0:
		g.course.seen["a level without tasks"]++
	case is.Passed:
		g.course.seen["a level that passed"]++
	default:
		g.course.seen["a level that failed"]++
	}
}

// isDone reports whether nothing of a task is left to do at a level, by what the moves
// said. What a task of a higher level does in its place is left to that level.
func (c *course) isDone(b *board.Board, id board.TaskID, without []board.TaskID, level int) bool {
	t := b.Task(id)
	above := func(by board.TaskID) bool { return b.Task(by).Goal == t.Goal && b.Task(by).Level > level }
	undone := func(by board.TaskID) bool { return !above(by) && !c.isDone(b, by, without, level) }
	_, taken := c.taken[id]
	switch {
	case slices.Contains(without, id), t.Status == board.Merged && !taken:
		return true
	case t.Status == board.Abandoned:
		return c.gaveUp[id].IsHuman()
	case t.Status == board.Merged:
		again := slices.DeleteFunc(slices.Clone(c.again[id]), func(by board.TaskID) bool {
			return b.Task(by).Status == board.Abandoned && !slices.Contains(without, by) && !above(by)
		})
		return len(again) > 0 && !slices.ContainsFunc(again, undone)
	case t.Status == board.Superseded:
		return !slices.ContainsFunc(t.SupersededBy, undone)
	}
	return false
}

// followBarrier holds the claim of a task to the levels below its own.
func (g *gamble) followBarrier(prior *board.Board, is *board.Task) {
	records, passed := recordsOf(g.rt, prior, is.Goal)
	for _, l := range records {
		require.True(g.rt, l.Passed || is.Level <= l.Number, "%s was claimed above level %d, which failed", is.ID, l.Number)
	}
	if board.BarrierOf(prior, is.Goal) == board.LevelBarrier && is.Level > 1 {
		require.GreaterOrEqual(g.rt, passed, is.Level-1, "%s was claimed at level %d", is.ID, is.Level)
		g.course.seen["a claim behind a barrier"]++
	}
}
