package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/stories"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// chooseLoop opens the repository, and returns the goal of the loop that a command is
// about.
func chooseLoop(inv *invocation, named board.GoalID) (*work.Clone, board.GoalID, error) {
	l, err := inv.look()
	if err != nil {
		return nil, "", err
	}
	b := l.reading.Board
	goal, err := aboutGoal(inv, l.clone, b, named)
	if err != nil {
		return nil, "", err
	}
	if g := b.Goal(goal); named == "" && (g == nil || g.Loop == nil) {
		goal = cmp.Or(lastLoop(b), goal)
	}
	if g := b.Goal(goal); g == nil || g.Loop == nil {
		return nil, "", cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza loop FILE --iterations N", Reason: fmt.Sprintf("%s is no loop", goal)}))
	}
	return l.clone, goal, nil
}

// lastLoop returns the goal of the loop that began last, "" if there is none.
func lastLoop(b *board.Board) (last board.GoalID) {
	var began time.Time
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		// Of those that began in the same second the higher number wins.
		if g.Loop != nil && (g.Created.After(began) || g.Created.Equal(began) && len(g.ID) >= len(last)) {
			last, began = g.ID, g.Created
		}
	}
	return last
}

// A storied story is one of a loop with its task, nil if it has none.
type storied struct {
	stories.Story
	task *board.Task
}

// storiesOf returns the stories of a loop, as they were imported and in their order.
func storiesOf(inv *invocation, clone *work.Clone, b *board.Board, g *board.Goal) (file *stories.File, list []storied, err error) {
	if file, err = readStories(inv, clone, g.Loop.Path, g.Loop.Blob); err != nil {
		return nil, nil, err
	}
	for n, s := range file.Order() {
		one := storied{Story: s}
		if !s.Passes {
			one.task = b.Task(storyTask(g.ID, n))
		}
		list = append(list, one)
	}
	return file, list, b.Err()
}

// readLoop reads what came of the stories of a loop.
func readLoop(inv *invocation, clone *work.Clone, goal board.GoalID) (view.LoopReport, error) {
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return view.LoopReport{}, err
	}
	g := b.Goal(goal)
	_, list, err := storiesOf(inv, clone, b, g)
	if err != nil {
		return view.LoopReport{}, err
	}
	report := view.LoopReport{Goal: goal, Path: g.Loop.Path, Status: g.Status.String(), Stories: []view.LoopStory{}, Limit: view.LoopLimitOf(g, clone.Store.Now())}
	for _, one := range list {
		s := view.LoopStory{ID: one.ID, Title: one.Title, Passed: one.passed(), Commits: []board.ObjectID{}}
		if t := one.task; t != nil {
			s.Task, s.Status, s.Sessions, s.Tokens, s.Cost, s.Failure = t.ID, t.Status.String(), t.Usage.Sessions, t.Usage.Tokens(), t.Usage.Cost, one.failure()
			if s.Passed && t.Merge != nil && t.Merge.Onto != "" {
				if s.Commits, s.Diffstat, err = mergedWork(inv.ctx, clone, t.Merge); err != nil {
					return view.LoopReport{}, err
				}
			}
		}
		report.Stories = append(report.Stories, s)
	}
	return report, nil
}

// passed reports whether a story has passed: its work is on integration.
func (s storied) passed() bool { return s.Passes || s.task != nil && s.task.Status.IsMerged() }

// failure is by what the work on a story failed the last time, "" if it has not.
func (s storied) failure() string {
	t := s.task
	if t == nil || s.passed() {
		return ""
	}
	if t.Block != nil && t.Status.IsBlocked() {
		why := t.Block.Reason + " " + strings.Join(t.Block.Questions, " ")
		if t.Retry != nil && t.Retry.Error != "" {
			why += "\n" + t.Retry.Error // that is what the claims before the limit failed by
		}
		return strings.TrimSpace(why)
	}
	if t.Retry != nil {
		return t.Retry.Error
	}
	if t.Integration != nil {
		return strings.TrimSpace("the merge failed " + t.Integration.Gate + "\n" + strings.Join(t.Integration.Paths, " ") + t.Integration.Output)
	}
	for _, j := range t.Judgements {
		if j.Rejection != nil && len(j.Rejection.Blockers) > 0 {
			return j.Rejection.Blockers[0].Issue
		}
	}
	return t.Abandoned
}

// mergedWork returns the commits that a merge brought to integration, and what they
// changed.
func mergedWork(ctx context.Context, clone *work.Clone, m *board.Merge) (commits []board.ObjectID, changes string, err error) {
	between := string(m.Onto) + ".." + string(m.Commit)
	out, err := clone.Repo.Git(ctx, "rev-list", "--reverse", "--no-merges", between)
	if err != nil {
		return nil, "", err
	}
	commits = append([]board.ObjectID{}, lists.Of(strings.Fields(string(out)), func(id string) board.ObjectID { return board.ObjectID(id) })...)
	out, err = clone.Repo.Git(ctx, "diff", "--shortstat", between)
	return commits, strings.TrimSpace(string(out)), err
}

type loopExportCommand struct {
	ID board.GoalID `arg:"" optional:"" help:"The goal of a loop; default: the current goal, else the last loop."`
}

func (c *loopExportCommand) Run(inv *invocation) error {
	clone, goal, err := chooseLoop(inv, c.ID)
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	g := b.Goal(goal)
	file, list, err := storiesOf(inv, clone, b, g)
	if err != nil {
		return err
	}
	var results []stories.Result
	for _, one := range list {
		switch {
		case one.task == nil:
		case one.passed() && one.task.Merge != nil:
			results = append(results, stories.Result{ID: one.ID, Passes: true, Notes: fmt.Sprintf("merged as %s by %s", one.task.Merge.Commit.Short(), one.task.ID)})
		case one.failure() != "":
			results = append(results, stories.Result{ID: one.ID, Notes: board.Excerpt(one.failure(), maxNotes)})
		}
	}
	text, err := file.Export(results)
	if err != nil {
		return err
	}
	if inv.json || inv.call != nil {
		return inv.answer("", map[string]any{"goal": goal, "path": g.Loop.Path, "text": string(text)}, string(text))
	}
	_, err = io.Writer(inv.stdout).Write(text) // a missing newline at its end stays missing
	return err
}

// maxNotes is how many bytes of a failure stand in the notes of a story.
const maxNotes = 500
