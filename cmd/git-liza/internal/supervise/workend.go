package supervise

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/worktrees"
)

// A workEnd says that a session ends the claim, or the review, that it was for, by the
// move that records it. The zero value says that the work goes on, or that another move
// ends it.
type workEnd struct {
	of  time.Time // when the claim or the review began
	err string    // what the supervisor knows of the failure
	why string    // the same for people, in a few words
}

// maxSessionError bounds the error of a session on the board, in bytes.
const maxSessionError = 1024

// endOf says whether a session ends its work, because it made neither the expected move
// nor a handoff. What is not the work's fault ends otherwise: trouble of the provider or
// the remote, a budget, an interrupt, a text that changed.
func (w *worker) endOf(ctx context.Context, r *session, ending provider.Ending, b *board.Board, st stage) (workEnd, error) {
	a := r.assignment
	switch {
	case a.task == nil || st != held || ctx.Err() != nil:
		return workEnd{}, nil
	case ending.Outcome == provider.Exhausted || ending.Trouble != nil || a.outOfBudget:
		return workEnd{}, nil
	}
	if missed, _ := w.missedRemote(r.started); missed {
		return workEnd{}, nil
	}
	w.cuts = 0
	t, what, why := b.Task(a.taskID()), failureText(a, ending), ending.Text
	var since time.Time
	if a.capacity == board.Does {
		since = t.Claim.Since
	} else {
		if w.changedText(a, b) != "" {
			return workEnd{}, nil
		}
		since = t.Judgement(a.role).Review.Since
		var err error
		if what, why, err = w.workplace.unjudgedText(ctx, a, ending, t); err != nil {
			return workEnd{}, err
		}
	}
	// Errors are compared, and how long a session took says nothing of its error.
	text := endingSpan().ReplaceAllString(what, "$1") + ending.Complaint()
	if worktrees.Missing(a.dir) {
		text += "\nThe worktree was gone."
	}
	if hint := confine.Hint(ending.Excerpt); r.confined != proc.Unconfined && hint != "" {
		text += "\n" + hint
	}
	if output := lastOutput(ending.Excerpt); output != "" {
		lines := strings.Split(output, "\n")
		text += "\n" + strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
	}
	if ending.Refused != "" {
		why += "; " + ending.Refused
	}
	limit := min(maxSessionError, b.Settings().Config.TextLimit)
	return workEnd{since, board.Excerpt(w.rush.mask.String(text), limit), why}, nil
}

// lastLines is how many lines of a program's last output the error of its session has.
const lastLines = 3

// endingSpan matches how a program exited, and how long it took.
var endingSpan = pattern.Late(`((?:exit|signal) [0-9]+) after (?:[0-9.]+[a-zµ]+)+`)

// failureText says in a sentence how a session ended without the expected move.
func failureText(a *assignment, ending provider.Ending) string {
	switch {
	case a.capacity == board.Judges:
		return "The program gave no verdict (" + ending.Text + ")."
	case ending.Outcome == provider.Ended:
		return "The program ended well, but without submit, block or handoff."
	case ending.Outcome == provider.Failed:
		return "The program failed (" + ending.Text + ")."
	}
	return "The program did not end well (" + ending.Text + ")."
}

// unjudgedText says what a session without a verdict means, and why in a few words: the reviewer
// changed what it judges, or its program failed. What it left beside that is swept away.
func (p *workplace) unjudgedText(ctx context.Context, a *assignment, ending provider.Ending, t *board.Task) (what, why string, err error) {
	left, err := p.clone.Seals.CheckUntouched(ctx, t, a.role)
	p.clone.Seals.Sweep(left)
	if touched, ok := errors.AsType[*flow.Refusal](err); ok {
		return "The review counts for nothing: " + touched.Reason + ".", touched.Reason, nil
	}
	return failureText(a, ending), ending.Text, err
}

// tellEnd says how a session ended that ended its work. The move that did says whether
// the work is tried again.
func (w *worker) tellEnd(a *assignment) result {
	const said = "; what it said: git liza session show "
	if a.capacity == board.Judges {
		w.rest()
		w.say("%s: the %s ended without a verdict (%s)%s%s", w.id, a.subject(), a.ended, said, w.id)
		return failed("the review ended without a verdict")
	}
	w.say("%s: %s, session %d ended without a result (%s)%s%s", w.id, a.subject(), a.tally.sessions, a.ended, said, w.id)
	return failed(a.ended)
}

