package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type adoptCommand struct {
	Commit  string         `arg:"" optional:"" help:"A commit that has the integration tip behind it; default: what reached integration from outside."`
	Reason  string         `help:"Why; of a commit that is named it has to be said."`
	Tasks   []board.TaskID `placeholder:"ID" help:"Tasks whose submission it contains; they become MERGED."`
	Reverts []board.TaskID `placeholder:"ID" help:"Merged tasks that the commit takes back, beside those that its history says it reverts; what needs them waits."`
	Accept  bool           `help:"Approve what nobody has judged: these tasks, and the specs that it changes."`
}

func (c *adoptCommand) Run(inv *invocation, clone *work.Clone) error {
	b, err := clone.Fresh(inv.ctx) // the commit to adopt may be the remote's integration
	if err != nil {
		return err
	}
	commit, err := c.commit(inv, clone, b)
	if err != nil {
		return err
	}
	affected, err := clone.Integration.AffectedBy(inv.ctx, commit)
	if err != nil {
		return err
	}
	found, err := clone.Integration.FindReverts(inv.ctx, commit)
	if err != nil {
		return err
	}
	reverts, rows := c.reverts(inv, found)
	announce(inv, affected, c.Accept)
	r, err := clone.Integration.Adopt(inv.ctx, work.Adoption{Commit: commit, Reason: c.Reason, Tasks: c.Tasks, Reverts: reverts, Accept: c.Accept})
	if flow.IsRefused(err, flow.RuleState) && c.Commit == "" && areMerged(b, c.Tasks) {
		return inv.answer("already", map[string]any{"tasks": c.Tasks}, "merged already: "+view.JoinIDs(c.Tasks))
	}
	if err != nil {
		return err
	}
	subject, author, err := git.Heading(inv.ctx, clone.Repo, commit)
	if err != nil {
		return err
	}
	name := r.After.Settings().Integration.Name
	data := map[string]any{"commit": commit, "subject": subject, "author": author, "integration": name, "tasks": append([]board.TaskID{}, c.Tasks...), "reverts": rows, "affected": affected}
	line := fmt.Sprintf("%s follows %s: %s (%s)", name, commit.Short(), subject, author)
	if len(c.Tasks) > 0 {
		line += "\nmerged: " + view.JoinIDs(c.Tasks)
	}
	if len(reverts) > 0 {
		line += "\ntakes back: " + view.JoinIDs(reverts)
	}
	if c.Accept {
		texts, judged := accepted(r)
		data["accepted"], data["approved"] = texts, judged
		for _, text := range texts {
			line += "\naccepted: " + git.Visible(text)
		}
		if len(judged) > 0 {
			line += "\napproved by you: " + view.JoinIDs(judged)
		}
		tellFaults(inv, clone, r.After, texts, data)
	}
	return inv.result(r, data, "%s", line)
}

// commit returns the commit to adopt: the one that is named, else that to which integration
// was moved from outside.
func (c *adoptCommand) commit(inv *invocation, clone *work.Clone, b *board.Board) (git.ID, error) {
	if c.Commit != "" {
		return work.ParseCommit(inv.ctx, clone, c.Commit)
	}
	c.Reason = cmp.Or(c.Reason, "reached integration from outside")
	return clone.Integration.Outside(inv.ctx, b)
}

// areMerged reports whether there are tasks, and all of them were merged before.
func areMerged(b *board.Board, tasks []board.TaskID) bool {
	return len(tasks) > 0 && !slices.ContainsFunc(tasks, func(id board.TaskID) bool {
		t := b.Task(id)
		return t == nil || !t.Status.IsMerged()
	})
}

// reverts returns the tasks that the commit takes back, those that its history names and
// those that the caller names, with a row for each in JSON. It says for people what was
// found.
func (c *adoptCommand) reverts(inv *invocation, found []work.FoundRevert) (list []board.TaskID, rows []view.Object) {
	rows = []view.Object{}
	for _, one := range found {
		inv.progress("takes back %s (This reverts commit %s)", one.Task, one.Commit.Short())
		list, rows = append(list, one.Task), append(rows, view.Object{{Key: "id", Value: one.Task}, {Key: "found", Value: "commit"}})
	}
	for _, id := range c.Reverts {
		if !slices.ContainsFunc(found, func(one work.FoundRevert) bool { return one.Task == id }) {
			list, rows = append(list, id), append(rows, view.Object{{Key: "id", Value: id}, {Key: "found", Value: "named"}})
		}
	}
	return list, rows
}

// accepted returns the paths of the texts for which an adoption gave the person's verdict,
// and the tasks.
func accepted(r gitstore.Result) (texts []string, tasks []board.TaskID) {
	texts, tasks = []string{}, []board.TaskID{}
	d := r.Move.Detail.(*flow.AdoptMove)
	for _, text := range d.Texts {
		if text.Blob != "" {
			texts = append(texts, text.Path)
		}
	}
	judged := func(j board.Judgement) bool {
		return j.Verdict != nil && j.Verdict.By == r.Move.By && j.Verdict.At.Equal(r.Move.At)
	}
	for _, id := range d.Tasks {
		if slices.ContainsFunc(r.After.Task(id).Judgements, judged) {
			tasks = lists.Add(tasks, id)
		}
	}
	return texts, tasks
}

// mostAffected bounds the lines about what an adoption changes.
const mostAffected = 20

// announce says for people, before the move, what it changes beside integration.
func announce(inv *invocation, affected work.Affected, accept bool) {
	lines := lists.Of(affected.Gone, func(text work.GoneText) string { return view.GoneText(git.Visible(text.Path), text.UsedBy) })
	for _, path := range affected.Approvals {
		gone := slices.ContainsFunc(affected.Gone, func(text work.GoneText) bool { return text.Path == path })
		if !accept && !gone {
			lines = append(lines, "the approval of "+git.Visible(path)+" ends: git liza artifact accept gives it again")
		}
	}
	lines = append(lines, lists.Of(affected.Tasks, func(id board.TaskID) string { return string(id) + " stands on a text that changes" })...)
	for i, line := range lines {
		if i == mostAffected {
			inv.progress("and %d more", len(lines)-i)
			return
		}
		inv.progress("%s", line)
	}
}
