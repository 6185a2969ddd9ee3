package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

type editCommand struct {
	Doc  string `arg:"" help:"config, goal, sprint, or the id of a record such as sprint-1/3."`
	From string `placeholder:"FILE" help:"Take the text from a file instead of the editor, - for standard input."`

	usual board.GoalID // of goal and sprint, "" for the current one
}

func (c *editCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	c.usual = clone.Usual
	if refusal := flow.Opens(b, board.ActAmend, "", clone.Caller, b.At()); refusal != nil {
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
func (c *editCommand) canonical(b *board.Board) ([]byte, error) {
	doc, err := c.document(b)
	if err != nil {
		return nil, err
	}
	return document.EncodeAt(b.Settings().Format, doc)
}

// document finds the document that DOC names. It returns a pointer to a
// configuration, goal, sprint, anomaly, discovery or note.
func (c *editCommand) document(b *board.Board) (any, error) {
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
	var id board.RecordID
	if err := id.UnmarshalText([]byte(c.Doc)); err != nil {
		return nil, usagef("git liza help board edit", "%q is neither config, goal, sprint nor the id of a record", board.Excerpt(c.Doc, 80))
	}
	for _, folder := range []board.Folder{board.Anomalies, board.Discovered, board.Notes} {
		if doc := b.Load(board.Key{Folder: folder, ID: string(id)}); doc != nil {
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
	r, err := clone.Move(inv.ctx, board.ActAmend, "", func(b *board.Board) (flow.Detail, error) {
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
	case *board.Config:
		m.Config = new(board.Config)
		target, sameID = m.Config, func() bool { return true }
	case *board.Goal:
		m.Goal = new(board.Goal)
		target, sameID = m.Goal, func() bool { return m.Goal.ID == old.ID }
	case *board.Sprint:
		m.Sprint = new(board.Sprint)
		target, sameID = m.Sprint, func() bool { return m.Sprint.ID == old.ID }
	case *board.Anomaly:
		m.Anomaly = new(board.Anomaly)
		target, sameID = m.Anomaly, func() bool { return m.Anomaly.ID == old.ID }
	case *board.Discovery:
		m.Discovery = new(board.Discovery)
		target, sameID = m.Discovery, func() bool { return m.Discovery.ID == old.ID }
	case *board.Note:
		m.Note = new(board.Note)
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
func added(old, now board.Config) []string {
	commands := func(c board.Config) []string {
		return append([]string{c.PostWorktree}, lists.Of(c.Gates, func(g board.Gate) string { return g.Command })...)
	}
	known := commands(old)
	return slices.DeleteFunc(commands(now), func(command string) bool { return slices.Contains(known, command) })
}
