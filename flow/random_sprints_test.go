package flow

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// followControl holds checkpoints to their causes, and what is counted from them to the
// moves.
func (g *gamble) followControl(prior *board.Board, m Move) {
	t, c, b := g.rt, g.course, g.board
	was, is := prior.Settings(), b.Settings()
	passes := m.Act == board.ActCheckpoint || m.Act == board.ActTrip && (was.Control.State == board.Running || was.Control.State == board.Paused)
	require.Equal(t, passes, was.Checked.Mark != is.Checked.Mark, "the last checkpoint after %s", m.Act)
	if d, ok := m.Detail.(*CheckpointMove); ok && slices.Contains(computedCauses, d.Cause) && !m.By.IsHuman() {
		require.Equal(t, was.Checked.Mark, d.Since)
		require.False(t, c.counted[d.Since], "two checkpoints count from %s", d.Since)
		c.counted[d.Since] = true
		c.seen["a checkpoint for "+d.Cause.String()]++
		g.requireCause(prior, m, d.Cause)
	}
	if passes {
		require.Equal(t, m.At, is.Checked.At)
		require.False(t, is.Checked.At.Before(was.Checked.At))
		require.Equal(t, is.Checked.Mark, is.Control.Mark)
		for _, goal := range b.GoalsInProgress() {
			c.passed[goal.ID] = c.tally(goal)
		}
	}
	if m.Act == board.ActReopen {
		c.passed[m.Goal] = c.tally(b.Goal(m.Goal))
	}
	for _, id := range b.IDs(board.Goals) {
		require.Equal(t, c.passed[board.GoalID(id)], b.Goal(board.GoalID(id)).AtCheckpoint.Sums(), "%s at the last checkpoint, after %s", id, m.Act)
	}
}

func (c *course) tally(goal *board.Goal) board.Tally {
	return board.Tally{Merged: c.merged[goal.ID], Tokens: goal.Usage.Tokens(), Cost: goal.Usage.Cost}
}

// requireCause requires that the cause of a checkpoint holds, by what the moves say.
func (g *gamble) requireCause(prior *board.Board, m Move, cause board.Cause) {
	t, goal, s := g.rt, prior.Goal(m.Goal), prior.Settings()
	now, passed := g.course.tally(goal), g.course.passed[goal.ID]
	switch cause {
	case board.CauseDeadline:
		open := prior.Sprint(goal.Sprint)
		require.NotNil(t, open)
		require.True(t, s.Checked.At.Before(open.Deadline) && !m.At.Before(open.Deadline), "a checkpoint at %s for the deadline %s, after one at %s", m.At, open.Deadline, s.Checked.At)
	case board.CauseMerges:
		every := s.Config.Checkpoint.Every
		require.True(t, every > 0 && now.Merged-passed.Merged >= every)
	case board.CauseBudget:
		share, limit := int64(s.Config.Checkpoint.Share), s.Config.Budgets.Goal
		require.Positive(t, share)
		require.True(t, limit.Tokens > 0 && (now.Tokens-passed.Tokens)*100 >= share*limit.Tokens ||
			limit.Cost > 0 && int64(now.Cost-passed.Cost)*100 >= share*int64(limit.Cost))
	case board.CauseGate:
		list := board.OutagesOf(prior)
		require.True(t, slices.ContainsFunc(list, func(o board.Outage) bool {
			return o.At.After(s.Checked.At) && slices.ContainsFunc(list, func(other board.Outage) bool { return other.Gate == o.Gate && other.Host != o.Host })
		}))
	}
}

// followSprints holds agents that begin and end sprints and goals to what is done, and
// lets nobody begin or end one twice.
func (g *gamble) followSprints(prior *board.Board, m Move) {
	t, b := g.rt, g.board
	for _, id := range prior.IDs(board.Sprints) {
		if s := prior.Sprint(board.SprintID(id)); ended(s) {
			require.Equal(t, s.Ended, b.Sprint(s.ID).Ended, "%s ended twice", id)
			require.True(t, ended(b.Sprint(s.ID)), "%s goes on", id)
		}
	}
	if m.By.IsHuman() {
		return
	}
	open := slices.ContainsFunc(prior.Tasks(), func(s board.Summary) bool { return s.Goal == m.Goal && !s.Status.Final() })
	switch d := m.Detail.(type) {
	case *SprintCloseMove:
		g.course.seen["a sprint that an agent closed"]++
		require.Equal(t, prior.Goal(m.Goal).Sprint, d.Sprint)
		planned := 0
		for _, task := range everything(prior) {
			if task.Sprint == d.Sprint && !task.Stretch {
				planned++
				require.True(t, done(prior, task), "%s ended without %s", d.Sprint, task.ID)
			}
		}
		require.Positive(t, planned, "%s planned nothing", d.Sprint)
	case *SprintStartMove:
		g.course.seen["a sprint that an agent opened"]++
		require.True(t, open, "%s has nothing to do", d.Sprint)
		require.True(t, d.Deadline.IsZero() && len(d.Planned)+len(d.Stretch) == 0)
	case *CompleteMove:
		g.course.seen["a goal that an agent completed"]++
		require.True(t, prior.Settings().Config.Goal.Auto && !open)
	}
}

// done reports whether a task, and what replaces it, is final.
func done(b *board.Board, t *board.Task) bool {
	return t.Status.Final() && (t.Status != board.Superseded || !slices.ContainsFunc(t.SupersededBy, func(id board.TaskID) bool { return !done(b, b.Task(id)) }))
}
