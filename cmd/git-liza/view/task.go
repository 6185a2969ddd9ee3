package view

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// Task returns a task with exactly the keys that scripts rely on. Values follow
// the rule of [ValueOf]. role is the role that does the task, review_by the
// roles that it names to judge it. reviews has what each role that judges the
// submission holds of it, missing those that have still to approve it, and stale
// the texts that have changed since somebody approved it. The keys
// reviewing_by to rejection are of the first review, the last verdict and the
// last rejection of any role. lease_expires is the claim's. assigned_to is the actor
// that holds the task or worked on it last. claimable says whether the asker
// could claim the task now, and why_not the reason if not. why_not is "" for a
// final task. reverts are the merged tasks that it takes back, reverted says by what it
// was taken back itself. level to verify_timeout are what a plan
// says of it. retries counts claims that failed, retry_error is the last failure, and agents
// try again from not_before on. gates are the receipts of the gates at the submission. phase is the one of the goal's workflow that
// it belongs to, denies are globs of paths that its work does not change, and asking the
// open questions that were asked during the work.
func (r Reading) Task(t *flow.Task) Object {
	a, sub, review, merge, block := partOf(t.Attempt), partOf(t.Submission), partOf(t.Review()), partOf(t.Merge), partOf(t.Block)
	assigned, approvedBy, retry := a.Coder, partOf(t.Verdict()).By, partOf(t.Retry)
	if t.Claim != nil {
		assigned = t.Claim.By
	}
	short := t.Summary()
	branch, worktree := "", ""
	if t.Attempt != nil && !t.Status.Final() {
		branch = t.ID.Branch()
		if r.Checkout != nil {
			worktree = r.Checkout(t)
		}
	}
	whyNot := r.whyNot(t.ID)
	claimable := whyNot == ""
	if t.Status.Final() {
		whyNot = ""
	}
	return Object{
		{"id", t.ID}, {"title", t.Title}, {"status", ValueOf(t.Status)}, {"kind", ValueOf(t.Kind)}, {"goal", t.Goal}, {"sprint", t.Sprint},
		{"done_when", t.DoneWhen}, {"spec", t.Spec}, {"scope", t.Scope}, {"priority", t.Priority},
		{"depends_on", ValueOf(t.DependsOn)}, {"owns", ValueOf(t.Owns)}, {"verify", t.Verify},
		{"created", ValueOf(t.Created)}, {"changed", ValueOf(t.Changed)},
		{"assigned_to", assigned}, {"lease_expires", ValueOf(partOf(t.Claim).Lease)}, {"worktree", worktree}, {"branch", branch},
		{"base_commit", a.Base}, {"iteration", a.Iteration}, {"review_cycles", a.Cycles}, {"review_cycles_total", t.Cycles},
		{"attempts", t.Attempts}, {"failed_by", ValueOf(t.Failures)}, {"intent", ValueOf(t.Intent)},
		{"review_commit", sub.Commit}, {"reviewing_by", review.By}, {"review_lease_expires", ValueOf(review.Lease)},
		{"approved_by", approvedBy}, {"verdict", ValueOf(t.Verdict())}, {"rejection", ValueOf(t.Rejection())},
		{"merge_commit", merge.Commit}, {"drift", merge.Drift},
		{"blocked_reason", block.Reason}, {"blocked_questions", ValueOf(block.Questions)},
		{"integration_failure", ValueOf(t.Integration)}, {"integration_fix", a.Fix}, {"handoff", ValueOf(t.Handoff)},
		{"supersedes", ValueOf(t.Supersedes)}, {"superseded_by", ValueOf(t.SupersededBy)}, {"rescope_reason", t.Rescope},
		{"role", short.Role}, {"based_on", ValueOf(t.BasedOn)}, {"review_by", ValueOf(t.Reviews)}, {"without", ValueOf(t.Without)},
		{"reviews", reviewsOf(t)}, {"missing", ValueOf(missingOf(&short))},
		{"stale", staleOf(r.Board, t)},
		{"usage", ValueOf(t.Usage)}, {"budget", ValueOf(t.Budget)}, {"budget_left", r.budgetLeft("", t.ID)},
		{"claimable", claimable}, {"why_not", whyNot}, {"limits", ValueOf(t.Limits)},
		{"reverts", ValueOf(t.Reverts)}, {"reverted", ValueOf(t.Reverted)},
		{"level", t.Level}, {"estimate", ValueOf(t.Estimate)}, {"labels", ValueOf(t.Labels)}, {"files", ValueOf(t.Files)},
		{"acceptance", ValueOf(t.Acceptance)}, {"steps", ValueOf(t.Steps)}, {"context", ValueOf(t.Context)}, {"consumers", ValueOf(t.Consumers)},
		{"integration_test", t.IntegrationTest}, {"verify_timeout", ValueOf(t.VerifyTimeout)},
		{"retries", retry.Count}, {"not_before", ValueOf(retry.NotBefore)}, {"retry_error", retry.Error},
		{"entered", ValueOf(t.Entered)}, {"abandoned_by", t.AbandonedBy}, {"gates", ValueOf(sub.Gates)},
		{"phase", t.Phase}, {"denies", ValueOf(t.Denies)}, {"asking", askingOf(t)},
	}
}

