package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Commit is a commit object, taken apart. Message is what follows the
// headers, unchanged; Raw is all of it.
type Commit struct {
	ID, Tree                  ID
	Parents                   []ID
	Author, AuthorEmail       string
	AuthorTime                time.Time
	Committer, CommitterEmail string
	CommitterTime             time.Time
	Message                   string
	Raw                       []byte
}

// MaxCommit bounds what is read as a commit, in bytes: the largest move, its
// signature and the headers.
const MaxCommit = 4<<20 + 64<<10

// Commit reads a commit. The error wraps ErrNoObject.
func (o *Objects) Commit(id ID) (Commit, error) {
	raw, err := o.ReadKind(id, "commit", MaxCommit)
	if err != nil {
		return Commit{}, err
	}
	c, err := ParseCommit(raw)
	if err != nil {
		return Commit{}, fmt.Errorf("commit %s: %w", id, err)
	}
	c.ID = id
	return c, nil
}

// ParseCommit reads tree and parents where git does, at the beginning and
// nowhere else: a commit that says them once more further down would be
// another one for git than for us.
func ParseCommit(raw []byte) (Commit, error) {
	c := Commit{Raw: raw}
	header, message, ok := strings.Cut(string(raw), "\n\n")
	if !ok {
		header = strings.TrimSuffix(header, "\n")
	}
	c.Message = message
	first, rest, _ := strings.Cut(header, "\n")
	tree, ok := strings.CutPrefix(first, "tree ")
	if !ok || tree == "" {
		return Commit{}, errors.New("it has no tree")
	}
	c.Tree = ID(tree)
	late := false
	for line := range strings.SplitSeq(rest, "\n") {
		var err error
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "parent" && !late:
			c.Parents = append(c.Parents, ID(value))
			continue
		case key == "parent", key == "tree":
			return Commit{}, fmt.Errorf("it names a %s where git does not look for it", key)
		case key == "author":
			c.Author, c.AuthorEmail, c.AuthorTime, err = parseIdent(value)
		case key == "committer":
			c.Committer, c.CommitterEmail, c.CommitterTime, err = parseIdent(value)
		}
		if err != nil {
			return Commit{}, fmt.Errorf("%s: %w", key, err)
		}
		late = true
	}
	return c, nil
}

// parseIdent reads "Name <email> 1768658760 +0100".
func parseIdent(s string) (name, email string, at time.Time, err error) {
	open, shut := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || shut < open {
		return "", "", time.Time{}, fmt.Errorf("%q holds no address", s)
	}
	name, email = strings.TrimSpace(s[:open]), s[open+1:shut]
	f := strings.Fields(s[shut+1:])
	if len(f) != 2 {
		return name, email, time.Time{}, fmt.Errorf("%q holds no time", s)
	}
	seconds, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return name, email, time.Time{}, fmt.Errorf("time %q: %w", f[0], err)
	}
	zone, err := strconv.Atoi(f[1])
	if err != nil {
		return name, email, time.Time{}, fmt.Errorf("time zone %q: %w", f[1], err)
	}
	offset := (zone/100*60 + zone%100) * 60
	return name, email, time.Unix(seconds, 0).In(time.FixedZone(f[1], offset)), nil
}

// MergeBases returns the best common ancestors of two commits: one as a rule,
// several where their histories cross.
func (r *Repo) MergeBases(ctx context.Context, a, b ID) ([]ID, error) {
	if err := errors.Join(r.CheckID(a), r.CheckID(b)); err != nil {
		return nil, err
	}
	out, err := r.Git(ctx, "merge-base", "--all", string(a), string(b))
	if ExitCode(err) == 1 {
		return nil, nil
	}
	return idsIn(out), err
}

// idsIn are the ids that git prints.
func idsIn(out []byte) []ID {
	return lists.Of(strings.Fields(string(out)), func(id string) ID { return ID(id) })
}

// IsAncestor tells whether b contains a; a commit contains itself.
func (r *Repo) IsAncestor(ctx context.Context, a, b ID) (bool, error) {
	if err := errors.Join(r.CheckID(a), r.CheckID(b)); err != nil {
		return false, err
	}
	_, err := r.Git(ctx, "merge-base", "--is-ancestor", string(a), string(b))
	if ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// IncompleteCommits names, sorted, those of the commits behind which objects are
// missing. What a ref of the repository reaches is taken for complete.
func (r *Repo) IncompleteCommits(ctx context.Context, commits map[string]ID) ([]string, error) {
	names := slices.Sorted(maps.Keys(commits))
	whole := func(names ...string) (bool, error) {
		var ids strings.Builder
		for _, name := range names {
			if err := r.CheckID(commits[name]); err != nil {
				return false, err
			}
			ids.WriteString(string(commits[name]) + "\n")
		}
		_, err := r.Run(ctx, Cmd{Args: []string{"rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"}, Stdin: []byte(ids.String())})
		if ExitCode(err) > 0 {
			return false, nil
		}
		return err == nil, err
	}
	if len(names) == 0 {
		return nil, nil
	}
	if ok, err := whole(names...); ok || err != nil {
		return nil, err
	}
	var missing []string
	for _, name := range names {
		ok, err := whole(name)
		if err != nil {
			return nil, err
		}
		if !ok {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// BlobAt returns the id of the file (or symbolic link) at path in a commit, ""
// if there is none. The error wraps ErrNoObject if there is no such commit.
func (r *Repo) BlobAt(ctx context.Context, commit ID, path string) (ID, error) {
	o := r.Objects(ctx)
	c, err := o.Commit(commit)
	if err != nil {
		return "", err
	}
	at := Entry{Mode: ModeTree, ID: c.Tree}
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != ModeTree {
			return "", nil
		}
		entries, err := o.Tree(at.ID)
		if err != nil {
			return "", err
		}
		at = Entry{}
		for _, e := range entries {
			if e.Name == name {
				at = e
			}
		}
	}
	switch at.Mode {
	case 0, ModeTree, ModeSubmodule:
		return "", nil
	}
	return at.ID, nil
}
