package gitstore

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A snapshot is one state tree as a [flow.Source].
type snapshot struct {
	*documentCache
	root  git.ID // "" is the empty board
	cache *summaryCache
	rules int // the version of the documents
}

// document reads the document of an entry of the tree. Errors are
// *document.Error, or errors of reading the repository.
func (s snapshot) document(path string, e git.Entry) (flow.Document, error) {
	return s.documentCache.document(path, e, s.rules)
}

// checkRoot refuses a tree whose top has entries other than the documents and
// folders of its version of the rules.
func (s snapshot) checkRoot() error {
	entries, err := s.tree(s.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		folder, ok := tops[e.Name]
		want := uint32(git.ModeTree)
		if folders[folder].single {
			want = git.ModeBlob
		}
		if !ok || e.Mode != want || folder.Since() > s.rules {
			return misplaced(e.Name)
		}
	}
	return nil
}

// folder returns the entries of a folder of the tree, none if it is missing,
// and its path as the tree spells it: folders ignore case, like ids.
func (s snapshot) folder(dir string) (path string, entries []git.Entry, err error) {
	if s.root == "" {
		return "", nil, nil
	}
	entries, err = s.tree(s.root)
	for name := range strings.SplitSeq(dir, "/") {
		if err != nil || name == "" {
			break
		}
		i := indexFold(entries, name)
		if i < 0 {
			return "", nil, nil
		}
		path += entries[i].Name + "/"
		if entries[i].Mode != git.ModeTree {
			return "", nil, misplaced(strings.TrimSuffix(path, "/"))
		}
		entries, err = s.tree(entries[i].ID)
	}
	return path, entries, err
}

// indexFold finds the entry of a name, or else one that differs in case only.
func indexFold(entries []git.Entry, name string) int {
	folded := -1
	for i := range entries {
		if entries[i].Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(entries[i].Name, name) {
			folded = i
		}
	}
	return folded
}

// Load returns the document at key, ignoring the case of its id.
func (s snapshot) Load(k flow.Key) (flow.Document, error) {
	dir, name := directory(k)
	dir, entries, err := s.folder(dir)
	if err != nil {
		return nil, err
	}
	i := indexFold(entries, name)
	if i < 0 {
		return nil, nil
	}
	return s.document(dir+entries[i].Name, entries[i])
}

// List returns the ids in a folder, sorted.
func (s snapshot) List(f flow.Folder) ([]string, error) {
	var ids []string
	err := s.walk(folders[f].name, func(path string, e git.Entry) error {
		k, ok := keyOf(path)
		if !ok || e.Mode != git.ModeBlob {
			return misplaced(path)
		}
		ids = append(ids, k.ID)
		return nil
	})
	slices.Sort(ids)
	return ids, err
}

// walk visits everything below a folder that is not a folder itself.
func (s snapshot) walk(dir string, visit func(path string, e git.Entry) error) error {
	dir, entries, err := s.folder(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := dir + e.Name
		if e.Mode == git.ModeTree {
			err = s.walk(path, visit)
		} else {
			err = visit(path, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Summaries returns the summary of every task outside the archive. Folders and
// documents in the cache are not read.
func (s snapshot) Summaries() ([]*flow.Summary, error) {
	dir, shards, err := s.folder(folders[flow.Tasks].name)
	if err != nil {
		return nil, err
	}
	lists := make([][]row, 0, len(shards))
	n := 0
	for _, e := range shards {
		path := dir + e.Name
		if e.Mode != git.ModeTree || e.Name != shard(e.Name, 0) {
			return nil, misplaced(path)
		}
		list, err := s.cache.summaries(e.Name, e.ID, func(known []row) ([]row, error) { return s.summarize(path, e.ID, known) })
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
		n += len(list)
	}
	all := make([]*flow.Summary, 0, n)
	for _, list := range lists {
		for i := range list {
			all = append(all, &list[i].Summary)
		}
	}
	return all, nil
}

// summarize reads the tasks of one folder, except those that known holds
// unchanged.
func (s snapshot) summarize(dir string, id git.ID, known []row) ([]row, error) {
	entries, err := s.tree(id)
	if err != nil {
		return nil, err
	}
	byBlob := make(map[git.ID]int, len(known))
	for i := range known {
		byBlob[known[i].blob] = i
	}
	list := make([]row, 0, len(entries))
	for _, e := range entries {
		path := dir + "/" + e.Name
		if i, ok := byBlob[e.ID]; ok && e.Mode == git.ModeBlob && path == DocumentPath(flow.Key{Folder: flow.Tasks, ID: string(known[i].ID)}) {
			list = append(list, known[i])
			continue
		}
		doc, err := s.document(path, e)
		if err != nil {
			return nil, err
		}
		t, ok := doc.(*flow.Task)
		if !ok {
			return nil, misplaced(path)
		}
		list = append(list, row{e.ID, t.Summary()})
	}
	return list, nil
}
