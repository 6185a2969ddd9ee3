package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

type showCommand struct {
	ID        string       `arg:"" optional:"" placeholder:"TASK|FILE|COMMIT" tool:"The task. Of a file or commit: why there is one." help:"The task; default: that of git liza goal focus. Of a file or commit: why there is one."`
	Patch     whichPatch   `tool:"Only what submission N changes, -1 for the last one." xor:"diff" placeholder:"[N]" help:"What submission N changes, the last one without N."`
	Why       bool         `tool:"Only what it waits for, and who can change that." xor:"diff" help:"Only what it waits for, until when, and who can change that."`
	Interdiff whichPatches `tool:"-" xor:"diff" placeholder:"N M" help:"What changed from submission N to M."`
	Stat      bool         `tool:"-" xor:"diff" help:"How much the last submission changes in each file."`
	Trace     bool         `tool:"-" xor:"diff" help:"Why there is the task, file or commit: tasks, plan, design, decisions, requirements."`
	RangeDiff bool         `tool:"-" xor:"diff" help:"What the last submission changed, commit by commit, since the one that you judged last, else since the one before."`
}

// whichPatch is the value of a flag with an optional number, -1 without one.
type whichPatch int

// Decode takes the next word if it is a number.
func (w *whichPatch) Decode(ctx *kong.DecodeContext) error {
	*w = -1
	next := ctx.Scan.Peek()
	n, err := strconv.Atoi(fmt.Sprint(next.Value))
	if err != nil && next.Type != kong.FlagValueToken {
		return nil
	}
	if err != nil || n < 1 {
		return errNumber
	}
	ctx.Scan.Pop()
	*w = whichPatch(n)
	return nil
}

var errNumber = errors.New("submissions have numbers, from 1 on")

// whichPatches are two numbers.
type whichPatches struct{ from, to int }

// Decode takes the next two words.
func (w *whichPatches) Decode(ctx *kong.DecodeContext) error {
	for _, n := range []*int{&w.from, &w.to} {
		var word string
		err := ctx.Scan.PopValueInto("number", &word)
		if err == nil {
			*n, err = strconv.Atoi(word)
		}
		if err != nil || *n < 1 {
			return errNumber
		}
	}
	return nil
}

func (c *showCommand) Run(inv *invocation, l look) error {
	if c.ID == "" {
		on, err := focusedGoal(inv, l.clone)
		if err != nil {
			return err
		}
		if c.ID = string(on.Task); c.ID == "" {
			return usagef("git liza help show", `expected "<id>"`)
		}
	}
	id := board.TaskID(c.ID)
	isPlain := c.Patch == 0 && c.Interdiff == (whichPatches{}) && !c.Stat && !c.RangeDiff && !c.Why
	if c.Trace || isPlain && id.UnmarshalText([]byte(c.ID)) != nil {
		return l.trace(inv, c.ID)
	}
	t, err := l.task(id)
	if isPlain && flow.IsRefused(err, flow.RuleNotFound) {
		return l.trace(inv, c.ID)
	}
	if err != nil {
		return err
	}
	if c.Why {
		return c.why(inv, l, t)
	}
	history, err := l.wholeHistoryOf(inv, id)
	if err != nil {
		return err
	}
	if c.Patch != 0 || c.Interdiff != (whichPatches{}) || c.Stat || c.RangeDiff {
		return c.changes(inv, l, id, history)
	}
	view.FindReturned(history, l.clone.Store.BoardAt)
	l.findAsker(inv)
	if err := l.findReasons(inv, t); err != nil {
		return err
	}
	if d := l.clone.Integration.DriftOf(inv.ctx, l.reading.Board, t); d != nil {
		l.reading.Local.Drift = &view.Drift{Commits: d.Commits, Both: d.Both}
	}
	kept, err := l.clone.Repo.Refs.List(inv.ctx, layout.SavedRefs+c.ID, layout.RescueRefs+c.ID)
	if err != nil {
		return err
	}
	for _, s := range view.Submissions(history) {
		delete(kept, s.Ref)
	}
	l.reading.Local.Kept = slices.Sorted(maps.Keys(kept))
	if inv.json {
		return inv.answer("", l.reading.Story(t, history), "")
	}
	return pager{inv}.present(nil, l.reading.StoryText(t, history, inv.width()))
}

