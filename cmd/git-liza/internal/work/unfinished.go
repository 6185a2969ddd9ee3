package work

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

// An Unfinished reports a move that was made while its change in the clone
// failed: a checkout to make or remove, or a branch to move. It is no refusal.
// Then is the command that completes it.
type Unfinished struct {
	Move flow.Move
	Lack string // what is missing, as "its worktree is not made"
	Err  error
	Then string
	Data any

	Already bool // the move was made before
}

// Error names the move, what is missing, and why.
func (u *Unfinished) Error() string {
	return fmt.Sprintf("the %s of %s by %s is made, and %s: %v", u.Move.Act, u.Move.Task, u.Move.By, u.Lack, u.Err)
}

// Unwrap returns why it is missing.
func (u *Unfinished) Unwrap() error { return u.Err }

// unfinishedMove wraps err as an [Unfinished] of the move. It returns nil for
// nil.
func unfinishedMove(r gitstore.Result, lack, then string, data any, err error) error {
	if err == nil {
		return nil
	}
	return &Unfinished{Move: r.Move, Lack: lack, Err: err, Then: then, Data: data, Already: r.Already}
}

// missingWorktree reports the missing worktree of a claim or a review. Repeating the
// command makes it.
func missingWorktree(r gitstore.Result, data any, err error) error {
	then := fmt.Sprintf("git liza %s %s --as %s", r.Move.Act.Command(), r.Move.Task, shell.Quote(string(r.Move.By)))
	return unfinishedMove(r, "its worktree is not", then, data, err)
}

// uncleared reports a checkout or branch that still exists although a move ended
// it.
func uncleared(r gitstore.Result, err error) error {
	return unfinishedMove(r, "what it leaves in this clone is not cleared away", "git liza worktree prune", nil, err)
}
