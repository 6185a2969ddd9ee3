package gitstore

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// A Difference is one document that differs between two states; "" means that a
// state lacks it.
type Difference struct {
	Path     string
	Old, New string
}

// Diff compares two states document by document, in order of the paths. It
// reads only folders that differ.
func (h *history) Diff(older, newer git.ID) ([]Difference, error) {
	var roots [2]git.ID
	for i, commit := range []git.ID{older, newer} {
		c, err := h.readStateCommit(commit)
		if err != nil {
			return nil, err
		}
		roots[i] = c.Tree
	}
	list, err := h.diffTrees("", roots[0], roots[1])
	slices.SortFunc(list, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// diffTrees compares two trees, one of which may be "".
func (h *history) diffTrees(dir string, older, newer git.ID) ([]Difference, error) {
	sides := map[string]*[2]git.Entry{}
	for i, id := range []git.ID{older, newer} {
		if id == "" {
			continue
		}
		entries, err := h.documents.tree(id)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if sides[e.Name] == nil {
				sides[e.Name] = &[2]git.Entry{}
			}
			sides[e.Name][i] = e
		}
	}
	var list []Difference
	for name, pair := range sides {
		if pair[0] == pair[1] {
			continue
		}
		found, err := h.diffEntries(dir+name, *pair)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// diffEntries compares two entries of the same name, each a folder or a
// document.
func (h *history) diffEntries(path string, pair [2]git.Entry) ([]Difference, error) {
	var trees [2]git.ID
	var texts [2]string
	for i, e := range pair {
		switch e.Mode {
		case 0:
		case git.ModeTree:
			trees[i] = e.ID
		default:
			data, err := h.documents.blob(path, e.ID)
			if err != nil {
				return nil, err
			}
			texts[i] = string(data)
		}
	}
	list, err := h.diffTrees(path+"/", trees[0], trees[1])
	if texts[0] != texts[1] {
		list = append(list, Difference{path, texts[0], texts[1]})
	}
	return list, err
}

// Files are the texts of all documents at a state commit, by path.
func (h *history) Files(commit git.ID) (map[string]string, error) {
	c, err := h.readStateCommit(commit)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	err = snapshot{documentCache: h.documents, root: c.Tree, cache: h.past}.walk("", func(path string, e git.Entry) error {
		data, err := h.documents.blob(path, e.ID)
		all[path] = string(data)
		return err
	})
	return all, err
}
