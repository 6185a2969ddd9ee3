package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

type validateCommand struct{}

func (c *validateCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	for _, list := range view.StateLists {
		if list.Folder == flow.Archive {
			continue // there may be very many, and fsck has seen each when it was moved
		}
		for _, id := range l.Board.IDs(list.Folder) {
			l.Board.Load(flow.Key{Folder: list.Folder, ID: id})
		}
	}
	l.Board.Principals()
	err = l.Board.Check()
	if l.Board.Err() != nil {
		return l.Board.Err()
	}
	if err != nil {
		return invalid(err)
	}
	if _, err := l.Store.CheckTips(s.ctx, l.Board); err != nil {
		return damagedBoard(err)
	}
	n := len(l.Board.Tasks())
	return s.answer("", map[string]any{"state": l.Tip, "tasks": n, "breaches": []view.Breach{}}, fmt.Sprintf("%s: valid, %s outside the archive", l.Tip.Short(), view.Count(n, "task")))
}

// invalid reports every breach that a check found.
func invalid(err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var list []view.Breach
	var text strings.Builder
	for _, one := range all {
		b := breachOf(one)
		list = append(list, b)
		fmt.Fprintf(&text, "\n%s", b.Reason)
	}
	reason := "the board is invalid:" + text.String()
	return &partial{failure{code: exitFailed, outcome: "failed", rule: list[0].Rule, reason: reason, hint: "git liza fsck --full"}, map[string]any{"breaches": list}}
}

// damagedBoard reports everything on a sound board that cannot be read.
func damagedBoard(err error) error {
	var damaged *gitstore.Damaged
	if !errors.As(err, &damaged) {
		return err
	}
	list := []view.Breach{}
	reason := "the board is sound, and objects are missing or damaged:"
	for _, d := range damaged.List {
		b := view.Breach{Rule: "damaged", Reason: fmt.Sprintf("%s at %s: %s", d.What, d.Commit.Short(), d.Reason), Commit: d.Commit}
		list = append(list, b)
		reason += "\n" + b.Reason
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: "damaged", reason: reason, hint: damaged.Hint}, map[string]any{"breaches": list}}
}

// breachOf puts an error of the board into words.
func breachOf(err error) view.Breach {
	var refusal *flow.Refusal
	var malformed *document.Error
	switch {
	case errors.As(err, &refusal):
		return view.Breach{Rule: string(refusal.Rule), Reason: refusal.Reason}
	case errors.As(err, &malformed):
		return view.Breach{Rule: "corrupt", Reason: malformed.Error()}
	}
	return view.Breach{Rule: "corrupt", Reason: err.Error()}
}

// breach is what makes the board's last moves ones that nothing is built on, nil
// where they replay.
func (l look) breach(s *session) (*view.Breach, error) {
	err := l.Store.Vouch(s.ctx, l.Tip)
	if err == nil || s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	found := breachOf(err)
	var replay *gitstore.Breach
	if errors.As(err, &replay) {
		found = breachOf(replay.Err)
		found.Commit = replay.Commit
		found.Reason = "state commit " + replay.Commit.Short() + ": " + found.Reason
	}
	return &found, nil
}

type fsckCommand struct {
	Full   bool `help:"Replay every move from the first one, not only those since the last check."`
	Repair bool `help:"Go back to the last state that replays; what is wrong is kept under refs/liza/rescue/."`
}

func (c *fsckCommand) Run(s *session) error {
	clone, err := s.reader()
	if err != nil {
		return err
	}
	if c.Repair {
		if err := s.operator(clone.Repo, "a repair of the history"); err != nil {
			return err
		}
		return s.repair(clone.Store)
	}
	n, found, err := clone.Store.Fsck(s.ctx, c.Full)
	if err != nil {
		return err
	}
	if found != nil && errors.Is(found.Err, git.ErrDamaged) {
		return damagedBoard(found.Err)
	}
	if found != nil {
		b := breachOf(found.Err)
		b.Commit = found.Commit
		hint := work.RepairBoard
		var refusal *flow.Refusal
		if errors.Is(found.Err, gitstore.ErrForeignRef) && errors.As(found.Err, &refusal) {
			hint = refusal.Hint // the board is sound, a branch is not where it says
		}
		return &partial{failure{code: exitFailed, outcome: "failed", rule: b.Rule, hint: hint,
			reason: fmt.Sprintf("state commit %s: %s", found.Commit, b.Reason)}, map[string]any{"replayed": n, "breaches": []view.Breach{b}}}
	}
	last := work.LatelyByHand
	if c.Full {
		last = 0
	}
	byHand, err := clone.ByHand(s.ctx, last)
	if err != nil {
		return err
	}
	text := view.Count(n, "move") + " replayed, the board is sound"
	if len(byHand) > 0 {
		text += "\nwarning: " + work.ByHandText(byHand)
	}
	return s.answer("", map[string]any{"replayed": n, "breaches": []view.Breach{}, "by_hand": byHand}, text)
}

func (s *session) repair(store *gitstore.Store) error {
	done, err := store.Repair(s.ctx)
	if err != nil {
		return err
	}
	data := map[string]any{"state": done.Is, "rescued": nil, "dropped": append([]gitstore.Dropped{}, done.Dropped...), "dropped_count": done.Count}
	switch done.Is {
	case "":
		return errors.New("no state of the board replays from its first move: nothing to go back to")
	case done.Was:
		return s.answer("already", data, done.Is.Short()+": the board is sound")
	}
	text := fmt.Sprintf("%s is at %s again", git.StateRef, done.Is.Short())
	if done.Was == "" {
		text = fmt.Sprintf("%s was gone and is at %s again, the newest state that was found", git.StateRef, done.Is.Short())
	}
	if len(done.Kept) > 0 {
		data["rescued"] = done.Kept[0]
		text += fmt.Sprintf(", %s further back; %s is kept under refs/liza/rescue/", view.Count(done.Count, "commit"), done.Kept[0].Short())
	}
	for _, more := range done.Kept[min(1, len(done.Kept)):] {
		text += ", " + more.Short() + " too"
	}
	return s.answer("changed", data, text+"\n"+droppedText(done))
}

// droppedText names the moves that a repair dropped, and what is left of them.
func droppedText(done gitstore.Repaired) string {
	var text strings.Builder
	claims := false
	for _, d := range done.Dropped {
		fmt.Fprintf(&text, "dropped: %s (%s)\n", d.Subject, d.Commit.Short())
		claims = claims || d.Act == flow.ActClaim.String()
	}
	if more := done.Count - len(done.Dropped); more > 0 {
		fmt.Fprintf(&text, "dropped: %d more\n", more)
	}
	if claims || done.Count > len(done.Dropped) {
		text.WriteString("the worktrees and branches of dropped claims stay: git liza worktree list\n")
	}
	return text.String()
}
