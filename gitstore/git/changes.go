package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
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
	MaxChanges    = 100_000 // files, and folders that were looked into
	MaxTreeBytes  = 512 << 20
	maxPathLength = 16 << 10 // bytes
	MaxLink       = 4 << 10  // bytes of what a symbolic link points to
)

// A Limit is the error of what is not read because it is too large.
type Limit struct {
	Reason string
	Hint   string // the command that shows it
}

// Error says what is too large.
func (l *Limit) Error() string { return l.Reason }

// A BadName is the error of a tree with a name that no tree can hold.
type BadName struct{ Name string }

// Error quotes the name.
func (n *BadName) Error() string { return fmt.Sprintf("a folder holds the name %.100q", n.Name) }

// Changes lists the paths that differ between base and commit, in git's order,
// a rename as a deletion and an addition. base "" stands for an empty tree. What
// is over the limits is a *Limit, a name that no tree can hold a *BadName.
//
// The trees are compared here, because git gathers all changes before it prints the
// first: ten nested folders can expand to ten billion entries.
func (r *Repo) Changes(ctx context.Context, base, commit ID) ([]Change, error) {
	o := r.Objects(ctx)
	w := comparison{o: o, commit: commit}
	pair := pair{}
	for tree, id := range map[*ID]ID{&pair.old: base, &pair.new: commit} {
		if id == "" {
			continue
		}
		c, err := o.Commit(id)
		if err != nil {
			return nil, err
		}
		*tree = c.Tree
	}
	if pair.old != pair.new {
		w.todo = append(w.todo, pair)
	}
	// One pair of folders is held at a time, so the order comes at the end.
	for len(w.todo) > 0 {
		last := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if err := w.compare(ctx, last); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return w.changes, nil
}

// A comparison is of two trees.
type comparison struct {
	o       *Objects
	commit  ID
	todo    []pair
	folders int
	bytes   int
	changes []Change
}

// A pair is one folder before and after, "" where it was not there.
type pair struct {
	dir      string // "" or with a slash at the end
	old, new ID
}

func (w *comparison) compare(ctx context.Context, p pair) error {
	if w.folders++; w.folders > MaxChanges {
		return w.limitError("changes more than %d folders", MaxChanges)
	}
	old, err := w.open(p.old)
	if err != nil {
		return err
	}
	now, err := w.open(p.new)
	if err != nil {
		return err
	}
	for old.more || now.more {
		order := 0
		switch {
		case !now.more:
			order = -1
		case old.more:
			order = strings.Compare(old.entry.sortName(), now.entry.sortName())
		default:
			order = 1
		}
		var was, is Entry
		if order <= 0 {
			was = old.entry
			err = old.next()
		}
		if order >= 0 {
			is = now.entry
			err = errors.Join(err, now.next())
		}
		if err == nil && was != is {
			err = w.addDifference(p.dir, was, is)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("%s in %s: %w", p.dir+was.Name+is.Name, w.commit.Short(), err)
		}
	}
	return nil
}

// addDifference notes an entry that has changed, was added or was deleted. Where both
// are there, they have the same name, and both are folders or neither is.
func (w *comparison) addDifference(dir string, was, is Entry) error {
	e := is
	if e.Name == "" {
		e = was
	}
	path := dir + e.Name
	switch {
	case IsBadName(e.Name):
		return &BadName{e.Name}
	case len(path) > maxPathLength:
		return w.limitError("has a path of more than %d bytes", maxPathLength)
	case e.Mode == ModeTree:
		w.todo = append(w.todo, pair{path + "/", was.ID, is.ID})
		if len(w.todo) > MaxChanges {
			return w.limitError("changes more than %d folders", MaxChanges)
		}
		return nil
	case len(w.changes) == MaxChanges:
		return w.limitError("changes more than %d files", MaxChanges)
	}
	c := Change{Path: path, OldMode: was.Mode, Mode: is.Mode, Old: was.ID, New: is.ID}
	err := w.o.Measure(&c)
	w.changes = append(w.changes, c)
	return err
}

func (w *comparison) limitError(format string, args ...any) error {
	return &Limit{fmt.Sprintf("%s "+format, append([]any{w.commit.Short()}, args...)...), "git ls-tree -r -t " + string(w.commit)}
}

// A cursor goes through the entries of a raw tree.
type cursor struct {
	data  []byte
	hash  int // bytes of an id
	entry Entry
	more  bool
}

// open returns a cursor at the beginning of a folder.
func (w *comparison) open(id ID) (*cursor, error) {
	c := &cursor{hash: w.o.repo.hashLen / 2}
	if id == "" {
		return c, nil
	}
	data, err := w.o.RawTree(id, MaxTree)
	if large, is := errors.AsType[*TooLarge](err); is {
		return nil, w.limitError("holds a folder of %d bytes, at most %d are read", large.Size, large.limit)
	}
	if err != nil {
		return nil, err
	}
	if w.bytes += len(data); w.bytes > MaxTreeBytes {
		return nil, w.limitError("changes folders of more than %d bytes in all", MaxTreeBytes)
	}
	c.data = data
	return c, c.next()
}

// next goes to the next entry. It gives the modes that git sees: a file has one of
// two.
func (c *cursor) next() error {
	if c.more = len(c.data) > 0; !c.more {
		c.entry = Entry{}
		return nil
	}
	space, end := bytes.IndexByte(c.data, ' '), bytes.IndexByte(c.data, 0)
	if space < 0 || end < space || len(c.data) < end+1+c.hash {
		return errors.New("a tree is cut short")
	}
	mode, err := strconv.ParseUint(string(c.data[:space]), 8, 32)
	if err != nil {
		return fmt.Errorf("a tree has the mode %.20q", c.data[:space])
	}
	c.entry = Entry{plainMode(uint32(mode)), string(c.data[space+1 : end]), ID(hex.EncodeToString(c.data[end+1 : end+1+c.hash]))}
	c.data = c.data[end+1+c.hash:]
	return nil
}

// plainMode returns the mode as which git reads a mode.
func plainMode(mode uint32) uint32 {
	switch kind := mode & 0o170000; {
	case kind == 0o100000 && mode&0o100 != 0:
		return ModeExecutable
	case kind == 0o100000:
		return ModeBlob
	case kind == ModeSymlink, kind == ModeTree:
		return kind
	}
	return ModeSubmodule
}

// Measure fills in the size of the new content, or what its link points to.
func (o *Objects) Measure(c *Change) error {
	if c.New == "" || c.Mode == ModeSubmodule {
		return nil
	}
	var err error
	if _, c.Size, err = o.Size(c.New); err != nil || c.Mode != ModeSymlink {
		return err
	}
	target, err := o.ReadKind(c.New, "blob", MaxLink)
	c.Link = string(target)
	return err
}

// Links lists the paths of the symbolic links of a tree, at least one more than
// most if there are so many. Too many folders are a *Limit.
func (o *Objects) Links(ctx context.Context, root ID, most int) ([]string, error) {
	var links []string
	w := comparison{o: o, commit: root, todo: []pair{{new: root}}}
	for len(w.todo) > 0 && len(links) <= most {
		last := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if w.folders++; w.folders > MaxChanges || len(w.todo) > MaxChanges {
			return nil, w.limitError("has symbolic links among more than %d folders", MaxChanges)
		}
		c, err := w.open(last.new)
		for ; err == nil && c.more; err = c.next() {
			switch path := last.dir + c.entry.Name; c.entry.Mode {
			case ModeTree:
				w.todo = append(w.todo, pair{dir: path + "/", new: c.entry.ID})
			case ModeSymlink:
				links = append(links, path)
			}
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	return links, nil
}
