package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// pushWait is how long a process waits before it looks again whether it is its
// turn to talk to the remote.
const pushWait = 4 * time.Millisecond

// pushTurn waits until no other process of this clone talks to the remote. The
// kernel lets go when the holder dies.
func (r *Repo) pushTurn(ctx context.Context) (release func(), err error) {
	f, err := r.openLock("push.lock")
	if err != nil {
		return nil, fmt.Errorf("turn to push: %w", err)
	}
	for flock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		if err := wait(ctx, pushWait); err != nil {
			f.Close()
			return nil, fmt.Errorf("turn to push: %w", err)
		}
	}
	return func() { f.Close() }, nil
}

// doRemote makes one move on the remote that is the authority.
func (s *Store) doRemote(ctx context.Context, name string, build Build) (Result, error) {
	request, err := RandomID()
	if err != nil {
		return Result{}, err
	}
	release, err := s.Repo.pushTurn(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	fresh, strays := false, 0
	for attempt := range maxAttempts {
		t, err := s.built(ctx, name, flow.Request(request), build)
		if err != nil || t.Already {
			if fresh || !hasty(err) {
				return t.Result, err
			}
			if _, _, err := s.refresh(ctx, name); err != nil {
				return Result{}, err
			}
			fresh = true
			continue
		}
		pushErr := s.push(ctx, name, t.push)
		if pushErr == nil {
			return t.Result, s.won(ctx, name, t)
		}
		step, news, err := s.refresh(ctx, name)
		if err != nil {
			return Result{}, unknown(err, pushErr)
		}
		fresh = true
		if i := slices.IndexFunc(news, func(r Replay) bool { return r.Move.Request == flow.Request(request) }); i >= 0 {
			return Result{Move: news[i].Move, Commit: news[i].Commit, Before: news[i].Before, After: news[i].After}, nil
		}
		if step.from == step.to {
			if refusal := refusedFor(pushErr); refusal != nil {
				return Result{}, refusal
			}
			if strays++; strays == maxStrays {
				return Result{}, fmt.Errorf("remote %s: %w", name, pushErr)
			}
		}
		if err := pause(ctx, attempt); err != nil {
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("%w: gave up after %d attempts", ErrConflict, maxAttempts)
}

func refusedFor(err error) *flow.Refusal {
	var r *rejection
	if errors.As(err, &r) && len(r.refused) > 0 {
		return r.refused[0].refusal
	}
	return nil
}

// hasty reports whether an answer that rests on a mirror which may be old is
// worth a look at the remote: the board may say something else by now.
func hasty(err error) bool {
	var refusal *flow.Refusal
	return err == nil || errors.As(err, &refusal) || errors.Is(err, ErrNoBoard) || errors.Is(err, ErrStateLost)
}

// unknown says what became of a push that nobody answered, where the remote
// cannot be asked either.
func unknown(err, pushErr error) error {
	var r *rejection
	if errors.As(pushErr, &r) || !errors.Is(err, ErrOffline) {
		return err
	}
	return fmt.Errorf("%w; if the connection was lost on the way, the remote may have the move: to repeat the command is safe", err)
}

// built makes the move on the mirror as it is.
func (s *Store) built(ctx context.Context, name string, request flow.Request, build Build) (transaction, error) {
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return transaction{}, err
	}
	defer release()
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return transaction{}, err
	}
	return s.prepare(ctx, base{tip: tip, remote: name}, request, build)
}

// won moves the mirror to a move that the remote has.
func (s *Store) won(ctx context.Context, name string, t transaction) error {
	ctx = context.WithoutCancel(ctx)
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return err
	}
	defer release()
	seen := heads{state: t.Commit, integration: t.After.Settings().Integration.Tip}
	_, err = s.advance(ctx, shift{remote: name, from: t.push[0].Old, to: t.Commit, seen: seen, refs: t.updates})
	if err != nil {
		return fmt.Errorf("%s has the move, this clone's refs do not follow: %w", name, err)
	}
	return nil
}

// refresh brings the mirror to where the remote is, and returns the moves that
// it got. It runs while this process has the turn to push.
func (s *Store) refresh(ctx context.Context, name string) (shift, []Replay, error) {
	found, err := s.fetch(ctx, name)
	if err != nil {
		return shift{}, nil, err
	}
	return s.pull(ctx, name, found)
}

// pull moves the mirror to what was fetched.
func (s *Store) pull(ctx context.Context, name string, found heads) (shift, []Replay, error) {
	mirror, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return shift{}, nil, err
	}
	step := shift{remote: name, from: mirror, to: found.state, seen: found}
	if found.state == "" {
		if mirror != "" {
			err = fmt.Errorf("%w: %s has no board, this clone is at %s", ErrDiverged, name, mirror.Short())
		}
		return step, nil, err
	}
	news, err := s.news(ctx, name, mirror, found.state)
	if err != nil {
		return step, nil, err
	}
	if step.refs, err = s.marks(news); err != nil {
		return step, nil, err
	}
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return step, nil, err
	}
	defer release()
	step.behind, err = s.advance(ctx, step)
	return step, news, err
}

const (
	marksPrefix = "refs/liza/marks/"
	savedPrefix = "refs/liza/saved/"
)

// kept reports whether a ref is one that moves bring and that then stays.
func kept(ref string) bool {
	return strings.HasPrefix(ref, marksPrefix) || strings.HasPrefix(ref, savedPrefix)
}

// marks are the names of states that moves brought; their commits are here.
func (s *Store) marks(news []Replay) ([]RefUpdate, error) {
	var list []RefUpdate
	for _, r := range news {
		for _, u := range refUpdates(r.Move, r.Before, r.Commit) {
			if strings.HasPrefix(u.Name, marksPrefix) {
				list = append(list, u)
			}
		}
		if err := r.Before.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
