package worktrees

import (
	"bytes"
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

// CheckFollow says whether every work tree that has branch checked out can be
// brought along from old to new, and notes in their git directories that this
// is about to happen. It comes before the ref moves. First it completes what a
// killed process noted and did not do.
//
// A work tree with local changes, or with an untracked file where new has one,
// is a *Dirty; a lock that some other git holds on its index, an *Obstacle.
func (t *Trees) CheckFollow(ctx context.Context, branch string, old, new ID) error {
	return t.eachFollower(ctx, branch, func(r record) error {
		if err := t.catchUp(ctx, r); err != nil {
			return err
		}
		if err := t.checkFollower(ctx, r, old, new); err != nil {
			return err
		}
		unlock, err := t.lockIndex(ctx, r)
		if err != nil {
			return err
		}
		unlock()
		return t.writeNote(r, old, new)
	})
}

// Follow brings files and index of every work tree that has branch checked out
// along from old to new, after the ref has moved there. Untracked files are
// left alone. It can be repeated; one that is there already stays as it is.
//
// A *Dirty now means that somebody changed files after CheckFollow: nothing is
// overwritten, and the hint says how to go on.
func (t *Trees) Follow(ctx context.Context, branch string, old, new ID) error {
	return t.eachFollower(ctx, branch, func(r record) error {
		from, _, err := readNote(r)
		if err != nil {
			return err
		}
		if from != "" {
			return t.catchUp(ctx, r)
		}
		behind, err := t.behind(ctx, r, old, new)
		if err != nil || !behind {
			return err
		}
		if err := t.writeNote(r, old, new); err != nil {
			return err
		}
		return t.catchUp(ctx, r)
	})
}

// behind tells a work tree that nobody noted, because it got the branch after
// CheckFollow, from one that is there already: its index still is as in old.
func (t *Trees) behind(ctx context.Context, r record, old, new ID) (bool, error) {
	changes, err := t.repo.Changes(ctx, old, new)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	out, err := t.git(ctx, r, git.Cmd{Args: []string{"diff-index", "--cached", "--ignore-submodules=dirty", "--name-only", "--no-renames", "-z", string(old)}})
	if err != nil {
		return false, err
	}
	staged := set(string(out))
	for _, c := range changes {
		if staged[c.Path] {
			return false, nil
		}
	}
	return true, nil
}

func (t *Trees) eachFollower(ctx context.Context, branch string, f func(record) error) error {
	records, err := t.records(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.branch != branch || r.half || r.gone || r.alien {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// A note in a work tree's git directory says that its branch is about to move
// from one commit to another.
func notePath(r record) string { return filepath.Join(r.gitDir, "liza-follow") }

func readNote(r record) (from, to ID, err error) {
	content, err := git.ReadSmall(notePath(r))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("worktree %s: %w", r.path, err)
	}
	a, b, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	return ID(a), ID(b), nil
}

func (t *Trees) writeNote(r record, from, to ID) error {
	return t.replace(notePath(r), fmt.Sprintf("%s %s\n", from, to))
}

// catchUp does what a note asks for, if the branch has got there, and removes
// the note. If it has not, whoever wrote it lost or died before.
func (t *Trees) catchUp(ctx context.Context, r record) error {
	from, to, err := readNote(r)
	if err != nil || from == "" {
		return err
	}
	moved, err := t.repo.IsAncestor(ctx, to, r.head)
	if err != nil {
		return err
	}
	if moved {
		if err := t.bring(ctx, r, from, r.head); err != nil {
			return err
		}
	}
	if err := os.Remove(notePath(r)); err != nil && !absent(err) {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return nil
}

// checkFollower looks without touching anything.
func (t *Trees) checkFollower(ctx context.Context, r record, old, new ID) error {
	s, err := t.status(ctx, r)
	if err != nil {
		return err
	}
	if len(s.Staged)+len(s.Unstaged) > 0 {
		s.Untracked = nil
		return dirty(r, s.Changed())
	}
	changes, err := t.repo.Changes(ctx, old, new)
	if err != nil {
		return err
	}
	paths, err := t.inTheWay(ctx, r, changes)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		d := dirty(r, paths)
		if slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(s.Untracked, path) }) {
			d.Hint = stashIgnored(r, paths)
		}
		return d
	}
	index, err := t.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	// A file where new has a folder, and whatever else git would not overwrite.
	if t.twoWay(ctx, r, index, old, new, "--dry-run") != nil {
		return dirty(r, s.Untracked)
	}
	return nil
}

// inTheWay lists what is in the work tree, and in no commit, where changes add
// a file or a folder for one.
func (t *Trees) inTheWay(ctx context.Context, r record, changes []git.Change) ([]string, error) {
	goes := map[string]bool{}
	for _, c := range changes {
		goes[c.Path] = c.Mode == 0
	}
	var paths []string
	for _, c := range changes {
		path := ""
		if c.OldMode == 0 {
			path = met(r, c.Path)
		}
		if path != "" && !goes[path] && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	// Of a folder only what is no commit's: the rest goes with the change.
	out, err := t.git(ctx, r, git.Cmd{Args: append([]string{"ls-files", "--others", "-z", "--"}, paths...),
		Env: []string{"GIT_LITERAL_PATHSPECS=1"}})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// met is the path itself if it exists, or the file that is where a folder above
// it has to be, or "".
func met(r record, path string) string {
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
	if exists(filepath.Join(r.path, filepath.FromSlash(path))) {
		return path
	}
	return ""
}

// stashIgnored puts away files that git ignores and only them: all that is
// ignored would be caches, and the worktrees themselves.
func stashIgnored(r record, paths []string) string {
	hint := "git -C " + shell.Quote(r.path) + " stash push --all --"
	for _, path := range paths {
		hint += " " + shell.Quote(path)
	}
	return hint
}

func dirty(r record, paths []string) *Dirty {
	return &Dirty{Path: r.path, Paths: paths, Hint: "git -C " + shell.Quote(r.path) + " stash --include-untracked"}
}

// bring updates files and then the index, under git's own lock on the index.
func (t *Trees) bring(ctx context.Context, r record, old, new ID) error {
	unlock, err := t.lockIndex(ctx, r)
	if err != nil {
		return err
	}
	defer unlock()
	index, err := t.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	if err := t.twoWay(ctx, r, index, old, new); err != nil {
		if err := t.meet(ctx, r, index, old, new); err != nil {
			return err
		}
		if err := t.twoWay(ctx, r, index, old, new); err != nil {
			return fmt.Errorf("%s could not follow its branch: %w", r.path, err)
		}
	}
	if err := os.Rename(index.path, filepath.Join(r.gitDir, "index")); err != nil {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return nil
}

// twoWay is git's two-tree merge: it refuses to touch what is not as in old,
// and keeps what is as in new.
func (t *Trees) twoWay(ctx context.Context, r record, index index, old, new ID, options ...string) error {
	// What only looks changed, because it was touched, must not be refused. Its
	// exit code says that there is more, which the merge will find.
	_, _ = t.git(ctx, r, git.Cmd{Env: index.env(), Limit: slow, Args: []string{"update-index", "-q", "--refresh"}})
	args := append([]string{"read-tree", "-m", "-u", "--no-recurse-submodules"}, options...)
	_, err := t.git(ctx, r, git.Cmd{Env: index.env(), Limit: slow, Args: append(args, string(old), string(new))})
	return err
}

// meet makes the index say of the files that a killed process has brought to
// new already that they are. If a file is as in neither, somebody has changed
// it, and nothing is touched.
func (t *Trees) meet(ctx context.Context, r record, real index, old, new ID) error {
	changes, err := t.repo.Changes(ctx, old, new)
	if err != nil {
		return err
	}
	notOld, err := t.differing(ctx, r, old)
	if err != nil {
		return err
	}
	notNew, err := t.differing(ctx, r, new)
	if err != nil {
		return err
	}
	var arrived []git.Change
	var changed []string
	for _, c := range changes {
		switch {
		case !notNew[c.Path]:
			arrived = append(arrived, c)
		case notOld[c.Path]:
			torn, err := t.dropTorn(ctx, r, c)
			if err != nil {
				return err
			}
			if !torn {
				changed = append(changed, c.Path)
			}
		}
	}
	if len(changed) > 0 {
		return &Dirty{Path: r.path, Paths: changed, Hint: fmt.Sprintf(
			"mv the files named away, then: git -C %s read-tree -m -u %s %s", shell.Quote(r.path), old.Short(), new.Short())}
	}
	return t.restage(ctx, r, real, arrived)
}

// dropTorn removes a file that a killed git had begun to write: it holds the
// beginning of what it is to become, and nothing else. Git writes a missing one
// anew.
func (t *Trees) dropTorn(ctx context.Context, r record, c git.Change) (bool, error) {
	path := filepath.Join(r.path, filepath.FromSlash(c.Path))
	info, err := os.Lstat(path)
	if err != nil || c.Mode == 0 || !info.Mode().IsRegular() || info.Size() >= large {
		return false, nil
	}
	begun, err := os.ReadFile(path)
	if err != nil {
		return false, nil
	}
	whole, err := t.git(ctx, r, git.Cmd{Args: []string{"cat-file", "blob", string(c.New)}})
	if err != nil || !bytes.HasPrefix(whole, begun) {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return true, nil
}

// restage records changes in the index.
func (t *Trees) restage(ctx context.Context, r record, real index, changes []git.Change) error {
	var list []byte
	for _, c := range changes {
		id := c.New
		if c.Mode == 0 {
			id = ID(strings.Repeat("0", t.repo.HashLen()))
		}
		list = fmt.Appendf(list, "%o %s\t%s\x00", c.Mode, id, c.Path)
	}
	_, err := t.git(ctx, r, git.Cmd{Env: real.env(), Stdin: list,
		Args: []string{"update-index", "-z", "--index-info"}})
	return err
}

// differing lists the paths whose files are not as in commit, and those of
// commit's that are missing, as well as untracked ones.
func (t *Trees) differing(ctx context.Context, r record, commit ID) (map[string]bool, error) {
	x, err := t.privateIndex(r)
	if err != nil {
		return nil, err
	}
	defer x.remove()
	run := func(args ...string) (string, error) {
		out, err := t.git(ctx, r, git.Cmd{Env: x.env(), Args: args, Limit: slow})
		return string(out), err
	}
	if _, err := run("read-tree", "--reset", "--no-recurse-submodules", string(commit)); err != nil {
		return nil, err
	}
	_, _ = run("update-index", "-q", "--refresh") // its exit code says what diff-files will
	out, err := run("diff-files", "--ignore-submodules=dirty", "--name-only", "-z", "--no-renames")
	if err != nil {
		return nil, err
	}
	others, err := run("ls-files", "--others", "-z")
	if err != nil {
		return nil, err
	}
	return set(out + others), nil
}

// set reads a list of paths as git prints it with -z.
func set(list string) map[string]bool {
	paths := make(map[string]bool)
	for path := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		paths[path] = true
	}
	return paths
}
