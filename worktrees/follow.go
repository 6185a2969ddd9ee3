package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Followers are work trees whose branch another process has moved.
type Followers struct {
	repo      *git.Repo
	registry  *registry
	scratch   *scratch
	isolation *isolation
	contents  *Contents
}

// Check checks that every work tree that has branch checked out can follow it from old
// to new, and notes in their git directories that this is about to happen. Call it
// before the ref moves. First it completes what a killed process noted and did not do.
//
// The error is a *Dirty for a work tree with local changes, or with an untracked file
// where new has one. It is an *Obstacle if another git has locked an index.
func (f *Followers) Check(ctx context.Context, branch string, old, new ID) error {
	return f.eachCheckout(ctx, branch, func(r record) error {
		if err := f.catchUp(ctx, r); err != nil {
			return err
		}
		if err := f.checkFollow(ctx, r, old, new); err != nil {
			return err
		}
		unlock, err := f.scratch.lockIndex(ctx, r)
		if err != nil {
			return err
		}
		unlock()
		return f.writeNote(r, old, new)
	})
}

// Follow updates files and index of every work tree that has branch checked out from
// old to new, after the ref has moved. Untracked files stay as they are. It can be
// repeated; a work tree that is at new already is not changed.
//
// A *Dirty means that files were changed after Check: nothing is overwritten, and the
// hint says how to go on.
func (f *Followers) Follow(ctx context.Context, branch string, old, new ID) error {
	return f.eachCheckout(ctx, branch, func(r record) error {
		from, _, err := readNote(r)
		if err == nil && from == "" {
			behind, behindErr := f.isBehind(ctx, r, old, new)
			if behindErr != nil || !behind {
				return behindErr
			}
			err = f.writeNote(r, old, new)
		}
		if err != nil {
			return err
		}
		return f.catchUp(ctx, r)
	})
}

// isBehind reports whether a work tree without a note has to follow: it got the branch
// after Check, and its index is still as in old.
func (f *Followers) isBehind(ctx context.Context, r record, old, new ID) (bool, error) {
	changes, err := f.repo.Changes(ctx, old, new)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	out, err := f.isolation.run(ctx, r, git.Cmd{Args: []string{"diff-index", "--cached", "--ignore-submodules=dirty", "--name-only", "--no-renames", "-z", string(old)}})
	staged := pathSet(string(out))
	return !slices.ContainsFunc(changes, func(c git.Change) bool { return staged[c.Path] }), err
}

func (f *Followers) eachCheckout(ctx context.Context, branch string, do func(record) error) error {
	return f.registry.each(ctx, func(r record) error {
		if r.branch != branch {
			return nil
		}
		return do(r)
	})
}

// A note in a work tree's git directory says that its branch is about to move
// from one commit to another.
func notePath(r record) string { return filepath.Join(r.gitDir, noteName) }

const noteName = "liza-follow"

func readNote(r record) (from, to ID, err error) {
	content, err := git.ReadSmall(notePath(r))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", r.fault(err)
	}
	a, b, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	return ID(a), ID(b), nil
}

func (f *Followers) writeNote(r record, from, to ID) error {
	return f.scratch.replaceFile(notePath(r), fmt.Sprintf("%s %s\n", from, to))
}

// catchUp updates a work tree to the commit in its note, if the branch has moved there,
// and removes the note. If the branch has not moved, the process that wrote the note
// lost against another one or died.
func (f *Followers) catchUp(ctx context.Context, r record) error {
	from, to, err := readNote(r)
	if err != nil || from == "" {
		return err
	}
	moved, err := f.repo.IsAncestor(ctx, to, r.head)
	if err == nil && moved {
		err = f.bringCheckout(ctx, r, from, r.head)
	}
	if err != nil {
		return err
	}
	if err = os.Remove(notePath(r)); isAbsent(err) {
		err = nil
	}
	return r.fault(err)
}

// checkFollow finds what keeps a checkout from following, and changes nothing.
func (f *Followers) checkFollow(ctx context.Context, r record, old, new ID) error {
	s, err := f.contents.readStatus(ctx, r)
	if err != nil {
		return err
	}
	if len(s.Staged)+len(s.Unstaged) > 0 {
		s.Untracked = nil
		return newDirty(r, s.Changed())
	}
	changes, changesErr := f.repo.Changes(ctx, old, new)
	paths, err := f.listInTheWay(ctx, r, changes)
	if err := cmp.Or(changesErr, err); err != nil {
		return err
	}
	if len(paths) > 0 {
		d := newDirty(r, paths)
		if slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(s.Untracked, path) }) {
			d.Hint = stashIgnored(r, paths)
		}
		return d
	}
	index, err := f.scratch.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	// This finds a file where new has a folder, and everything else that git would not
	// overwrite.
	if f.mergeTrees(ctx, index, old, new, "--dry-run") != nil {
		return newDirty(r, s.Untracked)
	}
	return nil
}

// listInTheWay lists what is in the work tree, and in no commit, where changes add
// a file or a folder for one.
func (f *Followers) listInTheWay(ctx context.Context, r record, changes []git.Change) ([]string, error) {
	goes := map[string]bool{}
	for _, c := range changes {
		goes[c.Path] = c.Mode == 0
	}
	var paths []string
	for _, c := range changes {
		path := ""
		if c.OldMode == 0 {
			path = findBlocking(r, c.Path)
		}
		if path != "" && !goes[path] && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	// In a folder only files that no commit has are in the way: the change removes the
	// others.
	out, err := f.isolation.run(ctx, r, git.Cmd{Args: append([]string{"ls-files", "--others", "-z", "--"}, paths...),
		Env: []string{"GIT_LITERAL_PATHSPECS=1"}})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// findBlocking returns the path itself if it exists, else a file that is where a
// folder above it has to be, else "".
func findBlocking(r record, path string) string {
	for n := range path {
		if path[n] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.path, filepath.FromSlash(path[:n])))
		if err != nil {
			return ""
		}
		if !info.IsDir() {
			return path[:n]
		}
	}
	if fileExists(filepath.Join(r.path, filepath.FromSlash(path))) {
		return path
	}
	return ""
}

// stashIgnored returns a command that stashes paths that git ignores, and only them:
// all ignored files would include caches and the worktrees themselves.
func stashIgnored(r record, paths []string) string {
	hint := "git -C " + shell.Quote(r.path) + " stash push --all --"
	for _, path := range paths {
		hint += " " + shell.Quote(path)
	}
	return hint
}

func newDirty(r record, paths []string) *Dirty {
	return &Dirty{Path: r.path, Paths: paths, Hint: "git -C " + shell.Quote(r.path) + " stash --include-untracked"}
}

// pathSet reads a list of paths as git prints it with -z.
func pathSet(list string) map[string]bool {
	paths := make(map[string]bool)
	for path := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		paths[path] = true
	}
	return paths
}
