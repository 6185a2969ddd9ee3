package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type migrateCommand struct {
	Yes    bool `help:"Migrate; without it, only show what changes."`
	Anyway bool `help:"Also while agents of older programs work."`
}

// Run shows what newer rules change, and takes the board to them. Programs that
// do not know these rules can do nothing with the board from then on.
func (c *migrateCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	rules := l.Board.Settings().Rules
	data := map[string]any{"rules": rules, "to": flow.RulesVersion, "changes": append([]string{}, flow.RulesChanges(rules, flow.RulesVersion)...)}
	if rules == flow.RulesVersion {
		return inv.answer("already", data, fmt.Sprintf("the board has rules version %d, the newest that this program knows", rules))
	}
	if err := l.findAgents(inv); err != nil {
		return err
	}
	m := migration{from: rules, old: l.OlderPrograms(flow.RulesVersion), judged: judgedTasks(l.Board, rules)}
	if !l.Board.HasRules(2) {
		m.leftOut = l.Board.LeftOutRoles()
	}
	lost, facts, err := c.findLost(inv, l)
	if err != nil {
		return err
	}
	m.lost = lost
	data["left_out"], data["lost"], data["judged"] = append([]flow.Role{}, m.leftOut...), append([]string{}, lost...), append([]flow.TaskID{}, m.judged...)
	if !c.Yes {
		m.due = c.findDue(inv, l, facts)
		data["closes"], data["opens"] = m.due.closes, m.due.opens
		return inv.answer("", data, m.text())
	}
	if len(m.old) > 0 && !c.Anyway {
		return olderPrograms(m.old, l.Board.Settings().Control.State)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActMigrate, "", &flow.MigrateMove{To: flow.RulesVersion})
	if err != nil {
		return err
	}
	c.warn(inv, lost)
	return inv.result(r, data, "the board has rules version %d", flow.RulesVersion)
}

// olderPrograms refuses to migrate under agents of older programs. On a board that is
// stopped there is nothing more to end: only a person knows whether they still run.
func olderPrograms(old []flow.AgentID, state flow.Control) *flow.Refusal {
	refusal := &flow.Refusal{Rule: flow.RuleVersion, Hint: "git liza stop",
		Reason: fmt.Sprintf("%s may run a program that does not know rules version %d, and could do nothing any more", view.JoinIDs(old), flow.RulesVersion)}
	if state.IsStopped() {
		refusal.Reason += "; the board is stopped: migrate if no such program runs any more"
		refusal.Hint = "git liza migrate --yes --anyway"
	}
	return refusal
}

// findLost returns the specs of open goals and tasks that integration does not have: a
// path without a file, or PATH#ANCHOR without the heading. facts are the answers of git
// by which the migration is judged.
func (c *migrateCommand) findLost(inv *invocation, l look) (lost []string, facts flow.Facts, err error) {
	query := l.Board.Ask(flow.Move{Act: flow.ActMigrate, Detail: &flow.MigrateMove{To: flow.RulesVersion}})
	facts, err = l.Store.Commits.Facts(inv.ctx, query)
	for _, asked := range query.Texts {
		text := facts.Texts[asked.Path]
		if text.Blob == "" {
			lost = append(lost, asked.Path)
			continue
		}
		for _, section := range text.Sections {
			if section.Hash == "" {
				lost = append(lost, asked.Path+"#"+section.Anchor)
			}
		}
	}
	return lost, facts, err
}

// dueSprints are the sprints that supervisors close and open as soon as a board is
// migrated and runs.
type dueSprints struct {
	closes, opens []flow.SprintID
	text          string
}

// findDue applies the migration in memory. It finds nothing if this person may not
// migrate, or if a board that does not run could not be resumed.
func (c *migrateCommand) findDue(inv *invocation, l look, facts flow.Facts) dueSprints {
	due := dueSprints{closes: []flow.SprintID{}, opens: []flow.SprintID{}}
	b := l.Board
	by, _, err := inv.actor(l.Repo)
	if err != nil {
		return due
	}
	principal, err := work.PrincipalOf(inv.ctx, l.Repo, by)
	if err != nil {
		return due
	}
	moves := []flow.Move{{Act: flow.ActMigrate, Detail: &flow.MigrateMove{To: flow.RulesVersion}}}
	if !b.Settings().Control.State.IsRunning() {
		moves = append(moves, flow.Move{Act: flow.ActResume, Detail: &flow.ResumeMove{Reason: "preview"}})
	}
	for _, m := range moves {
		m.By, m.Principal, m.At, m.Request = by, principal, b.At(), "0000000000000000"
		after, err := b.Apply(b.Fill(m, &facts), nil)
		if err != nil {
			return due
		}
		b = after
	}
	for _, m := range flow.DueMoves(b, inv.now()) {
		switch d := m.Detail.(type) {
		case *flow.SprintCloseMove:
			planned, final := flow.PlannedTasks(b, b.Sprint(d.Sprint))
			due.closes = append(due.closes, d.Sprint)
			due.text += fmt.Sprintf("supervisors will close: %s (%d of %d planned final)\n", d.Sprint, final, planned)
		case *flow.SprintStartMove:
			due.opens = append(due.opens, d.Sprint)
			due.text += fmt.Sprintf("supervisors will open: %s of %s\n", d.Sprint, m.Goal)
		}
	}
	return due
}

// judgedTasks returns the tasks whose reviews and verdicts name no texts, because the rules
// of the board did not ask for them.
func judgedTasks(b *flow.Board, rules int) (ids []flow.TaskID) {
	for _, s := range b.Tasks() {
		if rules >= 2 || s.Status.Final() {
			continue
		}
		if t := b.Task(s.ID); t != nil && slices.ContainsFunc(t.Judgements, func(j flow.Judgement) bool { return j.Review != nil || j.Verdict != nil }) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// warn says which specs are not as the new rules want them.
func (c *migrateCommand) warn(inv *invocation, lost []string) {
	for _, spec := range lost {
		inv.progress("warning: integration has no %s, which goals or tasks stand on: git liza task edit ID --spec SPEC", spec)
	}
}

// A migration is what a person reads before a board is taken to newer rules.
type migration struct {
	from    int            // version of the rules now
	old     []flow.AgentID // that may run older programs
	leftOut []flow.Role    // that a task is named like
	lost    []string       // specs that integration does not have
	judged  []flow.TaskID  // of which the judgements name no texts
	due     dueSprints
}

// text describes for people what the migration would change.
func (m migration) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "the board has rules version %d; version %d changes:\n", m.from, flow.RulesVersion)
	for _, line := range flow.RulesChanges(m.from, flow.RulesVersion) {
		text.WriteString("  " + line + "\n")
	}
	if len(m.leftOut) > 0 {
		text.WriteString("roles that are left out, because a task is named as an agent of theirs would be: " + view.JoinRoles(m.leftOut) + "\n")
	}
	if len(m.lost) > 0 {
		text.WriteString("specs that integration does not have, or not with that heading: " + strings.Join(m.lost, ", ") + "\n")
	}
	if len(m.judged) > 0 {
		text.WriteString("approved or under review: " + view.JoinIDs(m.judged) +
			"; these reviews and verdicts name no texts, and hold whatever becomes of the specs\n")
	}
	text.WriteString(m.due.text)
	text.WriteString("programs that do not know these rules can do nothing with the board afterwards, and there is no way back\n")
	if len(m.old) > 0 {
		text.WriteString("may run such a program: " + view.JoinIDs(m.old) + "\n")
	}
	return text.String() + "to migrate: git liza migrate --yes"
}
