package gitstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// library keeps what was read of state trees by object id, so that a board
// loads lazily, and replaying many moves decodes each changed document once.
type library struct {
	objects   *Objects
	trees     map[ID][]Entry
	documents map[ID]flow.Document
	shelf     summaryCache
}

// keepAtMost bounds the memory of a library; ids beyond it are read again.
const keepAtMost = 4096

func newLibrary(o *Objects, cacheDir string) *library {
	return &library{objects: o, trees: map[ID][]Entry{}, documents: map[ID]flow.Document{}, shelf: newSummaryCache(cacheDir)}
}

func (l *library) tree(id ID) ([]Entry, error) {
	if t, ok := l.trees[id]; ok {
		return t, nil
	}
	t, err := l.objects.Tree(id)
	if err != nil {
		return nil, err
	}
	if len(l.trees) >= keepAtMost {
		clear(l.trees)
	}
	l.trees[id] = t
	return t, nil
}

func (l *library) document(path string, id ID) (flow.Document, error) {
	if doc, ok := l.documents[id]; ok {
		return doc, nil
	}
	key, ok := keyOf(path)
	if !ok {
		return nil, &DocumentError{Name: path, Line: 1, Reason: "no document belongs at this path"}
	}
	kind, size, err := l.objects.Size(id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if kind != "blob" || size > MaxDocument {
		return nil, &DocumentError{Name: path, Line: 1, Reason: fmt.Sprintf("it is a %s of %d bytes, a document has at most %d", kind, size, MaxDocument)}
	}
	_, data, err := l.objects.Read(id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	doc := flow.NewDocument(key.Folder)
	if err := Decode(path, data, doc); err != nil {
		return nil, err
	}
	if id := documentID(doc); id != key.ID {
		return nil, &DocumentError{Name: path, Line: 1, Reason: fmt.Sprintf("it holds the id %q", id)}
	}
	if len(l.documents) >= keepAtMost {
		clear(l.documents)
	}
	l.documents[id] = doc
	return doc, nil
}

// documentID is the id that a document says it has, "" where its kind has none.
func documentID(doc flow.Document) string {
	switch d := doc.(type) {
	case *flow.Goal:
		return string(d.ID)
	case *flow.Sprint:
		return string(d.ID)
	case *flow.Task:
		return string(d.ID)
	case *flow.Agent:
		return string(d.ID)
	case *flow.Anomaly:
		return string(d.ID)
	case *flow.Discovery:
		return string(d.ID)
	case *flow.Note:
		return string(d.ID)
	}
	return ""
}

// A snapshot is one state tree as a [flow.Source].
type snapshot struct {
	*library
	root ID // "" is the empty board
}

// folder returns the entries of a folder of the tree, none if it is not there.
func (s snapshot) folder(dir string) ([]Entry, error) {
	id := s.root
	if id == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(dir, "/") {
		if name == "" {
			break
		}
		entries, err := s.tree(id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name && e.Mode == ModeTree })
		if i < 0 {
			return nil, nil
		}
		id = entries[i].ID
	}
	return s.tree(id)
}

// Load returns the document at key, ignoring the case of its id.
func (s snapshot) Load(k flow.Key) (flow.Document, error) {
	dir, name := directory(k)
	entries, err := s.folder(dir)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e Entry) bool { return strings.EqualFold(e.Name, name) && e.Mode != ModeTree })
	if i < 0 {
		return nil, nil
	}
	return s.document(strings.TrimPrefix(dir+"/"+entries[i].Name, "/"), entries[i].ID)
}

// List returns the ids in a folder, sorted.
func (s snapshot) List(f flow.Folder) ([]string, error) {
	var ids []string
	err := s.walk(folders[f].name, func(path string, _ Entry) error {
		k, ok := keyOf(path)
		if !ok {
			return &DocumentError{Name: path, Line: 1, Reason: "no document belongs at this path"}
		}
		ids = append(ids, k.ID)
		return nil
	})
	slices.Sort(ids)
	return ids, err
}

