package flow

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A course is what the accepted moves of a game say by themselves of questions, holds,
// reverts, checkpoints and sprints. The board is held to it after each move.
type course struct {
	origin  map[board.TaskID]board.Status // from which a task was first claimed
	asked   map[board.TaskID]int          // how often work stopped for questions alone
	merged  map[board.GoalID]int
	passed  map[board.GoalID]board.Tally // at the last checkpoint
	holds   map[board.GoalID]heldBack
	taken   map[board.TaskID]board.TaskID   // by what task a merged one was reverted, "" by an adoption
	again   map[board.TaskID][]board.TaskID // which do its work again
	counted map[string]bool                 // checkpoints from which an agent counted to the next one
	due     []Move                          // on some earlier board
	gaveUp  map[board.TaskID]board.Actor
	retries map[board.TaskID]board.Retry
	ends    map[pressed][]bool // of claims, with a submission or without
	caps    map[pressed]int
	streaks map[board.GoalID]any // each a Streak; none is nil
	seen    map[string]int
}

type heldBack struct {
	mark  string
	tasks []board.TaskID
	at    time.Time
	whole bool // another goal takes the place of the goal
}

func newCourse(b *board.Board) *course {
	return &course{map[board.TaskID]board.Status{}, map[board.TaskID]int{}, map[board.GoalID]int{}, map[board.GoalID]board.Tally{}, map[board.GoalID]heldBack{}, map[board.TaskID]board.TaskID{},
		map[board.TaskID][]board.TaskID{}, map[string]bool{}, nil, map[board.TaskID]board.Actor{}, map[board.TaskID]board.Retry{}, map[pressed][]bool{}, map[pressed]int{}, map[board.GoalID]any{}, map[string]int{}}
}

// everything are the tasks of a board, archived ones too.
func everything(b *board.Board) (list []*board.Task) {
	for _, id := range append(b.IDs(board.Tasks), b.IDs(board.Archive)...) {
		list = append(list, b.Task(board.TaskID(id)))
	}
	return list
}

// follow holds the board after a move to what the moves say.
func (g *gamble) follow(prior *board.Board, m Move) {
	g.followWork(prior, m)
	g.followMerges(prior, m)
	g.followControl(prior, m)
	g.followHolds(m)
	g.followSprints(prior, m)
	g.followVouchers(prior, m)
	g.followBreaker(prior, m)
	g.followLevels(prior, m)
	g.followRetries(prior, m)
	g.followPressure(prior, m)
	g.followOutages(prior, m)
}

// followBreaker holds trips to records that no reset covers, and resets to what was
// recorded.
func (g *gamble) followBreaker(prior *board.Board, m Move) {
	was, is := prior.Breaker().Watermark, g.board.Breaker().Watermark
	switch d := m.Detail.(type) {
	case *TripMove:
		g.course.seen["a trip"]++
		require.False(g.rt, prior.Breaker().Tripped)
		require.Equal(g.rt, was, d.Watermark)
		require.True(g.rt, slices.ContainsFunc(d.Records, func(id board.RecordID) bool { return id.Number() > was }), "a trip by old records")
	case *ResetMove:
		g.course.seen["a reset"]++
		require.Equal(g.rt, d.Upto, is)
		require.Less(g.rt, is, prior.Settings().Next.Record)
		for _, id := range prior.Breaker().Records {
			require.LessOrEqual(g.rt, id.Number(), is, "a reset that leaves the trip's own records to be judged again")
		}
		require.GreaterOrEqual(g.rt, is, was)
		return
	}
	require.Equal(g.rt, was, is, "%s moved the watermark", m.Act)
}

// stands reports whether work is there for the tasks that need it.
func (c *course) stands(b *board.Board, id board.TaskID) bool {
	t := b.Task(id)
	if t == nil || t.Status != board.Merged {
		return false
	}
	if _, taken := c.taken[id]; !taken {
		return true
	}
	return c.replaced(b, c.again[id])
}

// replaced reports whether the work of tasks, but for those that were given up, is there.
func (c *course) replaced(b *board.Board, list []board.TaskID) bool {
	there := 0
	for _, id := range list {
		t := b.Task(id)
		switch {
		case t.Status == board.Abandoned:
			continue
		case t.Status == board.Superseded && !c.replaced(b, t.SupersededBy), t.Status != board.Superseded && !c.stands(b, id):
			return false
		}
		there++
	}
	return there > 0
}

