package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type sprintCommands struct {
	Show      sprintShowCommand      `cmd:"" default:"withargs" help:"Show a sprint, its tasks and its retrospective, beside that the figures; the default."`
	Start     sprintStartCommand     `cmd:"" help:"Open the next sprint."`
	Close     sprintCloseCommand     `cmd:"" help:"Close the open sprint; what is unfinished moves on to the next."`
	Retro     sprintRetroCommand     `cmd:"" help:"Store a sprint's retrospective."`
	Changelog sprintChangelogCommand `cmd:"" help:"What changed in the specs during a sprint, as a table in Markdown."`
}

// show answers with a sprint.
func (c *sprintShowCommand) show(inv *invocation, l look, p *board.Sprint) error {
	b := l.reading.Board
	uncounted, err := l.uncounted(inv.ctx, board.ActSprintStart, p.Goal, p.Started, p.Ended)
	if err != nil {
		return err
	}
	figures := []string{}
	if p.Retro != "" || p.Words != nil {
		if figures, err = retroFigures(inv, l, p); err != nil {
			return err
		}
	}
	return inv.answer("", view.Sprint(b, p).With("uncounted", uncounted).With("figures", figures), view.SprintText(b, p, uncounted, figures))
}

type sprintShowCommand struct {
	goalFlag
	ID board.SprintID `arg:"" optional:"" help:"Default: the open sprint, else the last one."`
}

func (c *sprintShowCommand) Run(inv *invocation, l look) error {
	p, err := chooseSprint(inv, l, c.Goal, c.ID)
	if err != nil {
		return err
	}
	return c.show(inv, l, p)
}

// latestSprint returns the open sprint of a goal, else its last one.
func latestSprint(b *board.Board, goal board.GoalID) board.SprintID {
	latest := b.OpenSprint(goal)
	if latest != "" {
		return latest
	}
	var began time.Time
	for _, p := range board.All[*board.Sprint](b, board.Sprints) {
		// Of the sprints that began in the same second the higher number
		// wins.
		if p.Goal == goal && (p.Started.After(began) || p.Started.Equal(began) && len(p.ID) >= len(latest)) {
			latest, began = p.ID, p.Started
		}
	}
	return latest
}

type sprintStartCommand struct {
	goalFlag
	Deadline board.Duration `placeholder:"2h" help:"How long it may last."`
	Planned  []board.TaskID `placeholder:"ID" help:"Open tasks to take in as planned."`
	Stretch  []board.TaskID `placeholder:"ID" help:"Open tasks to take in if there is time."`
}

func (c *sprintStartCommand) Run(inv *invocation) error {
	return inv.sprintMove(c.Goal, board.ActSprintStart, func(b *board.Board, goal board.GoalID) flow.Detail {
		m := &flow.SprintStartMove{Deadline: deadline(inv, c.Deadline), Planned: c.Planned, Stretch: c.Stretch}
		if g := b.Goal(goal); g != nil {
			m.Sprint = g.Next
		}
		return m
	})
}

type sprintCloseCommand struct {
	goalFlag
	Abort  bool   `help:"It did not reach what it was for."`
	Reason string `help:"Why; - for standard input."`
}

func (c *sprintCloseCommand) said() *string { return &c.Reason }

