package board

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Judgement is what one role holds of a task: its review, its verdict on the
// submission, its last rejection, and the reviews that it lost.
type Judgement struct {
	Role       Role       `yaml:"role"`
	Review     *Review    `yaml:"review"`
	Verdict    *Verdict   `yaml:"verdict"`     // on the current submission
	Rejection  *Rejection `yaml:"rejection"`   // the last one of the role, with its open blockers
	NoVerdicts int        `yaml:"no_verdicts"` // reviews ended without a verdict, for this submission round

	NotBefore time.Time `yaml:"not_before"` // no agent reviews it again earlier
	Error     string    `yaml:"error"`      // by which the last review ended without a verdict
}

// Empty reports whether the judgement says nothing.
func (j Judgement) Empty() bool { return j == Judgement{Role: j.Role} }

// Judgement is what a role holds of the task; only Role is set if that is
// nothing.
func (t *Task) Judgement(r Role) Judgement {
	if j := lists.Find(t.Judgements, func(j Judgement) bool { return j.Role == r }); j != nil {
		return *j
	}
	return Judgement{Role: r}
}

// Judge changes what a role holds of the task. Judgements that say nothing are
// left out. The list is replaced, because copies of the task share it.
func (t *Task) Judge(r Role, edit func(*Judgement)) {
	list := lists.Where(t.Judgements, func(j Judgement) bool { return j.Role != r })
	j := t.Judgement(r)
	edit(&j)
	if !j.Empty() {
		list = append(list, j)
		slices.SortFunc(list, func(x, y Judgement) int { return strings.Compare(string(x.Role), string(y.Role)) })
	}
	if len(list) == 0 {
		list = nil
	}
	t.Judgements = list
}

// JudgeAll changes what every role holds of the task.
func (t *Task) JudgeAll(edit func(*Judgement)) {
	for _, j := range t.Judgements {
		t.Judge(j.Role, edit)
	}
}

// Rejection is the last rejection, with the blockers of its role that are still
// open; nil if that role has approved since, or nobody rejected.
func (t *Task) Rejection() *Rejection { return t.Judgement(t.RejectedBy).Rejection }

// Blockers are the open blockers of all roles, those of the last rejection
// first.
func (t *Task) Blockers() []Finding {
	var first, others []Finding
	for _, j := range t.Judgements {
		switch {
		case j.Rejection == nil:
		case j.Role == t.RejectedBy:
			first = j.Rejection.Blockers
		default:
			others = append(others, j.Rejection.Blockers...)
		}
	}
	return slices.Concat(first, others)
}

// Verdict is the last verdict on the current submission; nil if there is none.
func (t *Task) Verdict() *Verdict {
	var last *Verdict
	for _, j := range t.Judgements {
		if v := j.Verdict; t.Holds(v) && (last == nil || !v.At.Before(last.At)) {
			last = v
		}
	}
	return last
}

// Holds reports whether a verdict is one on the current submission.
func (t *Task) Holds(v *Verdict) bool {
	return v != nil && t.Submission != nil && v.Commit == t.Submission.Commit
}

// Missing are the roles that have to judge the submission and have not approved
// it, in the order of the submission; none without a submission.
func (t *Task) Missing() []Role {
	if t.Submission == nil {
		return nil
	}
	return lists.Where(t.Submission.ReviewBy, func(r Role) bool { return !t.Holds(t.Judgement(r).Verdict) })
}

// Judged reports whether every role that has to judge the submission approved
// it.
func (t *Task) Judged() bool {
	return t.Submission != nil && len(t.Submission.ReviewBy) > 0 && len(t.Missing()) == 0
}

// HeldReview is the review of the task that an actor holds, and for which role;
// nil if the actor holds none. Its lease may have ended.
func (t *Task) HeldReview(by Actor) (as Role, held *Review) {
	for _, j := range t.Judgements {
		if j.Review != nil && j.Review.By == by {
			return j.Role, j.Review
		}
	}
	return "", nil
}

// IsReviewedBy reports whether an actor holds a review of the task.
func (t *Task) IsReviewedBy(by Actor) bool {
	_, held := t.HeldReview(by)
	return held != nil
}

// IsReviewedAt reports whether an actor holds a review of the task whose lease
// has not ended at that time.
func (t *Task) IsReviewedAt(by Actor, at time.Time) bool {
	_, held := t.HeldReview(by)
	return held.Live(at)
}

// Review is the first review of the task that a role holds, by the names of the
// roles; nil if nobody holds one. Its lease may have ended.
func (t *Task) Review() *Review {
	for _, j := range t.Judgements {
		if j.Review != nil {
			return j.Review
		}
	}
	return nil
}

// Reviewers are the roles for which somebody holds the review of the task.
func (t *Task) Reviewers() []Role {
	held := lists.Where(t.Judgements, func(j Judgement) bool { return j.Review != nil })
	return lists.Of(held, func(j Judgement) Role { return j.Role })
}

// Doer is the role that does the task.
func (t *Task) Doer() Role { return cmp.Or(t.Role, Coder) }
