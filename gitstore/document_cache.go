package gitstore

import (
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// keepBytes bounds the cache, in bytes as the repository stores them; parsed
// they take several times as much. Documents that are dropped are read again.
const keepBytes = 8 << 20

// A documentCache keeps what was read of state trees by object id. A board thus
// loads lazily, and replaying many moves decodes each changed document once.
// Documents are shared by all boards and never changed.
type documentCache struct {
	objects   *git.Objects
	trees     map[git.ID][]git.Entry
	documents map[documentAt]flow.Document
	held      int // bytes
}

// A documentAt is a blob read as one kind of document.
type documentAt struct {
	folder flow.Folder
	blob   git.ID
}

func newDocumentCache(o *git.Objects) *documentCache {
	return &documentCache{objects: o, trees: map[git.ID][]git.Entry{}, documents: map[documentAt]flow.Document{}}
}

// makeRoom makes room for n bytes.
func (l *documentCache) makeRoom(n int) {
	if l.held += n; l.held > keepBytes {
		clear(l.trees)
		clear(l.documents)
		l.held = n
	}
}

// maxFolder bounds one folder of the blackboard, in bytes of its tree: about
// 25,000 entries. Folders on a board have about a hundred.
const maxFolder = 1 << 20

func (l *documentCache) tree(id git.ID) ([]git.Entry, error) {
	if t, ok := l.trees[id]; ok {
		return t, nil
	}
	t, err := l.objects.TreeWithin(id, maxFolder)
	if err != nil {
		return nil, err
	}
	l.makeRoom(80 * len(t))
	l.trees[id] = t
	return t, nil
}

// document reads the document of an entry of the state tree. Errors are
// *document.Error, or errors of reading the repository.
func (l *documentCache) document(path string, e git.Entry) (flow.Document, error) {
	key, ok := keyOf(path)
	if !ok {
		return nil, misplaced(path)
	}
	if e.Mode != git.ModeBlob {
		return nil, &document.Error{Name: path, Line: 1, Reason: fmt.Sprintf("it has mode %06o, a document is a plain file", e.Mode)}
	}
	v := documentAt{key.Folder, e.ID}
	if v.folder == flow.Archive {
		v.folder = flow.Tasks // archived tasks are the same bytes at another path
	}
	doc, ok := l.documents[v]
	if !ok {
		data, err := l.blob(path, e.ID)
		if err != nil {
			return nil, err
		}
		doc = flow.NewDocument(key.Folder)
		if err := document.Decode(path, data, doc); err != nil {
			return nil, err
		}
		l.makeRoom(len(data))
		l.documents[v] = doc
	}
	if id := documentID(doc); id != key.ID {
		return nil, &document.Error{Name: path, Line: 1, Reason: fmt.Sprintf("it holds the id %q", id)}
	}
	return doc, nil
}

// blob reads a file that is no larger than a document may be.
func (l *documentCache) blob(path string, id git.ID) ([]byte, error) {
	data, err := l.objects.ReadKind(id, "blob", document.MaxSize)
	var large *git.TooLarge
	switch {
	case errors.As(err, &large):
		return nil, &document.Error{Name: path, Line: 1, Reason: fmt.Sprintf("it is a %s of %d bytes, a document has at most %d", large.Kind, large.Size, document.MaxSize)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// documentID is the id inside a document, "" if its type has none.
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
