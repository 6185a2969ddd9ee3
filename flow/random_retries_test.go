package flow

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// failOne lets the session of a claim end, or of another's, or of an earlier one.
func (g *gamble) failOne() {
	id := g.task(board.Claimed, board.Claimed, board.Unclaimed, board.Rejected)
	if id == "" {
		return
	}
	if g.board.Task(id).Status != board.Claimed {
		g.do(fmt.Sprintf("%s claim %s", g.freeCoder(), id))
	}
	who := "coder-1"
	if c := g.board.Task(id).Claim; c != nil && pick(g.rt, 0, 1, 2, 3) > 0 {
		who = string(c.By)
	}
	outcome := pick(g.rt, "failed", "hung", "lost", "nothing", "failed", pick(g.rt, SessionOutcomes()...))
	g.do(fmt.Sprintf("%s session %s outcome=%s error=%s role=coder %s", who, id, outcome, pick(g.rt, "", "no_route_to_10.0.0.1", "no_route_to_10.0.0.2", "137"), pick(g.rt, "+ends", "+ends", "+ends", "+x")))
	g.now = g.now.Add(pick(g.rt, 0, 20*time.Second, time.Minute, 5*time.Minute))
	g.do(fmt.Sprintf("coder-%d claim %s", pick(g.rt, 1, 2, 3), id))
}

// failMany lets claims of a goal fail in a row, and tries to claim more of it.
func (g *gamble) failMany() {
	if pick(g.rt, 0, 1) == 0 {
		g.setGates()
	}
	goal, n := pick(g.rt, g.board.IDs(board.Goals)...), len(g.made)
	g.do(fmt.Sprintf("planner-1 add q%d-1 q%d-2 q%d-3 in=%s", n, n, n, goal))
	for range 6 {
		coder := pick(g.rt, 1, 2, 3)
		g.do(fmt.Sprintf("coder-%d claim q%d-%d", coder, n, coder),
			fmt.Sprintf("coder-%d session q%d-%d outcome=%s error=%s +ends", coder, n, coder, pick(g.rt, "failed", "failed", "hung", "quota"), pick(g.rt, "a", "b")))
		g.now = g.now.Add(time.Minute)
	}
	for coder := range 3 {
		g.do(fmt.Sprintf("coder-%d claim q%d-%d", coder+1, n, coder+1))
	}
}

// failReview lets the session of a review end without a verdict.
func (g *gamble) failReview() {
	id := g.task(board.ReadyForReview)
	if id == "" {
		return
	}
	who := pick(g.rt, "code-reviewer-1", "code-reviewer-2", "human:bob")
	g.do(fmt.Sprintf("%s review %s", who, id), fmt.Sprintf("%s session %s outcome=%s role=code-reviewer +ends", who, id, pick(g.rt, "failed", "quota", "nothing")),
		fmt.Sprintf("%s review %s", who, id))
}

// failing are the outcomes that count.
var failing = []string{"nothing", "failed", "hung", "lost", "loop"}

// waitAfter is how long agents wait after so many failures.
func waitAfter(r board.RetryPolicy, failures int) time.Duration {
	base, most := time.Duration(r.Base), time.Duration(r.Max)
	wait := map[board.Strategy]time.Duration{board.Fixed: base, board.Linear: base * time.Duration(failures), board.Exponential: base << min(failures-1, 20)}[r.Strategy]
	return min(wait, most)
}

