package main

import (
	"github.com/git-liza/git-liza/flow"
)

type adoptCommand struct {
	Commit string        `arg:"" help:"A commit that has the integration tip behind it."`
	Reason string        `required:"" help:"Why."`
	Tasks  []flow.TaskID `placeholder:"ID" help:"Tasks whose submission it contains; they become MERGED."`
}

func (c *adoptCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	// The commit to adopt may be the remote's integration.
	if _, err := clone.Fresh(inv.ctx); err != nil {
		return err
	}
	commit, err := clone.Repo.ParseCommit(inv.ctx, c.Commit)
	if err != nil {
		return err
	}
	r, err := clone.Integration.Adopt(inv.ctx, commit, c.Reason, c.Tasks)
	if err != nil {
		return err
	}
	name := r.After.Settings().Integration.Name
	return inv.result(r, map[string]any{"commit": commit, "integration": name, "tasks": append([]flow.TaskID{}, c.Tasks...)}, "%s follows %s", name, commit.Short())
}
