package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// describeRoles returns what is wrong with the roles that the description of a
// task names.
func (p *play) describeRoles(t *board.Task, hint string) (wrong []*Refusal) {
	refused := func(rule Rule, hint, reason string, args ...any) {
		wrong = append(wrong, refuse(rule, hint, reason, args...))
	}
	const list = "git liza role list"
	switch row := p.board.Role(t.Doer()); {
	case row == nil:
		refused(RuleNotFound, list, "the board has no role %s, which %s names", t.Doer(), t.ID)
	case row.Capacity != board.Does:
		refused(RuleForm, hint, "%s %s, it does no tasks: %s needs a role that does", row.Name, row.Capacity, t.ID)
	case len(row.Kinds) > 0 && !slices.Contains(row.Kinds, t.Kind):
		refused(RuleForm, hint, "%s does no tasks of the kind %s, which %s is", row.Name.One(), t.Kind, t.ID)
	}
	for i, r := range t.ReviewBy {
		switch {
		case r != board.HumanRole && p.board.Role(r) == nil:
			refused(RuleNotFound, list, "the board has no role %s, which %s names", r, t.ID)
		case !mayJudge(p, r):
			refused(RuleForm, hint, "%s does not judge, so it cannot review %s", r, t.ID)
		case slices.Contains(t.ReviewBy[:i], r):
			refused(RuleForm, hint, "%s names %s twice among its reviews", t.ID, r)
		case slices.Contains(t.Without, r):
			refused(RuleForm, hint, "%s asks for %s and leaves it out", t.ID, r)
		}
	}
	for i, r := range t.Without {
		if slices.Contains(t.Without[:i], r) {
			refused(RuleForm, hint, "%s names %s twice among the roles that it leaves out", t.ID, r)
		}
	}
	if len(wrong) == 0 && len(t.Without) > 0 && len(alwaysNeeded(p, t)) == 0 {
		refused(RuleNeeds, hint, "nobody would judge %s", t.ID)
	}
	return wrong
}

// alwaysNeeded are the roles that judge every submission of a task, whatever it
// changes.
func alwaysNeeded(p *play, t *board.Task) []board.Role { return neededJudges(p, t, nil) }

// checkWithout refuses an agent that changes which roles are left out, or what is meant.
func (p *play) checkWithout(was, t *board.Task, hint string) *Refusal {
	switch {
	case p.move.By.IsHuman():
		return nil
	case !slices.Equal(was.Meant, t.Meant):
		return refuse(RuleSecret, hint, "only a person says that what looks like a key or a conflict is meant: not %s, of %s", p.move.By, t.ID)
	case slices.Equal(was.Without, t.Without):
		return nil
	}
	return refuse(RuleRole, hint, "only a person leaves out a role that the board asks for: %s leaves out %s of %s", p.move.By, listRoles(t.Without), t.ID)
}

// TextRoles are the roles whose verdicts a text at a path needs where a person
// accepts it: those that the rules of review ask for.
func TextRoles(b *board.Board, path string) []board.Role { return textNeeds((&play{board: b}), path) }
