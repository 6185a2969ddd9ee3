package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

type editCommand struct {
	Doc  string `arg:"" help:"config, goal, sprint, or the id of a record such as sprint-1/3."`
	From string `placeholder:"FILE" help:"Take the text from a file instead of the editor, - for standard input."`

	usual flow.GoalID // of goal and sprint, "" for the current one
}

func (c *editCommand) Run(inv *invocation, clone *work.Clone, b *flow.Board) error {
	c.usual = clone.Usual
	if refusal := b.Opens(flow.ActAmend, "", clone.Caller, b.At()); refusal != nil {
		return refusal
	}
	old, err := c.canonical(b)
	if err != nil {
		return err
	}
	if c.From != "" {
		text, err := inv.readInput(c.From)
		if err != nil {
			return err
		}
		return c.amend(inv, clone, old, text)
	}
	return draft{
		command: "board edit", ending: ".yaml", text: old, again: "git liza board edit " + c.Doc + " --from",
		otherwise: "--from FILE takes the text from a file, - from standard input",
	}.edit(inv, clone.Repo, func(text []byte) error { return c.amend(inv, clone, old, text) })
}

// canonical returns the text of the document on the board.
func (c *editCommand) canonical(b *flow.Board) ([]byte, error) {
	doc, err := c.document(b)
	if err != nil {
		return nil, err
	}
	return document.EncodeAt(b.Settings().Format, doc)
}

// document finds the document that DOC names. It returns a pointer to a
// configuration, goal, sprint, anomaly, discovery or note.
func (c *editCommand) document(b *flow.Board) (any, error) {
	set := b.Settings()
	goal := cmp.Or(c.usual, set.Goal)
	switch c.Doc {
	case "config":
		return &set.Config, nil
	case "goal":
		if g := b.Goal(goal); g != nil {
			return g, nil
		}
	case "sprint":
		if p := b.Sprint(b.OpenSprint(goal)); p != nil {
			return p, nil
		}
		return nil, &flow.Refusal{Rule: flow.RuleSprint, Reason: "no sprint is open", Hint: "git liza sprint start"}
	}
	var id flow.RecordID
	if err := id.UnmarshalText([]byte(c.Doc)); err != nil {
		return nil, usagef("git liza help board edit", "%q is neither config, goal, sprint nor the id of a record", flow.Excerpt(c.Doc, 80))
	}
	for _, folder := range []flow.Folder{flow.Anomalies, flow.Discovered, flow.Notes} {
		if doc := b.Load(flow.Key{Folder: folder, ID: string(id)}); doc != nil {
			return doc, nil
		}
	}
	return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no record " + string(id), Hint: "git liza record list --all"}
}

// amend replaces the document by the edited text, unless the document has
// changed on the board meanwhile.
func (c *editCommand) amend(inv *invocation, clone *work.Clone, old, text []byte) error {
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	doc, err := c.document(b)
	if err != nil {
		return err
	}
	detail, now, err := c.decode(doc, text, b.Settings().Format)
	if err != nil {
		return err
	}
	if bytes.Equal(now, old) {
		return inv.answer("already", map[string]any{"document": c.Doc}, c.Doc+" is unchanged")
	}
	if detail.Config != nil {
		if err := clone.Trust.AllowOwn(inv.ctx, added(b.Settings().Config, *detail.Config)...); err != nil {
			return err
		}
	}
	r, err := clone.Move(inv.ctx, flow.ActAmend, "", func(b *flow.Board) (flow.Detail, error) {
		now, err := c.canonical(b)
		if err == nil && !bytes.Equal(now, old) {
			err = fmt.Errorf("%w: %s has been changed meanwhile", gitstore.ErrConflict, c.Doc)
		}
		return detail, err
	})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"document": c.Doc}, "%s amended", c.Doc)
}

// decode reads the text strictly, as a document of the same kind and id, in the
// form of a format. It also returns the canonical text.
func (c *editCommand) decode(doc any, text []byte, format int) (*flow.AmendMove, []byte, error) {
	m := new(flow.AmendMove)
	var target any
	var sameID func() bool
	switch old := doc.(type) {
	case *flow.Config:
		m.Config = new(flow.Config)
		target, sameID = m.Config, func() bool { return true }
	case *flow.Goal:
		m.Goal = new(flow.Goal)
		target, sameID = m.Goal, func() bool { return m.Goal.ID == old.ID }
	case *flow.Sprint:
		m.Sprint = new(flow.Sprint)
		target, sameID = m.Sprint, func() bool { return m.Sprint.ID == old.ID }
	case *flow.Anomaly:
		m.Anomaly = new(flow.Anomaly)
		target, sameID = m.Anomaly, func() bool { return m.Anomaly.ID == old.ID }
	case *flow.Discovery:
		m.Discovery = new(flow.Discovery)
		target, sameID = m.Discovery, func() bool { return m.Discovery.ID == old.ID }
	case *flow.Note:
		m.Note = new(flow.Note)
		target, sameID = m.Note, func() bool { return m.Note.ID == old.ID }
	}
	if err := document.DecodeAt(format, c.Doc, text, target); err != nil {
		return nil, nil, usagef("git liza board edit "+c.Doc, "%v", err)
	}
	if !sameID() {
		return nil, nil, usagef("git liza board edit "+c.Doc, "an id does not change")
	}
	now, err := document.EncodeAt(format, target)
	return m, now, err
}

// added returns the commands that the new configuration has and the old one
// lacks.
func added(old, now flow.Config) []string {
	commands := func(c flow.Config) []string {
		return append([]string{c.PostWorktree}, lists.Of(c.Gates, func(g flow.Gate) string { return g.Command })...)
	}
	known := commands(old)
	return slices.DeleteFunc(commands(now), func(command string) bool { return slices.Contains(known, command) })
}
