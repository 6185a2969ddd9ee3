package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type artifactCommands struct {
	List       artifactListCommand       `cmd:"" default:"1" help:"The texts that open goals and tasks stand on, and whether they are approved; the default."`
	Show       artifactShowCommand       `cmd:"" help:"One of these texts: its blob, how it came, and whose verdicts it has."`
	Template   artifactTemplateCommand   `cmd:"" help:"Print a document to start from; without a name, list them."`
	Define     artifactDefineCommand     `cmd:"" help:"The types of artifacts and the workflows that there are, or the file of one, to copy and change."`
	Regenerate artifactRegenerateCommand `cmd:"" help:"Add a task that writes an artifact of a phase anew."`
	Accept     artifactAcceptCommand     `cmd:"" help:"Give your verdict on texts as they are on integration."`
}

type artifactListCommand struct {
	Goal board.GoalID `placeholder:"G" help:"Instead what the phases of this goal ask for, and what of it is there."`
}

func (c *artifactListCommand) Run(inv *invocation, l look) error {
	if c.Goal != "" {
		if err := checkGoal(l.reading.Board, c.Goal); err != nil {
			return err
		}
		rows := view.PhaseArtifacts(l.reading.Board, c.Goal)
		return l.answer(inv, map[string]any{"goal": c.Goal, "artifacts": rows}, view.PhaseArtifactTable(rows).Text(inv.width()))
	}
	list := view.Artifacts(l.reading.Board)
	objects := append([]view.Object{}, lists.Of(list, view.Artifact.Object)...)
	return l.answer(inv, map[string]any{"paths": objects}, view.ArtifactTable(list).Text(inv.width()))
}

type artifactShowCommand struct {
	Path string `arg:"" help:"As git liza artifact list names it."`
}

func (c *artifactShowCommand) Run(inv *invocation, l look) error {
	path := l.clone.Specs.Rooted(c.Path)
	for _, a := range view.Artifacts(l.reading.Board) {
		if a.Path == path {
			return inv.answer("", a.Object(), a.Text(inv.width()))
		}
	}
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "no open goal or task names " + git.Visible(path), Hint: "git liza artifact list"}
}

type artifactAcceptCommand struct {
	Paths  []string `arg:"" help:"As git liza artifact list names them."`
	Reason string   `help:"Why."`
}

func (c *artifactAcceptCommand) Run(inv *invocation, clone *work.Clone) error {
	if _, err := clone.Fresh(inv.ctx); err != nil {
		return err
	}
	paths := lists.Of(c.Paths, clone.Specs.Rooted)
	r, err := clone.Integration.Accept(inv.ctx, paths, c.Reason)
	if err != nil {
		return err
	}
	objects, lines := []view.Object{}, []string{}
	for _, path := range paths {
		doc := r.After.Tracked(path)
		objects = append(objects, view.ObjectOf(doc).Only([]string{"path", "blob", "verdicts"}))
		lines = append(lines, shell.Quote(path)+" at "+doc.Blob.Short()+" accepted by "+string(clone.By))
	}
	data := map[string]any{"paths": objects}
	tellFaults(inv, clone, r.After, paths, data)
	return inv.result(r, data, "%s", strings.Join(lines, "\n"))
}

// tellFaults adds to what an acceptance answers how many faults the artifacts among the
// accepted texts have, and warns: a person may accept what is refused to agents.
func tellFaults(inv *invocation, clone *work.Clone, b *board.Board, paths []string, data map[string]any) {
	var texts []git.Change
	for _, path := range paths {
		if doc := b.Tracked(path); doc != nil && doc.Blob != "" {
			texts = append(texts, git.Change{Path: path, New: doc.Blob, Mode: git.ModeBlob})
		}
	}
	lines, err := clone.Store.Commits.FindInvalid(inv.ctx, board.TypedPatterns(b), b.Settings().Integration.Tip, texts)
	hint, warning := board.ArtifactCommand, ""
	for _, text := range texts {
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, git.Visible(text.Path)+":") }) {
			hint += " " + shell.Quote(text.Path)
		}
	}
	if err != nil {
		warning = fmt.Sprintf("nobody knows whether what you accepted is valid: %v: %s", err, hint)
	} else if len(lines) > 0 {
		data["faults"] = len(lines)
		warning = fmt.Sprintf("what you accepted has %s: %s", view.Count(len(lines), "fault"), hint)
	}
	if warning != "" {
		data["warning"] = warning
		inv.progress("warning: %s", warning)
	}
}
