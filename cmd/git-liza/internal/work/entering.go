package work

import (
	"context"
	"errors"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
)

// An Entry is a move that describes tasks, once it is made.
type Entry struct {
	gitstore.Result
	Warnings []Warning
}

// A Warning is one about a task that a move describes, by its place in the move.
type Warning struct {
	plan.Fault
	Task board.TaskID
}

// Tasks enters the descriptions of tasks, in moves that check lets pass.
type Tasks struct{ *Clone }

// Add adds tasks in one move. Those without an id get one.
func (c Tasks) Add(ctx context.Context, list []board.TaskInput) (Entry, error) {
	if err := c.Trust.AllowTasks(ctx, list); err != nil {
		return Entry{}, err
	}
	return c.enter(ctx, board.ActAdd, "", func(b *board.Board) (flow.Detail, error) {
		return &flow.AddMove{Tasks: numbered(b, list)}, nil
	})
}

// Edit describes a task anew. change makes the new description of the old one.
func (c Tasks) Edit(ctx context.Context, id board.TaskID, change func(board.TaskInput) board.TaskInput) (Entry, error) {
	return c.enter(ctx, board.ActEdit, id, func(b *board.Board) (flow.Detail, error) {
		in := board.TaskInput{ID: id}
		if t := b.Task(id); t != nil {
			in = change(t.Input())
		}
		return &flow.EditMove{Input: in}, nil
	})
}

// Convert makes a task of a discovery. describe is called with the board that has the
// discovery.
func (c Tasks) Convert(ctx context.Context, id board.RecordID, describe func(*board.Board) board.TaskInput) (Entry, error) {
	return c.enter(ctx, board.ActConvert, "", func(b *board.Board) (flow.Detail, error) {
		return &flow.ConvertMove{Discovery: id, Input: numbered(b, []board.TaskInput{describe(b)})[0]}, nil
	})
}

// Supersede replaces a task by others, of which new ones are entered.
func (c Tasks) Supersede(ctx context.Context, id board.TaskID, m flow.SupersedeMove) (made Entry, err error) {
	if err := c.Trust.AllowTasks(ctx, m.Add); err != nil {
		return Entry{}, err
	}
	made.Result, err = c.End(ctx, board.ActSupersede, id, func(b *board.Board, save *board.Save) (d flow.Detail, err error) {
		d = &flow.SupersedeMove{Reason: m.Reason, By: m.By, Add: numbered(b, m.Add), Saved: save}
		made.Warnings, err = c.check(ctx, b, c.Caller.Move(board.ActSupersede, id, d))
		return d, err
	})
	return made, err
}

// numbered gives ids to the tasks of a list that have none. It works on a copy, because a
// move that lost a race is made again on another board.
func numbered(b *board.Board, list []board.TaskInput) []board.TaskInput {
	list = slices.Clone(list)
	b.Number(list)
	return list
}

// enter makes a move that describes tasks. Before it is made it is refused for all that
// check finds wrong with them, together with what the rules refuse.
func (c Tasks) enter(ctx context.Context, act board.Act, id board.TaskID, detail func(*board.Board) (flow.Detail, error)) (made Entry, err error) {
	made.Result, err = c.Move(ctx, act, id, func(b *board.Board) (flow.Detail, error) {
		d, err := detail(b)
		if err == nil {
			m := c.Caller.Move(act, id, d)
			m.Goal = c.goalOf(b, m)
			made.Warnings, err = c.check(ctx, b, m)
		}
		return d, err
	})
	return made, err
}

// check checks the tasks that a move describes, and returns warnings. Of a task that
// the board has, only what the move brings about counts. What the rules refuse as well is
// left to them, unless there is more.
func (c Tasks) check(ctx context.Context, b *board.Board, move flow.Move) (warnings []Warning, err error) {
	old := b.Task(move.Task)
	if b.Settings().Integration.Tip == "" || old == nil && move.Task != "" {
		return nil, nil
	}
	move.Normalize()
	list, before := &plan.Plan{}, &plan.Plan{}
	for _, in := range flow.Described(move.Detail) {
		list.Tasks = append(list.Tasks, plan.Task{TaskInput: in})
	}
	if len(list.Tasks) == 0 {
		return nil, nil
	}
	goal := move.Goal
	if old != nil {
		goal = old.Goal
		before.Tasks = []plan.Task{{TaskInput: old.Input()}}
	}
	ground, err := c.groundOf(ctx, b, move.By, goal)
	if err != nil {
		return nil, err
	}
	known := plan.Check(before, ground.Ground)
	var wrong []flow.Fault
	for _, one := range plan.Check(list, ground.Ground) {
		switch {
		case slices.ContainsFunc(known, func(k plan.Fault) bool { return k.Code == one.Code && k.Reason == one.Reason }):
		case one.Warning:
			warnings = append(warnings, Warning{one, list.Tasks[one.Place.Task].ID})
		case !isOfRules(one):
			wrong = append(wrong, flow.Fault{Place: one.Place.Task, Refusal: &flow.Refusal{Rule: flow.Rule(one.Code), Reason: one.Reason, Hint: "git liza help check"}})
		}
	}
	if err := ground.Err(); err != nil || len(wrong) == 0 {
		return warnings, err
	}
	return nil, c.refuse(ctx, b, move, wrong)
}

// isOfRules reports whether the rules of the board refuse a fault, too.
func isOfRules(f plan.Fault) bool {
	switch f.Code {
	case plan.Ownership, plan.Path, plan.Verify, plan.File, plan.Consumer:
		return false
	case plan.NotFound:
		return f.Place.Key != "consumers"
	case plan.Limit:
		return f.Place.Task >= 0 && f.Place.Key != "texts"
	}
	return true
}

// refuse is the refusal of tasks for what the rules refuse and for other faults. A
// move that they refuse whatever it describes has their refusal alone.
func (c Tasks) refuse(ctx context.Context, b *board.Board, move flow.Move, wrong []flow.Fault) error {
	err := c.specs.explain(ctx, flow.Ask(b, move), c.Store.CheckMove(ctx, b, move))
	var refusal *flow.Refusal
	if err == nil {
		return flow.RefuseAll(wrong)
	}
	if !errors.As(err, &refusal) || len(refusal.Faults) == 0 {
		return err
	}
	return flow.RefuseAll(append(slices.Clone(refusal.Faults), wrong...))
}
