package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// ErrNoCommit is wrapped by ParseCommit when a name stands for no commit. The
// command line tests it for its exit code.
var ErrNoCommit = errors.New("no such commit")

// An Ambiguous error is that of a name which stands for several commits. git takes one of
// them, a tag before a branch, and says so only to those who read warnings.
type Ambiguous struct {
	Rev, Full string // what was asked for, and the same by the full name of its first meaning
	meanings  []string
}

// Error names each commit with its subject.
func (a *Ambiguous) Error() string {
	return Visible(a.Rev) + " is ambiguous: " + strings.Join(a.meanings, ", ")
}

// ParseCommit returns the commit that a revision such as "HEAD~2" or
// "coder/x" stands for, seen from this work tree. What a person types goes through it: a
// branch is looked for before a tag. The error wraps ErrNoCommit, or is an *Ambiguous.
func (r *Repo) ParseCommit(ctx context.Context, rev string) (ID, error) {
	if r.CheckID(ID(rev)) == nil {
		kind, _, err := r.Objects(ctx).Size(ID(rev))
		if err == nil && kind == "commit" {
			return ID(rev), nil
		}
		if errors.Is(err, ErrNoObject) {
			return "", fmt.Errorf("%w: %s", ErrNoCommit, rev)
		}
	}
	rev, err := fullRevision(ctx, r, rev)
	if err != nil {
		return "", err
	}
	return askCommit(ctx, r, rev)
}

// askCommit returns the commit that git takes a revision for.
func askCommit(ctx context.Context, r *Repo, rev string) (ID, error) {
	out, err := r.Git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if ExitCode(err) > 0 {
		return "", fmt.Errorf("%w: %q", ErrNoCommit, rev)
	}
	return ID(strings.TrimSpace(string(out))), err
}

// plainName is a revision that begins with a name which git looks for in several folders of
// refs, and what follows the name; unlike it, certainName is one that git takes for one thing
// alone, or for a file of its own first. shortID is the end of a name that can be an
// abbreviated id, also as git describe writes it.
var (
	plainName   = pattern.Late(`^([^~^:]+?)(@\{.*|[~^:].*)?$`)
	certainName = pattern.Late(`^(refs/|[A-Z_]*HEAD($|[~^:]|@\{)|[^~^:]*@\{(?i:u|upstream|push)\})`)
	shortID     = pattern.Late(`^(?:.*-g)?([0-9a-fA-F]{4,64})$`)
)

// fullRevision returns a revision by the full name of its ref, where git might take the
// name for something else.
func fullRevision(ctx context.Context, r *Repo, rev string) (string, error) {
	parts := plainName().FindStringSubmatch(rev)
	if parts == nil || certainName().MatchString(rev) {
		return rev, nil
	}
	name, rest := parts[1], parts[2]
	names := []string{"refs/heads/" + name, "refs/" + name, "refs/tags/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"}
	refs, err := r.Refs.List(ctx, names[0], names[1:]...)
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(ref string) bool { return refs[ref] == "" })
	short := shortID().FindStringSubmatch(name)
	switch {
	case len(names) == 0:
		return rev, nil
	case len(names) == 1 && short == nil:
		return names[0] + rest, nil // whatever file of the name is beside refs/
	}
	if short != nil {
		out, err := r.Git(ctx, "rev-parse", "--disambiguate="+short[1])
		if err != nil {
			return "", err
		}
		names = append(names, strings.Fields(string(out))...)
	}
	return onlyMeaning(ctx, r, names, rev, rest)
}

// onlyMeaning returns the revision by the first of its names, if all of them that are
// commits are one.
func onlyMeaning(ctx context.Context, r *Repo, names []string, rev, rest string) (string, error) {
	found := &Ambiguous{Rev: rev, Full: rev}
	var ids []ID
	for _, name := range names {
		id, err := askCommit(ctx, r, name)
		if errors.Is(err, ErrNoCommit) || slices.Contains(ids, id) {
			continue
		}
		subject, _, readErr := Heading(ctx, r, id)
		if err := errors.Join(err, readErr); err != nil {
			return "", err
		}
		if ids = append(ids, id); len(ids) == 1 {
			found.Full = name + rest
		}
		found.meanings = append(found.meanings, fmt.Sprintf("%s is %s (%s)", name, id.Short(), subject))
	}
	if len(ids) > 1 {
		return "", found
	}
	return found.Full, nil
}

// Heading is the subject of a commit, at most 80 characters, and its author, as people may
// see them.
func Heading(ctx context.Context, r *Repo, id ID) (subject, author string, err error) {
	out, err := r.Git(ctx, "log", "-1", "--no-show-signature", "--format=%s%x00%an", string(id), "--")
	subject, author, _ = strings.Cut(strings.TrimSuffix(string(out), "\n"), "\x00")
	return fmt.Sprintf("%.80s", Visible(subject)), Visible(author), err
}

// ShortBranch is the name of a branch for a command: its short one, unless git takes that for
// a tag or for a file.
func ShortBranch(ctx context.Context, r *Repo, name string) string {
	_, noFile := os.Lstat(r.Refs.refPath(name))
	for _, folder := range []string{"refs/", "refs/tags/"} {
		if id, err := r.Refs.Resolve(ctx, folder+name); err != nil || id != "" || noFile == nil {
			return "refs/heads/" + name
		}
	}
	return name
}
