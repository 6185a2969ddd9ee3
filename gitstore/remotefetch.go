package gitstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// heads are the two refs of a remote that a mirror follows, "" where it has
// none.
type heads struct{ state, integration git.ID }

// fetchRefs fetches the state and, if it is given, the integration branch.
func (r *Remotes) fetchRefs(ctx context.Context, name, branch string) (heads, error) {
	want := [][2]string{{layout.State, layout.RemoteRef(name, "state")}}
	if branch != "" {
		want = append(want, [2]string{branch, layout.RemoteRef(name, "integration")})
	}
	// What agents say of themselves comes along in the same conversation; a
	// pattern that nothing matches is no error.
	agents := [2]string{layout.PresenceRefs + "*", layout.RemoteRef(name, "agents/*")}
	err := r.fetchInto(ctx, name, append(slices.Clone(want), agents))
	if errors.Is(err, git.ErrRefLocked) {
		return heads{}, err
	}
	if git.ExitCode(err) > 0 && !isRefusedLogin(err) {
		// One of them missing looks like no remote at all: ask which it is.
		if want, err = r.listPresent(ctx, name, want); err == nil && len(want) > 0 {
			if err = r.refetchInto(ctx, name, want); err != nil {
				err = offlineError(name, err)
			}
		}
	} else if err != nil {
		err = offlineError(name, err)
	}
	if err != nil {
		return heads{}, err
	}
	var found heads
	for _, pair := range want {
		id, err := r.repo.Refs.Resolve(ctx, pair[1])
		if err != nil {
			return heads{}, err
		}
		if pair[0] == layout.State {
			found.state = id
		} else {
			found.integration = id
		}
	}
	return found, nil
}

// answeredTries is how often a remote that answers is asked for what could not
// be taken from it.
const answeredTries = 5

// refetchInto fetches from a remote that has just answered. `git gc` removes
// folders of objects that are empty: a fetch that has made one for its next
// object loses it, fails, and keeps nothing (seen with git 2.39).
func (r *Remotes) refetchInto(ctx context.Context, name string, refs [][2]string) (err error) {
	for range answeredTries {
		if err = r.fetchInto(ctx, name, refs); git.ExitCode(err) <= 0 || errors.Is(err, git.ErrRefLocked) {
			return err
		}
	}
	return err
}

// unpackLimit lets a fetch keep the objects of up to some hundred moves in files of their own,
// which housekeeping packs: git makes a pack of every hundred objects, and begins to repack
// at fifty packs.
const unpackLimit = "fetch.unpackLimit=2000"

// fetchInto fetches refs of a remote, each into one of ours, and nothing that
// is configured.
func (r *Remotes) fetchInto(ctx context.Context, name string, refs [][2]string) error {
	// A `git gc` holds the lock of each ref while its hooks run.
	args := append(git.LockArgs(), "-c", unpackLimit, "fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--", name)
	args = append(args, lists.Of(refs, func(pair [2]string) string { return "+" + pair[0] + ":" + pair[1] })...)
	left := git.Leftovers{Under: []string{strings.TrimSuffix(layout.RemoteRef(name, ""), "/")}, Files: []string{filepath.Join(r.repo.CommonDir(), "shallow.lock")}, Objects: true}
	fetch := func() error {
		return r.repo.Journal.RunUnlocked(ctx, left, func() error {
			_, err := r.runGit(ctx, left, args...)
			return err
		})
	}
	err := fetch()
	dropped, explained := r.explainFetch(ctx, err)
	if dropped {
		_, explained = r.explainFetch(ctx, fetch())
	}
	return explained
}

// listPresent are those of the pairs whose first ref the remote has; what was seen
// of the others before is forgotten.
func (r *Remotes) listPresent(ctx context.Context, name string, refs [][2]string) ([][2]string, error) {
	names := lists.Of(refs, func(pair [2]string) string { return pair[0] })
	there, err := r.listRemote(ctx, name, names...)
	if err != nil {
		return nil, err
	}
	var list [][2]string
	var gone []git.RefUpdate
	for _, pair := range refs {
		if there[pair[0]] != "" {
			list = append(list, pair)
			continue
		}
		seen, err := r.repo.Refs.Resolve(ctx, pair[1])
		if err != nil {
			return nil, err
		}
		if seen != "" {
			gone = append(gone, git.RefUpdate{Name: pair[1], Old: seen})
		}
	}
	return list, r.repo.Refs.MoveRefs(ctx, gone, "liza: gone from "+name)
}

// BoardOf asks a remote for its state commit, "" if it has none. Errors wrap
// ErrOffline.
func (r *Remotes) BoardOf(ctx context.Context, name string) (git.ID, error) {
	there, err := r.listRemote(ctx, name, layout.State)
	return there[layout.State], err
}

// listRemote asks which of some refs, or of those that match a pattern, a
// remote has. Errors wrap ErrOffline.
func (r *Remotes) listRemote(ctx context.Context, name string, refs ...string) (map[string]git.ID, error) {
	out, err := r.runGit(ctx, git.Leftovers{}, append([]string{"ls-remote", "--refs", "--", name}, refs...)...)
	if err != nil {
		return nil, offlineError(name, err)
	}
	there := map[string]git.ID{}
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := r.repo.CheckID(git.ID(id)); err != nil {
			return nil, fmt.Errorf("remote %s: %w", name, err)
		}
		there[ref] = git.ID(id)
	}
	return there, nil
}
