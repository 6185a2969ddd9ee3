package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// checkRoles refuses roles that no rule could work with, and rules of review that
// nobody can satisfy.
func checkRoles(b *Board) *Refusal {
	if b.Role(Coder) == nil || b.Role(Coder).Capacity != Does {
		return breach("the board has no role %s that does tasks", Coder)
	}
	for _, id := range b.IDs(RolesFolder) {
		if row := b.Role(Role(id)); row == nil || row.check("git liza role list") != nil {
			return breach("the role %s is none that a board can have", id)
		}
	}
	rules := b.ReviewRules()
	if !slices.ContainsFunc(rules, ReviewRule.everything) {
		return breach("no rule of review is for every submission")
	}
	if r := lists.Find(rules, func(r ReviewRule) bool { return r.Role != HumanRole && !isJudge(b, r.Role) }); r != nil {
		return breach("a rule of review asks for the verdict of %s, which does not judge", r.Role)
	}
	return nil
}