// followWork holds claims to holds and reverts, and questions to their outcome.
func (g *gamble) followWork(prior *board.Board, m Move) {
	t, c, b := g.rt, g.course, g.board
	was, is := prior.Task(m.Task), b.Task(m.Task)
	switch d := m.Detail.(type) {
	case *ClaimMove:
		if is.Status != board.Claimed {
			return
		}
		if was.Status != board.Claimed {
			c.origin[m.Task] = was.Status
		}
		if h, held := c.holds[is.Goal]; held {
			require.NotContains(t, h.tasks, m.Task, "a task was claimed that is held back")
			require.False(t, h.whole, "%s was claimed, and its goal waits for another", m.Task)
			require.False(t, len(h.tasks) == 0 && was.Status == board.Unclaimed && !is.Created.After(h.at), "%s was claimed, and is held back", m.Task)
			c.seen["a claim beside a hold"]++
		}
		for _, need := range is.DependsOn {
			require.True(t, c.stands(b, need), "%s was claimed, and needs %s, which was taken back", m.Task, need)
			if _, taken := c.taken[need]; taken {
				c.seen["a claim on a successor"]++
			}
		}
	case *BlockMove:
		g.followBlock(was, is, d)
	case *AnswerMove:
		g.followAnswer(prior, d, m.By)
	case *UnblockMove:
		if was.Block.Reason == board.ReasonQuestion {
			for _, q := range was.Block.Asked {
				require.False(t, board.FindQuestion(prior, q).IsOpen(), "%s was unblocked with an open question", m.Task)
			}
		}
	}
}

func (g *gamble) followBlock(was, is *board.Task, d *BlockMove) {
	c, from := g.course, was.Status
	if from == board.Claimed {
		from = c.origin[was.ID]
	}
	require.Equal(g.rt, from, is.Block.From)
	failed := 1
	if d.Reason == "" || d.Reason == board.ReasonQuestion {
		c.asked[was.ID]++
		c.seen["a question"]++
		if c.asked[was.ID] < 4 {
			failed = 0
		} else {
			c.seen["a fourth question"]++
		}
	}
	require.Equal(g.rt, c.asked[was.ID], is.Asked)
	require.Len(g.rt, is.Failures, len(was.Failures)+failed)
}

// followAnswer holds a task to where its last answer leads it.
func (g *gamble) followAnswer(prior *board.Board, d *AnswerMove, by board.Actor) {
	q := board.FindQuestion(prior, d.Question)
	was, is := prior.Task(q.Task), g.board.Task(q.Task)
	if was.Status != board.Blocked {
		return
	}
	require.True(g.rt, by.IsHuman() || by != q.From || was.Block.From == 0, "%s answered itself", by)
	open := slices.ContainsFunc(was.Block.Asked, func(id board.RecordID) bool { return board.FindQuestion(g.board, id).IsOpen() })
	limits := prior.Settings().Config.Limits.Over(was.Limits)
	exhausted := len(was.Failures) >= limits.Failures || len(lists.Set(was.Failures, func(f board.Failure) board.Actor { return f.Coder })) >= limits.FailedCoders
	if open || exhausted || was.Block.From == 0 {
		require.Equal(g.rt, was, is)
		return
	}
	g.course.seen["an answer to "+is.Status.String()]++
	require.Equal(g.rt, was.Block.From, is.Status)
	require.Nil(g.rt, is.Block)
	require.Equal(g.rt, was.Failures, is.Failures)
}

