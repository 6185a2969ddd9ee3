package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// ApproveMove approves one commit for integration.
type ApproveMove struct {
	Commit  board.ObjectID `yaml:"commit"`
	Message string         `yaml:"message"`
	Role    board.Role     `yaml:"role"` // for which a person approves; "" is an agent's own, of a person all that remain
	For     *board.Voucher `yaml:"for"`
	Texts   textRefs       `yaml:"texts"` // that a person was shown; none: not compared
}

func (a *ApproveMove) check(p *play) *Refusal {
	if refusal := p.submitted(a.Commit, "approve"); refusal != nil {
		return refusal
	}
	roles, refusal := approvesAs(p, a.Role)
	if refusal != nil {
		return refusal
	}
	return cmp.Or(readAgain(p, roles), a.checkShown(p), checkVoucher(a.For, p))
}

// readAgain refuses the approval of a reviewer who read a text that has changed
// since.
func readAgain(p *play, roles []board.Role) *Refusal {
	t, by := p.task, p.move.By
	for _, role := range roles {
		held := t.Judgement(role).Review
		if held == nil || held.By != by {
			continue
		}
		text := changedText(p.board, t, held.Texts)
		switch {
		case text == nil:
		case p.move.Generation.Spawned():
			return refuse(RuleSpecChanged, "git liza show "+string(t.ID), "the spec '%s' has changed since %s began to read: end the session, so that its supervisor begins another",
				board.Clip(text.String()), by)
		default:
			return refuse(RuleSpecChanged, "git liza review "+string(t.ID)+" --as "+string(by), "the spec '%s' has changed since %s began to read: look at it again",
				board.Clip(text.String()), by)
		}
	}
	return nil
}

// submitted refuses a verdict on anything but the commit under review.
func (p *play) submitted(commit board.ObjectID, verb string) *Refusal {
	if s := p.task.Submission; commit != s.Commit {
		hint := "git liza show " + string(p.task.ID) + " --patch" // so that the commit is read before it is approved
		if verb == "reject" {
			hint = "git liza reject " + string(p.task.ID) + " --commit " + string(s.Commit) + " --reason-file FILE"
		}
		return refuse(RuleCommit, hint,
			"%s submitted %s, the verdict names %s", p.task.ID, s.Commit, board.Clip(string(commit)))
	}
	return nil
}

func (a *ApproveMove) already(p *play) bool {
	t, by := p.task, p.move.By
	if !board.AnyOf(board.ReadyForReview, board.Approved).Has(p.from) {
		return false
	}
	gave := slices.ContainsFunc(t.Judgements, func(j board.Judgement) bool {
		return t.Holds(j.Verdict) && j.Verdict.Commit == a.Commit && j.Verdict.By == by && (a.Role == "" || a.Role == j.Role) && j.Verdict.For.Equal(a.For)
	})
	return gave && (a.Role != "" || !by.IsHuman() || len(openToPeople(p)) == 0)
}

func (a *ApproveMove) apply(p *effect) {
	t, m := p.task, p.move
	t.Attempt.Doubt = "" // only a person approves while there is one
	roles, _ := approvesAs(p.play, a.Role)
	for _, role := range roles {
		read := board.TextRefsOf(p.board, t)
		if held := t.Judgement(role).Review; held != nil && held.By == m.By && held.Texts != nil {
			read = held.Texts
		}
		endReview(p, t, role)
		t.Judge(role, func(j *board.Judgement) {
			j.Rejection = nil
			j.Verdict = &board.Verdict{Commit: a.Commit, Tree: t.Submission.Tree, By: m.By, Principal: m.Principal, Message: a.Message, At: m.At, Texts: read, For: a.For}
		})
	}
	p.dropOutdated()
	if t.Judged() {
		t.Status = board.Approved
	}
}
