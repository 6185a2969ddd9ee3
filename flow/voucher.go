package flow

import (
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
)

// The forms of what a voucher says.
var (
	accountForm = pattern.Late(`^[a-z0-9][a-z0-9.-]{0,99}/[A-Za-z0-9][A-Za-z0-9._\[\]-]{0,99}$`)
	reviewForm  = pattern.Late(`^[A-Za-z0-9_=-]{1,100}$`)
	urlForm     = pattern.Late(`^https://[!-~]+$`)
)

// goodAccount accepts HOST/NAME.
func goodAccount(account string) bool { return accountForm().MatchString(account) }

// checkVoucher refuses a verdict from a code host that its bringer may not vouch for, or whose
// author may not judge the task.
func checkVoucher(v *board.Voucher, p *play) *Refusal {
	if v == nil {
		return nil
	}
	t, show := p.task, "git liza show "+string(p.task.ID)
	switch {
	case !p.move.By.IsHuman():
		return refuse(RuleVouch, show, "only a person brings a verdict from a code host, not %s", p.move.By)
	case !goodAccount(v.Account) || !reviewForm().MatchString(v.Review) || !urlForm().MatchString(v.URL) || len(v.URL) > 1024:
		return refuse(RuleForm, show, "a verdict from a code host names its account (HOST/NAME), its review and its https URL")
	}
	who := p.board.Principals()
	if len(who.List) == 0 {
		return nil
	}
	author := who.Account(v.Account)
	switch {
	case !who.May(p.move.Principal, "vouch"):
		return refuse(RuleVouch, "git liza principal list", "%s vouches for nobody: the right vouch is needed", p.move.Principal)
	case author == nil:
		return refuse(RuleVouch, "git liza principal add NAME --account "+v.Account, "no principal has the account %s", v.Account)
	case !p.board.Settings().Config.AllowSelfReview && t.IsCodedBy("", author.Name):
		return refuse(RuleSelfReview, "git liza list --status READY_FOR_REVIEW", "%s is %s, who coded %s", v.Account, author.Name, t.ID)
	}
	return nil
}

// checkShown refuses an approval of texts that have changed since they were shown.
func (a *ApproveMove) checkShown(p *play) *Refusal {
	if len(a.Texts) == 0 {
		return nil
	}
	if text := changedText(p.board, p.task, a.Texts); text != nil {
		return refuse(RuleSpecChanged, "git liza show "+string(p.task.ID), "the spec '%s' has changed since it was shown", board.Clip(text.String()))
	}
	return nil
}

// textRefs is a list as long as the texts that a task can stand on.
type textRefs []board.TextRef

func (textRefs) MaxLen() int { return board.MaxList + 1 }