// followMerges counts merges, and keeps what was taken back by which.
func (g *gamble) followMerges(prior *board.Board, m Move) {
	c, b := g.course, g.board
	var merged, reverted []board.TaskID
	switch d := m.Detail.(type) {
	case *MergeMove:
		merged = []board.TaskID{m.Task}
		for _, need := range b.Task(m.Task).DependsOn {
			if t := b.Task(need); t.Status == board.Merged {
				require.True(g.rt, c.stands(b, need), "%s was merged on %s, which was taken back", m.Task, need)
			}
		}
	case *AdoptMove:
		merged, reverted = d.Tasks, d.Reverts
	case *AddMove:
		g.succeed(d.Tasks)
	case *ConvertMove:
		g.succeed([]board.TaskInput{d.Input})
	}
	for _, id := range merged {
		c.merged[b.Task(id).Goal]++
	}
	for _, id := range merged {
		g.takeBack(id, b.Task(id).Reverts)
	}
	g.takeBack("", reverted)
	for _, t := range everything(b) {
		by, taken := c.taken[t.ID]
		require.Equal(g.rt, taken, t.Reverted != nil, "%s by %s", t.ID, m.Act)
		if taken {
			require.Equal(g.rt, by, t.Reverted.Task)
		}
	}
	for _, id := range b.IDs(board.Goals) {
		require.Equal(g.rt, c.merged[board.GoalID(id)], b.Goal(board.GoalID(id)).Merged, "merges of %s", id)
	}
}

func (g *gamble) succeed(list []board.TaskInput) {
	for _, in := range list {
		if in.Reopens != "" {
			g.course.again[in.Reopens] = append(g.course.again[in.Reopens], in.ID)
			g.course.seen["a successor"]++
		}
	}
}

func (g *gamble) takeBack(by board.TaskID, list []board.TaskID) {
	c := g.course
	for _, id := range list {
		if _, taken := c.taken[id]; taken {
			continue
		}
		c.taken[id] = by
		c.seen["a revert"]++
		for _, earlier := range g.board.Task(id).Reverts {
			if was, taken := c.taken[earlier]; taken && was == id {
				delete(c.taken, earlier)
				c.seen["a revert of a revert"]++
			}
		}
	}
}

// followHolds keeps what decisions hold back.
func (g *gamble) followHolds(m Move) {
	c := g.course
	switch d := m.Detail.(type) {
	case *DecideMove:
		c.seen[d.Decision]++
		whole := d.Decision == "PIVOT" && len(g.board.GoalsInProgress()) > 1 && !g.board.Breaker().Tripped
		if d.Decision == "REPLAN" || d.Decision == "ADJUST_SPECS" || whole {
			// The circuit breaker trips a stopped board without a mark of its own.
			mark := cmp.Or(d.Checkpoint, g.board.Settings().Checked.Mark)
			c.holds[m.Goal] = heldBack{mark, d.Tasks, m.At, whole}
		}
		if whole {
			c.seen["a goal that waits for another"]++
		}
	case *AlignMove:
		if d.Answers != "" {
			require.Equal(g.rt, d.Answers, c.holds[m.Goal].mark)
			require.False(g.rt, c.holds[m.Goal].whole)
			delete(c.holds, m.Goal)
			c.seen["an answered hold"]++
		}
	case *LiftMove:
		require.Contains(g.rt, c.holds, m.Goal)
		delete(c.holds, m.Goal)
		c.seen["a lifted hold"]++
	}
	for _, id := range g.board.IDs(board.Goals) {
		goal := g.board.Goal(board.GoalID(id))
		if goal.Status != board.InProgress {
			delete(c.holds, goal.ID)
		}
		h, held := c.holds[goal.ID]
		require.Equal(g.rt, held, goal.Hold != nil, "the hold of %s after %s", id, m.Act)
		if held {
			require.Equal(g.rt, heldBack{goal.Hold.Checkpoint, goal.Hold.Tasks, goal.Hold.At, goal.Hold.Decision == "PIVOT"}, h)
		}
	}
}

// followVouchers holds verdicts from code hosts to who may bring them.
func (g *gamble) followVouchers(prior *board.Board, m Move) {
	var v *board.Voucher
	switch d := m.Detail.(type) {
	case *ApproveMove:
		v = d.For
	case *RejectMove:
		v = d.For
	}
	if v == nil {
		return
	}
	g.course.seen["a voucher"]++
	require.True(g.rt, m.By.IsHuman(), "%s vouched", m.By)
	if known := prior.Principals(); len(known.List) > 0 {
		g.course.seen["a voucher of an account"]++
		require.True(g.rt, known.May(m.Principal, "vouch"), "%s vouched", m.Principal)
		author := known.Account(v.Account)
		require.NotNil(g.rt, author)
		require.False(g.rt, g.worked[m.Task][author.Name], "%s, who coded %s, judged it", author.Name, m.Task)
	}
}
