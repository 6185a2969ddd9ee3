package gitstore

import (
	"maps"
	"slices"

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
	var list []Difference
	err := h.visitDifferences(older, newer, func(path string, pair [2]git.Entry) error {
		var texts [2]string
		for i, e := range pair {
			if e.Mode == 0 || e.Mode == git.ModeTree {
				continue
			}
			data, err := h.documents.blob(path, e.ID)
			if err != nil {
				return err
			}
			texts[i] = string(data)
		}
		if texts[0] != texts[1] {
			list = append(list, Difference{path, texts[0], texts[1]})
		}
		return nil
	})
	return list, err
}

// visitDifferences visits the documents that differ between two states, in order of their
// paths. An entry with mode 0 means that a state lacks the document, and one of a folder
// that it has a folder there.
func (h *history) visitDifferences(older, newer git.ID, visit func(path string, pair [2]git.Entry) error) error {
	var roots [2]git.ID
	for i, commit := range []git.ID{older, newer} {
		c, err := h.readStateCommit(commit)
		if err != nil {
			return err
		}
		roots[i] = c.Tree
	}
	found := map[string][2]git.Entry{}
	if err := h.diffTrees("", roots[0], roots[1], found); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if err := visit(path, found[path]); err != nil {
			return err
		}
	}
	return nil
}

// diffTrees finds the documents that differ between two trees, one of which may be "".
func (h *history) diffTrees(dir string, older, newer git.ID, found map[string][2]git.Entry) error {
	sides := map[string]*[2]git.Entry{}
	for i, id := range []git.ID{older, newer} {
		if id == "" {
			continue
		}
		entries, err := h.documents.tree(id)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if sides[e.Name] == nil {
				sides[e.Name] = &[2]git.Entry{}
			}
			sides[e.Name][i] = e
		}
	}
	for name, pair := range sides {
		if pair[0] == pair[1] {
			continue
		}
		var trees [2]git.ID
		for i, e := range pair {
			switch e.Mode {
			case 0:
			case git.ModeTree:
				trees[i] = e.ID
			default:
				found[dir+name] = *pair
			}
		}
		if err := h.diffTrees(dir+name+"/", trees[0], trees[1], found); err != nil {
			return err
		}
	}
	return nil
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
