package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// checkRoles refuses roles that no rule could work with, and rules of review that
// nobody can satisfy.
func (k checker) checkRoles() *Refusal {
	if k.Role(Coder) == nil || k.Role(Coder).Capacity != Does {
		return breach("the board has no role %s that does tasks", Coder)
	}
	for _, id := range k.IDs(RolesFolder) {
		if row := k.Role(Role(id)); row == nil || row.check("git liza role list") != nil {
			return breach("the role %s is none that a board can have", id)
		}
	}
	rules := k.ReviewRules()
	if !slices.ContainsFunc(rules, ReviewRule.everything) {
		return breach("no rule of review is for every submission")
	}
	if r := lists.Find(rules, func(r ReviewRule) bool { return r.Role != HumanRole && !k.judges(r.Role) }); r != nil {
		return breach("a rule of review asks for the verdict of %s, which does not judge", r.Role)
	}
	return nil
}
