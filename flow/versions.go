package flow

import (
	"maps"
	"reflect"
	"slices"
)

// RulesVersion is the version of the rules that this program writes, and the
// newest that it knows. It judges boards of every earlier version too.
const RulesVersion = 5

// A ruleset is what one version of the rules has that the version before it
// lacks. Fields of moves and documents say their versions themselves, in the
// tag: since=2 exists from version 2 on, until=1 up to version 1. A guard whose
// judgement differs asks [content.HasRules].
type ruleset struct {
	changes   []string      // what changes for people, a sentence each
	acts      []Act         // new ones
	folders   []Folder      // new ones
	anomalies []AnomalyType // new ones
	rights    []string      // new ones of principals
	patterns  []string      // new ones of the circuit breaker
	// upgrade writes what a board must have under this version. It runs when a
	// board is migrated, and when one is made. nil writes nothing.
	upgrade func(*effect)
}

// rulesets are all versions of the rules: the first entry is version 1.
var rulesets = []ruleset{
	{changes: []string{"the first version"}},
	{
		changes: []string{
			"A merge that would bring a text to a tracked path that nobody judged is refused.",
			"A task whose spec names a heading must find that heading in the spec.",
			"git liza adopt --tasks refuses tasks whose work nobody approved; --accept approves it.",
			"git liza goal done says what becomes of open tasks.",
			"Agents take no tasks of goals that have ended; git liza goal reopen GOAL opens one again.",
			"No agent changes paths such as .env or *.pem, which the configuration lists as never.",
			"A person approves without git liza review first.",
			"The id of a new task is not that of an agent of a role, such as coder-7.",
		},
		acts:      []Act{ActAccept, ActRecheck, ActDismiss, ActRole, ActRequire, ActReopen, ActAnswer, ActTake, ActDismissRecord},
		folders:   []Folder{ReviewsDoc, RolesFolder, Tracked, Questions},
		anomalies: []AnomalyType{LimitReached},
		upgrade:   toRules2,
	},
	{
		changes: []string{
			"A task that waits for answers goes on when they are all given; git liza unblock lifts no question.",
			"git liza checkpoint decide acts at once: CONTINUE resumes, STOP stops, REPLAN and ADJUST_SPECS hold tasks back until the planner answers, PIVOT waits for a new goal.",
			"Supervisors close a sprint whose planned tasks are final, and open the next.",
			"Supervisors make a checkpoint when the deadline of a sprint is over.",
			"Supervisors complete a goal only with goal.auto.",
			"Work that needs a reverted task waits.",
			"The expired review of a person counts no missing verdict.",
			"The fourth rejection of a task, and the block of a task that replaces another, are recorded as anomalies.",
			"Supervisors trip the circuit breaker when anomalies form a pattern; git liza breaker shows which.",
		},
		acts:      []Act{ActLift, ActMark, ActDefer, ActFork},
		folders:   []Folder{PlannedDocs, MarkDocs},
		anomalies: []AnomalyType{ReviewChurn, ReplacementBlocked},
		rights:    []string{"vouch"},
		patterns: []string{"retry_cluster", "debt_accumulation", "assumption_cascade", "spec_gap_cluster", "workaround_pattern",
			"external_service_outage", "review_churn", "replacement_chain"},
		upgrade: toRules3,
	},
	{
		changes: []string{
			"A task says more: files, estimate, level, acceptance, steps, context, consumers, integration_test, verify_timeout, labels.",
			"A goal with a barrier holds back tasks of a level until the levels below passed.",
			"Gates run at a submission, a merge, a level or the end of a goal; one that could not run blames nobody.",
			"A claim that ends without result is tried again after a while, three times in all; then the task is BLOCKED.",
			"Where half of the claims of a goal fail, fewer are allowed at once.",
			"Three failures in a row with the same error trip the circuit breaker.",
			"A goal that a PIVOT decision is about waits for the new goal while the board runs for the others.",
		},
		acts:      []Act{ActLevel, ActSchedule, ActOutage},
		folders:   []Folder{Levels, OutagesDoc},
		anomalies: []AnomalyType{GateFailed, FailureStreak},
		patterns:  []string{"failure_streak"},
		upgrade:   toRules4,
	},
	{
		changes: []string{
			"A goal may have a workflow: its tasks belong to phases, and a phase ends when its artifacts are approved, its gates passed and its tasks final.",
			"An artifact is a file that a phase asks for: it is tracked, checked by the gate artifacts, and not changed once its type says that it is frozen.",
			"Supervisors lead goals to their next phase, unless a person says it.",
			"Planners and supervisors import the tasks of a plan that is approved.",
			"A file says how far it may be automated; agents leave alone what says that it is not for them.",
			"A loop bounds the claims, tokens, cost and time of a goal.",
			"Agents ask questions while they work on, and while they look for an answer.",
			"The roles architect, manager, researcher and spec-writer write artifacts.",
		},
		acts:    []Act{ActPhase, ActReload, ActClassify, ActAsk},
		folders: []Folder{Workflows},
		upgrade: toRules5,
	},
}

