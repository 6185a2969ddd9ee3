package gitstore

import (
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow/board"
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
	objects *git.Objects
	keep    int // bytes
	held    int // bytes of the new generation, at most half of it

	// What is not asked for while the new generation fills is dropped with the old one.
	trees, oldTrees         map[git.ID][]git.Entry
	documents, oldDocuments map[documentAt]keptDocument
}

// A documentAt is a blob read as one kind of document.
type documentAt struct {
	folder board.Folder
	blob   git.ID
	format int
}

// A keptDocument is a document and its size.
type keptDocument struct {
	board.Document
	size int
}

func newDocumentCache(o *git.Objects) *documentCache {
	return &documentCache{objects: o, keep: keepBytes, trees: map[git.ID][]git.Entry{}, documents: map[documentAt]keptDocument{}}
}

// makeRoom makes room for n bytes.
func (l *documentCache) makeRoom(n int) {
	if l.held += n; l.held > l.keep/2 {
		l.oldTrees, l.oldDocuments = l.trees, l.documents
		l.trees, l.documents = map[git.ID][]git.Entry{}, map[documentAt]keptDocument{}
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
	t, ok := l.oldTrees[id]
	if !ok {
		var err error
		if t, err = l.objects.TreeWithin(id, maxFolder); err != nil {
			return nil, err
		}
	}
	l.makeRoom(80 * len(t))
	l.trees[id] = t
	return t, nil
}

// document reads the document of an entry of a state tree, in the format of
// its board. The settings say theirs themselves. Errors are
// *document.Error, or errors of reading the repository.
func (l *documentCache) document(path string, e git.Entry, format int) (board.Document, error) {
	key, ok := keyOf(path)
	if !ok {
		return nil, misplaced(path)
	}
	if e.Mode != git.ModeBlob {
		return nil, &document.Error{Name: path, Line: 1, Reason: fmt.Sprintf("it has mode %06o, a document is a plain file", e.Mode)}
	}
	v := documentAt{key.Folder, e.ID, format}
	switch v.folder {
	case board.Archive:
		v.folder = board.Tasks // archived tasks are the same bytes at another path
	case board.SettingsDoc:
		v.format = 0 // they are read before their format is known
	}
	kept, ok := l.documents[v]
	if !ok {
		if kept, ok = l.oldDocuments[v]; !ok {
			data, err := l.blob(path, e.ID)
			if err != nil {
				return nil, err
			}
			doc, err := decodeDocument(path, data, key.Folder, format)
			if err != nil {
				return nil, err
			}
			kept = keptDocument{doc, len(data)}
		}
		l.makeRoom(kept.size)
		l.documents[v] = kept
	}
	doc := kept.Document
	if id := documentID(doc); id != key.ID {
		return nil, &document.Error{Name: path, Line: 1, Reason: fmt.Sprintf("it holds the id %q", id)}
	}
	return doc, nil
}

// decodeDocument reads a document of a board of a format.
func decodeDocument(path string, data []byte, f board.Folder, format int) (board.Document, error) {
	parsed, err := document.Parse(path, data, document.MaxSize)
	if err != nil {
		return nil, err
	}
	if f == board.SettingsDoc {
		var said declared
		if err := parsed.DecodeLoose(&said); err != nil {
			return nil, err
		}
		format = said.Format
	}
	doc := board.NewDocument(f)
	if err := parsed.DecodeAt(format, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// declared is the format that settings or a first move say; 0 if they say none.
type declared struct {
	Format int `yaml:"format"`
	Rules  int `yaml:"rules"` // what boards from before the first release say instead
}

func (d declared) unreleased() bool { return d.Format == 0 && d.Rules > 0 }

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
func documentID(doc board.Document) string {
	switch d := doc.(type) {
	case *board.Goal:
		return string(d.ID)
	case *board.Sprint:
		return string(d.ID)
	case *board.Task:
		return string(d.ID)
	case *board.Agent:
		return string(d.ID)
	case *board.Anomaly:
		return string(d.ID)
	case *board.Discovery:
		return string(d.ID)
	case *board.Note:
		return string(d.ID)
	case *board.RoleRow:
		return string(d.Name)
	case *board.TrackedPath:
		return board.TrackedID(d.Path)
	case *board.Question:
		return string(d.ID)
	case *board.SprintPlan:
		return string(d.Sprint)
	case *board.Mark:
		return d.Name
	case *board.Level:
		return d.ID()
	case *board.Workflow:
		return string(d.Goal)
	}
	return ""
}
