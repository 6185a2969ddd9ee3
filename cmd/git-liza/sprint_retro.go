package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

type sprintRetroCommand struct {
	goalFlag
	ID      board.SprintID `arg:"" optional:"" help:"Default: the open sprint, else the last one."`
	Message *string        `short:"m" xor:"text" help:"The retrospective; - for standard input."`
	Draft   bool           `xor:"text" help:"Write it in your editor; comments show the figures of the sprint, and what records say of specs and contracts."`
	From    string         `xor:"text" placeholder:"FILE" help:"Take it from a file of that form, - for standard input."`

	Gap      []string `sep:"none" placeholder:"TEXT" help:"What the specs lacked; repeatable."`
	Contract []string `sep:"none" placeholder:"TEXT" help:"What the contracts did not fit; repeatable."`
	Action   []string `sep:"none" placeholder:"TEXT" help:"What is done about it; repeatable."`
}

func (c *sprintRetroCommand) Run(inv *invocation) error {
	lists := len(c.Gap)+len(c.Contract)+len(c.Action) > 0
	switch {
	case (c.Draft || c.From != "") && lists:
		return usagef("git liza sprint retro --draft", "--gap, --contract and --action stand in the form of --draft and --from")
	case c.Draft:
		return withLook(inv, c.draft)
	case c.From != "":
		text, err := inv.readInput(c.From)
		if err != nil {
			return err
		}
		return c.take(inv, c.From, text)
	case c.Message == nil && !lists:
		return usagef("git liza help sprint retro", "missing flags: --message=STRING")
	}
	form := view.RetroForm{Gaps: c.Gap, Contracts: c.Contract, Actions: c.Action}
	if c.Message != nil {
		text, err := inv.text(*c.Message)
		if err != nil {
			return err
		}
		form.Text = text
	}
	return c.store(inv, form)
}

// retroStart is the form without words.
const retroStart = `text: |

spec_gaps: []
contract_observations: []
actions: []
`

// retroNotes are the comments below the form, before the figures of the sprint.
const retroNotes = `text is the retrospective, in lines that begin with two spaces; spec_gaps what the
specs lacked, contract_observations what the contracts did not fit, actions what is
done about it. A list is written [] or with a line "  - TEXT" for each. Without a
text and without any list nothing is stored. What agents have to know the next time
is a lesson: git liza help recall

The figures of %s are not stored, git liza sprint show computes them again:
`

// draft lets the user write the retrospective in the editor.
func (c *sprintRetroCommand) draft(inv *invocation, l look) error {
	s, err := chooseSprint(inv, l, c.Goal, c.ID)
	if err != nil {
		return err
	}
	c.ID = s.ID
	figures, err := retroFigures(inv, l, s)
	if err != nil {
		return err
	}
	return draft{
		command: "sprint retro", ending: ".yaml", text: []byte(retroStart), notes: fmt.Sprintf(retroNotes, s.ID) + strings.Join(figures, "\n") + "\n",
		again: "git liza sprint retro " + string(s.ID) + " --from", otherwise: "--from FILE takes the retrospective from a file, - from standard input",
	}.edit(inv, l.clone.Repo, func(text []byte) error { return c.take(inv, "form", text) })
}

// retroFigures computes what stands beside the words of a retrospective.
func retroFigures(inv *invocation, l look, s *board.Sprint) ([]string, error) {
	shown, err := readMetrics(inv, l.clone, metrics.Ask{Goal: s.Goal, Since: s.Started, Now: s.Ended})
	if err != nil {
		return nil, err
	}
	return view.RetroFigures(l.reading.Board, s, shown), l.reading.Board.Err()
}

// take stores the retrospective of a form.
func (c *sprintRetroCommand) take(inv *invocation, name string, text []byte) error {
	var form view.RetroForm
	if err := document.Decode(name, text, &form); err != nil {
		return err
	}
	if form.Text == "" && len(form.Gaps)+len(form.Contracts)+len(form.Actions) == 0 {
		return inv.answer("already", struct{}{}, "nothing is stored")
	}
	return c.store(inv, form)
}

func (c *sprintRetroCommand) store(inv *invocation, form view.RetroForm) error {
	return inv.sprintMove(c.Goal, board.ActRetro, func(b *board.Board, goal board.GoalID) flow.Detail {
		id := cmp.Or(c.ID, latestSprint(b, goal))
		return &flow.RetroMove{Sprint: id, Text: form.Text, Gaps: form.Gaps, Contracts: form.Contracts, Actions: form.Actions}
	})
}