// followRetries counts claims that failed, and holds claims, sessions and limits to that.
func (g *gamble) followRetries(prior *board.Board, m Move) {
	t, c, b := g.rt, g.course, g.board
	was, is := prior.Task(m.Task), b.Task(m.Task)
	policy := prior.Settings().Config.Retry
	switch d := m.Detail.(type) {
	case *SessionMove:
		if was == nil {
			break
		}
		ends := was.Claim != nil && was.Claim.By == m.By && was.Claim.Since.Equal(d.Of) &&
			(was.Claim.Principal == "" || accountOf(prior, was.Claim.Principal) == accountOf(prior, m.Principal))
		require.Equal(t, ends, was.Claim != nil && is.Claim == nil, "%s by %s on the claim of %s", d.Outcome, m.By, m.Task)
		require.True(t, ends || was.Status == is.Status)
		if ends {
			c.seen["a claim that a session ended"]++
			host := ""
			if a := prior.Agent(m.By.Agent()); a != nil {
				host = a.Host
			}
			out := slices.ContainsFunc(board.OutagesOf(prior), func(o board.Outage) bool {
				gate, there := prior.Settings().Config.Gate(o.Gate)
				return there && gate.At == board.AtSubmit && o.Host == host
			})
			if slices.Contains(failing, d.Outcome) && !out && !m.By.IsHuman() {
				g.failed(is, m.At.Add(waitAfter(policy, c.retries[m.Task].Count+1)), cmp.Or(d.Error, d.Outcome), policy.Attempts)
			}
		}
	case *ClaimMove:
		if !m.By.IsHuman() && was.Retry != nil {
			require.False(t, m.At.Before(was.Retry.NotBefore), "%s came back to %s too soon", m.By, m.Task)
		}
		if was.Claim != nil && !was.Claim.By.IsHuman() && is.Block == nil || is.Block != nil && is.Block.Limit == board.LimitRetries {
			c.seen["a claim after a lease"]++
			g.lost(is, m, was.Claim.By, policy.Attempts)
		}
	case *ReviewMove:
		if is.Status == board.ReadyForReview && !m.By.IsHuman() {
			role, _ := is.HeldReview(m.By)
			require.False(t, m.At.Before(was.Judgement(role).NotBefore), "%s came back to the review of %s too soon", m.By, m.Task)
		}
	case *ReleaseMove:
		if held := was.Claim; held != nil && !held.By.IsHuman() && !held.Lease.After(m.At) {
			c.seen["a release after a lease"]++
			g.lost(is, m, held.By, policy.Attempts)
		}
	case *SubmitMove, *UnblockMove:
		delete(c.retries, m.Task)
	}
	for _, task := range everything(b) {
		want, counted := c.retries[task.ID]
		if counted {
			require.NotNil(t, task.Retry, "%s by %s", task.ID, m.Act)
			require.Equal(t, want, *task.Retry, "%s by %s", task.ID, m.Act)
		}
		require.Equal(t, counted, task.Retry != nil, "%s by %s", task.ID, m.Act)
	}
}

// lost counts a lease that ended. People take over, or release, what was tried too often.
func (g *gamble) lost(is *board.Task, m Move, holder board.Actor, attempts int) {
	if m.By.IsHuman() {
		attempts = 0
	}
	g.failed(is, m.At, "the lease of "+string(holder)+" ended", attempts)
}

// failed counts one more failure of a task, which may be the last.
func (g *gamble) failed(is *board.Task, notBefore time.Time, text string, attempts int) {
	n := g.course.retries[is.ID].Count + 1
	g.course.retries[is.ID] = board.Retry{Count: n, NotBefore: notBefore, Error: text}
	last := attempts > 0 && n >= attempts
	require.Equal(g.rt, last, is.Block != nil && is.Block.Limit == board.LimitRetries, "%s after %d failures of %d", is.ID, n, attempts)
	if last {
		g.course.seen["a task that failed too often"]++
	}
}

// followPressure counts how claims of goals ended, and holds claims to the caps.
func (g *gamble) followPressure(prior *board.Board, m Move) {
	t, c, b := g.rt, g.course, g.board
	was, is := prior.Task(m.Task), b.Task(m.Task)
	switch d := m.Detail.(type) {
	case *SubmitMove:
		if !m.By.IsHuman() {
			g.countEnd(prior, m, "", true)
		}
	case *SessionMove:
		if failuresOf(is) > failuresOf(was) {
			g.countEnd(prior, m, d.Error, false)
		}
	case *ClaimMove:
		key := pressed{is.Goal, accountOf(prior, m.Principal)}
		if m.By.IsHuman() || c.caps[key] == 0 || was.Claim != nil && accountOf(prior, was.Claim.Principal) == key.principal {
			break
		}
		require.Less(t, claimed(prior, key), c.caps[key], "%s was claimed by %s beside as many as there may be", m.Task, m.By)
		c.seen["a claim below a cap"]++
	}
	for _, id := range b.IDs(board.Goals) {
		goal := b.Goal(board.GoalID(id))
		require.LessOrEqual(t, len(goal.Pressure), board.MaxList)
		for _, o := range goal.Pressure {
			require.Equal(t, c.caps[pressed{goal.ID, o.Principal}], o.Cap, "the cap of %s for %q after %s", id, o.Principal, m.Act)
			require.LessOrEqual(t, len(o.Ends), 10)
		}
		require.Equal(t, c.streaks[goal.ID], known(goal.Streak), "the streak of %s after %s", id, m.Act)
	}
}

