package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrIncomplete is wrapped by Snapshot, beside a commit, when some of the files were left
// out. The command line tests it to name them and go on.
var ErrIncomplete = errors.New("not everything is saved")

// Snapshot returns a commit that holds everything in the work tree at path: HEAD itself
// if it is clean, else a new commit on top of HEAD with what is staged, unstaged and
// untracked. During a rebase the commit with which the rebase began is a parent too.
// The work tree, its index and HEAD do not change, and no ref but the pin of a checkout keeps
// the commit yet; the caller makes it durable when it sets a ref.
//
// Files that never names, that cannot be read or are larger than a gigabyte, those whose filter
// is never run because it is a file of the checkout, repositories of their own inside, and what
// the set-up left are left out: the error then wraps ErrIncomplete and names them, and the commit
// is returned too. If git fails in the work tree altogether, that commit is HEAD.
func (k *Contents) Snapshot(ctx context.Context, path, message string, never Never) (ID, error) {
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return "", err
	}
	status, paths, left, err := k.readSavable(ctx, r, never)
	if err != nil {
		return incompleteSnapshot(ctx, r, err)
	}
	parents, err := k.snapshotParents(ctx, r, status)
	if err != nil || status.Clean() && len(parents) == 1 {
		return status.Head, err
	}
	id := status.Head
	if len(paths) > 0 || len(parents) != 1 {
		if id, err = k.writeSnapshot(ctx, r, paths, parents, message); err != nil {
			return id, err
		}
		left = append(left, status.Left...)
	}
	if len(left) > 0 {
		err = fmt.Errorf("%w, left out of %s: %s", ErrIncomplete, path, git.VisibleList(left, 20))
	}
	return id, err
}

// Never says of a path whether its content never leaves the machine; nil: of none.
type Never func(path string) bool

func (n Never) has(path string) bool { return n != nil && n(path) }

// incompleteSnapshot returns HEAD and ErrIncomplete where git failed in the work tree
// because of its content, and else the error.
func incompleteSnapshot(ctx context.Context, r record, err error) (ID, error) {
	var own *Obstacle
	if ctx.Err() != nil || git.ExitCode(err) <= 0 && !errors.As(err, &own) || r.head == "" {
		return "", err
	}
	return r.head, fmt.Errorf("%w: %w", ErrIncomplete, err)
}

// readSavable reads what a work tree has that no commit has: the paths that a commit can hold, and
// those that it cannot, or may not. A file whose filter never runs counts as it is.
func (k *Contents) readSavable(ctx context.Context, r record, never Never) (s Status, paths, left []string, err error) {
	r.raw = true
	if s, err = k.readStatus(ctx, r); err != nil {
		return s, nil, nil, err
	}
	barred, err := k.isolation.barredPaths(ctx, r, s.Changed())
	for _, name := range s.Changed() {
		if never.has(name) || barred[name] || slices.Contains(s.Nested, name) || !isReadable(filepath.Join(r.path, filepath.FromSlash(name))) {
			left = append(left, name)
		} else {
			paths = append(paths, name)
		}
	}
	return s, paths, left, err
}

// snapshotParents are HEAD and, in the middle of a rebase, where the branch still is.
func (k *Contents) snapshotParents(ctx context.Context, r record, s Status) ([]ID, error) {
	if s.Head == "" {
		return nil, nil
	}
	parents := []ID{s.Head}
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		content, err := git.ReadSmall(filepath.Join(r.stateDir(), dir, "orig-head"))
		if err != nil {
			continue
		}
		began, err := k.repo.ParseCommit(ctx, strings.TrimSpace(string(content)))
		if err != nil {
			return nil, err
		}
		behind, err := k.repo.IsAncestor(ctx, began, s.Head)
		if err != nil {
			return nil, err
		}
		if !behind {
			parents = append(parents, began)
		}
	}
	return parents, nil
}

// writeSnapshot writes a commit with paths as they are on disk. Until it is whole, its objects
// are apart: whoever works there would not write what the clone has and may drop again. Without
// a message none is written: the error says whether one can be.
func (k *Contents) writeSnapshot(ctx context.Context, r record, paths []string, parents []ID, message string) (ID, error) {
	index, err := k.scratch.privateIndex(r)
	if err != nil {
		return "", err
	}
	defer index.remove()
	objects := filepath.Join(filepath.Dir(index.path), "objects")
	if err := os.Mkdir(objects, 0o777); err != nil {
		return "", r.fault(err)
	}
	env := append(index.env(), git.Apart(k.repo.ObjectDir(), objects)...)
	tree, err := k.writeTree(ctx, r, paths, env)
	if err != nil {
		return incompleteSnapshot(ctx, r, err)
	}
	if message == "" {
		return "", nil
	}
	args := []string{"commit-tree", "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", string(parent))
	}
	out, err := k.isolation.run(ctx, r, git.Cmd{Args: append(args, string(tree)), Stdin: []byte(message), Env: env})
	id := ID(strings.TrimSpace(string(out)))
	if err == nil {
		err = git.MoveObjects(k.repo.ObjectDir(), objects)
	}
	if err != nil || !r.own {
		return id, err
	}
	unlock, err := k.insides.lock(ctx, r)
	if err != nil {
		return "", err
	}
	defer unlock()
	pin, err := k.insides.keep(ctx, r, id)
	if err == nil {
		err = k.repo.Refs.MoveRefs(ctx, pin, "git liza: what was saved of "+r.name)
	}
	return id, err
}

// writeTree writes the tree of HEAD with paths as they are on disk. The index is not asked: it
// may have what is left out.
func (k *Contents) writeTree(ctx context.Context, r record, paths, env []string) (ID, error) {
	// Files that autocrlf warns about have to be saved too.
	options := []string{"-c", "core.safecrlf=false", "-c", "core.splitIndex=false"}
	if r.head != "" {
		if _, err := k.isolation.run(ctx, r, git.Cmd{Env: env, Limit: slow, Args: append(options, "read-tree", string(r.head))}); err != nil {
			return "", err
		}
	}
	if err := k.updateIndex(ctx, r, paths, git.Cmd{Env: env, Args: options}); err != nil {
		return "", err
	}
	out, err := k.isolation.run(ctx, r, git.Cmd{Env: env, Limit: slow, Args: append(options, "write-tree")})
	return ID(strings.TrimSpace(string(out))), err
}

// largest is the maximum size in bytes of a saved file: larger files are not written by
// hand, and a sparse file can have any size.
const largest = 1 << 30

// isReadable reports whether a path can be saved. One that is gone can: it is saved
// as a deletion.
func isReadable(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return true
	}
	return info.Size() <= largest && unix.Access(path, unix.R_OK) == nil
}
