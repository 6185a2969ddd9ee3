// Package stories reads the files of bounded loops: a prd.json, or a list of tasks in
// Markdown. It writes back what came of the stories and leaves every other byte as it
// is. It reads and writes no file itself.
package stories

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a file.
const (
	MaxFile    = 1 << 20 // bytes
	MaxStories = 1000
	maxDepth   = 32
)

// A File is a file of stories.
type File struct {
	Title       string // of a prd.json its project
	Branch      string // that a prd.json names, "" if none
	Description string
	Allowed     []string // paths that work may touch, as globs
	Excluded    []string
	Verify      []string // commands
	Stories     []Story
	Unknown     []Key // of a prd.json, that say something and are not known here

	name   string
	data   []byte
	isList bool    // in Markdown
	places []place // of the stories
}

// A Story is one piece of a loop's work.
type Story struct {
	ID          string
	Title       string
	Description string
	Acceptance  []string
	Priority    float64 // 1 comes first; 0 if the file does not say it
	Passes      bool
	Notes       string
	Line        int // on which it begins, from 1
}

// A Key is a key of a file with its line, from 1.
type Key struct {
	Name string
	Line int
}

// A Result is what came of a story.
type Result struct {
	ID     string
	Passes bool
	Notes  string
}

// An Error says what is wrong with a file.
type Error struct {
	Name   string
	Line   int // from 1
	Reason string
}

// Error is the name, the line and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason) }

// A place is where a file says what came of a story.
type place struct {
	passes, notes span
	end           int    // where the file takes what it does not say yet
	lead          string // blanks that stand before it there
}

// A span is a part of a file, in bytes. The zero span is nowhere.
type span struct{ from, to int }

func (s span) isNowhere() bool { return s.to == 0 }

// An edit replaces a part of a file.
type edit struct {
	span
	text string
}

// Read reads a file: a name that ends in .json, or a text that begins with {, is a
// prd.json. The error is an [*Error].
func Read(name string, data []byte) (*File, error) {
	f := &File{name: name, data: data}
	if len(data) > MaxFile {
		return nil, f.errorAt(MaxFile, "the file is larger than %d bytes", MaxFile)
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return nil, f.errorAt(at, "the text is not UTF-8")
		}
		at += size
	}
	var err error
	if strings.HasSuffix(strings.ToLower(name), ".json") || bytes.HasPrefix(bytes.TrimLeft(f.text(), " \t\r\n"), []byte("{")) {
		err = f.readPRD()
	} else {
		f.isList = true
		f.readList()
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// mark is the byte order mark, which a file may begin with.
const mark = "\ufeff"

// text is the file without a byte order mark.
func (f *File) text() []byte { return bytes.TrimPrefix(f.data, []byte(mark)) }

// errorAt is an error at a byte of the file.
func (f *File) errorAt(at int, format string, args ...any) error {
	return &Error{f.name, f.line(at), fmt.Sprintf(format, args...)}
}

func (f *File) line(at int) int { return 1 + bytes.Count(f.data[:min(at, len(f.data))], []byte("\n")) }

// check refuses what no loop could work on.
func (f *File) check() error {
	switch n := len(f.Stories); {
	case n == 0:
		return &Error{f.name, 1, "the file has no story"}
	case n > MaxStories:
		return &Error{f.name, f.Stories[MaxStories].Line, fmt.Sprintf("the file has more than %d stories", MaxStories)}
	}
	seen := map[string]bool{}
	for _, s := range f.Stories {
		switch {
		case s.ID == "":
			return &Error{f.name, s.Line, "a story has no id"}
		case s.Title == "":
			return &Error{f.name, s.Line, fmt.Sprintf("the story %.40q has no title", s.ID)}
		case seen[s.ID]:
			return &Error{f.name, s.Line, fmt.Sprintf("a second story has the id %.40q", s.ID)}
		}
		seen[s.ID] = true
	}
	return nil
}

// Export returns the file with the results of stories. Of each it changes passes and
// notes only, and these only where they differ; all other bytes stay. A result of a
// story that the file lacks is an error.
func (f *File) Export(results []Result) ([]byte, error) {
	given := map[string]Result{}
	for _, r := range results {
		if _, twice := given[r.ID]; twice || !utf8.ValidString(r.Notes) {
			return nil, fmt.Errorf("%s: the result of %.40q stands twice or is no text", f.name, r.ID)
		}
		given[r.ID] = r
	}
	var edits []edit
	for i, s := range f.Stories {
		if r, ok := given[s.ID]; ok {
			edits = append(edits, f.edits(i, r)...)
			delete(given, s.ID)
		}
	}
	for id := range given {
		return nil, fmt.Errorf("%s has no story %.40q", f.name, id)
	}
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(f.data[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(f.data[at:])
	return out.Bytes(), nil
}

// edits are the changes that a result makes, in the order of their places.
func (f *File) edits(i int, r Result) (list []edit) {
	s, at := f.Stories[i], f.places[i]
	put := func(where span, key, value string) {
		if where.isNowhere() {
			where, value = span{at.end, at.end}, f.member(at.lead, key, value)
		}
		list = append(list, edit{where, value})
	}
	if s.Passes != r.Passes {
		put(at.passes, "passes", f.passes(r.Passes))
	}
	if notes := f.plainNotes(r.Notes); s.Notes != notes {
		put(at.notes, "notes", f.notes(notes))
	}
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	return list
}

// plainNotes are notes as the file can hold them: in a list they have one line.
func (f *File) plainNotes(text string) string {
	if f.isList {
		return strings.Join(strings.Fields(text), " ")
	}
	return text
}

// passes, notes and member are values in the form of the file.
func (f *File) passes(passes bool) string {
	switch {
	case !f.isList:
		return strconv.FormatBool(passes)
	case passes:
		return "x"
	}
	return " "
}

func (f *File) notes(text string) string {
	if f.isList {
		return strings.TrimRight(" "+text, " ")
	}
	return quote(text)
}

func (f *File) member(lead, key, value string) string {
	if f.isList {
		return lead + "Notes:" + value
	}
	return "," + lead + quote(key) + ": " + value
}

// quote is a text in JSON.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text always has a form in JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}
