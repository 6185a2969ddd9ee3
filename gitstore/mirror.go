package gitstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrOffline is wrapped when the remote cannot be reached. Reading still works.
// The command line tests it for its exit code, supervisors to try again later.
var ErrOffline = errors.New("the remote cannot be reached")

// remoteKey is the setting that names the remote which is the authority.
const remoteKey = "liza.remote"

// A Follower updates checkouts of the integration branch when a mirror moves
// it.
type Follower interface {
	// MayFollow returns nil if the branch may move from one commit to another.
	// After an error the branch stays until a later move or Settle.
	MayFollow(ctx context.Context, from, to git.ID) error
	// Follow updates the checkouts after the branch has moved.
	Follow(ctx context.Context, from, to git.ID) error
}

// A Mirror follows the board of the remote that is the authority.
type Mirror struct {
	repo      *git.Repo
	history   *history
	settler   *Settler
	audit     *Audit
	remotes   *Remotes
	publisher *publisher
	packer    *Packer

	// CheckSaves is asked before a remote gets this clone's board with the saved work of its tasks;
	// asked tells that the person did ask for that.
	CheckSaves func(ctx context.Context, remote string, asked bool) error
}

// Synced is the result of fetching from the remote.
type Synced struct {
	Remote        string
	Before, After git.ID // the mirror's tip; "" where there was none
	Moves         int    // that the mirror got, or that were pushed to the remote
	Published     bool   // the remote got this clone's board
	Behind        error  // why the integration branch did not move, nil if it did
	Forwarded     git.ID // where the remote's integration branch was moved forward to; "" if it was not behind
}

// errNoRemote is the error of a sync in a clone that is its own authority.
var errNoRemote = errors.New("this clone has no remote that holds its board")

// Sync moves the mirror to the remote's board: it fetches, judges the new
// moves, and moves the refs. Errors wrap ErrOffline or ErrDiverged, or are a
// *Breach if the remote's board does not replay; the mirror then stays where it
// is.
func (m *Mirror) Sync(ctx context.Context) (Synced, error) {
	name, err := m.history.Authority(ctx)
	if err == nil && name == "" {
		err = errNoRemote
	}
	if err != nil {
		return Synced{}, err
	}
	release, err := m.repo.Turns.PushTurn(ctx)
	if err != nil {
		return Synced{Remote: name}, err
	}
	defer release()
	step, news, err := m.refresh(ctx, name)
	done := Synced{Remote: name, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}
	switch {
	case err != nil:
	case step.to == "":
		err = ErrNoBoard
	default:
		done.Forwarded = m.forwardIntegration(ctx, name, step.seen)
	}
	return done, err
}

// CheckLanded fetches the remote's integration branch again and returns nil if
// it contains the commit, or if this clone is its own authority. The error
// wraps ErrOffline, or ErrForeignRef if the branch does not contain the commit.
func (m *Mirror) CheckLanded(ctx context.Context, commit git.ID) error {
	name, err := m.history.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	release, err := m.repo.Turns.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	var now git.ID
	for range maxLooks {
		step, _, err := m.refresh(ctx, name)
		if err != nil {
			return err
		}
		if step.to == "" {
			return ErrNoBoard
		}
		if now = step.seen.integration; now == "" {
			continue
		}
		if contains, err := m.repo.IsAncestor(ctx, commit, now); err != nil || contains {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip, Hint: "git liza sync",
		Reason: fmt.Sprintf("the integration branch of %s is at %s, which does not contain %s", name, git.ShortOrNone(now), commit.Short())})
}

// forwardIntegration pushes the integration branch to a remote that has the
// board but an earlier state of the branch, because another program has reset
// it. It returns the new tip, or "" if nothing was forwarded.
func (m *Mirror) forwardIntegration(ctx context.Context, remote string, seen heads) git.ID {
	if seen.state == "" || seen.integration == "" {
		return ""
	}
	b, err := m.history.BoardAt(seen.state)
	if err != nil {
		return ""
	}
	branch := git.RefUpdate{Name: b.Settings().Integration.Ref(), Old: seen.integration, New: b.Settings().Integration.Tip}
	if branch.Old == branch.New {
		return ""
	}
	if behind, err := m.repo.IsAncestor(ctx, branch.Old, branch.New); err != nil || !behind {
		return ""
	}
	if m.remotes.push(ctx, remote, []git.RefUpdate{branch}) != nil || m.remotes.noteHeads(ctx, remote, heads{seen.state, branch.New}) != nil {
		return ""
	}
	return branch.New
}

// fetchHeads fetches state and integration of a remote into this clone's refs
// for them. The caller holds the push lock. Errors wrap ErrOffline.
func (m *Mirror) fetchHeads(ctx context.Context, name string) (heads, error) {
	branch := ""
	tip, err := m.repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return heads{}, err
	}
	if tip != "" {
		b, err := m.history.BoardAt(tip)
		if err != nil {
			return heads{}, err
		}
		branch = b.Settings().Integration.Ref()
	}
	found, err := m.remotes.fetchRefs(ctx, name, branch)
	if err != nil || branch != "" || found.state == "" {
		return found, err
	}
	// This clone has no board yet: the board just fetched names the branch.
	if err := m.audit.refuseNewer(found.state); err != nil {
		return heads{}, err
	}
	b, err := m.history.BoardAt(found.state)
	if err != nil {
		return heads{}, &Breach{found.state, err}
	}
	return m.remotes.fetchRefs(ctx, name, b.Settings().Integration.Ref())
}

// refresh moves the mirror to the state of the remote, and returns the new
// moves. The caller holds the push lock.
func (m *Mirror) refresh(ctx context.Context, name string) (step shift, news []git.ID, err error) {
	for look := range maxLooks {
		if err := git.Wait(ctx, time.Duration(look)*100*time.Millisecond); err != nil {
			return step, nil, err
		}
		found, err := m.fetchHeads(ctx, name)
		if err != nil {
			return shift{}, nil, err
		}
		if step, news, err = m.pull(ctx, name, found); !errors.Is(err, ErrDiverged) || look == maxLooks-1 {
			return step, news, err
		}
	}
	return step, news, err
}

// pull moves the mirror to the fetched state.
func (m *Mirror) pull(ctx context.Context, name string, found heads) (shift, []git.ID, error) {
	mirror, err := m.repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return shift{}, nil, err
	}
	step := shift{remote: name, from: mirror, to: found.state, seen: found}
	if found.state == "" {
		if mirror != "" {
			err = &Diverged{fmt.Sprintf("%v: %s has no board, this clone is at %s", ErrDiverged, name, mirror.Short()), "git liza sync --set " + name, false}
		}
		return step, nil, err
	}
	news, marks, err := m.listNews(ctx, name, mirror, found.state)
	if err != nil {
		return step, nil, err
	}
	step.refs = marks
	job, err := m.follow(ctx, &step, len(news))
	m.packer.startJob(ctx, job)
	return step, news, err
}

// follow advances while the queue is held; the new moves count for the next pack.
func (m *Mirror) follow(ctx context.Context, step *shift, moves int) (job *packJob, err error) {
	release, err := m.repo.Turns.Queue(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if step.behind, err = m.advance(ctx, *step); err == nil && moves > 0 {
		job = m.packer.countMoves(step.to, moves)
	}
	return job, err
}

// maxLooks bounds how often a remote is fetched again that seems to lack what
// it had. A fetch can outlive the process that started it, and overwrite the
// ref that a later fetch has written with an older state.
const maxLooks = 3
