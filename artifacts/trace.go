package artifacts

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A Source is an artifact as others refer to it.
type Source struct {
	Path   string   `json:"path"`
	Type   string   `json:"type"`
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Status string   `json:"status"`
	Tasks  []string `json:"-"` // ids of the tasks of a plan
	Refs   []Ref    `json:"-"` // to what it stands on, or to what replaces it
}

// A Ref is a reference to an artifact, by id or by path.
type Ref struct {
	Path  string `json:"path"` // of the file that has it; "" if a task has it
	Line  int    `json:"line"`
	Field string `json:"field"`
	To    string `json:"to"`
	Text  string `json:"text"` // what is wrong with it
}

// references are the keys of front matter that refer to other artifacts.
var references = []string{"based_on", "superseded_by"}

// SourceOf reads what others refer to in the front matter of an artifact, or in a plan.
// What cannot be read is left out: its check says so.
func SourceOf(path string, kind *Type, text []byte) Source {
	s := Source{Path: path, Type: kind.Name}
	var front document.Value
	if kind.IsPlan() {
		doc, err := document.Parse(path, text, MaxText)
		if err != nil {
			return s
		}
		front = doc.Root()
		tasks := front.Key("tasks").Entries()
		if front.IsList() {
			tasks = front.Entries()
		}
		for _, t := range tasks {
			if id, ok := t.Key("id").Text(); ok {
				s.Tasks = append(s.Tasks, id)
			}
		}
		s.Title, _ = front.Key("feature").Text()
	} else {
		parted, _ := Part(path, text)
		front = parted.Front
		s.Title, _ = front.Key("title").Text()
		s.Status = parted.Status()
	}
	s.ID, _ = front.Key("id").Text()
	for _, key := range references {
		value := front.Key(key)
		entries := value.Entries()
		if _, single := value.Text(); single {
			entries = []document.Value{value}
		}
		for _, entry := range entries {
			if to, ok := entry.Text(); ok && to != "" {
				s.Refs = append(s.Refs, Ref{Path: path, Line: entry.Line(), Field: key, To: to})
			}
		}
	}
	return s
}

// A Chain is what something stands on, from what is nearest to it.
type Chain struct {
	Links    []Link `json:"links"`
	Dangling []Ref  `json:"dangling"` // references that lead nowhere, or to several
}

// A Link is an artifact in a chain.
type Link struct {
	Source
	Depth int    `json:"depth"` // 0 for what the chain begins with
	From  string `json:"from"`  // the path of the artifact that refers to it, "" at depth 0
	By    string `json:"by"`    // the field that does
}

// Trace follows references from some on, depth first; each artifact stands in the chain
// once. A reference is an id, or a path with or without an anchor. exists says whether a
// path that is no artifact is there: such a file ends a chain, and is not dangling.
func Trace(all []Source, from []Ref, exists func(path string) bool) Chain {
	t := tracer{all: all, exists: exists, chain: Chain{Links: []Link{}, Dangling: []Ref{}}, seen: map[string]bool{}}
	for _, ref := range from {
		t.follow(ref, 0)
	}
	return t.chain
}

type tracer struct {
	all    []Source
	exists func(string) bool
	chain  Chain
	seen   map[string]bool // paths
}

func (t *tracer) follow(ref Ref, depth int) {
	file, _, _ := strings.Cut(ref.To, "#")
	var found []*Source
	for i := range t.all {
		if s := &t.all[i]; s.Path == file || s.ID != "" && s.ID == ref.To {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0 && t.exists(file):
		if !t.seen[file] {
			t.seen[file] = true
			t.chain.Links = append(t.chain.Links, Link{Source: Source{Path: file}, Depth: depth, From: ref.Path, By: ref.Field})
		}
		return
	case len(found) == 0:
		ref.Text = "there is no artifact with this id or path"
	case len(found) > 1:
		paths := lists.Of(found, func(s *Source) string { return s.Path })
		ref.Text = "several artifacts have this id: " + strings.Join(paths, ", ")
	}
	if ref.Text != "" && !slices.Contains(t.chain.Dangling, ref) {
		t.chain.Dangling = append(t.chain.Dangling, ref)
	}
	for _, s := range found {
		if t.seen[s.Path] {
			continue
		}
		t.seen[s.Path] = true
		t.chain.Links = append(t.chain.Links, Link{Source: *s, Depth: depth, From: ref.Path, By: ref.Field})
		for _, next := range s.Refs {
			t.follow(next, depth+1)
		}
	}
}
