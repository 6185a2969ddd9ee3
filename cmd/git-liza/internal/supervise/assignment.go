package supervise

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// An assignment is the task, the review, the plan or the question that a supervisor holds
// for its agent.
type assignment struct {
	role        board.Role
	capacity    board.Capacity // in which it works; zero if it looks for an answer
	task        *board.Task    // as it was when the supervisor took it; nil for a planner or an answer
	question    *board.Question
	asker       *board.Task // that the question is about
	dir         string
	seal        []byte         // of the checkout of a review
	lease       time.Time      // when the hold ends; zero for a planner
	triggers    []flow.Trigger // that woke a planner
	failure     string         // how the last session failed, for the next prompt
	handoff     *board.Handoff // the last one that a prompt repeated
	loops       string         // the call that the last session made again and again until it was ended; "" if it did not
	outOfBudget bool           // the last session was ended because it used up the budget
	ended       string         // why the move that records the last session ends the work, "" if it does not
	tally       tally
}

// taskID is the task that sessions are for, "" for a planner.
func (a *assignment) taskID() board.TaskID {
	switch {
	case a.question != nil:
		return a.question.Task
	case a.task == nil:
		return ""
	}
	return a.task.ID
}

// questionID is the question that is to be answered, "" for other work.
func (a *assignment) questionID() board.RecordID {
	if a.question == nil {
		return ""
	}
	return a.question.ID
}

// goal returns the goal that the assignment is for: that of the task, or of the triggers
// of a planner.
func (a *assignment) goal() board.GoalID {
	switch {
	case a.task != nil:
		return a.task.Goal
	case a.asker != nil:
		return a.asker.Goal
	case len(a.triggers) > 0:
		return a.triggers[0].Goal
	}
	return ""
}

// reviewedCommit returns the commit that is judged, "" for work and plans.
func (a *assignment) reviewedCommit() board.ObjectID {
	if a.capacity != board.Judges {
		return ""
	}
	return a.task.Submission.Commit
}

// endsWith returns how a session of a provider ends, and by which acts, as [provider.Spawn] has it.
func (a *assignment) endsWith(p provider.Provider, l Limits) string {
	acts := map[board.Capacity]string{board.Does: " submit block handoff", board.Judges: " approve reject"}[a.capacity]
	if a.question != nil {
		acts = " answer"
	}
	if p.Ends == "" || p.Commit == provider.BySupervisor || acts == "" || a.capacity == board.Does && l.Await > 0 {
		return ""
	}
	return string(p.Ends) + acts
}

// subject names the assignment for people.
func (a *assignment) subject() string {
	if a.question != nil {
		return "question " + string(a.question.ID)
	}
	if a.task == nil {
		return "planning"
	}
	if a.capacity == board.Judges {
		return "review of " + string(a.task.ID)
	}
	return string(a.task.ID)
}

// A stage is what the board says about an assignment.
type stage uint8

const (
	held   stage = iota + 1 // the agent has it, and has not yet made the expected move
	handed                  // held, and the agent left a handoff
	done                    // the expected move was made
	lost                    // another's move gave it to another agent or to nobody
	halted                  // the board is STOPPED
	fenced                  // the agent's registration was replaced or has ended
)

// stageOn reads from the board how far the assignment of an agent with this generation
// is.
func (a *assignment) stageOn(b *board.Board, me board.AgentID, g board.Generation) stage {
	if a := b.Agent(me); a == nil || a.Generation != g {
		return fenced
	}
	if b.Settings().Control.State.IsStopped() {
		return halted
	}
	if a.question != nil {
		return a.answerStage(b, board.Actor(me))
	}
	switch a.capacity {
	case board.Does:
		return a.coderStage(b.Task(a.task.ID), board.Actor(me))
	case board.Judges:
		return a.reviewerStage(b.Task(a.task.ID), board.Actor(me))
	}
	return held
}

