package main

import (
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

type recordCommands struct {
	Discovery  discoverCommand   `cmd:"" help:"Work or a risk that was found beside a task."`
	Anomaly    anomalyCommand    `cmd:"" help:"Something that went against the plan."`
	Alignment  alignCommand      `cmd:"" help:"Where things stand against the goal's original intent."`
	SpecChange specChangeCommand `cmd:"" help:"That a spec changed, and what caused it."`

	List    recordListCommand    `cmd:"" default:"withargs" help:"Questions, discoveries, anomalies and notes that are open; the default."`
	Defer   deferCommand         `cmd:"" help:"Put a discovery off until a later time."`
	Dismiss recordDismissCommand `cmd:"" help:"Take an anomaly, a discovery or a note off the prompts."`
}

// record makes a move that writes one small document and prints its id.
func (inv *invocation) record(act flow.Act, folder flow.Folder, detail flow.Detail) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, act, "", detail)
	if err != nil {
		return err
	}
	id := writtenID(r, folder)
	return inv.result(r, map[string]any{"record": id}, "%s %s", act, id)
}

// writtenID returns the id of the document that a move wrote to a folder.
func writtenID(r gitstore.Result, folder flow.Folder) string {
	if edit := lists.Find(r.After.Changes(), func(e flow.Edit) bool { return e.Key.Folder == folder }); edit != nil {
		return edit.Key.ID
	}
	return ""
}
