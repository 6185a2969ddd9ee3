package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/document"
)

type rejectCommand struct {
	ID         board.TaskID `arg:""`
	Commit     string       `placeholder:"SHA" help:"The submitted commit, or the beginning of its id; default in a review's checkout: what is checked out."`
	Reason     string       `placeholder:"TEXT" help:"Structured reason: YAML, or lines '- [blocker] FILE:LINE — ISSUE'."`
	ReasonFile string       `placeholder:"FILE" help:"The same from a file, - for standard input."`
	Message    string       `short:"m" placeholder:"TEXT" help:"One blocker: TEXT, or FILE:LINE: TEXT."`
	Edit       bool         `short:"e" help:"Write the findings in your editor; a reason that is given is what you begin with."`
	Role       board.Role   `placeholder:"ROLE" help:"To which role the blockers belong, of a person; default: the role of its review, else the first that waits; with --dismiss the one that rejected last."`
	Dismiss    *int         `placeholder:"N" help:"Take a blocker back instead: its number among the open ones of that role, from 1 on. --reason says why it does not hold the work up. Only a person does."`
	voucherFlags
}

func (c *rejectCommand) Run(inv *invocation) error {
	if err := c.complete(board.ActReject, c.ID, c.Commit); err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if c.Dismiss != nil {
		if c.Commit+c.ReasonFile+c.Message+c.For != "" || c.Edit {
			return usagef("git liza reject "+string(c.ID)+" --dismiss N --reason R", "--dismiss takes a blocker back, and goes with --reason and --role alone")
		}
		return c.dismiss(inv, clone)
	}
	text, err := c.text(inv)
	if err != nil {
		return err
	}
	commit, err := submittedCommit(inv, clone, board.ActReject, c.ID, c.Commit)
	if err != nil {
		return err
	}
	c.Commit = string(commit)
	m := flow.RejectMove{Commit: commit, Role: c.Role, For: c.voucher()}
	switch {
	case c.Edit:
		return findings{clone, c.ID, m}.edit(inv, text)
	case c.Message != "":
		m.Feedback, err = c.blocker(inv, clone)
	default:
		m.Feedback, err = c.feedback(text)
	}
	if err != nil {
		return err
	}
	return reject(inv, clone, c.ID, m)
}

// text returns the reason as it was given, "" without one.
func (c *rejectCommand) text(inv *invocation) (string, error) {
	given := lists.Where([]string{c.Reason, c.ReasonFile, c.Message}, func(one string) bool { return one != "" })
	switch {
	case len(given) > 1:
		return "", usagef("git liza help reject", "--reason, --reason-file and -m exclude each other")
	case c.ReasonFile == "":
		return c.Reason + c.Message, nil
	}
	data, err := inv.readInput(c.ReasonFile)
	return string(data), err
}

// feedback reads the reason in either form. A reason in neither form is
// refused under the rule for a reason without a blocker.
func (c *rejectCommand) feedback(text string) (board.Feedback, error) {
	var f board.Feedback
	if looksLikeYAML(text) {
		if err := document.Decode("reason", []byte(text), &f); err != nil {
			return f, c.unstructured(err)
		}
		return f, nil
	}
	f, err := board.ParseFeedback(text)
	if err != nil {
		return f, c.unstructured(err)
	}
	return f, nil
}

// blocker is the one blocker of -m.
func (c *rejectCommand) blocker(inv *invocation, clone *work.Clone) (board.Feedback, error) {
	f, err := board.ParseRemarks(c.Message)
	if err != nil || len(f.Blockers) != 1 || f.Blockers[0].File == "" {
		return board.Feedback{Blockers: []board.Finding{{Issue: c.Message}}}, nil
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if t := b.Task(c.ID); err == nil && t != nil && t.Submission != nil {
		err = clone.CheckPlaces(inv.ctx, t, f)
	}
	return f, err
}

func (c *rejectCommand) unstructured(err error) error {
	return &flow.Refusal{Rule: flow.RuleReason, Reason: "the reason: " + err.Error(),
		Hint: "git liza reject " + string(c.ID) + " --commit " + shell.Quote(c.Commit) + " --reason '- [blocker] FILE:LINE — ISSUE'"}
}

func reject(inv *invocation, clone *work.Clone, id board.TaskID, m flow.RejectMove) error {
	r, err := clone.Verdict(inv.ctx, board.ActReject, id, &m)
	if err != nil {
		return err
	}
	t := r.After.Task(id)
	roles := []board.Role{t.RejectedBy}
	data := verdictData(t, roles)
	data["blockers"], data["review_cycles"] = len(t.Rejection().Blockers), t.Attempt.Cycles
	tellVoucher(inv, m.For, r.After, data)
	return inv.result(r, data, "%s rejected%s%s with %s → %s", id, forRoles(t, roles), view.VoucherText(m.For), blockers(t.Rejection().Blockers), t.Status)
}

// looksLikeYAML distinguishes the two forms of a reason by the first line.
func looksLikeYAML(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, _, found := strings.Cut(line, ":")
		return found && slices.Contains([]string{"blockers", "concerns", "prior", "overall"}, key)
	}
	return false
}

// blockers counts findings for people.
func blockers(list []board.Finding) string {
	if len(list) == 1 {
		return "1 blocker"
	}
	return fmt.Sprintf("%d blockers", len(list))
}

// dismiss takes a blocker of a rejection back.
func (c *rejectCommand) dismiss(inv *invocation, clone *work.Clone) error {
	r, err := clone.Move(inv.ctx, board.ActDismiss, c.ID, func(b *board.Board) (flow.Detail, error) {
		d := &flow.DismissMove{Role: c.Role, Blocker: *c.Dismiss, Reason: c.Reason}
		t := b.Task(c.ID)
		if t == nil {
			return d, nil
		}
		d.Role = cmp.Or(d.Role, t.RejectedBy)
		if last := t.Judgement(d.Role).Rejection; last != nil && d.Blocker >= 1 && d.Blocker <= len(last.Blockers) {
			d.Issue = last.Blockers[d.Blocker-1].Issue
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	t, d := r.After.Task(c.ID), r.Move.Detail.(*flow.DismissMove)
	left := t.Blockers()
	return inv.result(r, map[string]any{"task": c.ID, "status": t.Status, "role": d.Role, "blocker": d.Issue, "blockers": len(left)},
		"%s: blocker %d of %s dismissed, %s open → %s", c.ID, d.Blocker, d.Role, blockers(left), t.Status)
}
