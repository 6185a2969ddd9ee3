package main

import (
	"cmp"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type specChangeCommand struct {
	goalFlag
	Spec        string         `arg:"" placeholder:"SPEC" help:"The spec, as PATH or PATH#ANCHOR; --same-meaning is about all of the file."`
	Change      *string        `help:"What changed; - for standard input. Only --same-meaning goes without."`
	By          board.TaskID   `placeholder:"TASK" help:"The task that caused it."`
	SameMeaning bool           `help:"The change left the meaning: verdicts that were given before it stand. For a planner or a person that did not write it."`
	Old         board.ObjectID `placeholder:"BLOB" help:"The text before; default: before the last change."`
	New         board.ObjectID `placeholder:"BLOB" help:"The text after; default: the present one."`
}

func (c *specChangeCommand) Run(inv *invocation) error {
	change, spec := "the meaning is the same", c.Spec
	if c.SameMeaning {
		spec, _, _ = strings.Cut(spec, "#")
	}
	switch {
	case c.Change != nil:
		text, err := inv.text(*c.Change)
		if err != nil {
			return err
		}
		change = text
	case !c.SameMeaning:
		return usagef("git liza record spec-change "+shell.Quote(c.Spec)+" --change TEXT", "missing flags: --change=TEXT")
	}
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	c.Spec = spec
	again := false
	r, err := clone.Move(inv.ctx, board.ActSpecChange, "", func(b *board.Board) (flow.Detail, error) {
		d := &flow.SpecChangeMove{Spec: spec, Change: change, Cause: c.By, Same: c.SameMeaning, Old: c.Old, New: c.New}
		if !c.SameMeaning {
			return d, nil
		}
		err := c.judged(b.Tracked(spec), again)
		again, d.Old, d.New = true, c.Old, c.New
		return d, err
	})
	if err != nil {
		return err
	}
	what, d := "spec change recorded", r.Move.Detail.(*flow.SpecChangeMove)
	id := movedGoal(r)
	data := map[string]any{"goal": id}
	if d.Same {
		what = d.Spec + " means the same at " + d.New.Short() + " as at " + d.Old.Short()
		data["spec"], data["old"], data["new"] = d.Spec, d.Old, d.New
	}
	return inv.result(r, data, "%s %s", id, what)
}

// judged sets the two texts of which --same-meaning speaks: those that the command names,
// else the last two when it began. A move that has lost a race is not made of newer ones,
// which nobody judged.
func (c *specChangeCommand) judged(doc *board.TrackedPath, again bool) error {
	if doc == nil {
		return nil // the rules say so
	}
	show := "git liza artifact show " + shell.Quote(doc.Path)
	switch {
	case again && (c.Old != doc.Was || c.New != doc.Blob):
		return &flow.Refusal{Rule: flow.RuleTip, Hint: show, Reason: git.Visible(doc.Path) + " changed while it was judged: it is " + doc.Blob.Short() + " now"}
	case doc.Was == "" && len(doc.Same) > 0:
		return &flow.Refusal{Rule: flow.RuleFact, Hint: show, Reason: "the last change of " + git.Visible(doc.Path) + " was said to leave its meaning before"}
	case doc.Was == "":
		return &flow.Refusal{Rule: flow.RuleFact, Hint: show, Reason: git.Visible(doc.Path) + " has not changed since something stands on it"}
	}
	c.Old, c.New = cmp.Or(c.Old, doc.Was), cmp.Or(c.New, doc.Blob)
	return nil
}
