package view

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// Task is a task with exactly the keys that scripts rely on. Values follow the
// rule of [ValueOf]. lease_expires is the claim's, and assigned_to is the actor that
// holds the task or worked on it last. claimable says whether the asker could claim
// the task now, and why_not what prevents it; in a final state it is "".
func (r Reading) Task(t *flow.Task) Object {
	a, sub, review, merge, block := part(t.Attempt), part(t.Submission), part(t.Review), part(t.Merge), part(t.Block)
	assigned, approvedBy := a.Coder, part(t.Verdict).By
	if t.Claim != nil {
		assigned = t.Claim.By
	}
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
		{"assigned_to", assigned}, {"lease_expires", ValueOf(part(t.Claim).Lease)}, {"worktree", worktree}, {"branch", branch},
		{"base_commit", a.Base}, {"iteration", a.Iteration}, {"review_cycles", a.Cycles}, {"review_cycles_total", t.Cycles},
		{"attempts", t.Attempts}, {"failed_by", ValueOf(t.Failures)}, {"intent", ValueOf(t.Intent)},
		{"review_commit", sub.Commit}, {"reviewing_by", review.By}, {"review_lease_expires", ValueOf(review.Lease)},
		{"approved_by", approvedBy}, {"verdict", ValueOf(t.Verdict)}, {"rejection", ValueOf(t.Rejection)},
		{"merge_commit", merge.Commit}, {"drift", merge.Drift},
		{"blocked_reason", block.Reason}, {"blocked_questions", ValueOf(block.Questions)},
		{"integration_failure", ValueOf(t.Integration)}, {"integration_fix", a.Fix}, {"handoff", ValueOf(t.Handoff)},
		{"supersedes", ValueOf(t.Supersedes)}, {"superseded_by", ValueOf(t.SupersededBy)}, {"rescope_reason", t.Rescope},
		{"usage", ValueOf(t.Usage)}, {"budget", ValueOf(t.Budget)}, {"budget_left", r.left(t.ID)},
		{"claimable", claimable}, {"why_not", whyNot},
	}
}

// summarised is what [Reading.Task] says of a task under the keys whose values its
// summary holds: no document is read for it.
func summarised(t flow.Summary) Object {
	return Object{
		{"id", t.ID}, {"title", t.Title}, {"status", ValueOf(t.Status)}, {"kind", ValueOf(t.Kind)}, {"goal", t.Goal}, {"sprint", t.Sprint},
		{"priority", t.Priority}, {"depends_on", ValueOf(t.DependsOn)}, {"owns", ValueOf(t.Owns)},
		{"created", ValueOf(t.Created)}, {"changed", ValueOf(t.Changed)}, {"assigned_to", t.Coder}, {"lease_expires", ValueOf(t.Lease)},
		{"iteration", t.Iteration}, {"review_cycles", t.Cycles}, {"reviewing_by", t.Reviewer}, {"review_lease_expires", ValueOf(t.ReviewLease)},
		{"blocked_reason", t.Reason},
	}
}

// Tasks are tasks with at least the keys that are wanted. Documents are read
// only where a summary does not hold them.
func (r Reading) Tasks(list []flow.Summary, wanted []string) []Object {
	known := summarised(flow.Summary{})
	short := !slices.ContainsFunc(wanted, func(key string) bool {
		return !slices.ContainsFunc(known, func(m Member) bool { return m.Key == key })
	})
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

// part is a sub-document, the zero value where the task has none.
func part[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// left is what is left for the sessions of a task, null where nothing bounds
// them.
func (r Reading) left(id flow.TaskID) any {
	left, bounded := r.Board.Left(id)
	if !bounded {
		return nil
	}
	return ValueOf(left)
}

// whyNot is what stands against a claim by the asker, "" if nothing does.
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
