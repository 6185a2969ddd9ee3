package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Undo is what a person asks to take back.
type Undo struct {
	Task   board.TaskID   // a merged one
	With   []board.TaskID // merged tasks that are taken back with it
	Reopen bool           // new tasks do the work again
	Now    bool           // without a review: integration follows the revert at once
	Reason string

	Announce func(Affected) // called before integration follows at once
}

// Undone is what became of it.
type Undone struct {
	Task       board.TaskID   `json:"task"` // that takes the work back, "" if integration followed at once
	Status     board.Status   `json:"status,omitempty"`
	Reverts    []board.TaskID `json:"reverts"`
	Successors []board.TaskID `json:"successors"` // that do the work again
	Commit     board.ObjectID `json:"commit"`
	Paths      []string       `json:"paths"`              // that the commit changes
	WaitsFor   []board.Role   `json:"waits_for"`          // whose verdicts the task lacks
	Affected   *Affected      `json:"affected,omitempty"` // if integration followed at once
}

// An undoer takes merged work back.
type undoer struct {
	*Clone
	Undo
	board *board.Board
	list  []board.TaskID // the task and those that are taken back with it
}

// Undo takes the work of a merged task back: it makes the revert beside integration,
// and a task whose submission it is; with Now it lets integration follow the revert.
// A call that was killed is completed by repeating it. The error is a *flow.Refusal if
// the revert conflicts, or if merged work that is not named needs the task.
func (c *Clone) Undo(ctx context.Context, asked Undo) (Undone, gitstore.Result, error) {
	b, err := c.Fresh(ctx)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	u := &undoer{c, asked, b, append([]board.TaskID{asked.Task}, asked.With...)}
	if err := u.checkCaller(); err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	if t := b.Task(u.Task); t != nil && t.Reverted != nil {
		return u.reopenReverted(ctx, t)
	}
	if begun := u.findBegun(); begun != nil {
		return u.takeUp(ctx, begun)
	}
	if err := u.checkList(); err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	if u.Now {
		return u.adoptRevert(ctx)
	}
	return u.begin(ctx)
}

// checkCaller refuses what no rule can be asked about before there is a task.
func (u *undoer) checkCaller() error {
	b, id := u.board, string(u.Task)
	switch {
	case b.Empty():
		return gitstore.ErrNoBoard
	case !u.By.IsHuman():
		return &flow.Refusal{Rule: flow.RuleRole, Hint: "git liza show " + id, Reason: fmt.Sprintf("a human takes merged work back, not %s", u.By)}
	case b.Task(u.Task) == nil:
		return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list --all", Reason: "there is no task " + id}
	}
	if u.Now {
		if r := flow.Opens(b, board.ActAdopt, "", u.Caller, b.At()); r != nil {
			return r
		}
	}
	return b.Err()
}

// manyArchived is the number of archived tasks from which on reading them takes long.
const manyArchived = 10000

// checkList refuses a list of tasks that cannot be taken back together.
func (u *undoer) checkList() error {
	if wrong := flow.CheckReverts(u.board, u.list); len(wrong) > 0 {
		return wrong[0]
	}
	if n := len(u.board.IDs(board.Archive)); n > manyArchived && u.Repo.Notice != nil {
		u.Repo.Notice(fmt.Sprintf("looking at %d archived tasks for some that need %s", n, u.Task))
	}
	if needing := board.MergedDependants(u.board, u.list, true); len(needing) > 0 {
		return flow.RefuseDependants(u.list, needing)
	}
	return u.board.Err()
}

// findBegun returns the open task that takes the work back already, nil if there is none.
func (u *undoer) findBegun() *board.Task {
	for _, s := range u.board.Tasks() {
		if !s.Status.Final() && slices.Contains(s.Reverts, u.Task) {
			return u.board.Task(s.ID)
		}
	}
	return nil
}

