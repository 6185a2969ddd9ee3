package flow

import "slices"

// RulesVersion is the version of the rules that this program writes, and the
// newest that it knows. It judges boards of every earlier version too.
const RulesVersion = 5

// firstRules is the first version of the rules.
const firstRules = 5

// A ruleset is what one version of the rules has that the version before it
// lacks. Fields of moves and documents say their versions themselves, in the
// tag: since=N exists from version N on. A guard whose judgement differs asks
// the settings of the board.
type ruleset struct {
	changes []string // what changes for people, a sentence each
	acts    []Act    // new ones
	// upgrade writes what a board must have under this version. It runs when a
	// board is migrated, and when one is made. nil writes nothing.
	upgrade func(*effect)
}

// rulesets are all versions of the rules, from the first one on.
var rulesets = []ruleset{
	{changes: []string{"the first version"}},
}

// Since is the first version of the rules that has the act.
func (a Act) Since() int {
	return firstRules + max(0, slices.IndexFunc(rulesets, func(r ruleset) bool { return slices.Contains(r.acts, a) }))
}

// RulesChanges are the sentences that say what the versions after one, up to
// another, change for people.
func RulesChanges(after, to int) []string {
	var all []string
	for _, r := range between(after, to) {
		all = append(all, r.changes...)
	}
	return all
}

// between are the versions after one, up to another.
func between(after, to int) []ruleset {
	return rulesets[max(after-firstRules+1, 0):min(to-firstRules+1, len(rulesets))]
}

// version refuses a board of rules that this program does not know, and acts
// that the rules of the board lack.
func (p *play) version() *Refusal {
	rules := judgedBy(p)
	switch since := p.move.Act.Since(); {
	case rules > RulesVersion:
		return refuse(RuleVersion, "git liza version", "the board has rules version %d, this program knows up to %d: install a newer git-liza", rules, RulesVersion)
	case rules == 0 && p.move.Act != ActInit:
		return refuse(RuleNotFound, "git liza init", "there is no blackboard")
	case since > max(rules, firstRules):
		return refuse(RuleVersion, "git liza migrate", "%s exists since rules version %d, the board has version %d", p.move.Act, since, rules)
	}
	return nil
}

// upgrade writes what the versions after one, up to another, add to the board.
func (p *effect) upgrade(after, to int) {
	for _, r := range between(after, to) {
		if r.upgrade != nil {
			r.upgrade(p)
		}
	}
}

// MigrateMove takes a board to newer rules. Moves before it stay judged by the
// rules that they were made under.
type MigrateMove struct {
	To int `yaml:"to"`
}

func (m *MigrateMove) subject() string { return "rules" }

func (m *MigrateMove) check(p *play) *Refusal {
	if now := p.Settings().Rules; m.To <= now || m.To > RulesVersion {
		return refuse(RuleVersion, "git liza version", "the board has rules version %d, this program cannot take it to %d", now, m.To)
	}
	return nil
}

// already lets the second of two clones that migrate at once find its work
// done.
func (m *MigrateMove) already(p *play) bool { return p.Settings().Rules == m.To }

func (m *MigrateMove) apply(p *effect) {
	before := p.Settings().Rules
	p.change(func(s *Settings) { s.Rules = m.To })
	p.upgrade(before, m.To)
}
