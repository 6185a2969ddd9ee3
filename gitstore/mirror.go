package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// maxBehind bounds the merges by which an integration branch may lie behind
// its board and still be brought along.
const maxBehind = 10000

// maxStale bounds how often the mirror is moved again because one of the refs
// that go along has moved meanwhile.
const maxStale = 5

// tracking is the ref that keeps what a remote was seen to have.
func tracking(remote, what string) string { return "refs/liza/remote/" + remote + "/" + what }

// heads are the two refs of a remote that a mirror follows, "" where it has
// none.
type heads struct{ state, integration ID }

// fetch reads state and integration of a remote into this clone's refs for
// them. It runs while the push lock is held. Errors wrap ErrOffline.
func (s *Store) fetch(ctx context.Context, name string) (heads, error) {
	branch := ""
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return heads{}, err
	}
	if tip != "" {
		b, err := s.BoardAt(tip)
		if err != nil {
			return heads{}, err
		}
		branch = integrationRef(b)
	}
	found, err := s.fetchRefs(ctx, name, branch)
	if err != nil || branch != "" || found.state == "" {
		return found, err
	}
	// A first look: the board names the branch.
	b, err := s.BoardAt(found.state)
	if err != nil {
		return heads{}, &Breach{found.state, err}
	}
	return s.fetchRefs(ctx, name, integrationRef(b))
}

// fetchRefs fetches the state and, if it is given, the integration branch.
func (s *Store) fetchRefs(ctx context.Context, name, branch string) (heads, error) {
	want := [][2]string{{StateRef, tracking(name, "state")}}
	if branch != "" {
		want = append(want, [2]string{branch, tracking(name, "integration")})
	}
	err := s.fetchInto(ctx, name, want)
	if exitCode(err) > 0 {
		// One of them missing looks like no remote at all: ask which it is.
		if want, err = s.present(ctx, name, want); err == nil && len(want) > 0 {
			if err = s.fetchInto(ctx, name, want); err != nil {
				err = offline(name, err)
			}
		}
	} else if err != nil {
		err = offline(name, err)
	}
	if err != nil {
		return heads{}, err
	}
	var found heads
	for _, pair := range want {
		id, err := s.Repo.Resolve(ctx, pair[1])
		if err != nil {
			return heads{}, err
		}
		if pair[0] == StateRef {
			found.state = id
		} else {
			found.integration = id
		}
	}
	return found, nil
}

// fetchInto fetches refs of a remote, each into one of ours, and nothing that
// is configured.
func (s *Store) fetchInto(ctx context.Context, name string, refs [][2]string) error {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--", name}
	for _, pair := range refs {
		args = append(args, "+"+pair[0]+":"+pair[1])
	}
	_, err := s.talk(ctx, args...)
	return err
}

// present are those of the pairs whose first ref the remote has; what was seen
// of the others before is forgotten.
func (s *Store) present(ctx context.Context, name string, refs [][2]string) ([][2]string, error) {
	var names []string
	for _, pair := range refs {
		names = append(names, pair[0])
	}
	there, err := s.listRemote(ctx, name, names...)
	if err != nil {
		return nil, err
	}
	var list [][2]string
	var gone []RefUpdate
	for _, pair := range refs {
		if there[pair[0]] != "" {
			list = append(list, pair)
			continue
		}
		seen, err := s.Repo.Resolve(ctx, pair[1])
		if err != nil {
			return nil, err
		}
		if seen != "" {
			gone = append(gone, RefUpdate{Name: pair[1], Old: seen})
		}
	}
	return list, s.Repo.MoveRefs(ctx, gone, "liza: gone from "+name)
}

// listRemote asks which of some refs, or of those that match a pattern, a
// remote has. Errors wrap ErrOffline.
func (s *Store) listRemote(ctx context.Context, name string, refs ...string) (map[string]ID, error) {
	out, err := s.talk(ctx, append([]string{"ls-remote", "--refs", "--", name}, refs...)...)
	if err != nil {
		return nil, offline(name, err)
	}
	there := map[string]ID{}
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := s.Repo.checkID(ID(id)); err != nil {
			return nil, fmt.Errorf("remote %s: %w", name, err)
		}
		there[ref] = ID(id)
	}
	return there, nil
}

// news are the moves that a remote's state has and the mirror lacks, oldest
// first, each replayed. The error is a *Breach, or wraps ErrDiverged.
func (s *Store) news(ctx context.Context, name string, mirror, state ID) ([]Replay, error) {
	chain, breach := s.chain(state, mirror)
	if breach != nil {
		return nil, breach
	}
	var list []Replay
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 && mirror != "" {
			if e, err := s.Event(id); err != nil || e.Parent != mirror {
				return nil, s.diverged(name, mirror, state)
			}
		}
		r, err := s.Replay(ctx, id, false)
		if err != nil {
			return nil, &Breach{id, err}
		}
		list = append(list, r)
	}
	return list, nil
}