// title describes the tasks of the list for people.
func (u *undoer) title() string {
	if len(u.list) == 1 {
		return "Undo " + string(u.Task) + ": " + board.Excerpt(u.board.Task(u.Task).Title, 200)
	}
	return "Undo " + joinTasks(u.list)
}

func joinTasks(list []board.TaskID) string {
	return strings.Join(lists.Of(list, func(id board.TaskID) string { return string(id) }), ", ")
}

// reason is what the caller said, else what is done.
func (u *undoer) reason() string { return cmp.Or(u.Reason, "takes back "+joinTasks(u.list)) }

// newID returns an id for the task that takes work back.
func (u *undoer) newID() board.TaskID {
	for n := 1; n < 100; n++ {
		name := "undo-" + string(u.Task)
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		id := board.TaskID(name)
		if new(board.TaskID).UnmarshalText([]byte(name)) == nil && u.board.Task(id) == nil {
			return id
		}
	}
	return "" // the board numbers it
}

// reverting describes the task that takes the work back. It owns nothing: git's merge
// decides, not an open task on the same paths.
func (u *undoer) reverting() board.TaskInput {
	t := u.board.Task(u.Task)
	return board.TaskInput{ID: u.newID(), Title: u.title(), DoneWhen: "integration has nothing more of " + joinTasks(u.list) + ": " + u.reason(),
		Spec: t.Spec, Scope: t.Scope, Priority: t.Priority, Kind: t.Kind, BasedOn: t.BasedOn, Reverts: u.list}
}

// successors describe tasks that do the work of the list again, after others.
func (u *undoer) successors(after ...board.TaskID) (list []board.TaskInput) {
	named := map[board.TaskID]board.TaskID{}
	taken := append([]board.TaskInput{{ID: u.newID()}}, make([]board.TaskInput, len(u.list))...)
	u.board.Number(taken)
	for i, id := range u.list {
		named[id] = taken[i+1].ID
	}
	for _, id := range u.list {
		in := u.board.Task(id).Input()
		in.ID, in.Reopens, in.Reverts, in.Draft = named[id], id, nil, false
		in.DependsOn = slices.Clone(after)
		for _, need := range u.board.Task(id).DependsOn {
			if again, ok := named[need]; ok {
				need = again
			}
			if !slices.Contains(in.DependsOn, need) {
				in.DependsOn = append(in.DependsOn, need)
			}
		}
		list = append(list, in)
	}
	return list
}

// begin adds the task that takes the work back, after it has asked the rules and git
// about everything that follows.
func (u *undoer) begin(ctx context.Context) (Undone, gitstore.Result, error) {
	add := []board.TaskInput{u.reverting()}
	u.board.Number(add)
	if u.Reopen {
		add = append(add, u.successors(add[0].ID)...)
	}
	id := add[0].ID
	m := u.Caller.Move(board.ActAdd, "", &flow.AddMove{Tasks: add})
	m.Goal = u.goal()
	after, err := u.Store.Foresee(ctx, u.board, m)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	if r := flow.Opens(after, board.ActClaim, id, u.Caller, after.At()); r != nil {
		return Undone{}, gitstore.Result{}, r
	}
	if _, err := u.revert(ctx, u.board.Settings().Integration.Tip); err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	r, err := u.For(m.Goal).Make(ctx, board.ActAdd, "", &flow.AddMove{Tasks: add})
	if err != nil {
		return Undone{}, r, err
	}
	return u.goOn(ctx, r.After.Task(id))
}

// goal is that of the task if it is in progress, else the one that commands mean.
func (u *undoer) goal() board.GoalID {
	id := u.board.Task(u.Task).Goal
	if g := u.board.Goal(id); (g == nil || !g.Status.IsInProgress()) && u.Usual != "" {
		return u.Usual
	}
	return id
}

// undone describes a task that takes work back.
func (u *undoer) undone(b *board.Board, id board.TaskID) Undone {
	t := b.Task(id)
	done := Undone{Task: id, Status: t.Status, Reverts: t.Reverts, Successors: u.successorsOf(b), WaitsFor: append([]board.Role{}, t.Missing()...)}
	if s := t.Submission; s != nil {
		done.Commit, done.Paths = s.Commit, append([]string{}, s.Paths...)
	}
	return done
}

