package gitstore

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The refs of a clone that joined with a snapshot. They are made in the transaction that
// makes the state ref, so that no crash leaves a board without them.
const (
	unverifiedSnapshot = layout.UnverifiedRefs + "snapshot" // the commit of the statement
	unverifiedBreach   = layout.UnverifiedRefs + "breach"   // the first commit that does not replay
)

// VerifyHistory is the command that verifies the history behind a snapshot, and shows how far
// that is.
const VerifyHistory = "git liza fsck --full"

// An Unverified is a clone's history behind the snapshot that it joined with, while that is
// not verified.
type Unverified struct {
	Statement SignedStatement
	Replayed  int    // of the statement's moves, from the first one on
	Breach    git.ID // the state commit that does not replay, "" if none was found: the clone is frozen
}

// A Verification is that of the history behind a snapshot, in a clone that joined with one.
type Verification struct {
	repo    *git.Repo
	history *history
}

// Unverified is what this clone has not verified of its history, nil if it took no
// snapshot or has verified what is behind it.
func (v *Verification) Unverified(ctx context.Context) (*Unverified, error) {
	id, err := v.repo.Refs.Resolve(ctx, unverifiedSnapshot)
	if err != nil || id == "" {
		return nil, err
	}
	u := &Unverified{}
	if u.Statement, err = ReadStatement(v.history.objects, id); err != nil {
		return nil, fmt.Errorf("the snapshot that this clone joined with: %w", err)
	}
	if u.Breach, err = v.repo.Refs.Resolve(ctx, unverifiedBreach); err != nil {
		return nil, err
	}
	_, u.Replayed = v.readReplayed()
	return u, nil
}

// RequireVerified refuses what may not rest on a history that nobody here has verified.
// what says in words what is wanted. The error is a *flow.Refusal with the rule
// unverified, or that of reading the repository.
func (v *Verification) RequireVerified(ctx context.Context, what string) error {
	u, err := v.Unverified(ctx)
	switch {
	case err != nil || u == nil:
		return err
	case u.Breach != "":
		return u.frozen()
	}
	return &flow.Refusal{Rule: flow.RuleUnverified, Hint: VerifyHistory,
		Reason: fmt.Sprintf("%s waits until this clone has verified the history behind its snapshot: %s", what, u.Progress())}
}

// Progress says how far the verification is.
func (u *Unverified) Progress() string {
	return fmt.Sprintf("%d of %d moves are replayed", u.Replayed, u.Statement.Moves)
}

// frozen refuses every move of a clone whose history does not replay.
func (u *Unverified) frozen() *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleUnverified, Hint: "git liza fsck --repair",
		Reason: fmt.Sprintf("the history behind the snapshot does not replay, from state commit %s on: this clone makes no move", u.Breach.Short())}
}

// guardedActs are the acts that wait for the history behind them: those that give work of
// others away for good, and those that need the right admin where there are principals, since
// who has rights, and what roles and settings say, comes from that history.
var guardedActs = []flow.Act{flow.ActApprove, flow.ActMerge, flow.ActAdopt, flow.ActAccept,
	flow.ActPrincipal, flow.ActRole, flow.ActRequire, flow.ActConfig, flow.ActAmend, flow.ActMigrate, flow.ActFork}

// AllowMove refuses a move that may not be made while the history is not verified.
func (v *Verification) AllowMove(ctx context.Context, m flow.Move) error {
	if slices.Contains(guardedActs, m.Act) {
		return v.RequireVerified(ctx, m.Act.String())
	}
	return v.refuseFrozen(ctx)
}

// refuseFrozen refuses whatever moves the board of a clone whose history does not replay.
func (v *Verification) refuseFrozen(ctx context.Context) error {
	breach, err := v.repo.Refs.Resolve(ctx, unverifiedBreach)
	if err != nil || breach == "" {
		return err
	}
	return (&Unverified{Breach: breach}).frozen()
}