// failuresOf counts the claims of a task that failed.
func failuresOf(t *board.Task) int {
	if t == nil || t.Retry == nil {
		return 0
	}
	return t.Retry.Count
}

// countEnd counts how a claim ended.
func (g *gamble) countEnd(prior *board.Board, m Move, text string, ok bool) {
	c, goal, rate := g.course, prior.Task(m.Task).Goal, prior.Settings().Config.Pressure.Rate
	key := pressed{goal, accountOf(prior, m.Principal)}
	c.ends[key] = append(c.ends[key], ok)
	list := c.ends[key][max(0, len(c.ends[key])-10):]
	failures := len(slices.DeleteFunc(slices.Clone(list), func(ok bool) bool { return ok }))
	switch {
	case rate == 0 || len(list) < 5 || 100*failures < rate*len(list):
		c.caps[key] = 0
	case !ok:
		c.caps[key] = max(1, claimed(prior, key)/2)
		c.seen["a cap"]++
	case c.caps[key] > 0:
		c.caps[key]++
	}
	g.followStreak(goal, text, !ok)
}

// pressed is whose claims of what goal are counted together.
type pressed struct {
	goal      board.GoalID
	principal string
}

// accountOf is a principal where the board has any.
func accountOf(b *board.Board, principal string) string {
	if len(b.Principals().List) == 0 {
		return ""
	}
	return principal
}

// claimed counts the tasks of a goal that agents of a principal hold.
func claimed(b *board.Board, key pressed) (n int) {
	for _, short := range b.Tasks() {
		c := b.Task(short.ID).Claim
		if c != nil && !c.By.IsHuman() && short.Goal == key.goal && accountOf(b, b.Agent(c.By.Agent()).Principal) == key.principal {
			n++
		}
	}
	return n
}

// followStreak counts failures in a row with the same error, and requires a record of the
// third.
func (g *gamble) followStreak(goal board.GoalID, text string, failed bool) {
	c, same := g.course, board.Fingerprint(text)
	was, _ := c.streaks[goal].(board.Streak)
	switch {
	case !failed || same == "":
		delete(c.streaks, goal)
		return
	case was.Fingerprint != same:
		was = board.Streak{Fingerprint: same}
	}
	was.Failures++
	c.streaks[goal] = was
	if was.Failures == 3 {
		c.seen["a streak"]++
		require.True(g.rt, slices.ContainsFunc(g.board.IDs(board.Anomalies), func(id string) bool {
			a := g.board.Load(board.Key{Folder: board.Anomalies, ID: id}).(*board.Anomaly)
			return a.Type == board.FailureStreak && a.Details["fingerprint"] == same
		}))
	}
}

// followOutages holds them to gates of the configuration and to their hosts.
func (g *gamble) followOutages(prior *board.Board, m Move) {
	list := board.OutagesOf(g.board)
	require.LessOrEqual(g.rt, len(list), board.MaxList)
	for i, o := range list {
		require.False(g.rt, slices.ContainsFunc(list[:i], func(other board.Outage) bool { return other.Gate == o.Gate && other.Host == o.Host }))
		if _, there := g.board.Settings().Config.Gate(o.Gate); !there {
			require.Equal(g.rt, board.ActAmend, m.Act, "an outage of %s, which is gone", o.Gate)
		}
	}
	if d, ok := m.Detail.(*OutageMove); ok {
		g.course.seen["an outage"]++
		a := prior.Agent(m.By.Agent())
		require.True(g.rt, a == nil || a.Host == "" || a.Host == d.Host, "%s spoke for %s", m.By, d.Host)
	}
}
