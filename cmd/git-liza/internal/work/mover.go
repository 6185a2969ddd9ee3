package work

import (
	"context"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// A mover makes moves that change only the blackboard, on behalf of one
// actor.
type mover struct {
	flow.Caller // the actor; with the zero value the mover only reads
	Repo        *git.Repo
	Store       *gitstore.Store
	Distant     bool // a model makes the moves, so its commands are not those of this machine's human
	environ     []string
	specs       *Specs

	// Usual is the goal of moves that are about nothing of another one; "" is the
	// current goal of the board.
	Usual board.GoalID
	// Named is the goal of all moves that are not about a task; "" leaves it to
	// what they are about.
	Named board.GoalID
}

// For returns a copy whose moves name a goal, see Named.
func (m *mover) For(goal board.GoalID) *mover {
	n := *m
	n.Named = goal
	return &n
}

// goalOf returns the goal that a move names.
func (m *mover) goalOf(b *board.Board, made flow.Move) board.GoalID {
	if m.Named != "" && made.Task == "" {
		return m.Named
	}
	if !made.Act.NamesGoalAlone() {
		made.Goal = m.Usual
	}
	return flow.GoalOf(b, made)
}

// Identify sets the actor of the clone's moves, with the principal that this
// machine has for it.
func (m *mover) Identify(ctx context.Context, by board.Actor, g board.Generation) error {
	principal, err := PrincipalOf(ctx, m.Repo, by)
	m.By, m.Generation, m.Principal = by, g, principal
	return err
}

// Move makes a move that changes only the blackboard. detail is called with
// the board that it will be applied to.
func (m *mover) Move(ctx context.Context, act board.Act, task board.TaskID, detail func(*board.Board) (flow.Detail, error)) (gitstore.Result, error) {
	var asked flow.Query
	r, err := m.Store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		d, err := detail(b)
		if err == nil {
			err = m.checkSecrets(act, d)
		}
		if err != nil {
			return flow.Move{}, nil, err
		}
		made := m.Caller.Move(act, task, d)
		made.Goal = m.goalOf(b, made)
		asked = flow.Ask(b, made)
		return made, nil, nil
	})
	return r, m.specs.explain(ctx, asked, err)
}

// checkSecrets refuses a move of a spawned agent that contains the value of a
// secret variable of its environment, because the board is permanent and shared.
func (m *mover) checkSecrets(act board.Act, d flow.Detail) error {
	if !m.Generation.Spawned() {
		return nil
	}
	text, err := document.Encode(d)
	if err == nil && secret.New(m.environ).Value(string(text)) {
		err = &flow.Refusal{Rule: flow.RuleSecret, Hint: "git liza help " + act.Command(),
			Reason: "what this says holds a key or token of your environment, and the board keeps everything: say it without"}
	}
	return err
}

// Make is [mover.Move] for a detail that does not depend on the board.
func (m *mover) Make(ctx context.Context, act board.Act, task board.TaskID, detail flow.Detail) (gitstore.Result, error) {
	return m.Move(ctx, act, task, func(*board.Board) (flow.Detail, error) { return detail, nil })
}

// syncMirror syncs with the remote, if there is one, so that checks before a
// move use the remote's board.
func (m *mover) syncMirror(ctx context.Context) (bool, error) {
	remote, err := m.Store.Authority(ctx)
	if err != nil || remote == "" {
		return false, err
	}
	_, err = m.Store.Mirror.Sync(ctx)
	return err == nil, err
}

// Fresh returns the current board, after a sync if a remote holds it.
func (m *mover) Fresh(ctx context.Context) (*board.Board, error) {
	if _, err := m.syncMirror(ctx); err != nil {
		return nil, err
	}
	b, _, err := m.Store.Board(ctx)
	return b, err
}

// openedBoard returns the board if an act may begin on it, else a refusal. If
// a mirror refuses, it is synced and asked again.
func (m *mover) openedBoard(ctx context.Context, act board.Act, id board.TaskID) (*board.Board, *flow.Refusal, error) {
	b, _, err := m.Store.Board(ctx)
	if err != nil {
		return nil, nil, err
	}
	refusal := flow.Opens(b, act, id, m.Caller, b.At())
	if refusal == nil {
		return b, nil, nil
	}
	synced, err := m.syncMirror(ctx)
	if err != nil || !synced {
		return b, refusal, err
	}
	if b, _, err = m.Store.Board(ctx); err != nil {
		return nil, nil, err
	}
	return b, flow.Opens(b, act, id, m.Caller, b.At()), nil
}

// taskFor returns the task that an act is about: the one that is named, else the one that the
// actor should take. The error reports a missing or unreadable board before it reports that there
// is no task.
func (m *mover) taskFor(b *board.Board, act board.Act, at time.Time, named board.TaskID) (board.TaskID, error) {
	if named != "" {
		return named, nil
	}
	if b.Empty() {
		return "", gitstore.ErrNoBoard
	}
	id, refusal := flow.Best(b, act, m.Caller, at, nil)
	if b.Err() != nil {
		return "", b.Err()
	}
	if refusal != nil {
		return "", refusal
	}
	return id, nil
}
