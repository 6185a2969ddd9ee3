package flow

import "slices"

// checkJudgements are the demands on what roles hold of a task, and on the roles
// that it names.
func checkJudgements(b *Board, t *Task) []demand {
	needed := func(r Role) bool { return t.Submission != nil && slices.Contains(t.Submission.ReviewBy, r) }
	wants := []demand{
		{in(ReadyForReview, Approved).has(t.Status) && (t.Submission == nil || len(t.Submission.ReviewBy) == 0), "is under review by nobody"},
		{t.Status == ReadyForReview && t.Judged(), "is READY_FOR_REVIEW with every verdict"},
		{t.Status == Rejected && (t.Rejection() == nil || len(t.Rejection().Blockers) == 0), "is REJECTED without a blocker"},
		{!asksSoundly(b, t), "does not list the documents of its questions"},
		{!t.Status.Final() && t.Status != Draft && !isDoer(b, t.doer()), "is done by a role that does no tasks"},
		{!t.Status.Final() && t.Status != Draft && !tracksAll(b, append([]string{t.Spec}, t.BasedOn...)...), "stands on a text that is not tracked"},
	}
	for i, j := range t.Judgements {
		wants = append(wants,
			demand{j.empty() || i > 0 && t.Judgements[i-1].Role >= j.Role, "has judgements out of order, or one that says nothing"},
			demand{j.Review != nil && !needed(j.Role), "is reviewed by a role that does not judge it"},
			demand{j.Verdict != nil && (!needed(j.Role) || !t.holds(j.Verdict)), "has a verdict of a role that does not judge it, or on another commit"})
	}
	if !t.Status.Final() {
		for _, r := range t.ReviewBy {
			wants = append(wants, demand{r != HumanRole && !isJudge(b, r), "names a role for its review that does not judge"})
		}
	}
	return wants
}

// isDoer reports whether a role of the board does tasks.
func isDoer(b *Board, name Role) bool {
	row := b.Role(name)
	return row != nil && row.Capacity == Does
}
