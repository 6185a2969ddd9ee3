package flow

// Until version 1 of the rules, a task had one review, verdict and rejection:
// those of code-reviewers. Boards of those rules keep that form, and documents
// that no move has written since a migration have it too. The rules read the
// form of version 2 alone.

// Loaded is a document in the form in which the rules read it, whatever version
// of the rules wrote it. It may change d, which nobody else may hold yet. A
// document that has that form already stays as it is.
func Loaded(d Document) Document {
	t, ok := d.(*Task)
	if !ok {
		return d
	}
	if t.Review1 != nil || t.Verdict1 != nil || t.Rejection1 != nil || t.NoVerdicts1 != 0 {
		t.judge(CodeReviewer, func(j *Judgement) {
			j.Review, j.Verdict, j.Rejection, j.NoVerdicts = t.Review1, t.Verdict1, t.Rejection1, t.NoVerdicts1
		})
		if t.Rejection1 != nil {
			t.RejectedBy = CodeReviewer
		}
		t.Review1, t.Verdict1, t.Rejection1, t.NoVerdicts1 = nil, nil, nil, 0
	}
	if t.Submission != nil && len(t.Submission.Reviews) == 0 {
		t.Submission = copied(t.Submission)
		t.Submission.Reviews = []Role{CodeReviewer}
	}
	return t
}

// Stored is a document in the form in which boards of a version of the rules
// keep it: a copy where anything differs. What that form cannot say stays, and
// the encoder refuses it.
func Stored(d Document, rules int) Document {
	t, ok := d.(*Task)
	if !ok || rules >= 2 {
		return d
	}
	t = Loaded(t.clone()).(*Task)
	own := t.Judgement(CodeReviewer)
	t.Review1, t.Verdict1, t.Rejection1, t.NoVerdicts1 = own.Review, own.Verdict, own.Rejection, own.NoVerdicts
	t.judge(CodeReviewer, func(j *Judgement) { *j = Judgement{Role: CodeReviewer} })
	if t.RejectedBy == CodeReviewer {
		t.RejectedBy = ""
	}
	if s := t.Submission; s != nil && len(s.Reviews) == 1 && s.Reviews[0] == CodeReviewer {
		t.Submission = copied(s)
		t.Submission.Reviews = nil
	}
	return t
}
