package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrOffline is wrapped when the remote cannot be reached. Reading works on;
// the command line tests it for its exit code, supervisors to try again later.
var ErrOffline = errors.New("the remote cannot be reached")

// remoteKey is the setting that names the remote which is the authority.
const remoteKey = "liza.remote"

// A Follower brings checkouts of the integration branch along when a mirror
// moves it.
type Follower interface {
	// MayFollow says whether the branch may move from one commit to another; an
	// error leaves it where it is until a later move or Settle.
	MayFollow(ctx context.Context, from, to git.ID) error
	// Follow is told that the branch has moved.
	Follow(ctx context.Context, from, to git.ID) error
}

// Authority is the name of the remote that holds the board, "" if this clone
// holds it itself.
func (s *Store) Authority(ctx context.Context) (string, error) { return s.Repo.Config(ctx, remoteKey) }

// Synced is what a look at the remote found and did.
type Synced struct {
	Remote        string
	Before, After git.ID // the mirror's tip; "" where there was none
	Moves         int    // that the mirror got from the remote, or the remote from here
	Published     bool   // the remote got this clone's board
	Behind        error  // why the integration branch was left behind, nil if it was not
	Forwarded     git.ID // where the remote's integration branch was brought, which was behind; "" if it was not
}

// errNoRemote answers for a clone that is its own authority.
var errNoRemote = errors.New("this clone has no remote that holds its board")

// Sync brings the mirror to where the remote's board is: it fetches, judges
// what is new, and moves the mirror. Errors wrap ErrOffline or ErrDiverged, or
// are a *Breach where the remote's board does not replay; the mirror stays
// where it is then.
func (s *Store) Sync(ctx context.Context) (Synced, error) {
	name, err := s.Authority(ctx)
	if err == nil && name == "" {
		err = errNoRemote
	}
	if err != nil {
		return Synced{}, err
	}
	release, err := s.Repo.PushTurn(ctx)
	if err != nil {
		return Synced{Remote: name}, err
	}
	defer release()
	step, news, err := s.refresh(ctx, name)
	done := Synced{Remote: name, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}
	switch {
	case err != nil:
	case step.to == "":
		err = ErrNoBoard
	default:
		done.Forwarded = s.forward(ctx, name, step.seen)
	}
	return done, err
}

// forward pushes the integration branch to a remote that has the board and an
// earlier state of the branch, where another program has set it back. It returns
// where the branch is then, "" where there was nothing to forward, or that
// could not be done.
func (s *Store) forward(ctx context.Context, remote string, seen heads) git.ID {
	if seen.state == "" || seen.integration == "" {
		return ""
	}
	b, err := s.BoardAt(seen.state)
	if err != nil {
		return ""
	}
	branch := git.RefUpdate{Name: integrationRef(b), Old: seen.integration, New: b.Settings().Integration.Tip}
	if branch.Old == branch.New {
		return ""
	}
	if behind, err := s.Repo.IsAncestor(ctx, branch.Old, branch.New); err != nil || !behind {
		return ""
	}
	if s.push(ctx, remote, []git.RefUpdate{branch}) != nil || s.saw(ctx, remote, heads{seen.state, branch.New}) != nil {
		return ""
	}
	return branch.New
}

// Bring makes sure that commits of a task are here: where one is not, it
// fetches what other clones saved of the task, and what was merged. Errors wrap
// ErrOffline, or git.ErrNoCommit where the remote does not have them either.
func (s *Store) Bring(ctx context.Context, id flow.TaskID, need ...git.ID) error {
	missing, err := s.missing(need)
	if err != nil || missing == "" {
		return err
	}
	name, err := s.Authority(ctx)
	if err != nil {
		return err
	}
	if name != "" {
		if err := s.bring(ctx, name, id); err != nil {
			return err
		}
		if missing, err = s.missing(need); err != nil || missing == "" {
			return err
		}
	}
	return fmt.Errorf("%w: %s of %s is neither here nor at a remote that holds the board", git.ErrNoCommit, missing.Short(), id)
}

// missing is the first of some commits that is not here, "" if all are.
func (s *Store) missing(need []git.ID) (git.ID, error) {
	for _, id := range need {
		if _, here, err := s.commit(id); err != nil || !here {
			return id, err
		}
	}
	return "", nil
}

func (s *Store) bring(ctx context.Context, name string, id flow.TaskID) error {
	release, err := s.Repo.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, _, err := s.refresh(ctx, name); err != nil {
		return err
	}
	there := tracking(name, "saved/"+string(id))
	if err := s.fetchInto(ctx, name, [][2]string{{savedPrefix + string(id) + "/*", there + "/*"}}); err != nil {
		return offline(name, err)
	}
	return s.keep(ctx, there, savedPrefix+string(id))
}

// keep turns what was fetched of a task into this clone's refs.
func (s *Store) keep(ctx context.Context, there, here string) error {
	found, err := s.Repo.Refs(ctx, there)
	if err != nil {
		return err
	}
	var updates []git.RefUpdate
	for ref, id := range found {
		name := here + strings.TrimPrefix(ref, there)
		now, err := s.Repo.Resolve(ctx, name)
		if err != nil {
			return err
		}
		if now == "" {
			updates = append(updates, git.RefUpdate{Name: name, New: id})
		}
		updates = append(updates, git.RefUpdate{Name: ref, Old: id})
	}
	return s.Repo.MoveRefs(ctx, updates, "liza: brought")
}

// Landed reads the remote's integration branch again and returns nil if it
// contains the commit, or if this clone is its own authority. The error wraps
// ErrOffline, or ErrForeignRef where the branch does not contain it.
func (s *Store) Landed(ctx context.Context, commit git.ID) error {
	name, err := s.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	release, err := s.Repo.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	var now git.ID
	for range maxLooks {
		step, _, err := s.refresh(ctx, name)
		if err != nil {
			return err
		}
		if step.to == "" {
			return ErrNoBoard
		}
		if now = step.seen.integration; now == "" {
			continue
		}
		if contains, err := s.Repo.IsAncestor(ctx, commit, now); err != nil || contains {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip, Hint: "git liza sync",
		Reason: fmt.Sprintf("the integration branch of %s is at %s, which does not contain %s", name, git.ShortOrNone(now), commit.Short())})
}

// Astray says of the remote's integration branch, as it was seen last, that
// something else than the board has moved it; a *flow.Refusal then, which
// nothing but a merge needs to heed. A host that runs no hooks allows it.
func (s *Store) Astray(ctx context.Context) error {
	name, err := s.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	b, _, err := s.Board(ctx)
	if err != nil {
		return err
	}
	branch := b.Settings().Integration
	there, err := s.Repo.Resolve(ctx, tracking(name, "integration"))
	if err != nil || there == "" || flow.ObjectID(there) == branch.Tip {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleTip, Hint: s.RemoteStrayHint(ctx, b, name, there),
		Reason: fmt.Sprintf("%s of %s is at %s, where no approved merge has brought it: the board has it at %s", branch.Name, name, there.Short(), branch.Tip.Short())}
}
