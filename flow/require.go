package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// RequireMove adds or removes a rule of review. Submissions that wait for their
// verdicts keep the roles that they were submitted to.
type RequireMove struct {
	Rule      ReviewRule `yaml:"rule"`
	Remove    bool       `yaml:"remove"`
	InPlaceOf Role       `yaml:"in_place_of"` // whose rule for everything it replaces, "" adds
}

// maxRules is how many rules of review a board may have.
const maxRules = 50

func (r *RequireMove) subject() string { return string(r.Rule.Role) }

func (r *RequireMove) already(p *play) bool {
	return !r.Remove && r.InPlaceOf == "" && slices.ContainsFunc(p.board.ReviewRules(), r.Rule.equal)
}

func (r *RequireMove) check(p *play) *Refusal {
	hint := "git liza help role"
	role, rules := r.Rule.Role, p.board.ReviewRules()
	switch row := p.board.Role(role); {
	case r.Remove && !slices.ContainsFunc(rules, r.Rule.equal):
		return refuse(RuleNotFound, "git liza role list", "no rule asks for the verdict of %s for those kinds and paths", role)
	case r.Remove && r.InPlaceOf != "":
		return refuse(RuleForm, hint, "a rule is removed, or put in place of another")
	case r.Remove || role == HumanRole:
	case row == nil:
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", clip(string(role)))
	case row.Capacity != Judges:
		return refuse(RuleForm, hint, "%s %s and cannot judge", role, row.Capacity)
	}
	if r.InPlaceOf != "" && !slices.ContainsFunc(rules, (ReviewRule{Role: r.InPlaceOf}).equal) {
		return refuse(RuleNotFound, "git liza role list", "no rule asks for the verdict of %s for everything", r.InPlaceOf)
	}
	after := r.after(rules)
	switch {
	case !slices.ContainsFunc(after, ReviewRule.everything):
		return refuse(RuleNeeds, "git liza role require NAME --in-place-of "+string(r.replaced()), "the last rule for everything can only be replaced")
	case len(after) > maxRules:
		return refuse(RuleLimit, "git liza role list", "a board has at most %d rules of review", maxRules)
	case r.Remove:
		return nil
	}
	return cmp.Or(checkGlobs(r.Rule.Paths, hint), boundGlobs("the rule of review for "+string(role), r.Rule.Paths, hint))
}

// replaced is the role whose rule the move drops.
func (r *RequireMove) replaced() Role { return cmp.Or(r.InPlaceOf, r.Rule.Role) }

// after are the board's rules after the move.
func (r *RequireMove) after(rules []ReviewRule) []ReviewRule {
	gone := r.Rule
	if r.InPlaceOf != "" {
		gone = ReviewRule{Role: r.InPlaceOf}
	}
	if r.Remove || r.InPlaceOf != "" {
		rules = slices.DeleteFunc(slices.Clone(rules), gone.equal)
	}
	if r.Remove || slices.ContainsFunc(rules, r.Rule.equal) {
		return rules
	}
	return append(slices.Clip(rules), r.Rule)
}

func (r *RequireMove) apply(p *effect) {
	p.put(Key{Folder: ReviewsDoc}, &ReviewRules{List: r.after(p.board.ReviewRules())})
}

// everything reports whether the rule is for every submission.
func (r ReviewRule) everything() bool { return len(r.Kinds) == 0 && len(r.Paths) == 0 }

// dropping is the command that takes the rule away. The last of the rules for
// everything is replaced.
func (r ReviewRule) dropping(rules []ReviewRule) string {
	rest := slices.DeleteFunc(slices.Clone(rules), r.equal)
	if !slices.ContainsFunc(rest, ReviewRule.everything) {
		return "git liza role require OTHER --in-place-of " + string(r.Role)
	}
	kinds := lists.Of(r.Kinds, func(kind Kind) string { return " --kinds " + kind.String() })
	paths := lists.Of(r.Paths, func(glob string) string { return " --paths " + shell.Quote(glob) })
	return "git liza role require " + string(r.Role) + " --remove" + strings.Join(kinds, "") + strings.Join(paths, "")
}

// equal reports whether two rules ask for the same, in whatever order.
func (r ReviewRule) equal(o ReviewRule) bool {
	return r.Role == o.Role && sameSet(r.Kinds, o.Kinds) && sameSet(r.Paths, o.Paths)
}

// sameSet reports whether two lists have the same elements.
func sameSet[T comparable](x, y []T) bool {
	within := func(list, other []T) bool {
		return !slices.ContainsFunc(list, func(one T) bool { return !slices.Contains(other, one) })
	}
	return within(x, y) && within(y, x)
}
