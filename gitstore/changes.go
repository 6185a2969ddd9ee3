package gitstore

import (
	"context"
	"errors"
	"fmt"
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

// Changes lists the paths that differ between base and commit, in git's order,
// a rename as a deletion and an addition. base "" stands for an empty tree.
func (r *Repo) Changes(ctx context.Context, base, commit ID) ([]Change, error) {
	if base == "" {
		base = r.emptyTree()
	}
	if err := errors.Join(r.checkID(base), r.checkID(commit)); err != nil {
		return nil, err
	}
	out, err := r.Git(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index",
		"--ignore-submodules=none", "--no-ext-diff", string(base), string(commit))
	if err != nil {
		return nil, err
	}
	o, err := r.Objects(ctx)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var changes []Change
	for i := 0; i+1 < len(fields); i += 2 {
		c, err := r.parseChange(fields[i], fields[i+1])
		if err != nil {
			return nil, err
		}
		if err := o.measure(&c); err != nil {
			return nil, fmt.Errorf("%s in %s: %w", c.Path, commit, err)
		}
		changes = append(changes, c)
	}
	return changes, nil
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
	target, err := o.readKind(c.New, "blob")
	c.Link = string(target)
	return err
}
