package playbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// review runs the checks at the submitted commit and gives the verdict that
// their exit codes ask for.
func (a *Agent) review(ctx context.Context, p *Playbook) error {
	w, t, err := a.ownTask(ctx, p)
	if err != nil {
		return err
	}
	if err := a.checkCommit(ctx); err != nil {
		return err
	}
	checks := slices.Concat(p.Checks, w.Checks)
	if len(checks) == 0 {
		return fmt.Errorf("%w: nothing says how to check %s, and nothing is approved unseen", ErrPlaybook, a.Task)
	}
	var feedback board.Feedback
	var passed []string
	for _, c := range checks {
		blocker, err := a.check(ctx, c)
		if err != nil {
			return err
		}
		if blocker != nil {
			feedback.Blockers = append(feedback.Blockers, *blocker)
			continue
		}
		passed = append(passed, c.Name)
	}
	if len(feedback.Blockers) == 0 {
		a.say("%s: approved", a.Task)
		return a.liza(ctx, nil, nil, "approve", string(a.Task), "--commit="+a.Commit, "--message=passed: "+strings.Join(passed, ", "))
	}
	feedback.Overall = fmt.Sprintf("%d of %d checks fail", len(feedback.Blockers), len(checks))
	feedback.Prior = a.answerPrior(t, feedback.Blockers)
	return a.reject(ctx, &feedback)
}

// checkCommit refuses to judge a checkout of another commit than the submitted one.
func (a *Agent) checkCommit(ctx context.Context) error {
	head, err := a.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if head = strings.TrimSpace(head); head != a.Commit {
		return fmt.Errorf("the review is of %q, but %s is at %s", a.Commit, a.Dir, head)
	}
	return nil
}

// check runs one check. The end of its output is the evidence in the blocker.
func (a *Agent) check(ctx context.Context, c Check) (*board.Finding, error) {
	r, err := a.shell(ctx, c.Run)
	if err != nil {
		return nil, err
	}
	if r.Passed() {
		a.say("%s: passed %s", a.Task, c.Name)
		return nil, nil
	}
	a.say("%s: %s exits %d: %s", a.Task, c.Name, r.Code, LastLine(r.Excerpt))
	why := strings.TrimSpace(c.Why + "\n" + fmt.Sprintf("%s exits %d: %s", c.Name, r.Code, board.Excerpt(LastLine(r.Excerpt), 500)))
	return &board.Finding{File: string(c.File), Line: c.Line, Issue: c.Issue, Why: why, Suggestion: c.Suggestion}, nil
}

// answerPrior answers every blocker of the last rejection of the agent's role: it
// persists if a check raises it again.
func (a *Agent) answerPrior(t *task, now []board.Finding) []board.Prior {
	var last rejection
	for _, r := range t.Reviews {
		if r.Role == a.Role && r.Rejection != nil {
			last = *r.Rejection
		}
	}
	var list []board.Prior
	for _, b := range last.Blockers {
		p := board.Prior{Finding: b.Issue, Status: board.Resolved}
		if slices.ContainsFunc(now, func(f board.Finding) bool { return f.Issue == b.Issue }) {
			p.Status = board.StillPresent
		}
		list = append(list, p)
	}
	return list
}

func (a *Agent) reject(ctx context.Context, f *board.Feedback) error {
	text, err := document.Encode(f)
	if err != nil {
		return errors.Join(errors.New("the playbook's words make no rejection"), err)
	}
	a.say("%s: rejected", a.Task)
	return a.liza(ctx, bytes.NewReader(text), nil, "reject", string(a.Task), "--commit="+a.Commit, "--reason-file=-")
}
