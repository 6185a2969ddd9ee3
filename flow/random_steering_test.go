package flow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// turns are what long games must have come to.
var turns = []string{"a question", "a fourth question", "an answer to UNCLAIMED", "an answer to REJECTED", "a revert", "a revert of a revert",
	"a successor", "a claim on a successor", "a claim beside a hold", "an answered hold", "a lifted hold", "a voucher", "a voucher of an account",
	"CONTINUE", "ADJUST_SPECS", "ADJUST_CONTRACTS", "REPLAN", "PIVOT", "STOP", "a checkpoint for deadline", "a checkpoint for merges", "a checkpoint for budget",
	"a sprint that an agent closed", "a sprint that an agent opened", "a goal that an agent completed",
	"a trip", "a reset",
	"a level that passed", "a level without tasks", "a level that was cleared", "a claim that a session ended",
	"a claim after a lease", "a release after a lease", "a task that failed too often", "a cap", "a claim below a cap", "a streak", "an outage", "a goal that waits for another"}

// steer makes moves about questions, checkpoints, holds, reverts and marks, and moves that lead to them.
func (g *gamble) steer() {
	pick(g.rt, g.makeDue, g.makeDue, g.makeDue, g.windUp, g.finishOne, g.finishOne, g.finishOne, g.plant, g.question, g.question, g.answerOne, g.answerOne,
		g.revert, g.revert, g.revert, g.decideOne, g.tripOne, g.endHold, g.setCauses, g.nextSprint, g.vouchOne, g.vouchOne, g.recordOne)()
}

// do makes moves as scenarios write them, and reports whether the last was accepted.
// Behind each actor stands a principal that may act as it, but seldom.
func (g *gamble) do(steps ...string) (accepted bool) {
	wrong := pick(g.rt, 0, 1, 2, 3, 4, 5, 6, 7) == 0
	for _, step := range steps {
		fields := strings.Fields(step)
		if p := g.rightly(fields[0]); p != "" && !wrong {
			fields[0] += "@" + p
		} else {
			fields[0] = g.as(fields[0])
		}
		accepted = g.make(g.moveOf(fields))
	}
	return accepted
}

// rightly is the first principal that may act as an actor; "" if none is needed.
func (g *gamble) rightly(who string) string {
	known := g.board.Principals()
	if a := g.board.Agent(board.AgentID(who)); a != nil && known.Find(a.Principal) != nil {
		return a.Principal
	}
	for _, one := range known.List {
		if one.MayAct(board.Actor(who)) {
			return one.Name
		}
	}
	return ""
}

// makeDue lets somebody make a move that is due, or was due on an earlier board, and
// make it again.
func (g *gamble) makeDue() {
	now := DueMoves(g.board, g.now)
	require.Equal(g.rt, DueMoves(g.board, g.board.At()), DueMoves(g.board, g.board.At().Add(-time.Hour)), "a clock behind that of the board")
	list := append(slices.Clone(now), g.course.due...)
	g.course.due = append(now, g.course.due[:min(len(g.course.due), 8)]...)
	if len(list) == 0 {
		return
	}
	due := pick(g.rt, append(list, list[0])...)
	who := pick(g.rt, "coder-1", "coder-2", "code-reviewer-1", "human:ann")
	m := g.by(board.Actor(who), due.Act, "", due.Detail)
	m.Goal, m.Principal = due.Goal, g.behind(who)
	if Already(g.board, m) {
		return
	}
	prior := g.board
	accepted := g.make(m, agreeing(g.board, m))
	if len(now) > 0 && m.Judges(now[0]) && len(prior.Principals().List) == 0 && m.Principal == "" {
		require.True(g.rt, accepted, "%s is due for %s and refused", m.Act, m.Goal)
	}
	if accepted {
		m.Request += "ffff"
		m.At = g.now
		require.True(g.rt, Already(g.board, m), "%s is due twice", m.Act)
		require.NotNil(g.rt, g.judge(m, agreeing(g.board, m)), "%s was made twice", m.Act)
	}
}