// diverged names both tips and how to go on.
func (s *Store) diverged(name string, mirror, state ID) error {
	return fmt.Errorf("%w: %s has %s, this clone has %s (git log %s..%s shows what it would lose)",
		ErrDiverged, name, state.Short(), mirror.Short(), tracking(name, "state"), StateRef)
}

// A shift is one step of a mirror: the state ref moves, and what follows from
// the moves in between.
type shift struct {
	remote   string
	from, to ID
	seen     heads       // what the remote has now, "" where it is not known
	refs     []RefUpdate // that go along where they stand as expected
	behind   error       // why the integration branch could not come along
}

// advance moves the mirror while the queue is held. behind says why the
// integration branch could not come along. The error wraps ErrRefMoved where
// the mirror is elsewhere than where the step begins.
func (s *Store) advance(ctx context.Context, step shift) (behind, err error) {
	b, err := s.BoardAt(step.to)
	if err != nil {
		return nil, err
	}
	for range maxStale {
		var branch *RefUpdate
		if branch, behind, err = s.mayFollow(ctx, b, step.from == ""); err != nil {
			return nil, err
		}
		updates, refsErr := s.along(ctx, step, branch)
		if refsErr != nil {
			return nil, refsErr
		}
		err = s.Repo.MoveRefs(ctx, updates, "liza: "+step.remote+" is at "+step.to.Short())
		if err == nil && branch != nil && branch.Old != "" && s.Follower != nil {
			behind = s.Follower.Follow(ctx, branch.Old, branch.New)
		}
		if !errors.Is(err, ErrRefMoved) {
			break
		}
		if now, nowErr := s.Repo.Resolve(ctx, StateRef); nowErr != nil || now != step.from && now != step.to {
			break
		}
	}
	if err == nil {
		s.wrote(step.to)
	}
	return behind, err
}

// along are the updates of a step, without those refs that are no longer where
// they should be or have got there already.
func (s *Store) along(ctx context.Context, step shift, branch *RefUpdate) ([]RefUpdate, error) {
	var updates []RefUpdate
	// A refspec that somebody configured lets git move it in a push.
	now, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return nil, err
	}
	if now != step.to {
		updates = append(updates, RefUpdate{Name: StateRef, Old: step.from, New: step.to})
	}
	if branch != nil {
		updates = append(updates, *branch)
	}
	for _, u := range step.refs {
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.New && (now == u.Old || u.Any) {
			u.Old = now
			updates = append(updates, u)
		}
	}
	for what, id := range map[string]ID{"state": step.seen.state, "integration": step.seen.integration} {
		now, err := s.Repo.Resolve(ctx, tracking(step.remote, what))
		if err != nil {
			return nil, err
		}
		if id != "" && now != id {
			updates = append(updates, RefUpdate{Name: tracking(step.remote, what), New: id, Any: true})
		}
	}
	return updates, nil
}

// mayFollow is the step of the local integration branch to where the board has
// it: nil where it is there, where something else has moved it, and where it
// cannot come along now, which behind explains.
func (s *Store) mayFollow(ctx context.Context, b *flow.Board, create bool) (step *RefUpdate, behind, err error) {
	name, want := integrationRef(b), b.Settings().Integration.Tip
	now, err := s.Repo.Resolve(ctx, name)
	if err != nil || now == want {
		return nil, nil, err
	}
	if _, here, err := s.commit(want); err != nil || !here {
		return nil, fmt.Errorf("%s is not here", want.Short()), err
	}
	if now == "" {
		if create {
			step = &RefUpdate{Name: name, New: want}
		}
		return step, nil, nil
	}
	before, err := s.precedes(now, want)
	if err != nil {
		return nil, nil, err
	}
	if !before {
		return nil, s.foreign(ctx, name, now, want), nil
	}
	if s.Follower != nil {
		if err := s.Follower.MayFollow(ctx, now, want); err != nil {
			return nil, err, nil
		}
	}
	return &RefUpdate{Name: name, Old: now, New: want}, nil, nil
}

// precedes reports whether integration was at one commit before it came to
// another: it is among the first parents.
func (s *Store) precedes(from, to ID) (bool, error) {
	for range maxBehind {
		if to == from {
			return true, nil
		}
		c, here, err := s.commit(to)
		if err != nil || !here || len(c.Parents) == 0 {
			return false, err
		}
		to = c.Parents[0]
	}
	return false, nil
}