// reviewsOf returns what each role holds of the task: first those that judge the
// submission, in its order, then others with a rejection.
func reviewsOf(t *flow.Task) []any {
	roles := slices.Clone(partOf(t.Submission).Reviews)
	for _, j := range t.Judgements {
		if !slices.Contains(roles, j.Role) {
			roles = append(roles, j.Role)
		}
	}
	list := []any{}
	for _, role := range roles {
		own := t.Judgement(role)
		review := partOf(own.Review)
		list = append(list, Object{{"role", role}, {"by", review.By}, {"lease_expires", ValueOf(review.Lease)},
			{"verdict", ValueOf(own.Verdict)}, {"rejection", ValueOf(own.Rejection)}})
	}
	return list
}

// staleOf returns the texts that have changed since a verdict was given for them.
func staleOf(b *flow.Board, t *flow.Task) []any {
	list := []any{}
	for _, text := range t.Outdated(b) {
		list = append(list, text.String())
	}
	return list
}

// missingOf returns the roles that have still to approve a submission that waits
// for verdicts.
func missingOf(t *flow.Summary) (list []flow.Role) {
	for _, j := range t.Judges {
		if !j.Done {
			list = append(list, j.Role)
		}
	}
	return list
}

// summarised returns the keys of [Reading.Task] whose values are in the task's
// summary. It reads no document.
func summarised(t *flow.Summary) Object {
	reviewer, lease := t.Reviewing(time.Time{})
	return Object{
		{"id", t.ID}, {"title", t.Title}, {"status", ValueOf(t.Status)}, {"kind", ValueOf(t.Kind)}, {"goal", t.Goal}, {"sprint", t.Sprint},
		{"spec", t.Spec}, {"priority", t.Priority}, {"depends_on", ValueOf(t.DependsOn)}, {"owns", ValueOf(t.Owns)}, {"verify", t.Verify},
		{"created", ValueOf(t.Created)}, {"changed", ValueOf(t.Changed)}, {"assigned_to", t.Coder}, {"lease_expires", ValueOf(t.Lease)},
		{"iteration", t.Iteration}, {"review_cycles", t.Cycles}, {"reviewing_by", reviewer}, {"review_lease_expires", ValueOf(lease)},
		{"blocked_reason", t.Reason}, {"role", t.Role}, {"based_on", ValueOf(t.BasedOn)}, {"missing", ValueOf(missingOf(t))},
		{"limits", ValueOf(t.Limits)}, {"reverts", ValueOf(t.Reverts)}, {"level", t.Level}, {"estimate", ValueOf(t.Estimate)}, {"labels", ValueOf(t.Labels)}, {"retries", t.Retries}, {"not_before", ValueOf(t.NotBefore)}, {"entered", ValueOf(t.Entered)}, {"phase", t.Phase},
	}
}

// askingOf returns the open questions that were asked during the work on a task.
func askingOf(t *flow.Task) []any {
	list := []any{}
	for _, a := range t.Asking {
		list = append(list, a.Question)
	}
	return list
}

// Tasks returns tasks with at least the wanted keys. It reads documents only
// for keys that summaries lack.
func (r Reading) Tasks(list []*flow.Summary, wanted []string) []Object {
	_, short := NewTaskRows(list, wanted)
	var rows []Object
	for _, s := range list {
		if short {
			rows = append(rows, summarised(s))
		} else if t := r.Board.Task(s.ID); t != nil {
			rows = append(rows, r.Task(t))
		}
	}
	return rows
}

// partOf returns a sub-document, or the zero value if the task has none.
func partOf[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// budgetLeft returns what is left of a task's budget, of planning for a goal if the id
// is "", null without a budget.
func (r Reading) budgetLeft(goal flow.GoalID, id flow.TaskID) any {
	left, bounded := r.Board.Left(goal, id)
	if !bounded {
		return nil
	}
	return ValueOf(left)
}

// whyNot returns the reason why the asker cannot claim the task, "" if it
// can.
func (r Reading) whyNot(id flow.TaskID) string {
	if refusal := r.Board.Opens(flow.ActClaim, id, r.Asker, r.At); refusal != nil {
		return refusal.Reason
	}
	return ""
}

// TaskKeys are the keys of [Reading.Task].
func TaskKeys() []string {
	empty := Reading{Board: flow.Open(flow.Documents{}, time.Time{}), Asker: flow.Caller{By: "coder-1"}}
	var keys []string
	for _, m := range empty.Task(&flow.Task{}) {
		keys = append(keys, m.Key)
	}
	return slices.Clip(keys)
}