// task is any task in one of the states; "" if there is none.
func (g *gamble) task(states ...board.Status) board.TaskID {
	var list []board.TaskID
	for _, t := range g.board.Tasks() {
		if slices.Contains(states, t.Status) {
			list = append(list, t.ID)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return pick(g.rt, list...)
}

// plant adds a task that stands alone, and brings it to integration.
func (g *gamble) plant() {
	in := pick(g.rt, g.board.IDs(board.Goals)...)
	id := fmt.Sprintf("n%d", len(g.made))
	if g.do(fmt.Sprintf("planner-1 add %s in=%s reviewby=code-reviewer", id, in)) {
		g.finish(board.TaskID(id))
	}
}

// windUp gives up what is open of a goal, so that moves become due.
func (g *gamble) windUp() {
	goal := board.GoalID(pick(g.rt, g.board.IDs(board.Goals)...))
	for _, t := range g.board.Tasks() {
		if t.Goal == goal && !t.Status.Final() {
			g.do("human:ann abandon " + string(t.ID) + " +cascade")
		}
	}
	g.makeDue()
	g.makeDue()
}

func (g *gamble) finishOne() {
	if id := g.task(board.Unclaimed, board.Rejected, board.IntegrationFailed, board.Claimed, board.ReadyForReview, board.Approved); id != "" {
		g.finish(id)
	}
}

// finish brings a task to integration, as far as it goes.
func (g *gamble) finish(id board.TaskID) {
	if g.board.Settings().Control.State != board.Running && pick(g.rt, 0, 1) == 0 {
		g.do("human:ann decide CONTINUE", "human:ann resume")
	}
	t, n := g.board.Task(id), len(g.made)
	coder := string(g.freeCoder())
	if t.Claim != nil {
		coder = string(t.Claim.By)
	}
	g.do(fmt.Sprintf("%s claim %s", coder, id), fmt.Sprintf("%s intent %s", coder, id))
	if pick(g.rt, 0, 1, 2, 3) == 0 {
		g.do(fmt.Sprintf("%s block %s reason=- questions=x saved=%s", coder, id, pick(g.rt, "", "left")))
		return
	}
	g.do(fmt.Sprintf("%s submit %s c%d +gates %s", coder, id, n, g.allGates("passed", board.AtSubmit)))
	if t = g.board.Task(id); t.Status == board.ReadyForReview {
		if pick(g.rt, 0, 1, 2, 3) == 0 {
			g.do(fmt.Sprintf("human:ann approve %s for=github.com/%s,17", id, pick(g.rt, "desk", "bob", "eve")))
		}
		for _, role := range t.Submission.ReviewBy {
			who := pick(g.rt, string(role)+"-1", "human:bob")
			g.do(fmt.Sprintf("%s review %s", who, id), fmt.Sprintf("%s %s %s", who, pick(g.rt, "approve", "approve", "approve", "reject"), id))
		}
	}
	g.do(fmt.Sprintf("coder-1 merge %s commit=m%d", id, n))
	if g.board.Task(id).Status == board.Merged && pick(g.rt, 0, 1, 2, 3) == 0 {
		g.do(fmt.Sprintf("human:ann archive %s", id))
	}
}

// freeCoder is a coder that holds nothing, if there is one.
func (g *gamble) freeCoder() board.Actor {
	free := []board.Actor{"coder-1", "coder-2", "coder-3"}
	for _, t := range g.board.Tasks() {
		if t.Status == board.Claimed && len(free) > 1 {
			free = slices.DeleteFunc(free, func(a board.Actor) bool { return a == t.Coder })
		}
	}
	return pick(g.rt, free...)
}

// question lets the holder of a task, or a supervisor, stop its work for a question.
func (g *gamble) question() {
	id := g.task(board.Claimed, board.Claimed, board.Rejected, board.IntegrationFailed)
	if id == "" {
		return
	}
	who := "coder-1"
	if c := g.board.Task(id).Claim; c != nil {
		who = string(c.By)
	}
	if g.board.Task(id).Status == board.Claimed && pick(g.rt, 0, 1, 2) == 0 {
		for range 4 {
			g.do(fmt.Sprintf("%s block %s reason=-", who, id))
			if t := g.board.Task(id); t.Block == nil || !g.do(fmt.Sprintf("human:ann answer %s text=t%d", t.Block.Asked[0], len(g.made)), fmt.Sprintf("%s claim %s", who, id)) {
				return
			}
		}
	}
	g.do(fmt.Sprintf("%s block %s reason=%s questions=%s saved=%s to=%s", who, id, pick(g.rt, "-", "-", "-", "question", "stuck"),
		pick(g.rt, "x", "x,y", "x,y,z"), pick(g.rt, "", "left"), pick(g.rt, "", "human", "coder", "planner", "nobody")))
}

// answerOne answers an open question, or tries to do without.
func (g *gamble) answerOne() {
	id, n := g.task(board.Blocked), len(g.made)
	if id == "" {
		return
	}
	asked := append(g.board.Task(id).Block.Asked, "sprint-1/9")
	who, q := pick(g.rt, "human:ann", "human:ann", "planner-1", "coder-1", "coder-2", "code-reviewer-1"), pick(g.rt, asked...)
	switch pick(g.rt, 0, 1, 2, 3, 4, 5, 6, 7) {
	case 0:
		g.do(fmt.Sprintf("planner-1 unblock %s %s", id, pick(g.rt, "+keep", "+x")))
	case 1, 2:
		g.do(fmt.Sprintf("%s take %s", who, q), fmt.Sprintf("%s answer %s text=t%d", who, q, n))
	case 3:
		g.do(fmt.Sprintf("%s answer %s text=t%d", who, q, n))
	default:
		for _, q := range asked[:len(asked)-1] {
			g.do(fmt.Sprintf("human:ann answer %s text=t%d", q, n))
		}
	}
}

// revert takes merged work back by a task or an adoption, or lets it be done again.
func (g *gamble) revert() {
	var merged []board.TaskID
	for _, t := range everything(g.board) {
		if t.Status == board.Merged {
			merged = append(merged, t.ID)
		}
	}
	if len(merged) == 0 {
		return
	}
	id, n := pick(g.rt, merged...), len(g.made)
	also := string(id)
	for _, t := range dependantsOf(g.board, id) {
		if t.Status == board.Merged {
			also += "," + string(t.ID)
		}
	}
	in := g.board.Task(id).Goal
	switch pick(g.rt, 0, 1, 2, 3, 4, 5) {
	case 0:
		g.do(fmt.Sprintf("human:ann adopt x%d reverts=%s", n, pick(g.rt, also, string(id))))
	case 1, 2:
		g.do(fmt.Sprintf("human:ann add s%d in=%s reopens=%s", n, in, id))
	default:
		g.revertBy(id, in, pick(g.rt, also, also, string(id)))
	}
}

// revertBy adds a task that takes work back, and what comes after it.
func (g *gamble) revertBy(id board.TaskID, in board.GoalID, list string) {
	n := len(g.made)
	if !g.do(fmt.Sprintf("planner-1 add r%d in=%s reverts=%s reviewby=code-reviewer", n, in, list)) {
		return
	}
	again, needs := fmt.Sprintf("s%d", n), fmt.Sprintf("t%d", n)
	reopened := pick(g.rt, 0, 1) == 0 && g.do(fmt.Sprintf("human:ann add %s<r%d in=%s reopens=%s reviewby=code-reviewer", again, n, in, id))
	needed := pick(g.rt, 0, 1) == 0 && g.do(fmt.Sprintf("human:ann add %s<%s in=%s", needs, id, in))
	g.finish(board.TaskID(fmt.Sprintf("r%d", n)))
	if reopened {
		g.finish(board.TaskID(again))
	}
	if needed {
		g.finish(board.TaskID(needs))
	}
	if by := g.board.Task(board.TaskID(fmt.Sprintf("r%d", n))); by.Status == board.Merged && pick(g.rt, 0, 1) == 0 {
		g.revertBy(by.ID, in, string(by.ID))
	}
}

// decideOne decides at a checkpoint, which it makes if there is none.
func (g *gamble) decideOne() {
	goals := append(g.board.IDs(board.Goals), "", "")
	if c := g.board.Settings().Control.State; c == board.Running || c == board.Paused {
		g.do("human:ann checkpoint in=" + pick(g.rt, goals...))
	}
	decision := pick(g.rt, append(slices.Clone(decisions), "REPLAN", "REPLAN", "CONTINUE")...)
	step := fmt.Sprintf("human:ann decide %s in=%s", decision, pick(g.rt, goals...))
	if pick(g.rt, 0, 1, 2) == 0 {
		step += " tasks=" + string(g.task(board.Statuses()...))
	}
	if pick(g.rt, 0, 1, 2, 3, 4, 5, 6, 7) == 0 {
		step += " checkpoint=checkpoint-1"
	}
	g.do(step)
	if decision == "PIVOT" && pick(g.rt, 0, 1) == 0 {
		g.do("human:ann goal goal-" + fmt.Sprint(len(g.made)))
	}
	if decision == "STOP" && pick(g.rt, 0, 1) == 0 {
		g.do("human:ann resume")
	}
}

// endHold answers what a decision holds back, or lifts it, and tries to claim it.
func (g *gamble) endHold() {
	if id := g.task(board.Unclaimed); id != "" {
		g.do(fmt.Sprintf("coder-%d claim %s", pick(g.rt, 1, 2, 3), id))
	}
	goal := pick(g.rt, g.board.IDs(board.Goals)...)
	mark := "checkpoint-9"
	for _, g := range g.board.GoalsInProgress() {
		if g.Hold != nil {
			goal, mark = string(g.ID), g.Hold.Checkpoint
		}
	}
	g.do(pick(g.rt, "human:ann lift in="+goal, "planner-1 align in="+goal+" answers="+mark, "planner-1 align in="+goal+" answers=checkpoint-9"))
}

// setCauses says after what checkpoints come by themselves.
func (g *gamble) setCauses() {
	c := g.board.Settings().Config
	c.Checkpoint = board.Checkpoints{Every: pick(g.rt, 0, 1, 2), Share: pick(g.rt, 0, 10, 50)}
	c.Goal.Auto = pick(g.rt, true, false)
	c.Budgets.Goal = pick(g.rt, board.Budget{}, board.Budget{Tokens: 300}, board.Budget{Cost: 90})
	m := g.by("human:ann", board.ActConfig, "", &ConfigMove{c})
	m.Principal = g.behind("human:ann")
	g.make(m, agreeing(g.board, m))
	g.do(fmt.Sprintf("planner-1 session in=%s used=output:%d,cost:%d", pick(g.rt, g.board.IDs(board.Goals)...), pick(g.rt, 5, 50, 50), pick(g.rt, 0, 9)))
	g.makeDue()
}

// nextSprint lets a person open a sprint with a deadline, and time go on.
func (g *gamble) nextSprint() {
	in := " in=" + pick(g.rt, g.board.IDs(board.Goals)...)
	g.do("human:ann sprint_close"+in, "human:ann sprint_start deadline=20m"+in)
	g.now = g.now.Add(pick(g.rt, 0, 0, 30*time.Minute))
	if pick(g.rt, 0, 1) == 0 {
		g.do("coder-1 checkpoint cause=" + pick(g.rt, "deadline", "merges", "budget") + in)
		g.do("coder-1 sprint_close"+in, "coder-1 sprint_start"+in, "coder-1 complete"+in)
	}
}

// vouchOne brings a verdict from a code host.
func (g *gamble) vouchOne() {
	if id := g.task(board.ReadyForReview, board.Approved); id != "" {
		account := pick(g.rt, "bob", "host", "ann", "desk", "eve")
		g.do(fmt.Sprintf("%s %s %s for=github.com/%s,17", pick(g.rt, "human:ann", "human:bob", "code-reviewer-1"), pick(g.rt, "approve", "reject"), id, account))
	}
}

// tripOne trips the circuit breaker by records new and old, judged from some reset on, or
// resets it.
func (g *gamble) tripOne() {
	g.do("coder-1 anomaly workaround")
	last, mark := g.board.Settings().Next.Record-1, g.board.Breaker().Watermark
	known := append(g.board.IDs(board.Anomalies), "sprint-1/1", "sprint-9/1")
	g.do(fmt.Sprintf("coder-%d trip records=%s watermark=%d pattern=%s", pick(g.rt, 1, 2), pick(g.rt, known[0], known[max(len(known)-3, 0)], pick(g.rt, known...)),
		pick(g.rt, mark, mark, mark, 0), pick(g.rt, "retry_cluster", "retry_cluster", "weather")))
	g.do("coder-1 anomaly workaround")
	if pick(g.rt, 0, 1) == 0 {
		g.do(fmt.Sprintf("human:ann reset upto=%d", pick(g.rt, last, last+1, last+2, mark-1)))
	}
}

// recordOne names a state, or puts a discovery off.
func (g *gamble) recordOne() {
	g.do("human:ann mark " + pick(g.rt, "one", "two", "sprint-1"))
	g.do("planner-1 discover in=" + pick(g.rt, g.board.IDs(board.Goals)...))
	g.do(fmt.Sprintf("%s defer %s until=%s", pick(g.rt, "human:ann", "planner-1", "coder-1"), pick(g.rt, append(g.board.IDs(board.Discovered), "sprint-1/9")...), pick(g.rt, "1h", "3000h", "-1h")))
}
