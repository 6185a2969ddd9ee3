package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// RequireMove adds or removes a rule of review. Submissions that wait for their
// verdicts keep the roles that they were submitted to.
type RequireMove struct {
	Rule      board.ReviewRule `yaml:"rule"`
	Remove    bool             `yaml:"remove"`
	InPlaceOf board.Role       `yaml:"in_place_of"` // whose rule for everything it replaces, "" adds
}

// maxRules is how many rules of review a board may have.
const maxRules = 50

func (r *RequireMove) subject() string { return string(r.Rule.Role) }

func (r *RequireMove) already(p *play) bool {
	return !r.Remove && r.InPlaceOf == "" && slices.ContainsFunc(p.board.ReviewRules(), r.Rule.Equal)
}

func (r *RequireMove) check(p *play) *Refusal {
	hint := "git liza help role"
	role, rules := r.Rule.Role, p.board.ReviewRules()
	switch row := p.board.Role(role); {
	case r.Remove && !slices.ContainsFunc(rules, r.Rule.Equal):
		return refuse(RuleNotFound, "git liza role list", "no rule asks for the verdict of %s for those kinds and paths", role)
	case r.Remove && r.InPlaceOf != "":
		return refuse(RuleForm, hint, "a rule is removed, or put in place of another")
	case r.Remove || role == board.HumanRole:
	case row == nil:
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", board.Clip(string(role)))
	case row.Capacity != board.Judges:
		return refuse(RuleForm, hint, "%s %s and cannot judge", role, row.Capacity)
	}
	if r.InPlaceOf != "" && !slices.ContainsFunc(rules, (board.ReviewRule{Role: r.InPlaceOf}).Equal) {
		return refuse(RuleNotFound, "git liza role list", "no rule asks for the verdict of %s for everything", r.InPlaceOf)
	}
	after := r.after(rules)
	switch {
	case !slices.ContainsFunc(after, board.ReviewRule.Everything):
		return refuse(RuleNeeds, "git liza role require NAME --in-place-of "+string(r.replaced()), "the last rule for everything can only be replaced")
	case len(after) > maxRules:
		return refuse(RuleLimit, "git liza role list", "a board has at most %d rules of review", maxRules)
	case r.Remove:
		return nil
	}
	return cmp.Or(checkGlobs(r.Rule.Paths, hint), boundGlobs("the rule of review for "+string(role), r.Rule.Paths, hint))
}

// replaced is the role whose rule the move drops.
func (r *RequireMove) replaced() board.Role { return cmp.Or(r.InPlaceOf, r.Rule.Role) }

// after are the board's rules after the move.
func (r *RequireMove) after(rules []board.ReviewRule) []board.ReviewRule {
	gone := r.Rule
	if r.InPlaceOf != "" {
		gone = board.ReviewRule{Role: r.InPlaceOf}
	}
	if r.Remove || r.InPlaceOf != "" {
		rules = slices.DeleteFunc(slices.Clone(rules), gone.Equal)
	}
	if r.Remove || slices.ContainsFunc(rules, r.Rule.Equal) {
		return rules
	}
	return append(slices.Clip(rules), r.Rule)
}

func (r *RequireMove) apply(p *effect) {
	p.put(board.Key{Folder: board.ReviewsDoc}, &board.ReviewRules{List: r.after(p.board.ReviewRules())})
}
