package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type gatesAgentCommand struct{}

// Run judges the submission that the agent reviews by what verify and the gates of the
// board say of it. If this machine may not or cannot run one of them, there is no verdict.
func (c *gatesAgentCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	t, role, err := heldReview(inv, b, clone.By)
	if err != nil {
		return err
	}
	trees := clone.Checkouts.Trees
	if trees == nil {
		return usagef("git clone URL DIR", "a bare repository has no checkout of %s", t.ID)
	}
	gates := work.SubmissionGates(b, t)
	if len(gates) == 0 {
		return work.NoGates(t)
	}
	receipts, err := clone.RunGates(inv.ctx, gates, t.Submission.Commit, trees.Path(t.ID.ReviewFolder(role, t.Submission.Number)))
	if err != nil {
		return err
	}
	if !inv.json {
		if err := inv.answer("", nil, gateLines(t, receipts)); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(receipts, func(r board.Receipt) bool { return r.Result == board.Errored }); i >= 0 {
		return &flow.Refusal{Rule: flow.RuleGate, Hint: "git liza release " + string(t.ID) + " --no-verdict",
			Reason: fmt.Sprintf("%s cannot run here (exit %d), which says nothing of the submission: %s", receipts[i].Gate, receipts[i].Exit, git.Visible(gates[i].Command))}
	}
	act, detail := verdictOf(b, t, role, gates, receipts)
	r, err := clone.Verdict(inv.ctx, act, t.ID, detail)
	if err != nil {
		return err
	}
	after := r.After.Task(t.ID)
	return inv.result(r, verdictData(after, []board.Role{role}), "%s: %s → %s", t.ID, act, waiting(after))
}

// heldReview returns the task that an agent reviews, and for which role.
func heldReview(inv *invocation, b *board.Board, by board.Actor) (*board.Task, board.Role, error) {
	id := board.TaskID(inv.getenv("LIZA_TASK"))
	if a := b.Agent(by.Agent()); id == "" && a != nil {
		id = a.Review
	}
	if t := b.Task(id); t != nil && t.Submission != nil {
		if role, review := t.HeldReview(by); review != nil {
			return t, role, nil
		}
	}
	return nil, "", &flow.Refusal{Rule: flow.RuleHolder, Hint: "git liza review --as " + shell.Quote(string(by)), Reason: fmt.Sprintf("%s reviews no submission", by)}
}

// gateLines say of each gate how it ended.
func gateLines(t *board.Task, receipts []board.Receipt) string {
	var text strings.Builder
	for _, r := range receipts {
		fmt.Fprintf(&text, "%s: %s: %s (%s)\n", t.ID, r.Gate, r.Result, r.Duration)
	}
	return text.String()
}

// verdictOf is the move that receipts ask for: an approval, or a rejection with a
// blocker for each required gate that has not passed. An optional one is a concern.
func verdictOf(b *board.Board, t *board.Task, role board.Role, gates []board.Gate, receipts []board.Receipt) (board.Act, flow.Detail) {
	var passed []string
	var f board.Feedback
	for i, r := range receipts {
		finding := board.Finding{Issue: fmt.Sprintf("%s does not pass: %s", r.Gate, r.Result),
			Why: board.Excerpt(cmp.Or(strings.TrimSpace(r.Output), fmt.Sprintf("it exits %d", r.Exit)), min(b.Settings().Config.TextLimit, maxGateOutput))}
		switch {
		case r.Result == board.Pass:
			passed = append(passed, r.Gate)
		case gates[i].Required:
			f.Blockers = append(f.Blockers, finding)
		default:
			f.Concerns = append(f.Concerns, finding)
		}
	}
	if len(f.Blockers) == 0 {
		return board.ActApprove, &flow.ApproveMove{Commit: t.Submission.Commit,
			Message: board.Excerpt(fmt.Sprintf("%s pass on %s", strings.Join(passed, ", "), t.Submission.Tree), maxGateOutput)}
	}
	f.Overall = fmt.Sprintf("%d of %d do not pass on %s", len(f.Blockers)+len(f.Concerns), len(receipts), t.Submission.Tree)
	if last := t.Judgement(role).Rejection; last != nil {
		for _, old := range last.Blockers {
			p := board.Prior{Finding: old.Issue, Status: board.Resolved}
			if slices.ContainsFunc(f.Blockers, func(now board.Finding) bool { return gateOf(now) == gateOf(old) }) {
				p.Status = board.StillPresent
			}
			f.Prior = append(f.Prior, p)
		}
	}
	return board.ActReject, &flow.RejectMove{Commit: t.Submission.Commit, Feedback: f}
}

// maxGateOutput is how many bytes of a gate's output stand in a finding.
const maxGateOutput = 2048

// gateOf returns the gate that a finding is about.
func gateOf(f board.Finding) string {
	gate, _, _ := strings.Cut(f.Issue, " does not pass")
	return gate
}
