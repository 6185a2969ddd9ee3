package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// picture returns the picture of the board for the person of this invocation, with what
// find finds of the machine.
func (l *look) picture(inv *invocation, find func(*look, *invocation, *view.Picture) error) (*view.Picture, error) {
	if err := l.findPerson(inv); err != nil {
		return nil, err
	}
	p := view.NewPicture(l.reading)
	if err := find(l, inv, p); err != nil {
		return nil, err
	}
	p.SetLocal(l.reading.Local)
	return p, nil
}

// findLocal collects what this clone and its machine know beside the board that a picture
// is of.
func (l *look) findLocal(inv *invocation, p *view.Picture) error {
	err := l.findNeeds(inv, p)
	if err != nil {
		return err
	}
	known := &l.reading.Local
	if known.Uncounted, err = l.uncountedOfGoal(inv.ctx); err != nil {
		return err
	}
	by, _, err := inv.actor(l.clone.Repo)
	if err != nil {
		by = ""
	}
	known.Identity, known.Active = l.reading.IdentityOf(by), work.ReadActive(l.clone)
	if known.Remote, err = l.remote(inv); err != nil {
		return err
	}
	known.Confined = confine.Line(inv.ctx, &l.clone.Repo.Config.Configuration, inv.environ)
	installed, err := stubs.Examine(inv.ctx, l.clone.Repo)
	if found := hooksFinding(installed, err, l.clone.Repo.MainWorkTree() == ""); found.State != "ok" || !installed.Guards() {
		known.Hooks = found.Text
	}
	return nil
}

// findNeeds collects what the inbox shows of this clone and its machine. p is the picture
// of the board.
func (l *look) findNeeds(inv *invocation, p *view.Picture) error {
	err := l.findAgents(inv)
	if err != nil {
		return err
	}
	known := &l.reading.Local
	if known.Breach, err = l.breach(inv); err != nil {
		return err
	}
	l.findDeclined()
	known.Repair = hints{inv}.adapt(work.RepairBoard)
	known.Snoozed = readSnoozes(l.clone.Repo)
	for _, find := range []func(*invocation, *view.Picture) error{l.findUntrusted, l.findPaused, l.findUnmet, l.findConflicts, l.findDisplaced, l.findOverBounds} {
		if err := find(inv, p); err != nil {
			return err
		}
	}
	for _, f := range l.clone.Doctor.Disk() {
		if f.State == "fail" {
			known.Needs = append(known.Needs, view.Need{Kind: "outage", Subject: "disk", Text: "no agent can work here, the disk is full: " + f.Text, Command: f.Hint})
		}
	}
	if known.Breach == nil && p.CanTake() {
		known.Take = takeCommand(inv, l.clone.Repo, l.reading.Board)
	}
	if (hints{inv}).agent() != "" {
		return nil
	}
	if ahead := l.clone.Integration.Ahead(inv.ctx, l.reading.Board); ahead != nil {
		known.Ahead = &view.Step{Command: ahead.Hint, Why: ahead.Text}
	}
	return nil
}

// findDisplaced finds an integration branch that is not where the board has it, so that nothing is
// merged. A merge may be under way: then the board moves too.
func (l *look) findDisplaced(inv *invocation, _ *view.Picture) error {
	want := l.reading.Board.Settings().Integration
	now, err := l.clone.Repo.Refs.Direct(inv.ctx, want.Ref())
	if err != nil || now == want.Tip || l.reading.Tip == "" {
		return nil //nolint:nilerr // doctor says it
	}
	if tip, err := l.clone.Store.Tip(inv.ctx); err != nil || tip != l.reading.Tip {
		return err
	}
	text := fmt.Sprintf("%s is at %s, the board has it at %s: nothing is merged", want.Name, cmp.Or(now.Short(), "nothing"), want.Tip.Short())
	if hint := l.clone.Store.Settler.StrayHint(inv.ctx, l.reading.Board, now); strings.HasPrefix(hint, "git liza adopt") {
		text += "; if it is yours: " + hint
	}
	l.reading.Local.Needs = append(l.reading.Local.Needs, view.Need{Kind: "displaced", Subject: want.Name, Text: text, Command: "git liza doctor --restore"})
	return nil
}

