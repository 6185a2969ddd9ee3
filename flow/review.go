package flow

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// ReviewMove takes the review of a submission.
type ReviewMove struct {
	Lease board.Duration `yaml:"lease"`
	Role  board.Role     `yaml:"role"` // of a person's review; "" is an agent's own, of a person the first that misses a verdict
}

// reviewable refuses roles that do not have to judge the submission or have done
// so, a second reviewer of one role, and any coder of the task.
func reviewable(p *play) *Refusal {
	t, by := p.task, p.move.By
	role, refusal := judgeRole(p, p.move.Detail.(*ReviewMove).Role)
	if refusal != nil {
		return refusal
	}
	show, own := "git liza show "+string(t.ID), t.Judgement(role)
	switch {
	case t.Holds(own.Verdict):
		return refuse(RuleState, show, "%s has the verdict of %s", t.ID, role)
	case rereads(p, own.Review):
	case own.Review.Live(p.move.At) && len(t.Submission.ReviewBy) > 1:
		return refuse(RuleLease, show, "%s reviews %s as %s until %s", own.Review.By, t.ID, role, own.Review.Lease.Format(time.RFC3339))
	case own.Review.Live(p.move.At):
		return refuse(RuleLease, show, "%s reviews %s until %s", own.Review.By, t.ID, own.Review.Lease.Format(time.RFC3339))
	case by.IsHuman() && notHuman(p, role):
		return refuseHuman(p, role)
	}
	if id := by.Agent(); id != "" {
		if a := p.board.Agent(id); a != nil && a.Degraded != "" {
			return refuse(RuleResting, "git liza agents add "+string(id), "%s rests (%s) and gets no work until it is added anew", id, a.Degraded)
		} else if a != nil && a.Review != "" && a.Review != t.ID {
			if other := p.board.Task(a.Review); other != nil && other.IsReviewedAt(by, p.move.At) {
				return refuse(RuleOneClaim, "git liza show "+string(a.Review), "%s already reviews %s", id, a.Review)
			}
		}
	}
	return cmp.Or(independent(p), checkBackoff(p, own.NotBefore, "a review by "+string(role)), overspent(p.board, t))
}

// rereads reports whether the actor holds that review and reads texts again that
// have changed since it began.
func rereads(p *play, held *board.Review) bool {
	return held.Live(p.move.At) && held.By == p.move.By && changedText(p.board, p.task, held.Texts) != nil
}

// independent refuses a verdict of an actor that coded the task, or is not [trusted] with
// it. A person who submitted it may stand for it again.
func independent(p *play) *Refusal {
	if !p.board.Settings().Config.AllowSelfReview && p.task.IsCodedBy(p.move.By, p.move.Principal) && !standsAgain(p) {
		return refuse(RuleSelfReview, otherJudge(p), "%s coded %s and cannot judge it", p.move.By, p.task.ID)
	}
	return trusted(p)
}

// otherJudge is the command by which an actor that coded the task gets it judged: an agent
// looks for other submissions, a person starts an agent of a role that is missing, or lets
// people judge their own work if only people can judge it.
func otherJudge(p *play) string {
	if !p.move.By.IsHuman() {
		return "git liza list --status READY_FOR_REVIEW"
	}
	if role := lists.Find(p.task.Missing(), func(role board.Role) bool { return role != board.HumanRole }); role != nil {
		return "git liza rush --agents " + string(*role) + "=1"
	}
	return "git liza config allow_self_review true"
}

func (r *ReviewMove) check(p *play) *Refusal {
	if r.Lease < board.Duration(time.Second) {
		return refuse(RuleForm, "git liza help review", "a review needs a lease")
	}
	return nil
}

func (r *ReviewMove) already(p *play) bool {
	if p.from != board.ReadyForReview {
		return false
	}
	_, held := p.task.HeldReview(p.move.By)
	if r.Role != "" {
		held = p.task.Judgement(r.Role).Review
	}
	return held.Live(p.move.At) && held.By == p.move.By && !rereads(p, held)
}

func (r *ReviewMove) apply(p *effect) {
	t, m := p.task, p.move
	role, _ := judgeRole(p.play, r.Role)
	since := m.At
	if held := t.Judgement(role).Review; rereads(p.play, held) {
		since = held.Since // the checkout stays, and with it the record of how it was
	} else if held != nil {
		endReview(p, t, role)
		if !held.By.IsHuman() {
			t.Judge(role, func(j *board.Judgement) { j.NoVerdicts++ })
		}
	}
	if t.Judgement(role).NoVerdicts >= p.limits().NoVerdicts {
		p.blockAtLimit(board.LimitNoVerdicts, role, "Reviews of this submission keep ending without a verdict: what stands in the reviewers' way?")
		return
	}
	dropReview(p, m.By)
	t.Judge(role, func(j *board.Judgement) {
		j.Review = &board.Review{By: m.By, Since: since, Lease: m.At.Add(time.Duration(r.Lease)), Texts: board.TextRefsOf(p.board, t)}
	})
	editAgent(p, m.By, func(a *board.Agent) { a.Review = t.ID })
}