// why prints what the task waits for.
func (c *showCommand) why(inv *invocation, l look, t *board.Task) error {
	if err := l.findReasons(inv, t); err != nil {
		return err
	}
	why := l.reading.WhyOf(t)
	return l.answer(inv, why, why.Text(inv.width()))
}

// changes prints a patch, in the form in which git shows it where nothing is set.
func (c *showCommand) changes(inv *invocation, l look, id board.TaskID, history []view.Entry) error {
	list := view.Submissions(history)
	pick := func(n int) (view.Submission, error) {
		if n == -1 {
			n = len(list)
		}
		if n < 1 || n > len(list) {
			return view.Submission{}, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza show " + string(id),
				Reason: fmt.Sprintf("%s has %s, none of them has the number asked for", id, view.Count(len(list), "submission"))}
		}
		return list[n-1], nil
	}
	numbers := []int{int(c.Patch)}
	switch {
	case c.Stat:
		numbers = []int{-1}
	case c.RangeDiff && len(list) < 2:
		return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza show " + string(id) + " --patch",
			Reason: fmt.Sprintf("%s has %s, and a range-diff compares two", id, view.Count(len(list), "submission"))}
	case c.RangeDiff:
		by, _, err := inv.actor(l.clone.Repo)
		if err != nil {
			by = "" // a reader without a name judged nothing
		}
		numbers = []int{max(1, view.JudgedBefore(history, by)), len(list)}
	case c.Patch == 0:
		numbers = []int{c.Interdiff.from, c.Interdiff.to}
	}
	var picked []view.Submission
	for _, n := range numbers {
		one, err := pick(n)
		if err != nil {
			return err
		}
		picked = append(picked, one)
	}
	for _, one := range picked {
		if err := l.clone.Store.Mirror.BringCommits(inv.ctx, id, one.Commit, one.Base); err != nil {
			return err
		}
	}
	from, to := picked[0].Base, picked[0].Commit
	if len(picked) == 2 {
		from, to = picked[0].Commit, picked[1].Commit
	}
	var out []byte
	var err error
	switch {
	case c.Stat:
		out, err = l.clone.Repo.Differ.Diff(inv.ctx, "--stat="+strconv.Itoa(cmp.Or(inv.width(), 80)), string(from), string(to), "--")
	case c.RangeDiff:
		out, err = rangeDiff(inv, l.clone.Repo, picked[0], picked[1])
	default:
		paths, failed := l.interdiffPaths(inv, picked)
		if failed != nil {
			return failed
		}
		out, err = l.clone.Repo.Differ.Diff(inv.ctx, append([]string{string(from), string(to), "--"}, paths...)...)
	}
	if err != nil {
		return err
	}
	text := string(out)
	if isTerminal(inv.stdout) || inv.color {
		text = view.PatchText(text, inv.color)
	}
	return pager{inv}.present(map[string]any{"task": id, "from": from, "to": to, "patch": string(out)}, text)
}

// rangeDiff compares two submissions commit by commit.
func rangeDiff(inv *invocation, repo *git.Repo, old, now view.Submission) ([]byte, error) {
	return repo.Differ.RangeDiff(inv.ctx, [2]board.ObjectID{old.Base, old.Commit}, [2]board.ObjectID{now.Base, now.Commit})
}

// interdiffPaths returns the paths of an interdiff: those that either submission
// changed. Changes that integration brought meanwhile stay out.
func (l look) interdiffPaths(inv *invocation, picked []view.Submission) ([]string, error) {
	if len(picked) < 2 {
		return nil, nil
	}
	return work.PathsOf(inv.ctx, l.clone.Repo, [2]board.ObjectID{picked[0].Base, picked[0].Commit}, [2]board.ObjectID{picked[1].Base, picked[1].Commit})
}
