package main

import (
	"cmp"
	"errors"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// findLocal collects what this clone and its machine know beside the board.
// tasks are the board's.
func (l *look) findLocal(inv *invocation, tasks []flow.Summary) error {
	err := l.findAgents(inv)
	if err != nil {
		return err
	}
	known := &l.Local
	if goal := l.Board.Goal(cmp.Or(l.About, l.Board.Settings().Goal)); goal != nil && goal.Usage.Sessions > 0 {
		if known.Uncounted, err = l.uncounted(inv.ctx, flow.ActGoal, goal.ID, goal.Created, goal.Ended); err != nil {
			return err
		}
	}
	if known.Breach, err = l.breach(inv); err != nil {
		return err
	}
	known.Repair = hints{inv}.adapt(work.RepairBoard)
	by, _, err := inv.actor(l.Repo)
	if err != nil {
		by = ""
	}
	known.Identity = l.IdentityOf(by)
	if known.Remote, err = l.remote(inv); err != nil {
		return err
	}
	installed, err := stubs.Examine(inv.ctx, l.Repo)
	if found := hooksFinding(installed, err, l.Repo.MainWorkTree() == ""); found.State != "ok" || !installed.Guards() {
		known.Hooks = found.Text
	}
	if err := l.findUntrusted(inv, tasks); err != nil {
		return err
	}
	if known.Breach == nil && l.GoalReached(tasks) {
		known.Take = takeCommand(inv, l.Repo, l.Board)
	}
	if ahead := l.Integration.Ahead(inv.ctx, l.Board); ahead != nil && (hints{inv}).agent() == "" {
		known.Ahead = &view.Step{Command: ahead.Hint, Why: ahead.Text}
	}
	return nil
}

// findAgents reads the presences of agents, and finds the supervisors that died
// on this machine.
func (l *look) findAgents(inv *invocation) (err error) {
	l.Local.Dead = map[flow.AgentID]int{}
	for _, id := range l.Board.IDs(flow.Agents) {
		a := l.Board.Agent(flow.AgentID(id))
		if a == nil {
			continue
		}
		if pid := work.DeadSupervisor(l.Repo, a.Generation); pid != 0 {
			l.Local.Dead[a.ID] = pid
		}
	}
	l.Local.Presences, err = l.Store.Presences.List(inv.ctx, l.Board)
	return err
}

// findUntrusted finds the tasks that wait because their verify command is not
// allowed on this machine.
func (l *look) findUntrusted(inv *invocation, tasks []flow.Summary) error {
	untrusted := map[flow.TaskID]view.Step{}
	verifying := l.Verifying(tasks)
	if len(verifying) == 0 {
		return nil
	}
	allowed, err := l.Trust.Allowed(inv.ctx)
	if err != nil {
		return err
	}
	for _, t := range verifying {
		var refusal *flow.Refusal
		if errors.As(allowed.Check(t.Verify), &refusal) {
			untrusted[t.ID] = view.Step{Command: refusal.Hint, Why: string(t.ID) + ": " + refusal.Reason}
		}
	}
	l.Local.Untrusted = untrusted
	return nil
}

// remote returns the remote that holds the board, and whether this clone is
// in sync with it.
func (l look) remote(inv *invocation) (view.Remote, error) {
	name, err := l.Store.Authority(inv.ctx)
	if name == "" {
		return view.Remote{}, err
	}
	err = l.Store.Mirror.CheckDiverged(inv.ctx)
	parted := errors.Is(err, gitstore.ErrDiverged)
	if parted {
		err = nil
	}
	return view.RemoteOf(name, l.Repo.Reached(), parted), err
}
