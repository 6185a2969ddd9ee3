package gitstore

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// A Difference is one document that differs between two states; "" stands for
// one that is not there.
type Difference struct {
	Path     string
	Old, New string
}

// Diff compares two states document by document, in order of the paths. It
// reads only folders that differ.
func (s *Store) Diff(older, newer git.ID) ([]Difference, error) {
	var roots [2]git.ID
	for i, commit := range []git.ID{older, newer} {
		c, err := s.commitObject(commit)
		if err != nil {
			return nil, err
		}
		roots[i] = c.Tree
	}
	list, err := s.diffTrees("", roots[0], roots[1])
	slices.SortFunc(list, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// diffTrees compares two trees, of which one may be "".
func (s *Store) diffTrees(dir string, older, newer git.ID) ([]Difference, error) {
	sides := map[string]*[2]git.Entry{}
	for i, id := range []git.ID{older, newer} {
		if id == "" {
			continue
		}
		entries, err := s.library.tree(id)
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
		found, err := s.diffEntries(dir+name, *pair)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// diffEntries compares what stands under one name, a folder or a document on
// either side.
func (s *Store) diffEntries(path string, pair [2]git.Entry) ([]Difference, error) {
	var trees [2]git.ID
	var texts [2]string
	for i, e := range pair {
		switch e.Mode {
		case 0:
		case git.ModeTree:
			trees[i] = e.ID
		default:
			data, err := s.library.blob(path, e.ID)
			if err != nil {
				return nil, err
			}
			texts[i] = string(data)
		}
	}
	list, err := s.diffTrees(path+"/", trees[0], trees[1])
	if texts[0] != texts[1] {
		list = append(list, Difference{path, texts[0], texts[1]})
	}
	return list, err
}

// Files are the texts of all documents at a state commit, by path.
func (s *Store) Files(commit git.ID) (map[string]string, error) {
	c, err := s.commitObject(commit)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	err = snapshot{s.library, c.Tree, s.past}.walk("", func(path string, e git.Entry) error {
		data, err := s.library.blob(path, e.ID)
		all[path] = string(data)
		return err
	})
	return all, err
}