// findOverBounds finds the open tasks that have had all the sessions, or the minutes, that a rush
// of this clone gives a task.
func (l *look) findOverBounds(inv *invocation, p *view.Picture) error {
	choices := providerChoice{inv, &l.clone.Repo.Config.Configuration}
	bounds, err := readBounds(inv.ctx, choices.conf)
	if err != nil || bounds == (supervise.Bounds{}) && l.reading.Board.Settings().Config.Budgets == (board.Budgets{}) {
		return nil //nolint:nilerr // doctor says it
	}
	known, _ := choices.catalogue() // doctor says what is wrong with it; what the user set binds every program
	for s := range p.Tasks() {
		untouched := s.Changed.Equal(s.Created) && s.Retries == 0 && s.Coder == "" // times have whole seconds
		if untouched || !flow.Allows(s.Status, board.ActClaim) || l.reading.Board.Role(s.Role) == nil {
			continue
		}
		runs := provider.Provider{}
		if chosen, err := choices.forRole(l.reading.Board.Role(s.Role), ""); err == nil {
			runs, _ = chosen.find(known, "")
		}
		if over := bounds.CheckTask(l.reading.Board, l.reading.Board.Task(s.ID), runs); over != nil {
			l.reading.Local.Needs = append(l.reading.Local.Needs, view.Need{Kind: "budget", Subject: string(s.ID), Text: over.Reason, Command: over.Hint, Since: s.Changed})
		}
	}
	return nil
}

// findDeclined finds what the remote declined last, a merge as long as it is to be made.
func (l *look) findDeclined() {
	d := gitstore.ReadDeclined(l.clone.Repo)
	if d == nil {
		return
	}
	need := view.Need{Kind: "declined", Subject: d.Move, Text: d.Move + " is not made: " + d.Said, Command: "git remote -v", Since: d.At}
	if d.Task != "" {
		t := l.reading.Board.Task(d.Task)
		if t == nil || !flow.Allows(t.Status, board.ActMerge) || flow.Barred(l.reading.Board, d.Task) != nil {
			return
		}
		need.Subject, need.Text, need.Command = string(d.Task), string(d.Task)+" is approved and not merged: "+d.Said, cmp.Or(d.Hint, "git liza merge "+string(d.Task))
	}
	l.reading.Local.Needs = append(l.reading.Local.Needs, need)
}

// findReasons finds what this machine knows of the reasons why one task waits, and
// who asks.
func (l *look) findReasons(inv *invocation, t *board.Task) error {
	if err := l.findPerson(inv); err != nil {
		return err
	}
	if err := l.findAgents(inv); err != nil {
		return err
	}
	l.reading.Local.Untrusted = map[board.TaskID]view.Step{}
	if t.Verify == "" || t.Status.Final() {
		return nil
	}
	var refusal *flow.Refusal
	err := l.clone.Trust.Check(inv.ctx, t.Verify)
	if errors.As(err, &refusal) {
		l.reading.Local.Untrusted[t.ID] = view.Step{Command: refusal.Hint, Why: refusal.Reason}
		return nil
	}
	return err
}

// findPerson sets whose inbox it is: the actor of this invocation; where a move would
// have to name its actor, the human of this machine.
func (l *look) findPerson(inv *invocation) error {
	by, g, err := inv.actor(l.clone.Repo)
	if err != nil {
		if by, err = person(inv, l.clone.Repo); errors.Is(err, git.ErrNoIdentity) {
			by = board.Human("")
		} else if err != nil {
			return err
		}
		g = ""
	}
	principal, err := work.PrincipalOf(inv.ctx, l.clone.Repo, by)
	l.reading.Person = flow.Caller{By: by, Principal: principal, Generation: g}
	return err
}

// checkPerson refuses a process of an agent's session that reads the person's inbox: what
// a clone remembers of it is the person's alone.
func (l look) checkPerson() error {
	return work.CheckActor(l.clone.Repo, l.reading.Board.Settings().Board, l.reading.Person.By, l.reading.Person.Generation)
}

// findPaused finds what is paused in this clone: all claims, by a file, and providers.
func (l *look) findPaused(inv *invocation, _ *view.Picture) error {
	if held := work.CheckPause(inv.ctx, l.clone.Repo); held != nil {
		l.reading.Local.Needs = append(l.reading.Local.Needs, view.Need{Kind: "control", Subject: "board", Text: held.Reason, Command: held.Hint})
	}
	list, err := provider.AllPaused(l.clone.Repo.CommonDir(), inv.now())
	if err != nil || len(list) == 0 {
		return err
	}
	known, err := providerChoice{inv, &l.clone.Repo.Config.Configuration}.catalogue()
	if err != nil {
		return err
	}
	for _, p := range list {
		command := "git liza providers resume " + shell.Quote(p.Provider)
		if row := known.FindRow(p.Provider); row != nil && p.Kind == provider.Login && row.LoginCommand() != "" {
			command = row.LoginCommand() + " && " + command
		}
		l.reading.Local.Needs = append(l.reading.Local.Needs, view.Need{Kind: "paused", Subject: p.Provider, Text: p.Provider + " is paused, " + p.String(), Command: command, Since: p.Since})
	}
	return nil
}