// walk visits every file below a folder.
func (s snapshot) walk(dir string, visit func(path string, e Entry) error) error {
	entries, err := s.folder(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := strings.TrimPrefix(dir+"/"+e.Name, "/")
		if e.Mode == ModeTree {
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

// Summaries describes every task outside the archive, from the cache where
// it knows a folder's tree id.
func (s snapshot) Summaries() ([]flow.Summary, error) {
	shards, err := s.folder(folders[flow.Tasks].name)
	if err != nil {
		return nil, err
	}
	var all []flow.Summary
	for _, e := range shards {
		if e.Mode != ModeTree {
			return nil, &DocumentError{Name: "tasks/" + e.Name, Line: 1, Reason: "no document belongs at this path"}
		}
		list, ok := s.shelf.read(e.Name, e.ID)
		if !ok {
			if list, err = s.summarize("tasks/"+e.Name, e.ID); err != nil {
				return nil, err
			}
			s.shelf.write(e.Name, e.ID, list)
		}
		all = append(all, list...)
	}
	return all, nil
}

func (s snapshot) summarize(dir string, id ID) ([]flow.Summary, error) {
	entries, err := s.tree(id)
	if err != nil {
		return nil, err
	}
	list := make([]flow.Summary, 0, len(entries))
	for _, e := range entries {
		doc, err := s.document(dir+"/"+e.Name, e.ID)
		if err != nil {
			return nil, err
		}
		t, ok := doc.(*flow.Task)
		if !ok {
			return nil, &DocumentError{Name: dir + "/" + e.Name, Line: 1, Reason: "it is no task"}
		}
		list = append(list, t.Summary())
	}
	return list, nil
}

// write stores the board's changed documents over the snapshot and returns
// the root of the new tree. A document over MaxDocument is a *flow.Refusal.
func (s snapshot) write(edits []flow.Edit) (ID, error) {
	blobs := make(map[string]ID, len(edits))
	for _, e := range edits {
		path := DocumentPath(e.Key)
		if e.Document == nil {
			blobs[path] = ""
			continue
		}
		data, err := Encode(e.Document)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		if len(data) > MaxDocument {
			return "", &flow.Refusal{Rule: flow.RuleLimit, Hint: "git liza show " + e.Key.ID,
				Reason: fmt.Sprintf("%s would have %d bytes, a document has at most %d", path, len(data), MaxDocument)}
		}
		id, err := s.objects.WriteBlob(data)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		if len(s.documents) < keepAtMost {
			s.documents[id] = e.Document
		}
		blobs[path] = id
	}
	root, err := s.rewrite(s.root, blobs)
	if err == nil && root == "" {
		err = errors.New("a move cannot leave an empty tree")
	}
	return root, err
}

// rewrite replaces files of a tree and the folders above them; "" removes a
// file. It returns "" where nothing is left.
func (s snapshot) rewrite(id ID, blobs map[string]ID) (ID, error) {
	var entries []Entry
	if id != "" {
		old, err := s.tree(id)
		if err != nil {
			return "", err
		}
		entries = slices.Clone(old)
	}
	below := map[string]map[string]ID{}
	for path, blob := range blobs {
		top, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			entries = set(entries, Entry{ModeBlob, top, blob})
			continue
		}
		if below[top] == nil {
			below[top] = map[string]ID{}
		}
		below[top][rest] = blob
	}
	for name, files := range below {
		old := ID("")
		if i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name && e.Mode == ModeTree }); i >= 0 {
			old = entries[i].ID
		}
		sub, err := s.rewrite(old, files)
		if err != nil {
			return "", err
		}
		entries = set(entries, Entry{ModeTree, name, sub})
	}
	if len(entries) == 0 {
		return "", nil
	}
	return s.objects.WriteTree(entries)
}

// set replaces the entry of that name, adds it, or removes it if it has no id.
func set(entries []Entry, e Entry) []Entry {
	i := slices.IndexFunc(entries, func(old Entry) bool { return old.Name == e.Name })
	switch {
	case i < 0 && e.ID == "":
		return entries
	case i < 0:
		return append(entries, e)
	case e.ID == "":
		return slices.Delete(entries, i, i+1)
	}
	entries[i] = e
	return entries
}