func (c *sprintCloseCommand) Run(inv *invocation) error {
	clone, r, p, err := inv.moveSprint(c.Goal, board.ActSprintClose, func(b *board.Board, goal board.GoalID) flow.Detail {
		return &flow.SprintCloseMove{Abort: c.Abort, Reason: c.Reason, Sprint: b.OpenSprint(goal)}
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s %s%s\n%s", p.ID, p.Status, carriedOn(p), view.ScopeText(r.After, p.ID))
	added, err := work.AddChangelog(inv.ctx, clone, p.ID)
	if err != nil { // the sprint is closed all the same
		inv.progress("warning: the task for the spec changes of %s is not added: %v", p.ID, err)
	} else if added != "" {
		text += "\n" + string(added) + " added: specs changed in " + string(p.ID)
	}
	return inv.result(r, view.Sprint(r.After, p), "%s", text+lessonsLine(inv, clone, p))
}

// lessonsLine adds the task that writes down what a sprint has taught, and says so. Where
// the board has nobody to write it, it says how to have it written, if there is something.
func lessonsLine(inv *invocation, clone *work.Clone, p *board.Sprint) string {
	added, err := work.AddLessons(inv.ctx, clone, p.ID)
	if err != nil { // the sprint is closed all the same
		inv.progress("warning: the task for the lessons of %s is not added: %v", p.ID, err)
	}
	if added != "" {
		return "\n" + string(added) + " added: something went wrong in " + string(p.ID)
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil || b.Role(work.Librarian) != nil {
		return ""
	}
	if count, err := work.Setbacks(inv.ctx, clone, b, tip, p); err != nil || count == 0 {
		return ""
	}
	return "\nsomething went wrong in " + string(p.ID) + "; to have what it taught written down at the end of each sprint: git liza role add " + work.Librarian.String()
}

// sprintMove makes a move on a sprint of a goal and prints its state.
func (inv *invocation) sprintMove(goal board.GoalID, act board.Act, detail func(*board.Board, board.GoalID) flow.Detail) error {
	_, r, p, err := inv.moveSprint(goal, act, detail)
	if err != nil {
		return err
	}
	return inv.result(r, view.Sprint(r.After, p), "%s %s%s", p.ID, p.Status, carriedOn(p))
}

// moveSprint makes a move on a sprint of a goal and returns the sprint after it. The move
// is about the sprint of the first look, whatever others do meanwhile.
func (inv *invocation) moveSprint(goal board.GoalID, act board.Act, detail func(*board.Board, board.GoalID) flow.Detail) (*work.Clone, gitstore.Result, *board.Sprint, error) {
	clone, err := openGoal(inv, goal)
	if err != nil {
		return nil, gitstore.Result{}, nil, err
	}
	var made flow.Detail
	r, err := clone.Move(inv.ctx, act, "", func(b *board.Board) (flow.Detail, error) {
		if made == nil {
			made = detail(b, cmp.Or(goal, clone.Usual, b.Settings().Goal))
		}
		return made, nil
	})
	if err != nil {
		return nil, r, nil, err
	}
	p := movedSprint(r)
	if p == nil { // somebody else was faster
		p = r.After.Sprint(namedSprint(made))
	}
	return clone, r, p, nil
}

// namedSprint returns the sprint that a move names.
func namedSprint(d flow.Detail) board.SprintID {
	switch m := d.(type) {
	case *flow.SprintStartMove:
		return m.Sprint
	case *flow.SprintCloseMove:
		return m.Sprint
	case *flow.RetroMove:
		return m.Sprint
	}
	return ""
}

// movedSprint returns the sprint that a move wrote.
func movedSprint(r gitstore.Result) *board.Sprint {
	for _, edit := range r.After.Changes() {
		if p, ok := edit.Document.(*board.Sprint); ok {
			return p
		}
	}
	return r.After.Sprint(latestSprint(r.After, movedGoal(r)))
}

func carriedOn(p *board.Sprint) string {
	if len(p.Carried) == 0 {
		return ""
	}
	return ", carried on: " + view.JoinIDs(p.Carried)
}

// deadline returns the time at which a span from now ends.
func deadline(inv *invocation, d board.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return inv.now().UTC().Truncate(time.Second).Add(time.Duration(d))
}

type sprintChangelogCommand struct {
	goalFlag
	ID board.SprintID `arg:"" optional:"" help:"Default: the open sprint, else the last one."`
}

// Help says what the text is for.
func (c *sprintChangelogCommand) Help() string {
	return `What git liza record spec-change recorded during the sprint, and what merges and adoptions
changed in the goal's spec, as a table in Markdown. When a sprint ends and a spec changed in it,
the task changelog-SPRINT is added once: it enters this text into ` + work.ChangelogFile + `.`
}

func (c *sprintChangelogCommand) Run(inv *invocation, l look) error {
	s, err := chooseSprint(inv, l, c.Goal, c.ID)
	if err != nil {
		return err
	}
	rows, err := work.SpecChanges(inv.ctx, l.clone, l.reading.Tip, s)
	if err != nil {
		return err
	}
	shown := view.Changelog{Goal: l.reading.Board.Goal(s.Goal), Sprint: s.ID, Rows: rows}
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	if len(rows) == 0 {
		inv.progress("no spec change is recorded in %s: git liza record spec-change FILE --change TEXT", s.ID)
	}
	return inv.answer("", shown.Value(), shown.Text())
}

// chooseSprint returns the sprint that a command names, or the latest of its goal.
func chooseSprint(inv *invocation, l look, goal board.GoalID, id board.SprintID) (*board.Sprint, error) {
	goal, err := aboutGoal(inv, l.clone, l.reading.Board, goal)
	if err != nil {
		return nil, err
	}
	id = cmp.Or(id, latestSprint(l.reading.Board, goal))
	if s := l.reading.Board.Sprint(id); s != nil {
		return s, nil
	}
	return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no sprint " + string(id), Hint: "git liza sprint show"}
}