// Since is the first version of the rules that has the act.
func (a Act) Since() int {
	return firstRuleset(func(r ruleset) bool { return slices.Contains(r.acts, a) })
}

// Since is the first version of the rules that has the folder.
func (f Folder) Since() int {
	return firstRuleset(func(r ruleset) bool { return slices.Contains(r.folders, f) })
}

// Since is the first version of the rules that has the type of anomaly.
func (a AnomalyType) Since() int {
	return firstRuleset(func(r ruleset) bool { return slices.Contains(r.anomalies, a) })
}

// firstRuleset is the version that a ruleset with the property belongs to; what
// no ruleset lists exists since version 1.
func firstRuleset(has func(ruleset) bool) int { return max(1+slices.IndexFunc(rulesets, has), 1) }

// RulesChanges are the sentences that say what the versions after one, up to
// another, change for people.
func RulesChanges(after, to int) []string {
	var all []string
	for _, r := range rulesets[max(after, 0):min(to, len(rulesets))] {
		all = append(all, r.changes...)
	}
	return all
}

// HasRules reports whether the board is judged by the rules of a version, or of
// a later one.
func (c *content) HasRules(version int) bool { return c.Settings().Rules >= version }

// version refuses a board of rules that this program does not know, and acts
// that the rules of the board lack.
func (p *play) version() *Refusal {
	rules := judgedBy(p)
	switch since := p.move.Act.Since(); {
	case rules > RulesVersion:
		return refuse(RuleVersion, "git liza version", "the board has rules version %d, this program knows up to %d: install a newer git-liza", rules, RulesVersion)
	case rules == 0 && p.move.Act != ActInit:
		return refuse(RuleNotFound, "git liza init", "there is no blackboard")
	case since > max(rules, 1):
		return refuse(RuleVersion, "git liza migrate", "%s exists since rules version %d, the board has version %d", p.move.Act, since, rules)
	}
	return nil
}

// upgrade writes what the versions after one, up to another, add to the board.
func (p *effect) upgrade(after, to int) {
	for _, r := range rulesets[after:to] {
		if r.upgrade != nil {
			r.upgrade(p)
		}
	}
}

// MigrateMove takes a board to newer rules. Moves before it stay judged by the
// rules that they were made under.
type MigrateMove struct {
	To    int   `yaml:"to"`
	Texts texts `yaml:"texts,since=2"` // that open goals and tasks stand on
}

func (m *MigrateMove) subject() string { return "rules" }

func (m *MigrateMove) ask(_ Move, b *Board) Query {
	if b.HasRules(2) || m.To < 2 {
		return Query{}
	}
	used := b.trackedPaths().inUse()
	return Query{Texts: used.queries(slices.Sorted(maps.Keys(used)), maxTexts)}
}

func (m *MigrateMove) fill(p *play) { m.Texts = p.textCheck().entered() }

func (m *MigrateMove) check(p *play) *Refusal {
	if now := p.Settings().Rules; m.To <= now || m.To > RulesVersion {
		return refuse(RuleVersion, "git liza version", "the board has rules version %d, this program cannot take it to %d", now, m.To)
	}
	return p.textCheck().compare(m.Texts)
}

// already lets the second of two clones that migrate at once find its work
// done.
func (m *MigrateMove) already(p *play) bool { return p.Settings().Rules == m.To }

func (m *MigrateMove) apply(p *effect) {
	before := p.Settings().Rules
	p.change(func(s *Settings) { s.Rules = m.To })
	p.upgrade(before, m.To)
}

// checkKnown refuses a type of anomaly or a stage that a version of the rules does not know,
// and a role, or an agent of a role, although its text could be one. Version 1 has
// three roles.
func checkKnown(v reflect.Value, rules int) *Refusal {
	if v.Type() == reflect.TypeFor[AnomalyType]() && AnomalyType(v.Uint()).Since() > max(rules, 1) {
		kind := AnomalyType(v.Uint())
		return refuse(RuleVersion, "git liza migrate", "%s exists since rules version %d, the board has version %d", kind, kind.Since(), rules)
	}
	if v.Type() == reflect.TypeFor[Stage]() && Stage(v.Uint()) >= AtPhase && rules < 5 {
		return refuse(RuleVersion, "git liza migrate", "gates at a %s exist since rules version 5, the board has version %d", Stage(v.Uint()), rules)
	}
	if rules != 1 || v.Kind() != reflect.String {
		return nil
	}
	var role Role
	switch named := v.Interface().(type) {
	case Role:
		role = named
	case AgentID:
		role = named.Role()
	case Actor:
		role = named.Role()
	}
	if role == "" || slices.Contains(FirstRoles(), role) {
		return nil
	}
	return refuse(RuleVersion, "git liza migrate", "rules version 1 has no role %s, but %v", role, FirstRoles())
}