// findUnmet finds the roles whose verdict a rule asks for, that nobody here can give:
// no agent of it is registered or can be started, and no person's verdict counts.
func (l *look) findUnmet(inv *invocation, p *view.Picture) error {
	said := map[board.Role]bool{}
	for _, rule := range l.reading.Board.ReviewRules() {
		row := l.reading.Board.Role(rule.Role)
		if row == nil || !row.NotHuman || said[rule.Role] || len(view.RoleOf(l.reading.Board, row, roles.IsBuiltin).Agents) > 0 {
			continue
		}
		said[rule.Role] = true
		why, err := missingProvider(inv, l.clone, row)
		if err != nil {
			return err
		}
		need := view.Need{Kind: "role", Subject: rule.Role.String(), Command: "git config liza." + rule.Role.String() + ".provider NAME"}
		if why == "" && row.Provider == "gates" && len(l.reading.Board.Settings().Config.Gates) == 0 && !p.Verifies() {
			why, need.Command = "the board has no gates and no task has a verify command", "git liza help config"
		}
		if why == "" {
			continue
		}
		need.Text = fmt.Sprintf("%s, and no person's verdict counts for it: %s", view.RuleText(rule), why)
		l.reading.Local.Needs = append(l.reading.Local.Needs, need)
	}
	return nil
}

// findAgents reads the presences of agents, and finds the supervisors that died
// on this machine.
func (l *look) findAgents(inv *invocation) (err error) {
	l.reading.Local.Dead = map[board.AgentID]int{}
	for _, a := range board.All[*board.Agent](l.reading.Board, board.Agents) {
		if pid := work.DeadSupervisor(l.clone.Repo, a.Generation); pid != 0 {
			l.reading.Local.Dead[a.ID] = pid
		}
	}
	l.reading.Local.Presences, err = l.clone.Store.Presences.List(inv.ctx, l.reading.Board)
	return err
}

// findUntrusted finds the tasks that wait because their verify command is not
// allowed on this machine, and the other commands of the board that are not.
func (l *look) findUntrusted(inv *invocation, p *view.Picture) error {
	verifying := p.Verifying()
	shared, err := l.clone.Trust.SharedCommands(inv.ctx, l.reading.Board)
	if err != nil || len(verifying)+len(shared) == 0 {
		return err
	}
	allowed, err := l.clone.Trust.Allowed(inv.ctx)
	if err != nil {
		return err
	}
	l.judgeCommands(allowed, shared, verifying)
	return nil
}

// judgeCommands finds the commands that are not among the allowed ones.
func (l *look) judgeCommands(allowed work.Allowed, shared []work.BoardCommand, verifying []*board.Summary) {
	var refusal *flow.Refusal
	l.reading.Local.Commands = nil
	for _, one := range shared {
		if errors.As(allowed.Check(one.Command), &refusal) {
			step := view.Step{Command: refusal.Hint, Why: one.Where + ": " + refusal.Reason}
			l.reading.Local.Commands = append(l.reading.Local.Commands, view.Untrusted{Where: one.Where, Step: step})
		}
	}
	l.reading.Local.Untrusted = map[board.TaskID]view.Step{}
	for _, t := range verifying {
		if errors.As(allowed.Check(t.Verify), &refusal) {
			l.reading.Local.Untrusted[t.ID] = view.Step{Command: refusal.Hint, Why: string(t.ID) + ": " + refusal.Reason}
		}
	}
}

// remote returns the remote that holds the board, and whether this clone is
// in sync with it.
func (l look) remote(inv *invocation) (view.Remote, error) {
	name, err := l.clone.Store.Authority(inv.ctx)
	if name == "" {
		return view.Remote{}, err
	}
	err = l.clone.Store.Mirror.CheckDiverged(inv.ctx)
	parted := errors.Is(err, gitstore.ErrDiverged)
	if parted {
		err = nil
	}
	return view.RemoteOf(name, l.clone.Repo.Reached(), parted), err
}
