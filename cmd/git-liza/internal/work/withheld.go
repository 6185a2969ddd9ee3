package work

import (
	"cmp"
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Withheld are the files that a commit and integration, at tip, do not have alike, of those
// that the patterns name at any depth, whatever their case: what a program obeys or runs by
// itself, see loads in the catalogue of providers. Links that integration has on the way name
// what they lead to.
func Withheld(ctx context.Context, repo *git.Repo, tip, commit board.ObjectID, loads []string) ([]git.Change, error) {
	if len(loads) == 0 {
		return nil, nil
	}
	changes, err := repo.Changes(ctx, tip, commit)
	listed, listErr := repo.Run(ctx, git.Cmd{Args: []string{"ls-tree", "-r", "-z", "--full-tree", string(tip)}})
	var links []git.Entry
	for line := range strings.SplitSeq(string(listed), "\x00") {
		fields, name, _ := strings.Cut(line, "\t")
		if id, isLink := strings.CutPrefix(fields, "120000 blob "); isLink {
			links = append(links, git.Entry{Name: name, ID: git.ID(id)})
		}
	}
	objects := repo.Objects(ctx)
	for n := 0; n < len(loads) && n < mostLoads; n++ {
		for _, l := range links {
			for _, rest := range beyond(loads[n], l.Name, true) {
				_, to, err := objects.Read(l.ID)
				listErr = cmp.Or(listErr, err)
				if led := path.Join("/", path.Dir(l.Name), string(to)) + rest; strings.Count(led, "/") < deepest && !slices.Contains(loads, led) {
					loads = append(slices.Clip(loads), led)
				}
			}
		}
	}
	return slices.DeleteFunc(changes, func(c git.Change) bool {
		isLink := c.Mode == git.ModeSymlink || c.OldMode == git.ModeSymlink
		return !slices.ContainsFunc(loads, func(pattern string) bool { return len(beyond(pattern, c.Path, isLink)) > 0 })
	}), cmp.Or(err, listErr)
}

// Bounds on what links name, since those that lead into themselves have no end: patterns of which
// links are followed, and folders in one.
const mostLoads, deepest = 1000, 40

// beyond is what a pattern names below a path: "" where it names the path or a folder around it,
// and the rest of the pattern where a link is on the way to what it names.
func beyond(pattern, name string, isLink bool) (rests []string) {
	name = strings.ToLower(name)
	pattern, atTop := strings.CutPrefix(strings.ToLower(pattern), "/")
	if !atTop {
		pattern = "**/" + pattern
	}
	for at, r := range pattern {
		if r == '/' && isLink && pattern[:at] != "**" && glob.Match(pattern[:at], name) {
			rests = append(rests, pattern[at:])
		}
	}
	if glob.Match(pattern, name) || glob.Match(pattern+"/", name) {
		rests = append(rests, "")
	}
	return rests
}

// withhold gives the checkout of a role's review what integration has instead of what is
// [Withheld]: the reviewer would obey what it is to judge. It does so before the checkout is
// sealed, or where one that is still pristine was made again, and returns the paths.
func (s *Seals) withhold(ctx context.Context, t *board.Task, role board.Role, tip board.ObjectID, pristine bool) (paths []string, err error) {
	changes, err := Withheld(ctx, s.repo, tip, t.Submission.Commit, s.Loads)
	paths = lists.Of(changes, func(c git.Change) string { return c.Path })
	if old := s.read(t, role); err != nil || len(changes) == 0 || old != nil && (old.Prepared || !pristine) {
		return paths, err
	}
	root, err := os.OpenRoot(s.trees.Path(t.ID.ReviewFolder(role, t.Submission.Number)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return paths, cmp.Or(takeAway(root, changes), restore(root, s.repo.Objects(ctx), changes))
}

// takeAway removes what the submission has of changes, with folders that get empty.
func takeAway(root *os.Root, changes []git.Change) error {
	for n, c := range changes {
		if c.Mode == 0 {
			continue
		}
		if _, err := root.Lstat(c.Path); err != nil {
			changes[n].Old = "" // a sparse checkout lacks it
		}
		if err := root.RemoveAll(c.Path); err != nil {
			return err
		}
		for dir := path.Dir(c.Path); root.Remove(dir) == nil; {
			dir = path.Dir(dir) // integration may have a file there
		}
	}
	return nil
}

// restore writes what integration has of changes.
func restore(root *os.Root, objects *git.Objects, changes []git.Change) error {
	for _, c := range changes {
		if c.Old == "" || c.OldMode == git.ModeSubmodule || isTaken(root, c.Path) {
			continue
		}
		_, text, err := objects.Read(c.Old)
		err = cmp.Or(err, root.MkdirAll(path.Dir(c.Path), 0o777))
		if err == nil && c.OldMode == git.ModeSymlink {
			err = root.Symlink(string(text), c.Path)
		} else if err == nil {
			err = root.WriteFile(c.Path, text, os.FileMode(c.OldMode&0o777))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isTaken reports whether a file cannot be made: it or a folder is there, or no folder on the way.
func isTaken(root *os.Root, name string) bool {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && (dir == name || !info.IsDir()) {
			return true
		}
	}
	return false
}
