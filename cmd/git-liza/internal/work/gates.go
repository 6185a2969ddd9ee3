package work

import (
	"cmp"
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// SubmissionGates are the commands by which a submission can be judged without reading
// it: the task's verify, and the gates of the board.
func SubmissionGates(b *board.Board, t *board.Task) (gates []board.Gate) {
	if t.Verify != "" {
		gates = append(gates, board.Gate{Name: "verify", Command: t.Verify, Required: true, Timeout: cmp.Or(t.VerifyTimeout, gateTimeout)})
	}
	return append(gates, b.Settings().Config.GatesAt(board.AtMerge)...)
}

// CheckGates refuses gates of which one is not allowed to run on this machine.
func (t *Trust) CheckGates(ctx context.Context, gates []board.Gate) error {
	return t.Check(ctx, lists.Of(gates, func(g board.Gate) string { return g.Command })...)
}

// RunGates runs gates one after the other in the checkout of a commit, each whatever
// became of those before, and returns their receipts. It runs none if this machine may
// not run them all.
func (c *Clone) RunGates(ctx context.Context, gates []board.Gate, commit board.ObjectID, dir string) ([]board.Receipt, error) {
	if err := c.Trust.CheckGates(ctx, gates); err != nil {
		return nil, err
	}
	tree, err := c.commands.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	var receipts []board.Receipt
	for _, g := range gates {
		r, err := c.commands.runGate(ctx, g, dir, tree)
		if err != nil {
			return receipts, err
		}
		receipts = append(receipts, r)
	}
	return receipts, nil
}

// Stages runs the gates of a clone's board at other stages than a merge.
type Stages struct{ *Clone }

// passSubmission runs the gates at a submission on a commit.
func (c Stages) passSubmission(ctx context.Context, b *board.Board, t *board.Task, commit board.ObjectID) ([]board.Receipt, error) {
	if len(b.Settings().Config.GatesAt(board.AtSubmit)) == 0 {
		return nil, nil
	}
	bases, err := c.Repo.MergeBases(ctx, commit, b.Settings().Integration.Tip)
	if err != nil || len(bases) == 0 {
		return nil, err
	}
	changes, err := c.Repo.Changes(ctx, bases[0], commit)
	if err != nil {
		return nil, err
	}
	paths := lists.Of(changes, func(c git.Change) string { return c.Path })
	tree, err := c.commands.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	run, skipped := c.commands.parted(b, board.AtSubmit, tree, len(paths), paths)
	receipts, failed, err := c.commands.passTree(ctx, run, commit, tree)
	if err == nil && failed != nil {
		err = refuseGate(*failed, commit, "git liza submit "+string(t.ID))
	}
	return append(receipts, skipped...), err
}

// passTree runs gates on a commit.
func (c *commands) passTree(ctx context.Context, gates []board.Gate, commit, tree board.ObjectID) ([]board.Receipt, *board.Receipt, error) {
	if err := c.trust.CheckGates(ctx, gates); err != nil || len(gates) == 0 {
		return nil, nil, err
	}
	return c.passAll(ctx, gates, commit, tree)
}

// passIntegration runs the gates of a stage on integration as it is. failed is the first
// required one that does not pass.
func (c Stages) passIntegration(ctx context.Context, b *board.Board, at board.Stage) (receipts []board.Receipt, failed *board.Receipt, err error) {
	tip := b.Settings().Integration.Tip
	tree, err := c.commands.treeOf(ctx, tip)
	if err != nil {
		return nil, nil, err
	}
	return c.commands.passTree(ctx, b.Settings().Config.GatesAt(at), tip, tree)
}

// PassLevel runs the gates of levels on integration, and records whether the next level
// of a goal passed. without are tasks that a person leaves out. A level that failed is
// recorded, and no error.
func (c Stages) PassLevel(ctx context.Context, goal board.GoalID, without []board.TaskID) (gitstore.Result, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return gitstore.Result{}, err
	}
	m := &flow.LevelMove{Level: board.NextLevel(b, goal), Without: without} // another process may pass it meanwhile
	made := c.Caller.Move(board.ActLevel, "", m)
	made.Goal = goal
	if err := c.Store.CheckMove(ctx, b, made); err != nil && !flow.IsRefused(err, flow.RuleGate) {
		return gitstore.Result{}, err
	}
	receipts, failed, err := c.passIntegration(ctx, b, board.AtLevel)
	if err != nil {
		return gitstore.Result{}, err
	}
	m.Receipts, m.Tip = receipts, b.Settings().Integration.Tip
	if failed != nil && failed.Result == board.Errored {
		return gitstore.Result{}, refuseGate(*failed, m.Tip, "git liza goal level pass --goal "+string(goal))
	}
	return c.For(goal).Make(ctx, board.ActLevel, "", m)
}

// PassGoal runs the gates of goals on integration, for a goal that is completed.
func (c Stages) PassGoal(ctx context.Context, m *flow.CompleteMove) error {
	b, _, err := c.Store.Board(ctx)
	if err != nil || len(b.Settings().Config.GatesAt(board.AtGoal)) == 0 {
		return err
	}
	receipts, failed, err := c.passIntegration(ctx, b, board.AtGoal)
	if err != nil {
		return err
	}
	m.Receipts, m.Tip = receipts, b.Settings().Integration.Tip
	if failed != nil {
		return refuseGate(*failed, m.Tip, "git liza task add --from FILE")
	}
	return nil
}

// PassPhase runs the gates that the phase of a goal needs on integration, and leads the
// goal to its next phase.
func (c Stages) PassPhase(ctx context.Context, goal board.GoalID) (gitstore.Result, error) {
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return gitstore.Result{}, err
	}
	m := &flow.PhaseMove{}
	if g := b.Goal(goal); g != nil {
		m.From = g.Phase // another process may end it meanwhile
	}
	if len(board.ExitGates(b, goal)) > 0 {
		made := c.Caller.Move(board.ActPhase, "", m)
		made.Goal = goal
		if err := c.Store.CheckMove(ctx, b, made); err != nil && !flow.IsRefused(err, flow.RuleGate) {
			return gitstore.Result{}, err
		}
		receipts, failed, err := c.passIntegration(ctx, b, board.AtPhase)
		if err != nil {
			return gitstore.Result{}, err
		}
		m.Receipts, m.Tip = receipts, b.Settings().Integration.Tip
		if failed != nil {
			return gitstore.Result{}, refuseGate(*failed, m.Tip, "git liza goal phase next --goal "+string(goal))
		}
	}
	return c.For(goal).Make(ctx, board.ActPhase, "", m)
}

// NoGates refuses to judge a task by gates where there are none.
func NoGates(t *board.Task) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleGate, Hint: "git liza config gates.NAME.command CMD",
		Reason: string(t.ID) + " has no verify, and the board has no gates: nothing says whether its submission is right"}
}
