package flow

import (
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// RecheckMove sends an approved task back to its judges because a text that
// they read has changed.
type RecheckMove struct{}

// outdated refuses to send a task back whose verdicts were given for the texts
// that the board has.
func outdated(p *play) *Refusal {
	if _, text := outdatedVerdict(p.board, p.task); text != nil {
		return nil
	}
	return refuse(RuleState, "git liza show "+string(p.task.ID), "the verdicts on %s were given for the specs as they are", p.task.ID)
}

func (r *RecheckMove) already(p *play) bool { return p.from == board.ReadyForReview }

func (r *RecheckMove) check(*play) *Refusal { return nil }

func (r *RecheckMove) apply(p *effect) { p.backToReview() }

// backToReview lets the submission wait for its missing verdicts again, and for
// those that were given for other texts.
func (p *effect) backToReview() {
	p.dropOutdated()
	p.task.Status = board.ReadyForReview
}

// dropOutdated takes back the verdicts that were given for other texts than the
// board has.
func (p *effect) dropOutdated() {
	t := p.task
	t.JudgeAll(func(j *board.Judgement) {
		if j.Verdict != nil && changedText(p.board, t, j.Verdict.Texts) != nil {
			j.Verdict = nil
		}
	})
}

// outdatedVerdict is the first verdict on the submission that was given for another text
// than the board has, with that text; nil if there is none.
func outdatedVerdict(b *board.Board, t *board.Task) (*board.Verdict, *board.TextRef) {
	for _, j := range t.Judgements {
		if t.Holds(j.Verdict) {
			if text := changedText(b, t, j.Verdict.Texts); text != nil {
				return j.Verdict, text
			}
		}
	}
	return nil, nil
}

// checkVerdicts refuses work of which a verdict was given for other texts than the
// board has.
func checkVerdicts(b *board.Board, t *board.Task) *Refusal {
	v, text := outdatedVerdict(b, t)
	if text == nil {
		return nil
	}
	return refuse(RuleSpecChanged, "git liza approve --again "+string(t.ID), "the spec '%s' has changed since %s approved %s", board.Clip(text.String()), v.By, t.ID)
}

// unconvinced are the roles that have to judge the submission and have not approved
// it for the texts that the board has.
func unconvinced(b *board.Board, t *board.Task) []board.Role {
	stale := lists.Where(t.Judgements, func(j board.Judgement) bool { return t.Holds(j.Verdict) && changedText(b, t, j.Verdict.Texts) != nil })
	return append(t.Missing(), lists.Of(stale, func(j board.Judgement) board.Role { return j.Role })...)
}

// changedText is the first of the changed texts; nil if there is none.
func changedText(b *board.Board, t *board.Task, read []board.TextRef) *board.TextRef {
	if list := t.ChangedTexts(b, read); len(list) > 0 {
		return &list[0]
	}
	return nil
}
