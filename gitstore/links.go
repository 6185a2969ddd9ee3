package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Bounds of resolving links: maxFollowed is the limit of Linux for links in a
// row, maxLinkSteps is about a second of reading entries of folders.
const (
	maxFollowed  = 40
	maxLinkSteps = 20_000_000
	maxLinks     = 10_000
)

// A resolver follows symbolic links within one tree.
type resolver struct {
	o      *git.Objects
	root   git.ID
	steps  *int
	listed map[git.ID][]git.Entry
}

// errUndecided says that the target of a link is unknown on some platform.
var errUndecided = errors.New("has an unknown target")

// drive matches the beginning of an absolute path on Windows.
var drive = pattern.Late(`^[A-Za-z]:`)

// follow resolves a link and says why it must not be checked out, "" if it
// stays in the tree. A missing part of its path counts as a folder, because it
// may become one.
func (r *resolver) follow(ctx context.Context, link string) (string, error) {
	at, todo := []string{}, strings.Split(link, "/")
	for hops := 0; len(todo) > 0; {
		if *r.steps++; *r.steps > maxLinkSteps {
			return "leads through too many others", ctx.Err()
		}
		part := todo[0]
		todo = todo[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(at) == 0 {
				return "leads out of the tree", nil
			}
			at = at[:len(at)-1]
			continue
		case badPlatformName(part, false) == "is .git on some file systems" || git.IsBadName(part):
			return "leads into .git", nil
		}
		e, err := r.findEntry(ctx, at, part)
		switch {
		case errors.Is(err, errUndecided):
			return err.Error(), nil
		case err != nil:
			return "", err
		case e.Mode == git.ModeSubmodule && len(todo) > 0:
			return "leads into a submodule", nil
		case e.Mode != git.ModeSymlink:
			at = append(at, part)
			continue
		}
		if hops++; hops > maxFollowed {
			return "leads through too many others", nil
		}
		target, err := r.o.ReadKind(e.ID, "blob", git.MaxLink)
		if err != nil {
			return "", err
		}
		text := string(target)
		if text == "" || strings.HasPrefix(text, "/") || strings.ContainsAny(text, "\\\x00") || drive().MatchString(text) {
			return "leads out of the tree", nil
		}
		todo = append(strings.Split(text, "/"), todo...)
	}
	return "", ctx.Err()
}

// findEntry finds a name in a folder. The result is errUndecided if a link in
// the folder has another name that some file system takes for this one.
func (r *resolver) findEntry(ctx context.Context, folder []string, name string) (git.Entry, error) {
	at := git.Entry{Mode: git.ModeTree, ID: r.root}
	for i := 0; i <= len(folder); i++ {
		if at.Mode != git.ModeTree {
			return git.Entry{}, ctx.Err() // below a file, or below a missing folder
		}
		want := name
		if i < len(folder) {
			want = folder[i]
		}
		entries, err := r.listFolder(at.ID)
		if err != nil {
			return git.Entry{}, err
		}
		*r.steps += 8 + len(entries)
		at = git.Entry{}
		for _, e := range entries {
			if e.Name == want {
				at = e
			} else if e.Mode == git.ModeSymlink && mayBeSame(e.Name, want) {
				return git.Entry{}, fmt.Errorf("%w on a file system that takes %.100q for %.100q", errUndecided, want, e.Name)
			}
		}
	}
	return at, ctx.Err()
}

// mayBeSame reports whether some file system may treat two names as one: names
// that differ only in case, and any two names with characters outside ASCII,
// because nothing here normalizes them.
func mayBeSame(a, b string) bool {
	return strings.EqualFold(a, b) || !plainASCII(a) && !plainASCII(b)
}

func (r *resolver) listFolder(tree git.ID) ([]git.Entry, error) {
	if entries, ok := r.listed[tree]; ok {
		return entries, nil
	}
	entries, err := r.o.Tree(tree)
	if err == nil {
		if len(r.listed) > 1000 {
			clear(r.listed)
		}
		r.listed[tree] = entries
	}
	return entries, err
}

// findBadLink finds a link in the tree of a commit that leads out of it, and
// did not in the tree before. If the changes contain a link, it checks all
// links of the tree, because a new link changes where others lead.
func (cs *Commits) findBadLink(ctx context.Context, base, now git.ID, changes []git.Change) (path, why string, err error) {
	changed := map[string]bool{}
	for _, c := range changes {
		if c.Mode == git.ModeSymlink {
			changed[c.Path] = true
		}
	}
	if len(changed) == 0 {
		return "", "", nil
	}
	links, err := cs.objects.Links(ctx, now, maxLinks)
	if err != nil {
		return "", "", err
	}
	if len(links) > maxLinks {
		return "", "", tooMuch("there are more than %d symbolic links", maxLinks)
	}
	steps := 0
	after := &resolver{cs.objects, now, &steps, map[git.ID][]git.Entry{}}
	before := &resolver{cs.objects, base, &steps, map[git.ID][]git.Entry{}}
	for _, link := range links {
		why, err := after.follow(ctx, link)
		if err == nil && why != "" && !changed[link] {
			was, beforeErr := before.follow(ctx, link)
			if err = beforeErr; was != "" {
				continue // it was bad before
			}
		}
		if err != nil || why != "" {
			return link, why, err
		}
	}
	return "", "", nil
}
