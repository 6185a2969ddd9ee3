package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// preflight looks for what would keep the supervisors from their work. programs are those
// of their agents.
func (v *supervisors) preflight(programs []supervise.Program) ([]work.Finding, error) {
	found := append(v.rush.Clone.Doctor.Preflight(v.ctx, v.board), v.besides()...)
	state := "fail"
	if slices.ContainsFunc(programs, func(p supervise.Program) bool { return p.Unfit == (supervise.Unfit{}) }) {
		state = "warn"
	}
	for _, p := range programs {
		found = append(found, v.examineProgram(p, state))
		if paused := provider.Paused(v.rush.Clone.Repo.CommonDir(), p.Name, v.now()); paused != nil {
			found = append(found, work.Finding{Check: "provider", State: "warn", Text: p.Name + " is paused, " + paused.String(), Hint: "git liza providers resume " + p.Name})
		}
	}
	for i := range found {
		found[i].Hint = hints{v.invocation}.adapt(found[i].Hint)
	}
	return found, v.ctx.Err()
}

// besides says of a rush which agents other processes of this clone supervise, if any: its
// own agents come on top of them.
func (v *supervisors) besides() (found []work.Finding) {
	others := slices.DeleteFunc(slices.Clone(v.board.IDs(board.Agents)), func(id string) bool {
		a := v.board.Agent(board.AgentID(id))
		return a == nil || !work.Supervised(v.rush.Clone.Repo, a.Generation)
	})
	if v.isRush && len(others) > 0 {
		found = append(found, work.Finding{Check: "rush", State: "warn", Text: "agents run in this clone already, and these come on top: " + view.JoinIDs(others), Hint: "git liza agents"})
	}
	return found
}

// examineProgram returns the finding about the program of some agents, or about what runs
// their containers. state is that of one that cannot be used.
func (v *supervisors) examineProgram(p supervise.Program, state string) work.Finding {
	f, well := work.Finding{Check: "launcher", State: "ok", Text: fmt.Sprintf("%s (%s): in containers of %s, image %s", p.Name, view.JoinIDs(p.Roles), p.Launcher.Engine, p.Launcher.Image)}, false
	if !p.Launcher.Contains() {
		f, well = programFinding(p.Found, p.Roles, v.environ)
	}
	if why := p.Unfit; why != (supervise.Unfit{}) {
		f.State, f.Text, f.Hint = state, why.Reason, cmp.Or(why.Hint, why.Override, "git liza providers")
	} else if well {
		f.Text = strings.TrimSuffix(f.Text+p.Reported, ": ")
	}
	return f
}

// findingOf is the finding of an error that keeps supervisors from beginning.
func (v *supervisors) findingOf(check string, err error) work.Finding {
	f := hints{v.invocation}.explain(err)
	return work.Finding{Check: check, State: "fail", Text: f.reason, Hint: f.hint}
}

// preflightText lists what is not well, after the names of what is.
func preflightText(found []work.Finding, width int) string {
	var well []string
	var rest []work.Finding
	for _, f := range found {
		switch {
		case f.State != "ok":
			rest = append(rest, f)
		case !slices.Contains(well, f.Check):
			well = append(well, f.Check)
		}
	}
	text, _ := doctorText(rest, nil, width)
	if len(well) > 0 {
		text = view.Wrapped("ok    "+strings.Join(well, ", "), width) + text
	}
	return text
}

// preflightFailure is the error of a preflight that found what stops the supervisors, nil
// if nothing does.
func preflightFailure(found []work.Finding, data map[string]any) error {
	_, failed := doctorText(found, nil, 0)
	if failed == 0 {
		return nil
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleDoctor, hint: firstHint(found),
		reason: fmt.Sprintf("no agent could do its work here: %s", view.Count(failed, "finding"))}, data}
}

// passPreflight refuses to begin where no work could be done, and prints what else is not
// well.
func (v *supervisors) passPreflight(programs []supervise.Program) error {
	if v.rush.Clone.Checkouts.Trees == nil {
		return worktrees.ErrNoWorkTree
	}
	found, err := v.preflight(programs)
	if err != nil {
		return err
	}
	bad := slices.DeleteFunc(slices.Clone(found), func(f work.Finding) bool { return f.State == "ok" })
	if text, _ := doctorText(bad, nil, v.width()); !v.json {
		_ = v.answer("", nil, text)
	}
	return preflightFailure(found, map[string]any{"preflight": found})
}

// dryRun prints the preflight and what a rush would begin with. It changes nothing. wrong
// are the slots' own errors.
func (v *supervisors) dryRun(slots []supervise.Slot, wrong []work.Finding) error {
	chosen := slices.DeleteFunc(slices.Clone(slots), func(s supervise.Slot) bool { return s.Provider.Name == "" })
	found, err := v.preflight(v.rush.Programs(v.ctx, v.board, chosen))
	if err != nil {
		return err
	}
	found = append(found, wrong...)
	if err := v.checkPlaybook(slots); err != nil {
		found = append(found, v.findingOf("playbook", err))
	}
	schedule, err := v.schedule(slots)
	if err != nil {
		return err
	}
	data := map[string]any{"preflight": found, "schedule": schedule}
	failure := preflightFailure(found, data)
	if failure == nil || !v.json {
		err = v.answer("", data, preflightText(found, v.width())+schedule.Text(v.width())+"\nnothing was begun\n")
	}
	return errors.Join(failure, err)
}

// schedule is what a rush would begin with, for people.
func (v *supervisors) schedule(slots []supervise.Slot) (*view.DryRun, error) {
	first, err := supervise.RunDry(v.ctx, v.rush, slots)
	if err != nil {
		return nil, err
	}
	f := &view.DryRun{Agents: []view.FirstStep{}, Merges: append([]board.TaskID{}, first.Merges...), Goals: []view.GoalDryRun{}, Budgets: []string{}}
	coders := 0
	for _, step := range first.Steps {
		one := view.FirstStep{Agent: step.Agent, Provider: step.Slot.Provider.Name, Does: step.Does, Task: step.Task, Why: step.Why, Command: hints{v.invocation}.adapt(step.Hint)}
		if t := v.board.Task(step.Task); t != nil {
			one.Title = t.Title
		}
		if row := v.board.Role(step.Slot.Role); row != nil && row.Capacity == board.Does {
			coders++
		}
		f.Agents = append(f.Agents, one)
	}
	for _, g := range v.board.GoalsInProgress() {
		if v.rush.Goal != "" && g.ID != v.rush.Goal {
			continue
		}
		f.Goals = append(f.Goals, view.GoalDryRunOf(v.board, g.ID, coders))
	}
	l := lookOf(v.rush.Clone, first.Board, "")
	l.reading.Board = first.Board
	if err := l.findPerson(v.invocation); err != nil {
		return nil, err
	}
	p := view.NewPicture(l.reading)
	if err := l.findUntrusted(v.invocation, p); err != nil {
		return nil, err
	}
	f.SetBoard(l.reading, v.rush.Goal)
	f.Budgets = append(f.Budgets, supervise.UnboundLines(v.board, v.rush.Bounds, slots)...)
	return f, cmp.Or(v.board.Err(), first.Board.Err())
}
