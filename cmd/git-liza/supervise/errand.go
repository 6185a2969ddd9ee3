package supervise

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
)

// An errand is a piece of work that a supervisor holds for its agent.
type errand struct {
	role     flow.Role
	task     *flow.Task // as it was when it was taken; nil for a planner
	dir      string
	triggers []flow.Trigger // of a planner
	failure  string         // how the last session failed, for the next prompt
	handoff  *flow.Handoff  // the last one that a prompt has repeated
	spent    bool           // the last session was ended because it used up the budget
	tally    tally
}

func (e *errand) id() flow.TaskID {
	if e.task == nil {
		return ""
	}
	return e.task.ID
}

// commit is what a reviewer judges.
func (e *errand) commit() flow.ObjectID {
	if e.role != flow.CodeReviewer {
		return ""
	}
	return e.task.Submission.Commit
}

// subject names the errand for people.
func (e *errand) subject() string {
	if e.task == nil {
		return "planning"
	}
	if e.role == flow.CodeReviewer {
		return "review of " + string(e.task.ID)
	}
	return string(e.task.ID)
}

// A stage is what the board says about an errand.
type stage uint8

const (
	held   stage = iota + 1 // it is the agent's, and waits for the expected move
	handed                  // held, and the agent has left a handoff
	done                    // the expected move was made
	lost                    // it is somebody else's, or nobody's, by another's move
	halted                  // the board is STOPPED
	fenced                  // the agent is registered anew, or no longer
)

// stage asks the board about the errand of an agent with this generation.
func (e *errand) stage(b *flow.Board, me flow.AgentID, g flow.Generation) stage {
	if a := b.Agent(me); a == nil || a.Generation != g {
		return fenced
	}
	if b.Settings().Control.State == flow.Stopped {
		return halted
	}
	switch e.role {
	case flow.Coder:
		return e.coding(b.Task(e.task.ID), flow.Actor(me))
	case flow.CodeReviewer:
		return e.reviewing(b.Task(e.task.ID), flow.Actor(me))
	}
	return held
}

// adopt goes on with the task as it is after the agent, inside its session, has
// claimed again what came back to it. It reports whether that is so.
func (e *errand) adopt(b *flow.Board, me flow.AgentID) bool {
	if e.role != flow.Coder {
		return false
	}
	t := b.Task(e.task.ID)
	again := t != nil && t.Submissions > e.task.Submissions && t.Claim != nil && t.Claim.By == flow.Actor(me)
	if again {
		e.task = t
	}
	return again
}

func (e *errand) coding(t *flow.Task, me flow.Actor) stage {
	switch {
	case t == nil:
		return lost
	case t.Submissions > e.task.Submissions:
		return done
	case t.Claim != nil && t.Claim.By == me && t.Handoff != nil && t.Handoff.By == me && !same(t.Handoff, e.handoff):
		return handed
	case t.Claim != nil && t.Claim.By == me:
		return held
	case t.Status.IsBlocked() && t.Block.By == me && !t.Block.At.Before(e.task.Claim.Since):
		return done
	}
	return lost
}

func (e *errand) reviewing(t *flow.Task, me flow.Actor) stage {
	since := e.task.Review.Since
	switch {
	case t == nil:
		return lost
	case t.Review != nil && t.Review.By == me && t.Submissions == e.task.Submissions:
		return held
	case t.Verdict != nil && t.Verdict.By == me && !t.Verdict.At.Before(since), e.rejected(t, me):
		return done
	case t.Integration != nil && !t.Integration.At.Before(since) && t.Submissions == e.task.Submissions:
		return done // approved, and by the time of this look the merge has failed
	}
	return lost
}

// rejected reports whether the reviewer has sent the submission back.
func (e *errand) rejected(t *flow.Task, me flow.Actor) bool {
	r := t.Rejection
	return r != nil && r.By == me && !r.At.Before(e.task.Review.Since) && r.Commit == e.commit()
}

// same tells handoffs apart by when they were left and what they say: two in
// one second can differ.
func same(x, y *flow.Handoff) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.At.Equal(y.At) && x.Summary == y.Summary && x.NextAction == y.NextAction
}

// signature changes when the task's document does, but not for what time and
// the supervisor itself write into it, nor for words that are said again.
func signature(t *flow.Task, worktree string) (string, error) {
	c := *t
	c.Changed, c.Usage = time.Time{}, flow.Usage{}
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