// beginVerification takes the turn to verify where the history behind a snapshot is not
// verified, or was not when this began to wait for another process that verified it: then
// joined is true.
func (v *Verification) beginVerification(ctx context.Context) (release func(), joined bool, err error) {
	u, err := v.Unverified(ctx)
	if err != nil || u == nil {
		return func() {}, false, err
	}
	release, err = v.verifyTurn(ctx)
	return release, true, err
}

// verifyTurn waits until no other process verifies, so that two do not do the same work.
func (v *Verification) verifyTurn(ctx context.Context) (release func(), err error) {
	for said := (time.Time{}); ; {
		if release, err = git.TryHoldLock(v.repo.CommonDir(), verifyLock); err != nil || release != nil {
			return release, err
		}
		if time.Since(said) > noticeEvery && v.repo.Notice != nil {
			_, n := v.readReplayed()
			v.repo.Notice(fmt.Sprintf("another process verifies the history: %d moves are replayed", n))
			said = time.Now()
		}
		if err := git.Wait(ctx, verifyWait); err != nil {
			return nil, err
		}
	}
}

// verifyLock is the file whose kernel lock a process has that verifies.
const verifyLock = "verify.lock"

// verifyWait is how long a process waits before it looks again whether another one has
// ended its verification.
const verifyWait = 100 * time.Millisecond

// VerifyInBackground starts a process that verifies the history, if that is not verified,
// has not failed, and nobody is at it.
func (v *Verification) VerifyInBackground(ctx context.Context) error {
	u, err := v.Unverified(ctx)
	if err != nil || u == nil || u.Breach != "" || v.repo.Background == nil {
		return err
	}
	release, err := git.TryHoldLock(v.repo.CommonDir(), verifyLock)
	if err != nil || release == nil {
		return err
	}
	release()
	return v.repo.Background("fsck", "--full")
}

// beginUnverified are the updates of refs that say what a clone joins with, none if it joins
// without a snapshot.
func (v *Verification) beginUnverified(joins SignedStatement) []git.RefUpdate {
	if joins.Commit == "" {
		return nil
	}
	_ = os.Remove(v.history.statePath(replayedFile)) // of a board that was here before
	return []git.RefUpdate{{Name: unverifiedSnapshot, New: joins.Commit, Any: true}, {Name: unverifiedBreach, Any: true}}
}

// endVerification takes away what says that the history is not verified.
func (v *Verification) endVerification(ctx context.Context, u *Unverified) error {
	if u == nil {
		return nil
	}
	updates := []git.RefUpdate{{Name: unverifiedSnapshot, Any: true}}
	if u.Breach != "" {
		updates = append(updates, git.RefUpdate{Name: unverifiedBreach, Any: true})
	}
	if err := v.repo.Refs.MoveRefs(ctx, updates, "liza: the history is verified"); err != nil {
		return err
	}
	_ = os.Remove(v.history.statePath(replayedFile)) // it says nothing any more
	return nil
}

// freeze lets this clone make no more moves, and keeps its tip: the history behind the
// snapshot does not replay.
func (v *Verification) freeze(ctx context.Context, tip git.ID, breach *Breach) error {
	kept := layout.RescueFolder(v.history.Now(), tip.Short()) + "/state"
	return v.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: unverifiedBreach, New: breach.Commit, Any: true},
		{Name: kept, New: tip, Any: true}}, "liza: the history does not replay")
}

// replayedFile holds how far the history behind a snapshot is replayed: a state commit, and
// how many moves lead to it. A verification that was killed goes on from there.
const replayedFile = "replayed"

func (v *Verification) readReplayed() (git.ID, int) {
	text, err := git.ReadSmall(v.history.statePath(replayedFile))
	id, count, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	n, numberErr := strconv.Atoi(count)
	if err != nil || numberErr != nil || v.repo.CheckID(git.ID(id)) != nil {
		return "", 0
	}
	return git.ID(id), n
}

// noteReplayed remembers how far the replay is. A failure to do so costs only time.
func (v *Verification) noteReplayed(id git.ID, moves int) {
	_ = git.ReplaceFile(v.history.statePath(replayedFile), fmt.Appendf(nil, "%s %d\n", id, moves))
}
