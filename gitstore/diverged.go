package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrDiverged is wrapped by *Diverged; supervisors test it and end.
var ErrDiverged = errors.New("the remote's board does not contain this one")

// A Diverged remote has a board that does not contain this clone's: it lost
// moves. The command line shows both fields.
type Diverged struct {
	Reason string
	Hint   string // the command that makes one board of the two
	Apart  bool   // the boards have no move in common, and no remote holds this clone's
}

// Error is the reason.
func (d *Diverged) Error() string { return d.Reason }

// Unwrap lets errors.Is find ErrDiverged.
func (d *Diverged) Unwrap() error { return ErrDiverged }

// divergedError describes the board of a remote that does not contain this
// clone's: it is behind, it has other moves, or it is another board. A board
// that contains all moves of this clone and then a commit that is no move is a
// *Breach, because there is nothing to give up.
func (m *Mirror) divergedError(ctx context.Context, name string, mirror, state git.ID) error {
	fork, err := m.forkPoint(ctx, mirror, state)
	if err != nil {
		return err
	}
	if fork == "" {
		hint := "git liza sync --set " + name + " --theirs"
		held, err := m.history.Authority(ctx)
		if held != "" {
			hint = "git remote get-url " + name
		}
		return cmp.Or(err, error(&Diverged{fmt.Sprintf("%v: %s has another board, at %s, this clone is at %s", ErrDiverged, name, state.Short(), mirror.Short()), hint, held == ""}))
	}
	if fork == mirror {
		return &Breach{state, fmt.Errorf("what follows on %s is not moves alone", mirror.Short())}
	}
	own, breach := m.history.listChain(mirror, fork)
	if breach != nil {
		return breach
	}
	if fork == state {
		return &Diverged{fmt.Sprintf("%v: %s is behind, at %s; this clone went on from there to %s, by moves: %d", ErrDiverged, name, state.Short(), mirror.Short(), len(own)),
			"git liza sync --set " + name + " --publish", false}
	}
	return &Diverged{fmt.Sprintf("%v: %s went another way from %s, to %s; this clone is at %s, by moves that %s does not have: %d",
		ErrDiverged, name, fork.Short(), state.Short(), mirror.Short(), name, len(own)), "git liza sync --set " + name + " --theirs", false}
}

// forkPoint is the last state that two boards have in common, "" if there is none.
func (m *Mirror) forkPoint(ctx context.Context, a, b git.ID) (git.ID, error) {
	bases, err := m.repo.MergeBases(ctx, a, b)
	if err != nil || len(bases) == 0 {
		return "", err
	}
	return bases[0], nil
}

// CheckDiverged returns a *Diverged if the remote's board, as it was last
// fetched, does not contain this clone's; no move may then be made.
func (m *Mirror) CheckDiverged(ctx context.Context) error {
	name, err := m.history.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	there, err := m.repo.Refs.Resolve(ctx, layout.RemoteRef(name, "state"))
	if err != nil || there == "" {
		return err
	}
	return m.CheckDivergedAt(ctx, there)
}

// CheckDivergedAt is [Mirror.CheckDiverged] for a remote whose state is there.
// It returns nil for a state that was not fetched.
func (m *Mirror) CheckDivergedAt(ctx context.Context, there git.ID) error {
	name, err := m.history.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	mirror, err := m.repo.Refs.Resolve(ctx, layout.State)
	if err != nil || mirror == "" || there == mirror {
		return err
	}
	if _, here, err := m.history.findCommit(there); err != nil || !here {
		return err
	}
	if contains, err := m.repo.IsAncestor(ctx, mirror, there); err != nil || contains {
		return err
	}
	return m.divergedError(ctx, name, mirror, there)
}
