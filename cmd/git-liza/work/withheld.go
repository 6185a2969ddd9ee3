package work

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Withheld are the files that a commit has and integration, at tip, has not or has otherwise,
// of those that the patterns name at any depth, whatever their case: what a program obeys or
// runs by itself, see loads in the catalogue of providers. So does a link that integration has
// there name what it leads to.
func Withheld(ctx context.Context, repo *git.Repo, tip, commit flow.ObjectID, loads []string) ([]git.Change, error) {
	if len(loads) == 0 {
		return nil, nil
	}
	changes, err := repo.Changes(ctx, tip, commit)
	listed, listErr := repo.Run(ctx, git.Cmd{Args: []string{"ls-tree", "-r", "-z", "--full-tree", string(tip)}})
	objects, named := repo.Objects(ctx), loads
	for line := range strings.SplitSeq(string(listed), "\x00") {
		fields, name, _ := strings.Cut(line, "\t")
		if id, isLink := strings.CutPrefix(fields, "120000 blob "); isLink && isObeyed(named, name, git.ModeSymlink) {
			_, to, err := objects.Read(git.ID(id))
			loads, listErr = append(slices.Clip(loads), path.Join("/", path.Dir(name), string(to))), cmp.Or(listErr, err)
		}
	}
	err = cmp.Or(err, listErr)
	return slices.DeleteFunc(changes, func(c git.Change) bool { return c.Mode == 0 || !isObeyed(loads, c.Path, c.Mode) }), err
}

// isObeyed reports whether a path is one that the patterns name, or a link on the way to one.
func isObeyed(loads []string, name string, mode uint32) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(loads, func(pattern string) bool {
		pattern, atTop := strings.CutPrefix(strings.ToLower(pattern), "/")
		if !atTop {
			pattern = "**/" + pattern
		}
		for at, r := range pattern {
			if r == '/' && mode == git.ModeSymlink && pattern[:at] != "**" && flow.Match(pattern[:at], name) {
				return true
			}
		}
		return flow.Match(pattern, name) || flow.Match(pattern+"/", name)
	})
}

// withhold gives the checkout of a role's review what integration has instead of what is
// [Withheld]: the reviewer would obey what it is to judge. It does so before the checkout is
// sealed, or where one that is still pristine was made again, and returns the paths.
func (s *Seals) withhold(ctx context.Context, t *flow.Task, role flow.Role, tip flow.ObjectID, pristine bool) (paths []string, err error) {
	changes, err := Withheld(ctx, s.repo, tip, t.Submission.Commit, s.Loads)
	paths = lists.Of(changes, func(c git.Change) string { return c.Path })
	if old := s.read(t, role); err != nil || len(changes) == 0 || old != nil && (old.Prepared || !pristine) {
		return paths, err
	}
	objects := s.repo.Objects(ctx)
	root, err := os.OpenRoot(s.trees.Path(t.ID.ReviewFolder(role, t.Submission.Number)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, c := range changes {
		name := filepath.FromSlash(c.Path)
		if _, err := root.Lstat(name); err != nil {
			continue // a sparse checkout lacks it
		}
		if err := root.RemoveAll(name); err != nil {
			return nil, err
		}
		if c.Old == "" || c.OldMode == git.ModeSubmodule {
			continue
		}
		_, text, err := objects.Read(c.Old)
		switch {
		case err != nil:
		case c.OldMode == git.ModeSymlink:
			err = root.Symlink(string(text), name)
		default:
			err = root.WriteFile(name, text, os.FileMode(c.OldMode&0o777))
		}
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
