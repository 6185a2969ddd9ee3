package main

import (
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type adoptCommand struct {
	Commit  string        `arg:"" help:"A commit that has the integration tip behind it."`
	Reason  string        `required:"" help:"Why."`
	Tasks   []flow.TaskID `placeholder:"ID" help:"Tasks whose submission it contains; they become MERGED."`
	Reverts []flow.TaskID `placeholder:"ID" help:"Merged tasks that the commit takes back; what needs them waits."`
	Accept  bool          `help:"Approve what nobody has judged: these tasks, and the specs that it changes."`
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
	affected, err := clone.Integration.AffectedBy(inv.ctx, commit)
	if err != nil {
		return err
	}
	c.announce(inv, affected)
	r, err := clone.Integration.Adopt(inv.ctx, work.Adoption{Commit: commit, Reason: c.Reason, Tasks: c.Tasks, Reverts: c.Reverts, Accept: c.Accept})
	if err != nil {
		return err
	}
	name := r.After.Settings().Integration.Name
	data := map[string]any{"commit": commit, "integration": name, "tasks": append([]flow.TaskID{}, c.Tasks...), "reverts": append([]flow.TaskID{}, c.Reverts...), "affected": affected}
	line := name + " follows " + commit.Short()
	if len(c.Tasks) > 0 {
		line += "\nmerged: " + view.JoinIDs(c.Tasks)
	}
	if len(c.Reverts) > 0 {
		line += "\ntakes back: " + view.JoinIDs(c.Reverts)
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
	}
	return inv.result(r, data, "%s", line)
}

// accepted returns the paths of the texts for which an adoption gave the person's verdict,
// and the tasks.
func accepted(r gitstore.Result) (texts []string, tasks []flow.TaskID) {
	texts, tasks = []string{}, []flow.TaskID{}
	d := r.Move.Detail.(*flow.AdoptMove)
	for _, text := range d.Texts {
		if text.Blob != "" {
			texts = append(texts, text.Path)
		}
	}
	for _, id := range d.Tasks {
		for _, j := range r.After.Task(id).Judgements {
			if v := j.Verdict; v != nil && v.By == r.Move.By && v.At.Equal(r.Move.At) && !slices.Contains(tasks, id) {
				tasks = append(tasks, id)
			}
		}
	}
	return texts, tasks
}

// mostAffected bounds the lines about what an adoption changes.
const mostAffected = 20

// announce says for people, before the move, what it changes beside integration.
func (c *adoptCommand) announce(inv *invocation, affected work.Affected) {
	lines := []string{}
	for _, text := range affected.Gone {
		lines = append(lines, view.GoneText(git.Visible(text.Path), text.UsedBy))
	}
	for _, path := range affected.Approvals {
		gone := slices.ContainsFunc(affected.Gone, func(text work.GoneText) bool { return text.Path == path })
		if !c.Accept && !gone {
			lines = append(lines, "the approval of "+git.Visible(path)+" ends: git liza artifact accept gives it again")
		}
	}
	for _, id := range affected.Tasks {
		lines = append(lines, string(id)+" stands on a text that changes")
	}
	for i, line := range lines {
		if i == mostAffected {
			inv.progress("and %d more", len(lines)-i)
			return
		}
		inv.progress("%s", line)
	}
}
