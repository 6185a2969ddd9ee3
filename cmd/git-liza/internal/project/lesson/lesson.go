// Package lesson reads what was learnt: Markdown files below .liza/knowledge whose front
// matter says which paths a lesson concerns and which commits it comes from. It knows
// texts and paths, no repository.
package lesson

import (
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// Folder has the lessons of a project, as committed on integration.
const Folder = ".liza/knowledge"

// MaxFile bounds the file of a lesson, in bytes, and MaxLessons how many a project has.
const (
	MaxFile    = 16 << 10
	MaxLessons = 1000
)

// A Lesson is something that was learnt.
type Lesson struct {
	Name        string   `json:"name"` // of its file below the folder, without .md
	Path        string   `json:"path"`
	Paths       []string `json:"paths"`           // globs, as a task owns paths: whom it concerns
	Roles       []string `json:"roles,omitempty"` // of the agents that it concerns, whatever their task
	Commits     []string `json:"commits"`         // that it comes from, in hexadecimal, at least seven digits
	Contradicts []string `json:"contradicts"`     // names of lessons that cannot hold beside it
	Text        string   `json:"text"`            // Markdown, without blank lines at its ends

	// Gone are those of the commits that are not on integration; Parse does not know them.
	Gone []string `json:"gone,omitempty"`
}

// Stale reports whether nothing on integration says any more where the lesson comes from:
// nobody is told it then.
func (l Lesson) Stale() bool { return len(l.Gone) == len(l.Commits) }

// Sources are the commits that it comes from and that are on integration.
func (l Lesson) Sources() []string {
	return slices.DeleteFunc(slices.Clone(l.Commits), func(commit string) bool { return slices.Contains(l.Gone, commit) })
}

// IsLesson reports whether a path is that of a lesson: in the folder, or in one below it.
func IsLesson(file string) bool {
	return strings.HasPrefix(file, Folder+"/") && strings.Count(file[len(Folder):], "/") <= 2 && path.Ext(file) == ".md"
}

// Parse reads a lesson. The faults say all that is wrong; with one of them the lesson
// concerns nobody.
func Parse(file string, text []byte) (Lesson, []artifacts.Fault) {
	l := Lesson{Name: strings.TrimSuffix(strings.TrimPrefix(file, Folder+"/"), ".md"), Path: file}
	if len(text) > MaxFile {
		return l, []artifacts.Fault{{Code: artifacts.CodeSize, Line: 1, Text: "a lesson has at most 16 KiB"}}
	}
	parted, wrong := artifacts.Part(file, text)
	if len(wrong) > 0 {
		return l, wrong
	}
	r := reader{front: parted.Front}
	if !parted.Front.IsMapping() {
		r.add(artifacts.CodeFrontMatter, "", "a lesson begins with front matter: paths that it concerns, and commits that it comes from")
	}
	for _, m := range parted.Front.Members() {
		if !slices.Contains([]string{"paths", "roles", "commits", "contradicts"}, m.Key) {
			r.add(artifacts.CodeUnknown, m.Key, "there are paths, roles, commits and contradicts, no "+m.Key)
		}
	}
	l.Roles = r.list("roles", false, roleFault)
	l.Paths, l.Commits, l.Contradicts = r.list("paths", len(l.Roles) == 0, flow.GlobFault), r.list("commits", true, commitFault), r.list("contradicts", false, nameFault)
	if slices.Contains(l.Contradicts, l.Name) {
		r.add(artifacts.CodeValue, "contradicts", "a lesson does not contradict itself")
	}
	if l.Text = strings.TrimSpace(board.Clean(parted.Body)); l.Text == "" {
		r.faults = append(r.faults, artifacts.Fault{Code: artifacts.CodeContent, Line: parted.Line, Text: "it says nothing below the front matter"})
	}
	return l, artifacts.Sorted(artifacts.Locate(parted.Front, r.faults))
}

// A reader reads the front matter.
type reader struct {
	front  document.Value
	faults []artifacts.Fault
}

func (r *reader) add(code artifacts.Code, field, text string) {
	r.faults = append(r.faults, artifacts.Fault{Code: code, Field: field, Text: text})
}

// list reads a list of texts. fault says what is wrong with one, "" if nothing is.
func (r *reader) list(key string, required bool, fault func(string) string) (list []string) {
	value := r.front.Key(key)
	if value.Line() == 0 || !value.IsList() {
		if required || value.Line() > 0 {
			r.add(artifacts.CodeMissing, key, key+" is a list of at least one text")
		}
		return []string{}
	}
	for _, entry := range value.Entries() {
		text, isText := entry.Text()
		why := "a text is expected"
		if isText {
			why = fault(text)
		}
		if why != "" {
			r.faults = append(r.faults, artifacts.Fault{Code: artifacts.CodeValue, Line: entry.Line(), Field: key, Text: why})
			continue
		}
		list = append(list, text)
	}
	if len(value.Entries()) == 0 && required {
		r.add(artifacts.CodeMissing, key, key+" is a list of at least one text")
	}
	return list
}

func commitFault(id string) string {
	if len(id) < 7 || len(id) > 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return "a commit is named by seven or more digits of its id"
	}
	return ""
}

func roleFault(name string) string {
	if err := new(board.Role).UnmarshalText([]byte(name)); err != nil {
		return err.Error()
	}
	return ""
}

func nameFault(name string) string {
	if name == "" || strings.Contains(name, "\\") || strings.HasSuffix(name, ".md") {
		return "a lesson is named as its file below " + Folder + ", without .md"
	}
	return ""
}
