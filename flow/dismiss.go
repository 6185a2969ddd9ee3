package flow

import (
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
)

// DismissMove takes one open blocker of a rejection back.
type DismissMove struct {
	Role    board.Role `yaml:"role"`
	Blocker int        `yaml:"blocker"` // from 1
	Issue   string     `yaml:"issue"`   // of that blocker, so that a lost race dismisses no other
	Reason  string     `yaml:"reason"`
}

func (d *DismissMove) check(p *play) *Refusal {
	t := p.task
	show := "git liza show " + string(t.ID)
	if r := present("the reason", d.Reason, "git liza reject "+string(t.ID)+" --role "+string(d.Role)+" --dismiss "+strconv.Itoa(d.Blocker)+" --reason R"); r != nil {
		return r
	}
	last := t.Judgement(d.Role).Rejection
	if d.Issue == "" {
		return refuse(RuleNotFound, show, "%s has no open blocker %d of %s", t.ID, d.Blocker, d.Role)
	}
	if last == nil || d.Blocker < 1 || d.Blocker > len(last.Blockers) || last.Blockers[d.Blocker-1].Issue != d.Issue {
		return refuse(RuleNotFound, show, "%s has no open blocker %d '%s' of %s", t.ID, d.Blocker, board.Clip(d.Issue), d.Role)
	}
	if t.Submission == nil {
		return refuse(RuleState, "git liza claim "+string(t.ID), "a coder has begun to answer the blockers of %s: there is no submission to judge again", t.ID)
	}
	return nil
}

func (d *DismissMove) apply(p *effect) {
	t, m := p.task, p.move
	t.Judge(d.Role, func(j *board.Judgement) {
		r := board.CopyOf(j.Rejection)
		r.Dismissed = append(slices.Clip(r.Dismissed), board.Dismissed{Finding: r.Blockers[d.Blocker-1], Reason: d.Reason, By: m.By, At: m.At})
		r.Blockers = slices.Delete(slices.Clone(r.Blockers), d.Blocker-1, d.Blocker)
		j.Rejection = r
	})
	for _, j := range t.Judgements {
		if j.Rejection != nil && len(j.Rejection.Blockers) > 0 {
			if len(t.Rejection().Blockers) == 0 {
				t.RejectedBy = j.Role
			}
			return
		}
	}
	p.backToReview()
}