// successorsOf returns the tasks that do the work of the list again.
func (u *undoer) successorsOf(b *board.Board) []board.TaskID {
	list := []board.TaskID{}
	for _, id := range u.list {
		if t := b.Task(id); t != nil {
			list = append(list, t.SupersededBy...)
		}
	}
	return list
}

// reopenReverted answers for a task that was taken back before: with Reopen it gets a
// successor, unless it has one.
func (u *undoer) reopenReverted(ctx context.Context, t *board.Task) (Undone, gitstore.Result, error) {
	done := Undone{Task: t.Reverted.Task, Reverts: []board.TaskID{t.ID}, Commit: t.Reverted.Commit, Paths: []string{}, WaitsFor: []board.Role{}}
	var again []board.TaskID
	for _, id := range u.list {
		if other := u.board.Task(id); other != nil && other.Reverted != nil && !board.Stands(u.board, other) && len(board.Outstanding(u.board, other)) == 0 {
			again = append(again, id)
		}
	}
	if u.Reopen && len(again) > 0 {
		r, err := u.addSuccessors(ctx, again)
		if err == nil {
			done.Successors = u.successorsOf(r.After)
		}
		return done, r, err
	}
	done.Successors = u.successorsOf(u.board)
	return done, gitstore.Result{Already: true, After: u.board}, nil
}

// addSuccessors adds tasks that do the work of reverted ones again, after others.
func (u *undoer) addSuccessors(ctx context.Context, of []board.TaskID, after ...board.TaskID) (gitstore.Result, error) {
	b, _, err := u.Store.Board(ctx)
	if err != nil {
		return gitstore.Result{}, err
	}
	again := &undoer{u.Clone, u.Undo, b, of}
	return u.For(again.goal()).Make(ctx, board.ActAdd, "", &flow.AddMove{Tasks: again.successors(after...)})
}

// adoptRevert lets integration follow the revert, after the gates have passed on it.
func (u *undoer) adoptRevert(ctx context.Context) (Undone, gitstore.Result, error) {
	tip := u.board.Settings().Integration.Tip
	commit, err := u.revert(ctx, tip)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	tree, err := u.commands.treeOf(ctx, commit)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	_, failed, err := u.commands.passMerge(ctx, u.board, &board.Submission{Changed: 1}, commit, tree)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	if failed != nil {
		return Undone{}, gitstore.Result{}, &flow.Refusal{Rule: flow.RuleGate, Hint: "git liza undo " + string(u.Task),
			Reason: fmt.Sprintf("gate %s fails without %s: %s", failed.Gate, joinTasks(u.list), endingOf(*failed))}
	}
	affected, err := u.Integration.AffectedBy(ctx, commit)
	if err != nil {
		return Undone{}, gitstore.Result{}, err
	}
	if u.Announce != nil {
		u.Announce(affected)
	}
	r, err := u.Integration.Adopt(ctx, Adoption{Commit: commit, Reason: u.reason(), Reverts: u.list})
	if err != nil {
		return Undone{}, r, err
	}
	done := Undone{Reverts: u.list, Successors: []board.TaskID{}, Commit: commit, Paths: []string{}, WaitsFor: []board.Role{}, Affected: &affected}
	changes, err := u.Repo.Changes(ctx, tip, commit)
	done.Paths = append(done.Paths, lists.Of(changes, func(c git.Change) string { return c.Path })...)
	if err == nil && u.Reopen {
		var added gitstore.Result
		if added, err = u.addSuccessors(ctx, u.list); err == nil {
			done.Successors = u.successorsOf(added.After)
		}
		err = unfinishedMove(r, "its work is not on the board again", "git liza undo "+string(u.Task)+" --reopen", done, err)
	}
	return done, r, err
}
