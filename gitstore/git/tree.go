package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Modes of tree entries.
const (
	ModeTree       = 0o040000
	ModeBlob       = 0o100644
	ModeExecutable = 0o100755
	ModeSymlink    = 0o120000
	ModeSubmodule  = 0o160000
)

// An Entry is one line of a tree.
type Entry struct {
	Mode uint32
	Name string
	ID   ID
}

// MaxTree bounds what is read as a folder, in bytes: about 400,000 entries.
const MaxTree = 16 << 20

// Tree returns a tree's entries in git's order, which sorts a folder as if its
// name ended with a slash. The error wraps ErrNoObject; a tree of more than 16
// MiB is not read.
func (o *Objects) Tree(id ID) ([]Entry, error) { return o.TreeWithin(id, MaxTree) }

// TreeWithin is [Objects.Tree] of a tree of at most limit bytes; the error of a larger
// one is a *TooLarge.
func (o *Objects) TreeWithin(id ID, limit int64) ([]Entry, error) {
	data, err := o.RawTree(id, limit)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(data, o.repo.hashLen/2)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	return entries, nil
}

// RawTree is the content of a tree of at most limit bytes; the error of a larger one
// is a *TooLarge.
func (o *Objects) RawTree(id ID, limit int64) ([]byte, error) {
	data, err := o.ReadKind(id, "tree", limit)
	if errors.Is(err, ErrNoObject) && id == o.repo.emptyTree() {
		return nil, nil
	}
	return data, err
}

// LeadsTo reports whether a path leads to a file in a commit, or to a link on the
// way, behind which anything can be.
func (o *Objects) LeadsTo(commit ID, path string) (bool, error) {
	c, err := o.Commit(commit)
	if err != nil {
		return false, err
	}
	for at, r := range path + "/" {
		if r != '/' || at == 0 {
			continue
		}
		if e, ok, err := o.Find(c.Tree, path[:at]); err != nil || !ok || e.Mode != ModeTree {
			return ok, err
		}
	}
	return false, nil
}

// Find looks a path up in a tree; ok is false where nothing is there.
func (o *Objects) Find(tree ID, path string) (e Entry, ok bool, err error) {
	e = Entry{Mode: ModeTree, ID: tree}
	for name := range strings.SplitSeq(path, "/") {
		if e.Mode != ModeTree {
			return Entry{}, false, nil
		}
		data, err := o.RawTree(e.ID, MaxTree)
		if err != nil {
			return Entry{}, false, err
		}
		if e, ok, err = entryNamed(data, name, o.repo.hashLen/2); err != nil || !ok {
			return Entry{}, false, err
		}
	}
	return e, ok, nil
}

// entryNamed looks a name up in a raw tree.
func entryNamed(data []byte, name string, hashSize int) (Entry, bool, error) {
	want := []byte(" " + name + "\x00")
	for len(data) > 0 {
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data) < end+1+hashSize {
			return Entry{}, false, errors.New("a tree is cut short")
		}
		if end+1 >= len(want) && bytes.Equal(data[bytes.IndexByte(data, ' '):end+1], want) {
			entries, err := ParseTree(data[:end+1+hashSize], hashSize)
			if err != nil {
				return Entry{}, false, err
			}
			return entries[0], true, nil
		}
		data = data[end+1+hashSize:]
	}
	return Entry{}, false, nil
}

// ParseTree takes the content of a tree apart; hashSize is the length of an id in it,
// in bytes.
func ParseTree(data []byte, hashSize int) ([]Entry, error) {
	var entries []Entry
	for len(data) > 0 {
		space, end := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+hashSize {
			return nil, fmt.Errorf("entry %d is cut short", len(entries)+1)
		}
		mode, err := strconv.ParseUint(string(data[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("entry %d has mode %q", len(entries)+1, data[:space])
		}
		hash := data[end+1 : end+1+hashSize]
		entries = append(entries, Entry{uint32(mode), string(data[space+1 : end]), ID(hex.EncodeToString(hash))})
		data = data[end+1+hashSize:]
	}
	return entries, nil
}

// WriteTree adds a tree with these entries, in any order, and returns its id.
// A name that git would refuse, or that occurs twice, is an error.
func (o *Objects) WriteTree(entries []Entry) (ID, error) {
	raw, err := o.repo.EncodeTree(entries)
	if err != nil {
		return "", err
	}
	return o.Write("tree", raw)
}

// EncodeTree renders a tree as [Objects.WriteTree] writes it.
func (r *Repo) EncodeTree(entries []Entry) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var raw []byte
	seen := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		if IsBadName(e.Name) || seen[e.Name] {
			return nil, fmt.Errorf("a tree cannot hold the name %q, or not twice", e.Name)
		}
		seen[e.Name] = true
		hash, err := hex.DecodeString(string(e.ID))
		if err != nil || len(e.ID) != r.hashLen {
			return nil, fmt.Errorf("tree entry %s: %q is not a full object id", e.Name, string(e.ID))
		}
		raw = append(strconv.AppendUint(raw, uint64(e.Mode), 8), ' ')
		raw = append(append(raw, e.Name...), 0)
		raw = append(raw, hash...)
	}
	return raw, nil
}

func (e Entry) sortName() string {
	if e.Mode == ModeTree {
		return e.Name + "/"
	}
	return e.Name
}

// IsBadName reports whether no tree can hold an entry of this name.
func IsBadName(name string) bool {
	return name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") || strings.ContainsAny(name, "/\x00")
}
