package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

type approveCommand struct {
	ID      board.TaskID `arg:"" help:"The task."`
	Commit  string       `placeholder:"SHA" help:"The submitted commit, or the beginning of its id; default in a review's checkout: what is checked out."`
	Message string       `short:"m" help:"A word with the approval."`
	Role    board.Role   `placeholder:"ROLE" help:"For which role, of a person; default: all that wait and take a person's word."`
	Again   bool         `help:"Take verdicts of an approved task back, because a text that it stands on changed."`
	voucherFlags

	texts []board.TextRef // that the person was shown; none are compared with those of the move
}

func (c *approveCommand) Run(inv *invocation) error {
	if c.Again {
		if c.Commit+c.Message+string(c.Role) != "" || c.voucherFlags != (voucherFlags{}) {
			return usagef("git liza approve --again "+string(c.ID), "--again takes verdicts back, and goes with no other flag")
		}
		return withClone(inv, c.again)
	}
	if err := c.complete(board.ActApprove, c.ID, c.Commit); err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	if by := clone.By; by.IsHuman() {
		c.texts = board.ShownTexts(b, b.Task(c.ID), by)
	}
	commit, err := submittedCommit(inv, clone, board.ActApprove, c.ID, c.Commit)
	if err != nil {
		return err
	}
	return c.approve(inv, clone, commit)
}

// approve approves a commit that is named in full.
func (c *approveCommand) approve(inv *invocation, clone *work.Clone, commit board.ObjectID) error {
	r, err := clone.Verdict(inv.ctx, board.ActApprove, c.ID, &flow.ApproveMove{Commit: commit, Message: c.Message, Role: c.Role, For: c.voucher(), Texts: c.texts})
	if err != nil {
		return err
	}
	t, roles := r.After.Task(c.ID), c.given(r, clone.By)
	data := verdictData(t, roles)
	tellVoucher(inv, c.voucher(), r.After, data)
	return inv.result(r, data, "%s %s%s%s → %s", c.ID, saidOf(r, "approved"), forRoles(t, roles), view.VoucherText(c.voucher()), waiting(t))
}

// voucherFlags name a verdict on a code host that a person brings.
type voucherFlags struct {
	For      string `placeholder:"HOST/NAME" help:"The account on a code host whose verdict this is; you vouch for it."`
	ReviewID string `name:"review" placeholder:"ID" help:"With --for: the review on that host."`
	URL      string `name:"url" placeholder:"URL" help:"With --for: where it stands."`
}

// voucher returns the verdict that is brought, nil if there is none.
func (f voucherFlags) voucher() *board.Voucher {
	if f == (voucherFlags{}) {
		return nil
	}
	return &board.Voucher{Account: f.For, Review: f.ReviewID, URL: f.URL}
}

// complete refuses a verdict from a code host, on a commit, that is named in part.
func (f voucherFlags) complete(act board.Act, id board.TaskID, commit string) error {
	hint := "git liza " + act.Command() + " " + string(id)
	var missing []string
	for _, flag := range [][3]string{{"--commit", "COMMIT", commit}, {"--for", "HOST/NAME", f.For}, {"--review", "ID", f.ReviewID}, {"--url", "URL", f.URL}} {
		if hint += " " + flag[0] + " " + flag[1]; flag[2] != "" {
			hint = strings.TrimSuffix(hint, flag[1]) + shell.Quote(flag[2])
		} else if flag[0] != "--commit" {
			missing = append(missing, flag[0]+"="+flag[1])
		}
	}
	if len(missing) == 0 || f == (voucherFlags{}) {
		return nil
	}
	return usagef(hint, "missing flags: %s", strings.Join(missing, ", "))
}

// tellVoucher adds to what a verdict answers with the verdict that it brings, if any, and
// warns on a board that cannot check whose the account is.
func tellVoucher(inv *invocation, v *board.Voucher, b *board.Board, data map[string]any) {
	if v == nil {
		return
	}
	data["for"] = view.ValueOf(v)
	if len(b.Principals().List) == 0 {
		warning := "the board has no principals: nobody checks who " + v.Account + " is, nor that it did not code this"
		data["warning"] = warning
		inv.progress("warning: %s", warning)
	}
}

// submittedCommit returns the full id of the commit that a verdict names, see
// [work.Clone.SubmittedCommit].
func submittedCommit(inv *invocation, clone *work.Clone, act board.Act, id board.TaskID, given string) (board.ObjectID, error) {
	commit, named, err := clone.SubmittedCommit(inv.ctx, id, given)
	if err == nil && !named {
		err = usagef("git liza review "+string(id), "missing flags: --commit=SHA, the commit that you have read")
	}
	return commit, err
}

// An approveTool is approve of a commit that is named in full.
type approveTool struct {
	ID      board.TaskID `arg:"" help:"The task."`
	Commit  string       `required:"" help:"The full id of the submitted commit."`
	Message string       `help:"A word with the approval."`
	Role    board.Role   `help:"Of a person: for which role; default all."`
}

// Run approves.
func (c *approveTool) Run(inv *invocation) error {
	return (&approveCommand{ID: c.ID, Commit: c.Commit, Message: c.Message, Role: c.Role}).Run(inv)
}

// given returns the roles for which the move approved the submission. If it was
// approved already, they are those for which the actor had done so.
func (c *approveCommand) given(r gitstore.Result, by board.Actor) []board.Role {
	roles := []board.Role{}
	for _, j := range r.After.Task(c.ID).Judgements {
		if j.Verdict == nil || j.Verdict.By != by || c.Role != "" && j.Role != c.Role {
			continue
		}
		if was := r.Before.Task(c.ID).Judgement(j.Role).Verdict; r.Already || was == nil || was.By != by {
			roles = append(roles, j.Role)
		}
	}
	return roles
}

// verdictData returns what a verdict answers with: the roles for which it was
// given, and those that have still to approve the submission.
func verdictData(t *board.Task, roles []board.Role) map[string]any {
	return map[string]any{"task": t.ID, "status": t.Status, "roles": roles, "missing": append([]board.Role{}, t.Missing()...)}
}

// forRoles names the roles of a verdict for people, where several roles judge
// the submission.
func forRoles(t *board.Task, roles []board.Role) string {
	if t.Submission == nil || len(t.Submission.ReviewBy) < 2 || len(roles) == 0 {
		return ""
	}
	return " for " + view.JoinIDs(roles)
}

// waiting names the state of a task for people, and the roles that have still
// to judge a submission if several do.
func waiting(t *board.Task) string {
	text := t.Status.String()
	if missing := t.Missing(); len(missing) > 0 && flow.Allows(t.Status, board.ActApprove) {
		text += ", missing " + view.JoinIDs(missing)
	}
	return text
}

// again takes verdicts back that were given for texts which have changed.
func (c *approveCommand) again(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, board.ActRecheck, c.ID, &flow.RecheckMove{})
	if err != nil {
		return err
	}
	t, changed := r.After.Task(c.ID), []string{}
	if before := r.Before.Task(c.ID); before != nil {
		changed = append(changed, lists.Of(before.Outdated(r.Before), board.TextRef.String)...)
	}
	data := map[string]any{"task": c.ID, "status": t.Status, "changed": changed}
	if r.Already {
		return inv.result(r, data, "%s is already judged anew → %s", c.ID, t.Status)
	}
	return inv.result(r, data, "%s is judged anew, because %s changed → %s", c.ID, strings.Join(changed, ", "), t.Status)
}