// takeReclaimed updates the task if the agent submitted it in its session, got it back
// and claimed it again. It reports whether it did.
func (a *assignment) takeReclaimed(b *board.Board, me board.AgentID) bool {
	if a.capacity != board.Does {
		return false
	}
	t := b.Task(a.task.ID)
	again := t != nil && t.Submissions > a.task.Submissions && t.Claim != nil && t.Claim.By == board.Actor(me)
	if again {
		a.task = t
	}
	return again
}

func (a *assignment) coderStage(t *board.Task, me board.Actor) stage {
	switch {
	case t == nil:
		return lost
	case t.Submissions > a.task.Submissions:
		return done
	case t.Claim != nil && t.Claim.By == me && t.Handoff != nil && t.Handoff.By == me && !sameHandoff(t.Handoff, a.handoff):
		return handed
	case t.Claim != nil && t.Claim.By == me:
		return held
	case t.Status.IsBlocked() && t.Block.By == me && !t.Block.At.Before(a.task.Claim.Since):
		return done
	}
	return lost
}

func (a *assignment) reviewerStage(t *board.Task, me board.Actor) stage {
	if t == nil {
		return lost
	}
	since, own := a.review().Since, t.Judgement(a.role)
	switch {
	case own.Review != nil && own.Review.By == me && t.Submissions == a.task.Submissions:
		return held
	case own.Verdict != nil && own.Verdict.By == me && !own.Verdict.At.Before(since), a.wasRejected(t, me):
		return done
	case t.Integration != nil && !t.Integration.At.Before(since) && t.Submissions == a.task.Submissions:
		return done // approved, and by the time of this look the merge has failed
	}
	return lost
}

// review is the review that the agent took; nil unless it judges.
func (a *assignment) review() *board.Review { return a.task.Judgement(a.role).Review }

// wasRejected reports whether the reviewer has sent the submission back.
func (a *assignment) wasRejected(t *board.Task, me board.Actor) bool {
	r := t.Judgement(a.role).Rejection
	return r != nil && r.By == me && a.isOfRound(r.Commit, r.At)
}

// isOfRound reports whether a verdict was given on the submission since the
// agent began to review it.
func (a *assignment) isOfRound(commit board.ObjectID, at time.Time) bool {
	return commit == a.reviewedCommit() && !at.Before(a.review().Since)
}

// endedRound says which verdict of somebody else has ended a review that the
// agent lost: another role's rejection, or a person's verdict for the role. It
// is "" if none has. t is the task as it is now; it may be nil.
func (a *assignment) endedRound(t *board.Task) string {
	if t == nil || a.capacity != board.Judges {
		return ""
	}
	for _, j := range t.Judgements {
		if r := j.Rejection; r != nil && a.isOfRound(r.Commit, r.At) {
			return fmt.Sprintf("%s rejected %s", r.By, t.ID)
		}
	}
	if v := t.Judgement(a.role).Verdict; v != nil && a.isOfRound(v.Commit, v.At) {
		return fmt.Sprintf("%s approved %s", v.By, t.ID)
	}
	return ""
}

// sameHandoff compares two handoffs by their time and their text: two handoffs in one
// second can differ.
func sameHandoff(x, y *board.Handoff) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.At.Equal(y.At) && x.Summary == y.Summary && x.NextAction == y.NextAction
}

// taskSignature changes when the task's document changes. It ignores what time and the
// supervisor write into the document, and the time of words that were only repeated.
func taskSignature(t *board.Task, worktree string) (string, error) {
	c := *t
	c.Changed, c.Usage = time.Time{}, board.Usage{}
	if t.Claim != nil {
		claim := *t.Claim
		claim.Lease = time.Time{}
		c.Claim = &claim
	}
	if t.Handoff != nil {
		handoff := *t.Handoff
		handoff.At = time.Time{}
		c.Handoff = &handoff
	}
	if t.Intent != nil {
		intent := *t.Intent
		intent.At = time.Time{}
		c.Intent = &intent
	}
	text, err := document.Encode(&c)
	if err != nil {
		return "", fmt.Errorf("signature of %s: %w", t.ID, err)
	}
	sum := sha256.Sum256(append(text, worktree...))
	return hex.EncodeToString(sum[:]), nil
}
