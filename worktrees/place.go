package worktrees

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A place is where the folder of the checkouts is.
type place struct {
	root  string // the folder
	set   string // what the key said of it
	later string // the folder once the checkouts in that one are gone, "" if it stays
	from  string // what its base was when it was noted, "" if the clone is there
}

// findPlace returns the place of a repository's checkouts, without a folder for a bare one that
// says none. While a checkout is where the key said before, that stays the place: there is one at
// a time, in which each checkout is found by its name.
func findPlace(repo *git.Repo) (p place, err error) {
	p.set, err = repo.Config.Config(context.Background(), layout.WorktreesKey)
	p.root = placeAt(repo, base(repo), p.set)
	noted, _ := git.ReadSmall(filepath.Join(repo.CommonDir(), layout.Private, git.PlaceNote))
	was, from, _ := strings.Cut(strings.TrimSuffix(string(noted), "\n"), "\n")
	old := placeAt(repo, cmp.Or(from, base(repo)), was)
	if from != "" && from != base(repo) {
		p.from, was = from, old
	}
	if err != nil || old == p.root || old == "" {
		return p, err
	}
	for _, entry := range git.PathsIn(filepath.Join(repo.CommonDir(), "worktrees"), "", "") {
		named, _ := git.ReadSmall(filepath.Join(entry, "gitdir"))
		dir := filepath.Dir(strings.TrimSpace(string(named)))
		if filepath.Dir(dir) == resolveLinks(old) && isInside(dir, repo.CommonDir()) {
			return place{old, was, p.root, p.from}, nil
		}
	}
	return p, nil
}

// base is the folder from which a relative place is meant.
func base(repo *git.Repo) string { return cmp.Or(repo.MainWorkTree(), repo.CommonDir()) }

// placeAt is the folder that the key means when it says set, from a base.
func placeAt(repo *git.Repo, from, set string) string {
	if set == "" && repo.MainWorkTree() == "" {
		return ""
	}
	return git.AbsoluteIn(from, git.ExpandHome(cmp.Or(set, layout.Worktrees)))
}

// Root is the folder of the checkouts, and later the one that it will be once those are gone, ""
// if it stays.
func (g *registry) Root() (root, later string) { return g.root, g.later }

// CheckRoom says why no checkout could be made here, whatever its name. It changes
// nothing. The error is an *Obstacle if there can be no folder for the checkouts in its place.
func (g *registry) CheckRoom() error {
	if err := g.checkRoot(); err != nil {
		return err
	}
	for _, dir := range []string{g.root, filepath.Join(g.common, "worktrees")} {
		if err := unix.Access(nearest(dir), unix.W_OK); err != nil {
			return &fs.PathError{Op: "write", Path: nearest(dir), Err: err}
		}
	}
	return nil
}

// nearest is a path itself if something is there, else the folder in which it would be made.
func nearest(path string) string {
	for !fileExists(path) {
		path = filepath.Dir(path)
	}
	return path
}

// checkRoot refuses a place in which there can be no folder for the checkouts.
func (g *registry) checkRoot() error {
	at := nearest(g.root)
	info, err := os.Stat(at)
	isFolder := err == nil && info.IsDir()
	switch {
	case !isFolder && g.set == "":
		return &Obstacle{Path: at, Reason: "is in the way and not a folder", Hint: "mv " + shell.Quote(at) + " " + shell.Quote(at+".old")}
	case g.set == "":
		return nil
	}
	instead, real, main := layout.Worktrees, resolveLinks(g.root), resolveLinks(g.main)
	if g.main == "" {
		instead = "../" + strings.TrimSuffix(filepath.Base(g.common), ".git") + instead
	}
	other, reason := g.otherClone(real), ""
	around, err := git.Open(context.Background(), at)
	switch {
	case !isFolder:
		reason = git.Visible(at) + " is not a folder"
	case isBelow(g.common, real+"/") || isBelow(real, main+"/") || isBelow(real, g.common+"/"):
		reason = "the repository itself is there"
	case isBelow(g.main, g.root) && !isBelow(main, real):
		reason = "a link leads out of the work tree, to " + git.Visible(real)
	case err == nil && around.GitDir() != g.common:
		reason = "it lies in another work tree, " + git.Visible(around.WorkTree())
	case other != "":
		reason = "it has worktrees of another clone, " + git.Visible(other)
		instead = filepath.Join(g.root, filepath.Base(cmp.Or(g.main, g.common)))
	default:
		return nil
	}
	return &Obstacle{Path: g.root, Reason: "is no place for worktrees (" + layout.WorktreesKey + "): " + reason, Hint: "git config " + layout.WorktreesKey + " " + shell.Quote(instead)}
}

// hasMade reports whether the last checkout was made in this place. Otherwise those that are there
// and name this clone are of one that was where it is now.
func (g *registry) hasMade() bool {
	noted, err := git.ReadSmall(g.scratch.path(git.PlaceNote))
	return err == nil && strings.HasPrefix(string(noted), g.set+"\n")
}

// otherClone is the git directory of another clone whose checkouts are in a folder, "" if there
// is none.
func (g *registry) otherClone(dir string) string {
	for _, path := range git.PathsIn(dir, "", "") {
		if clone := git.CloneOf(filepath.Join(path, ".git")); fileExists(clone) && (!isInside(path, g.common) || clone == g.common && !g.hasMade()) {
			return clone
		}
	}
	return ""
}

// notePlace notes what the key says, for when it says something else, and where the clone is. It
// fails where the place is another one by now: the checkouts of this process would be beside it.
func (t *Trees) notePlace() error {
	t.repo.Config.Renew()
	if now, err := findPlace(t.repo); err != nil || now.root != t.root {
		return cmp.Or(err, fmt.Errorf("%s has changed while this command runs: worktrees go to %s now", layout.WorktreesKey, now.root))
	}
	return t.writeNote()
}

func (g *registry) writeNote() error {
	return g.scratch.replaceFile(g.scratch.path(git.PlaceNote), g.set+"\n"+base(g.repo)+"\n")
}