// A backoff says when agents try a task again that failed.
type backoff struct {
	until  time.Time // zero: they need not wait
	failed int
	most   int // failures after which it is not tried again; 0 is no bound
}

// backoffOf is the time that agents of a role that does, or judges, a task wait for, if
// the task can be begun at all.
func backoffOf(b *board.Board, t board.Summary, role board.Role) backoff {
	switch {
	case flow.Allows(t.Status, board.ActReview):
		if full := b.Task(t.ID); full != nil {
			j := full.Judgement(role)
			return backoff{j.NotBefore, j.NoVerdicts, b.Settings().Config.Limits.Over(full.Limits).NoVerdicts}
		}
	case flow.Allows(t.Status, board.ActClaim) && t.Role == role:
		return backoff{t.NotBefore, t.Retries, b.Settings().Config.Retry.Attempts}
	}
	return backoff{}
}

// text says of a task when it is tried again, "" if nobody has to wait.
func (o backoff) text(now time.Time) string {
	if !o.until.After(now) {
		return ""
	}
	return fmt.Sprintf("tried again in %s, %s", board.Duration(o.until.Sub(now).Round(time.Second)), o.counted())
}

func (o backoff) counted() string {
	if o.most > 0 {
		return fmt.Sprintf("%d of %d failed", o.failed, o.most)
	}
	return fmt.Sprintf("%d failed", o.failed)
}

// againText says of a task on which work failed when agents try it again, "" if nobody
// has to wait.
func againText(b *board.Board, t board.Summary, now time.Time) string {
	act := board.ActClaim
	if flow.Allows(t.Status, board.ActReview) {
		act = board.ActReview
	}
	for _, role := range waitedFor(act, &t) {
		if text := backoffOf(b, t, role).text(now); text != "" {
			return text
		}
	}
	return ""
}

// backoffEnd is when the first of the tasks on which work of the agent's role failed may
// be tried again; zero if there is none. A task whose budget is spent is not.
func (reg *registration) backoffEnd(b *board.Board, tasks []board.Summary, now time.Time) (next time.Time) {
	for _, t := range tasks {
		if !reg.rush.serves(b, t.Goal) {
			continue
		}
		if until := backoffOf(b, t, reg.id.Role()).until; until.After(now) && (next.IsZero() || until.Before(next)) && flow.CheckBudget(b, "", t.ID) == nil && reg.checkTaskBounds(b, t.ID) == nil {
			next = until
		}
	}
	return next
}

// sessionOutcome returns the outcome of a session as the board records it.
func (a *assignment) sessionOutcome(b *board.Board, st stage, ending provider.Ending) string {
	switch {
	case st == done && a.question != nil:
		return "answered"
	case st == done && a.capacity == board.Judges:
		if a.wasRejected(b.Task(a.taskID()), a.review().By) {
			return "rejected"
		}
		return "approved"
	case st == done && b.Task(a.taskID()).Submissions > a.task.Submissions:
		return "submitted"
	case st == done:
		return "blocked"
	case st == lost || st == fenced:
		return "lost"
	case a.outOfBudget:
		return "budget"
	case st == handed || ending.Outcome == provider.Exhausted:
		return "handoff"
	case a.capacity == board.Plans && len(remainingTriggers(a.triggers, flow.Triggers(b))) < len(a.triggers):
		return "planned"
	case a.loops != "":
		return "loop"
	}
	return outcomeWithoutMove(ending)
}

// outcomeWithoutMove returns the outcome of a session that made no move.
func outcomeWithoutMove(ending provider.Ending) string {
	switch {
	case ending.Trouble != nil && ending.Trouble.Kind == provider.Quota:
		return "quota"
	case ending.Outcome == provider.Canceled:
		return "called_off"
	case ending.Outcome == provider.Hung:
		return "hung"
	case ending.Outcome == provider.Ended:
		return "nothing"
	}
	return "failed"
}
