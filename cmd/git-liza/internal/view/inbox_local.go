package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

// addTexts adds the texts that goals and tasks stand on and that nobody judged. The
// first text at a path that a person brought needs no second look.
func (c *collector) addTexts() {
	wanted := map[string]string{} // by the exit of a phase
	for _, id := range c.goals {
		for _, a := range board.ArtifactsOf(c.Board, id, c.Board.Goal(id).Phase) {
			for _, doc := range a.Files {
				wanted[doc.Path] = fmt.Sprintf("the phase %s of %s waits for a verdict on %s", a.Phase, id, doc.Path)
			}
		}
	}
	judged := func(doc *board.TrackedPath) bool {
		return doc.Blob == "" || doc.Approved() || doc.By.IsHuman() && doc.Was == "" && wanted[doc.Path] == ""
	}
	// Who stands on a text is found by reading all tasks.
	if !slices.ContainsFunc(c.Board.IDs(board.Tracked), func(id string) bool {
		doc, ok := c.Board.Load(board.Key{Folder: board.Tracked, ID: id}).(*board.TrackedPath)
		return ok && !judged(doc)
	}) {
		return
	}
	for _, a := range Artifacts(c.Board) {
		if judged(&a.TrackedPath) || len(a.Needs) == 0 || c.agentsAloneJudge(a) {
			continue
		}
		c.add(Item{Kind: "text", Subject: a.Path, Text: cmp.Or(wanted[a.Path], fmt.Sprintf("nobody has judged %s, which %s stands on", a.Path, a.users())),
			Command: "git liza artifact accept " + shell.Quote(a.Path), since: a.At, moment: string(a.Blob), act: board.ActAccept})
	}
}

// agentsAloneJudge reports whether a text needs the verdict of a role that takes no
// person's word.
func (c *collector) agentsAloneJudge(a Artifact) bool {
	return slices.ContainsFunc(a.Needs, func(role board.Role) bool {
		row := c.Board.Role(role)
		return row != nil && row.NotHuman
	})
}

// lacksMerged says that integration is ahead of the branch that people work on.
const lacksMerged = "your branch lacks what was merged"

// addLocal adds what this machine needs.
func (c *collector) addLocal() {
	c.addReleases()
	c.addTrust()
	c.addPlanners()
	for _, n := range c.Local.Needs {
		c.add(Item{Kind: n.Kind, Subject: n.Subject, Text: n.Text, Command: n.Command, since: n.Since, stops: n.Kind == "control"})
	}
	known := c.Local
	if known.Take != "" {
		i := Item{Kind: "behind", Subject: c.Board.Settings().Integration.Name, Text: lacksMerged, Command: known.Take}
		i.moment = string(c.Board.Settings().Integration.Tip)
		for t := range c.picture.rows.with(board.Status.IsMerged) {
			if t.Changed.After(i.since) {
				i.since = t.Changed
			}
		}
		c.add(i)
	}
	if known.Ahead != nil {
		c.add(Item{Kind: "ahead", Subject: c.Board.Settings().Integration.Name, Text: known.Ahead.Why, Command: known.Ahead.Command, moment: known.Ahead.Why, act: board.ActAdopt})
	}
}

// addReleases adds what agents of dead supervisors hold. A rush releases it too.
func (c *collector) addReleases() {
	if len(c.Local.Dead) == 0 {
		return
	}
	for _, t := range c.picture.rows.leased {
		release := "git liza release " + string(t.ID)
		if t.Lease.After(c.At) {
			c.addDead(t.Summary, release, t.Coder)
		}
		for _, j := range t.Judges {
			if len(t.Judges) > 1 {
				release = "git liza release " + string(t.ID) + " --role " + j.Role.String()
			}
			if j.Lease.After(c.At) {
				c.addDead(t.Summary, release, j.By)
			}
		}
	}
}

// addDead adds what an agent holds, if its supervisor is dead.
func (c *collector) addDead(t *board.Summary, release string, by board.Actor) {
	id := board.AgentID(by)
	pid := c.Local.Dead[id]
	if pid == 0 {
		return
	}
	c.add(Item{Kind: "dead", Subject: string(t.ID), Text: fmt.Sprintf("%s is held by %s, whose supervisor (process %d) is dead", t.ID, by, pid), Command: release,
		since: c.Local.Presences[id].At, moment: fmt.Sprint(pid), rule: flow.RuleHolder, act: board.ActRelease, task: t.ID})
}

// addTrust adds the commands of the board that nobody has allowed here.
func (c *collector) addTrust() {
	list := c.Local.Commands
	for _, t := range c.picture.rows.among(c.Local.Untrusted) {
		u := Untrusted{Where: string(t.ID), Step: c.Local.Untrusted[t.ID], Since: t.Changed}
		if !slices.ContainsFunc(list, func(known Untrusted) bool { return known.Step.Command == u.Step.Command }) {
			list = append(list, u)
		}
	}
	if len(list) == 0 {
		return
	}
	var where []string
	since := list[0].Since
	for _, u := range list {
		where = append(where, u.Where)
		if u.Since.Before(since) {
			since = u.Since
		}
	}
	i := Item{Kind: "trust", Subject: where[0], Text: list[0].Step.Why, Command: list[0].Step.Command, since: since, moment: strings.Join(where, ","), rule: flow.RuleTrust}
	if len(where) > 1 {
		i.Subject, i.Command = "commands", "git liza trust"
		i.Text = "nobody here has allowed the commands of " + joinFirst(where, mostUsers)
	}
	c.add(i)
}

// addPlanners adds the planners that have given up: each of their sessions on a
// trigger failed.
func (c *collector) addPlanners() {
	for _, id := range c.Board.IDs(board.Agents) {
		p, there := c.Local.Presences[board.AgentID(id)]
		if !there || p.Doing != gitstore.Failing || p.Silent(c.At) || len(c.triggers) == 0 {
			continue
		}
		c.add(Item{Kind: "planner", Subject: id, Text: fmt.Sprintf("%s has given up: %s", id, plaintext.Line(p.Note)), Command: answerTo(c.Reading, c.triggers[0]).Command, since: p.Since})
	}
}
