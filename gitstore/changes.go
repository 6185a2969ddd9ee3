package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Change is one path that differs between two commits. Mode is 0 where it
// was deleted, OldMode where it was added. Size is that of the new content, in
// bytes; Link is what a new symbolic link points to.
type Change struct {
	Path          string
	OldMode, Mode uint32
	Old, New      ID
	Size          int64
	Link          string
}

// Limits on what is read of the changes of a commit.
const (
	MaxChanges = 100_000
	maxChanged = 64 << 20 // bytes of descriptions and paths
	maxLink    = 4 << 10  // bytes of what a symbolic link points to
)

// Changes lists the paths that differ between base and commit, in git's order,
// a rename as a deletion and an addition. base "" stands for an empty tree. More
// than MaxChanges are a *flow.Refusal with the rule limit.
func (r *Repo) Changes(ctx context.Context, base, commit ID) ([]Change, error) {
	if base == "" {
		base = r.emptyTree()
	}
	if err := errors.Join(r.checkID(base), r.checkID(commit)); err != nil {
		return nil, err
	}
	o, err := r.Objects(ctx)
	if err != nil {
		return nil, err
	}
	var changes []Change
	c := Cmd{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index",
		"--ignore-submodules=none", "--no-ext-diff", string(base), string(commit)}}
	err = r.stream(ctx, c, func(out *bufio.Reader) error {
		changes, err = r.readChanges(out, o, commit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// readChanges reads pairs of a description and a path, to their end or to the
// limit, where git may be far from done.
func (r *Repo) readChanges(out *bufio.Reader, o *Objects, commit ID) (changes []Change, err error) {
	hint := "git diff --stat HEAD " + string(commit)
	for left := maxChanged; ; {
		meta, err := readField(out, &left)
		if errors.Is(err, io.EOF) && meta == "" {
			return changes, nil
		}
		path, pathErr := readField(out, &left)
		switch err := errors.Join(err, pathErr); {
		case left < 0:
			return nil, limited(hint, "the names of what %s changes have more than %d bytes", commit.Short(), maxChanged)
		case err != nil:
			return nil, fmt.Errorf("git diff-tree: %w", err)
		case len(changes) == MaxChanges:
			return nil, limited(hint, "%s changes more than %d files", commit.Short(), MaxChanges)
		}
		c, err := r.parseChange(meta, path)
		if err != nil {
			return nil, err
		}
		if err := o.measure(&c); err != nil {
			return nil, fmt.Errorf("%s in %s: %w", c.Path, commit, err)
		}
		changes = append(changes, c)
	}
}

// readField reads up to the next NUL, and no more than left bytes in all.
func readField(out *bufio.Reader, left *int) (string, error) {
	var text []byte
	for {
		part, err := out.ReadSlice(0)
		text = append(text, part...)
		if *left -= len(part); *left < 0 {
			return "", bufio.ErrTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSuffix(string(text), "\x00"), err
		}
	}
}

// parseChange reads ":100644 100755 OLD NEW M" and a path.
func (r *Repo) parseChange(meta, path string) (Change, error) {
	f := strings.Fields(strings.TrimPrefix(meta, ":"))
	if len(f) != 5 {
		return Change{}, fmt.Errorf("git diff-tree answered %q", meta)
	}
	oldMode, oldErr := strconv.ParseUint(f[0], 8, 32)
	mode, err := strconv.ParseUint(f[1], 8, 32)
	if err := errors.Join(oldErr, err); err != nil {
		return Change{}, fmt.Errorf("git diff-tree answered %q: %w", meta, err)
	}
	c := Change{Path: path, OldMode: uint32(oldMode), Mode: uint32(mode), Old: ID(f[2]), New: ID(f[3])}
	if c.Old == r.zero() {
		c.Old = ""
	}
	if c.New == r.zero() {
		c.New = ""
	}
	return c, nil
}

// measure fills in what the new content tells.
func (o *Objects) measure(c *Change) error {
	if c.New == "" || c.Mode == ModeSubmodule {
		return nil
	}
	var err error
	if _, c.Size, err = o.Size(c.New); err != nil || c.Mode != ModeSymlink {
		return err
	}
	target, err := o.readKind(c.New, "blob", maxLink)
	c.Link = string(target)
	return err
}
