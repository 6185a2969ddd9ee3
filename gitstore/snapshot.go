package gitstore

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A snapshot is one state tree as a [board.Source].
type snapshot struct {
	*documentCache
	root   git.ID // "" is the empty board
	cache  *summaryCache
	format int // of the documents
}

// document reads the document of an entry of the tree. Errors are
// *document.Error, or errors of reading the repository.
func (s snapshot) document(path string, e git.Entry) (board.Document, error) {
	return s.documentCache.document(path, e, s.format)
}

// checkRoot refuses a tree whose top has entries other than the documents and
// folders of a board.
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
		if !ok || e.Mode != want {
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
func (s snapshot) Load(k board.Key) (board.Document, error) {
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
func (s snapshot) List(f board.Folder) ([]string, error) {
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

// Summaries returns the summary of every task outside the archive, in order of creation.
// Folders and documents in the cache are not read.
func (s snapshot) Summaries() ([]*board.Summary, error) {
	folders, err := s.taskFolders()
	if err != nil {
		return nil, err
	}
	return s.cache.summaries(s, folders)
}

// InWork returns the summary of every task in work. It reads what changed since it was
// asked last.
func (s snapshot) InWork() ([]*board.Summary, error) {
	folders, err := s.taskFolders()
	if err != nil {
		return nil, err
	}
	return s.cache.inWork(s, folders)
}

// taskFolders are the folders of the tasks outside the archive.
func (s snapshot) taskFolders() ([]git.Entry, error) {
	dir, list, err := s.folder(folders[board.Tasks].name)
	for _, e := range list {
		if e.Mode != git.ModeTree || e.Name != shard(e.Name, 0) {
			return nil, misplaced(dir + e.Name)
		}
	}
	return list, err
}

// derive is the extract with some folders as the snapshot has them, and of them the tasks
// that match; all of them if match is nil.
func (s snapshot) derive(x *extract, changed map[shardName]git.ID, match func(*board.Summary) bool) (*extract, error) {
	known := map[board.TaskID]*board.Summary{}
	for _, t := range x.part(changed).rows {
		known[t.ID] = t
	}
	var rows []*board.Summary
	for name, tree := range changed {
		if tree == "" {
			continue
		}
		list, err := s.summarize(name, [2]git.ID{x.trees[name], tree}, known, match)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	slices.SortFunc(rows, (*board.Summary).Compare)
	return x.with(changed, rows), nil
}

// summarize reads the tasks of one folder that match, in the tree that it has now, except
// those that are the same in the tree that it had before. known has the ones of that tree
// that match.
func (s snapshot) summarize(name shardName, trees [2]git.ID, known map[board.TaskID]*board.Summary, match func(*board.Summary) bool) (list []*board.Summary, err error) {
	entries, err := s.tree(trees[1])
	if err != nil {
		return nil, err
	}
	before := s.documentsIn(trees[0])
	for _, e := range entries {
		if e.Mode == git.ModeBlob && before[e.Name] == e.ID {
			if t := known[board.TaskID(strings.TrimSuffix(e.Name, suffix))]; t != nil {
				list = append(list, t)
				continue
			} else if match != nil {
				continue
			}
		}
		t, err := s.task(folders[board.Tasks].name+"/"+name.String()+"/"+e.Name, e)
		if err != nil {
			return nil, err
		}
		if short := t.Summary(); match == nil || match(&short) {
			list = append(list, &short)
		}
	}
	return list, nil
}

// documentsIn are the documents of a tree by their names; none if it cannot be read, which
// costs time only.
func (s snapshot) documentsIn(tree git.ID) map[string]git.ID {
	if tree == "" {
		return nil
	}
	entries, err := s.tree(tree)
	if err != nil {
		return nil
	}
	list := make(map[string]git.ID, len(entries))
	for _, e := range entries {
		if e.Mode == git.ModeBlob {
			list[e.Name] = e.ID
		}
	}
	return list
}

// task reads the document of a task.
func (s snapshot) task(path string, e git.Entry) (*board.Task, error) {
	doc, err := s.document(path, e)
	if err != nil {
		return nil, err
	}
	t, ok := doc.(*board.Task)
	if !ok {
		return nil, misplaced(path)
	}
	return t, nil
}
