package gitstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A draft holds the objects of one move before they are written. On replay they
// are never written.
type draft struct {
	snapshot
	drafted []git.Object
}

func (d *draft) addObject(kind string, data []byte) git.ID {
	id := d.objects.Repo().Hash(kind, data)
	d.drafted = append(d.drafted, git.Object{ID: id, Kind: kind, Data: data})
	return id
}

// flush writes the objects to the repository.
func (d *draft) flush() error {
	for _, o := range d.drafted {
		if _, err := d.objects.Write(o.Kind, o.Data); err != nil {
			return err
		}
	}
	return d.objects.Flush()
}

// applyEdits is the root of the snapshot's tree after the edits. A document
// over document.MaxSize is a *flow.Refusal.
func (d *draft) applyEdits(edits []board.Edit) (git.ID, error) {
	blobs := make(map[string]git.ID, len(edits))
	format := d.format
	for _, e := range edits {
		if s, ok := e.Document.(*board.Settings); ok {
			format = s.Format // a migration writes what its new format has
		}
	}
	for _, e := range edits {
		path := DocumentPath(e.Key)
		if e.Document == nil {
			blobs[path] = ""
			continue
		}
		data, err := document.EncodeAt(format, e.Document)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		if len(data) > document.MaxSize {
			return "", &flow.Refusal{Rule: flow.RuleLimit, Hint: strings.TrimSpace("git liza show " + e.Key.ID),
				Reason: fmt.Sprintf("%s would have %d bytes, a document has at most %d", path, len(data), document.MaxSize)}
		}
		blobs[path] = d.addObject("blob", data)
	}
	root, err := d.rewriteFolder("", d.root, blobs)
	if err == nil && root == "" {
		err = errors.New("a move cannot leave an empty tree")
	}
	return root, err
}

// rewriteFolder replaces files of the tree at dir and returns the new tree; a
// blob "" removes a file. It returns "" if the tree becomes empty.
func (d *draft) rewriteFolder(dir string, id git.ID, blobs map[string]git.ID) (git.ID, error) {
	var entries []git.Entry
	if id != "" {
		old, err := d.tree(id)
		if err != nil {
			return "", err
		}
		entries = slices.Clone(old)
	}
	below := map[string]map[string]git.ID{}
	var err error
	for path, blob := range blobs {
		top, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			if entries, err = setEntry(dir, entries, git.Entry{Mode: git.ModeBlob, Name: top, ID: blob}); err != nil {
				return "", err
			}
			continue
		}
		if below[top] == nil {
			below[top] = map[string]git.ID{}
		}
		below[top][rest] = blob
	}
	for name, files := range below {
		old := git.ID("")
		if i := slices.IndexFunc(entries, func(e git.Entry) bool { return e.Name == name && e.Mode == git.ModeTree }); i >= 0 {
			old = entries[i].ID
		}
		sub, err := d.rewriteFolder(dir+name+"/", old, files)
		if err != nil {
			return "", err
		}
		if entries, err = setEntry(dir, entries, git.Entry{Mode: git.ModeTree, Name: name, ID: sub}); err != nil {
			return "", err
		}
	}
	if len(entries) == 0 {
		return "", nil
	}
	raw, err := d.objects.Repo().EncodeTree(entries)
	if err != nil {
		return "", err
	}
	return d.addObject("tree", raw), nil
}

// setEntry replaces the entry of that name, adds it, or removes it if it has no
// id. It refuses to replace an entry of another mode.
func setEntry(dir string, entries []git.Entry, e git.Entry) ([]git.Entry, error) {
	i := slices.IndexFunc(entries, func(old git.Entry) bool { return old.Name == e.Name })
	switch {
	case i < 0 && e.ID == "":
		return entries, nil
	case i < 0:
		return append(entries, e), nil
	case entries[i].Mode != e.Mode:
		return nil, misplaced(dir + e.Name)
	case e.ID == "":
		return slices.Delete(entries, i, i+1), nil
	}
	entries[i] = e
	return entries, nil
}
