package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

type focusCommand struct {
	On    string `arg:"" optional:"" placeholder:"GOAL|TASK" help:"What commands in this clone are about that name no goal, or no task to show."`
	Clear bool   `help:"Go back to the current goal of the board."`
}

func (c *focusCommand) Run(inv *invocation) error {
	if c.Clear && c.On != "" {
		return usagef("git liza help goal focus", "--clear takes no goal and no task")
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	kept, err := readFocus(l.clone.Repo)
	if err != nil {
		return err
	}
	outcome := ""
	if c.Clear || c.On != "" {
		next := focus{Last: kept.pointer}
		if next.pointer, err = c.pointer(l); err != nil {
			return err
		}
		if next.pointer == kept.pointer {
			next.Last = kept.Last
		}
		outcome = madeOutcome(next == kept)
		if kept = next; writeFocus(l.clone.Repo, kept) != nil {
			return writeFocus(l.clone.Repo, kept)
		}
	}
	return inv.answer(outcome, kept, kept.text(l.reading.Board))
}

// pointer returns the goal or the task that the user named.
func (c *focusCommand) pointer(l look) (pointer, error) {
	if c.Clear {
		return pointer{}, nil
	}
	if g := l.reading.Board.Goal(board.GoalID(c.On)); g != nil {
		return pointer{Goal: string(g.ID)}, nil
	}
	if t := l.reading.Board.Task(board.TaskID(c.On)); t != nil {
		return pointer{string(t.Goal), string(t.ID)}, nil
	}
	if err := l.reading.Board.Err(); err != nil {
		return pointer{}, err
	}
	return pointer{}, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal and no task " + board.Excerpt(c.On, 80)}
}

// A focus is what the commands of one clone are about, the file liza/focus below git's
// folder. It is no part of the board.
type focus struct {
	pointer
	Last pointer `json:"last"` // before
}

// A pointer names a goal, and perhaps a task of it; the zero value names nothing.
type pointer struct {
	Goal string `json:"goal"`
	Task string `json:"task"`
}

func focusFile(repo *git.Repo) string { return privateFile(repo, "focus") }

// readFocus returns the focus of a clone, the zero value if it has none.
func readFocus(repo *git.Repo) (focus, error) {
	kept, err := git.ReadJSON[focus](focusFile(repo))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	return kept, fmt.Errorf("%s is no focus: %w; git liza goal focus --clear needs it removed: rm %[1]s", focusFile(repo), err)
}

func writeFocus(repo *git.Repo, kept focus) error {
	name := focusFile(repo)
	if err := os.Remove(name + "-told"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return git.ReplaceJSON(name, kept)
}

// text describes the focus for people.
func (f focus) text(b *board.Board) string {
	if f.pointer == (pointer{}) {
		text := fmt.Sprintf("no focus; commands that name no goal mean %s", b.Settings().Goal)
		if f.Last != (pointer{}) {
			text += "; the last was " + f.Last.String()
		}
		return text
	}
	if trouble := f.trouble(b); trouble != "" {
		return trouble
	}
	return f.String()
}

// String names the task, or the goal.
func (p pointer) String() string {
	if p.Task != "" {
		return fmt.Sprintf("%s of %s", p.Task, p.Goal)
	}
	return p.Goal
}

// trouble says why commands ignore the focus, "" if they follow it or if there is none.
func (p pointer) trouble(b *board.Board) string {
	const onward = ", and is ignored: git liza goal focus --clear"
	switch g := b.Goal(board.GoalID(p.Goal)); {
	case p.Goal == "":
	case g == nil:
		return fmt.Sprintf("the focus %s is not on the board%s", p.Goal, onward)
	case !g.Status.IsInProgress():
		return fmt.Sprintf("the focus %s is %s%s", p.Goal, g.Status, onward)
	case p.Task != "" && b.Task(board.TaskID(p.Task)) == nil:
		return fmt.Sprintf("the focus %s is not on the board%s", p.Task, onward)
	}
	return ""
}

// focusedGoal returns the focus of a clone that commands follow. A session of an agent
// follows none.
func focusedGoal(inv *invocation, clone *work.Clone) (pointer, error) {
	kept, err := readFocus(clone.Repo)
	if err != nil || kept.pointer == (pointer{}) || inv.getenv("LIZA_GENERATION") != "" {
		return pointer{}, err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return pointer{}, err
	}
	if trouble := kept.trouble(b); trouble != "" {
		tellFocusTrouble(inv, clone.Repo, trouble)
		return pointer{}, b.Err()
	}
	return kept.pointer, b.Err()
}

// tellFocusTrouble says why commands ignore the focus, but not what was said last.
func tellFocusTrouble(inv *invocation, repo *git.Repo, trouble string) {
	file := focusFile(repo) + "-told"
	if told, err := git.ReadSmall(file); err == nil && string(told) == trouble {
		return
	}
	inv.progress("%s", trouble)
	if !inv.json && inv.call == nil {
		_ = git.ReplaceFile(file, []byte(trouble)) // without it the line comes once more
	}
}

// usualGoal returns the goal of a command that names none: that of the agent's
// session, else that of the focus; "" is the current goal of the board.
func usualGoal(inv *invocation, clone *work.Clone) (board.GoalID, error) {
	if text := inv.getenv("LIZA_GOAL"); text != "" {
		var goal board.GoalID
		if err := goal.UnmarshalText([]byte(text)); err != nil {
			return "", usagef("git liza help goal", "LIZA_GOAL: %v", err)
		}
		return goal, nil
	}
	on, err := focusedGoal(inv, clone)
	return board.GoalID(on.Goal), err
}
