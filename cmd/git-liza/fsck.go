package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type fsckCommand struct {
	Full   bool `xor:"depth" help:"Replay every move from the first one, not only those since the last check."`
	Board  bool `xor:"what,depth" help:"Replay nothing: hold the board as it is against its invariants, and say all that breaks them."`
	Repair bool `xor:"what" help:"Go back to the last state that replays; what is wrong is kept under refs/liza/rescue/."`
	Ahead  bool `help:"With --repair: go back before moves that are dated more than a minute ahead of this machine's clock."`
}

func (c *fsckCommand) Run(inv *invocation) error {
	if c.Ahead && !c.Repair {
		return usagef("git liza fsck --repair --ahead", "--ahead goes with --repair")
	}
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	if c.Repair {
		if err := inv.operator(clone.Repo, "a repair of the history"); err != nil {
			return err
		}
		clone.Store.Repairer.PassAhead = c.Ahead
		return c.repairBoard(inv, clone.Store)
	}
	if c.Board {
		return withLook(inv, checkBoard)
	}
	search, each := c.searchByHand(inv, clone)
	n, found, err := clone.Store.Audit.FsckEach(inv.ctx, c.Full, each)
	if err != nil {
		return err
	}
	if found != nil && errors.Is(found.Err, git.ErrDamaged) {
		return damagedBoard(inv, clone, found.Err)
	}
	if found != nil {
		b := breachOf(found.Err)
		b.Commit = found.Commit
		hint := work.RepairBoard
		if refusal, is := errors.AsType[*flow.Refusal](found.Err); errors.Is(found.Err, gitstore.ErrForeignRef) && is {
			hint = refusal.Hint // the board is sound, but a branch is not where the board has it
		}
		return &partial{failure{code: exitFailed, outcome: "failed", rule: b.Rule, hint: hint,
			reason: fmt.Sprintf("state commit %s: %s", found.Commit, b.Reason)}, map[string]any{"replayed": n, "breaches": []view.Breach{b}}}
	}
	byHand, err := c.movesByHand(inv, clone, search)
	if err != nil {
		return err
	}
	text := view.Count(n, "move") + " replayed, the board is sound"
	if len(byHand) > 0 {
		text += "\nwarning: " + work.ByHandText(byHand)
	}
	return inv.answer("", map[string]any{"replayed": n, "breaches": []view.Breach{}, "by_hand": byHand}, text)
}

// searchByHand begins the search for moves by hand that a full check shows its moves to;
// nil where there is none, or where the board cannot be read, which the check then says.
func (c *fsckCommand) searchByHand(inv *invocation, clone *work.Clone) (*work.HandSearch, func(int, gitstore.Event)) {
	if !c.Full {
		return nil, nil
	}
	search, err := clone.Doctor.SearchByHand(inv.ctx)
	if err != nil {
		return nil, nil
	}
	return search, search.See
}

// movesByHand lists the moves by hand: of a full check all, which the search has found
// unless the check went on where an earlier one was.
func (c *fsckCommand) movesByHand(inv *invocation, clone *work.Clone, search *work.HandSearch) ([]work.ByHand, error) {
	switch {
	case !c.Full:
		return clone.Doctor.ByHand(inv.ctx, work.LatelyByHand)
	case search != nil && search.Whole():
		return search.List(), nil
	}
	return clone.Doctor.ByHand(inv.ctx, 0)
}

func (c *fsckCommand) repairBoard(inv *invocation, store *gitstore.Store) error {
	done, err := store.Repairer.Repair(inv.ctx)
	if err != nil {
		return err
	}
	data := map[string]any{"state": done.Is, "rescued": nil, "dropped": append([]gitstore.Dropped{}, done.Dropped...), "dropped_count": done.Count,
		"incomplete": done.Incomplete, "unreadable": append([]git.ID{}, done.Unreadable...)}
	switch done.Is {
	case "":
		return errors.New("no state of the board replays from its first move: nothing to go back to")
	case done.Was:
		if done.Remade > 0 {
			return inv.answer("changed", data, fmt.Sprintf("%s is sound again: %s made again from its moves", done.Is.Short(), view.Count(done.Remade, "lost object")))
		}
		return inv.answer("already", data, done.Is.Short()+": the board is sound")
	}
	text := fmt.Sprintf("%s is at %s again", layout.State, done.Is.Short())
	if done.Was == "" {
		text = fmt.Sprintf("%s was gone and is at %s again, the newest state that was found", layout.State, done.Is.Short())
	}
	if len(done.Kept) > 0 {
		data["rescued"] = done.Kept[0]
	}
	return inv.answer("changed", data, text+keptText(done)+"\n"+droppedText(done))
}

// keptText says how far back a repair went, and what it keeps.
func keptText(done gitstore.Repaired) string {
	text := ""
	if done.Count > 0 || len(done.Kept) > 0 {
		text = ", "
		if done.Incomplete {
			text += "at least "
		}
		text += view.Count(done.Count, "commit") + " further back"
	}
	if len(done.Unreadable) > 0 {
		text += "; " + done.Unreadable[0].Short() + " cannot be read with all that leads to it"
	}
	if done.Board != "" {
		text += "; its board is kept under " + layout.RescueRefs
	}
	for i, id := range done.Kept {
		if i == 0 {
			text += "; " + id.Short() + " is kept under " + layout.RescueRefs
		} else {
			text += ", " + id.Short() + " too"
		}
	}
	return text
}

// droppedText lists the moves that a repair dropped, and the worktrees and
// branches that stay.
func droppedText(done gitstore.Repaired) string {
	var text strings.Builder
	claims := false
	for _, d := range done.Dropped {
		fmt.Fprintf(&text, "dropped: %s (%s)\n", d.Subject, d.Commit.Short())
		claims = claims || d.Act == board.ActClaim.String()
	}
	if more := done.Count - len(done.Dropped); more > 0 {
		fmt.Fprintf(&text, "dropped: %d more\n", more)
	}
	if claims || done.Count > len(done.Dropped) {
		text.WriteString("the worktrees and branches of dropped claims stay: git liza worktree list\n")
	}
	return text.String()
}
