// Package automation says how far the work of a plan or spec may be automated: as the file
// declares it, else by its form. It reads no word of prose. The same bytes have the same
// class on every machine: the package reads the few keys that it needs by itself, since a
// library for YAML may change its mind, and it knows ASCII only.
package automation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxFile bounds a file that is classified, and maxFront its front matter or a file
// that is YAML throughout, in bytes.
const (
	MaxFile  = 1 << 20
	maxFront = 256 << 10
)

// A Class says how far the work of a file may be automated, and why.
type Class struct {
	Type       Type       `yaml:"type" json:"type"`
	Scope      Scope      `yaml:"scope" json:"scope"`
	Loop       Loop       `yaml:"loop" json:"loop"`
	SecondLook SecondLook `yaml:"second_look" json:"second_look"`
	Source     Source     `yaml:"source" json:"source"`
	Evidence   []Evidence `yaml:"evidence" json:"evidence"`
}

// Evidence is a word, path or key that the class stands on. A class has at most
// maxEvidence of them, and a text has at most maxExcerpt bytes.
type Evidence struct {
	Line int    `yaml:"line" json:"line"` // from 1
	Text string `yaml:"text" json:"text"`
}

const (
	maxEvidence = 8
	maxExcerpt  = 80
)

// Check returns what is wrong with the words of the class, nil if nothing is.
func (c Class) Check() error {
	return errors.Join(c.Type.UnmarshalText([]byte(c.Type)), c.Scope.UnmarshalText([]byte(c.Scope)), c.Loop.UnmarshalText([]byte(c.Loop)),
		c.SecondLook.UnmarshalText([]byte(c.SecondLook)), c.Source.UnmarshalText([]byte(c.Source)))
}

// Binds reports whether somebody has said the class: the file, or a person.
func (c *Class) Binds() bool { return c != nil && c.Source != Inferred }

// Why is where the class comes from: the line that declares what a loop is, else its source.
func (c Class) Why() string {
	for _, key := range []string{"loop:", "ralph:", ""} {
		for _, e := range c.Evidence {
			if c.Source == Declared && strings.HasPrefix(e.Text, key) {
				return fmt.Sprintf("line %d: %s", e.Line, e.Text)
			}
		}
	}
	return string(c.Source)
}

// An Error says why a file has no class.
type Error struct {
	Name   string
	Line   int // from 1
	Reason string
}

// Error is the name, the line and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason) }

// Classify returns the class of a file. The name tells YAML and JSON, which are a
// mapping throughout, from Markdown, which may have front matter; folders in it do not
// matter. The error is an [*Error].
func Classify(name string, data []byte) (Class, error) {
	r := reader{name: name}
	if err := r.read(data); err != nil {
		return Class{}, err
	}
	return r.class(), nil
}

// Find returns the class of a file as moves find it in the bytes, nil if it has none. A
// file that tries to declare a class, and that cannot be read, forbids automation: a slip
// loses no such word.
func Find(name string, data []byte) *Class {
	r := reader{name: name}
	err := r.read(data)
	var wrong *Error
	switch {
	case errors.As(err, &wrong) && (bytes.HasPrefix(data, []byte(blockKey+":")) || bytes.Contains(data, []byte("\n"+blockKey+":")) || bytes.Contains(data, []byte(`"`+blockKey+`"`))):
		r.declared = &Class{Type: Mixed, Scope: Unbounded, Loop: Forbidden, SecondLook: Optional, Source: Declared, Evidence: []Evidence{{wrong.Line, wrong.Reason}}}
	case err != nil && len(r.asks) == 0:
		return nil
	}
	class := r.class()
	return &class
}

// A reader takes from a file what its class depends on.
type reader struct {
	name     string
	declared *Class
	asks     []Evidence // for a person
	form     form
}

// A line is a line of a file without its end.
type line struct {
	number int // from 1
	text   string
	fenced bool
}

func (r *reader) errorAt(number int, format string, args ...any) error {
	return &Error{r.name, max(number, 1), fmt.Sprintf(format, args...)}
}

func (r *reader) checkBytes(data []byte) error {
	if len(data) > MaxFile {
		return r.errorAt(1+bytes.Count(data[:MaxFile], []byte("\n")), "the file is larger than %d bytes, too large for a plan", MaxFile)
	}
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return nil
	}
	for i, text := range bytes.Split(data, []byte("\n")) {
		switch {
		case !utf8.Valid(text):
			return r.errorAt(i+1, "the text is not UTF-8")
		case bytes.IndexByte(text, 0) >= 0:
			return r.errorAt(i+1, "the text holds a zero byte")
		}
	}
	return nil
}

// read reads what the file declares, and its form.
func (r *reader) read(data []byte) error {
	if err := r.checkBytes(data); err != nil {
		return err
	}
	text := string(bytes.TrimPrefix(data, []byte("\ufeff")))
	if isJSON(r.name) {
		return r.readJSON(text)
	}
	lines := linesOf(text)
	front, body := frontMatter(lines)
	if isYAML(r.name) {
		front, body = lines, nil
	}
	markFences(body)
	r.readAsks(front, body)
	if err := r.readFront(front); err != nil {
		return err
	}
	r.form.readMarkdown(body)
	return r.readBlocks(body)
}

func isYAML(name string) bool {
	name = lower(name)
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func isJSON(name string) bool { return strings.HasSuffix(lower(name), ".json") }

func linesOf(text string) []line {
	var list []line
	for part := range strings.SplitSeq(text, "\n") {
		list = append(list, line{number: len(list) + 1, text: strings.TrimRight(part, "\r")})
	}
	return list
}

// frontMatter parts lines into those of the front matter and those after it.
func frontMatter(lines []line) (front, body []line) {
	if strings.TrimRight(lines[0].text, " \t") != "---" {
		return nil, lines
	}
	for i, one := range lines[1:] {
		if end := strings.TrimRight(one.text, " \t"); end == "---" || end == "..." {
			return lines[1 : i+1], lines[i+2:]
		}
	}
	return nil, lines
}

// markFences marks the lines of fenced code, with those of the fences.
func markFences(lines []line) {
	closing := ""
	for i := range lines {
		text := strings.TrimLeft(lines[i].text, " \t>")
		mark := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		mark = cmp.Or(mark, text[:len(text)-len(strings.TrimLeft(text, "~"))])
		rest := strings.Trim(text[len(mark):], " \t")
		lines[i].fenced = closing != ""
		switch {
		case len(mark) < 3:
		case closing == "" && (mark[0] == '~' || !strings.Contains(rest, "`")):
			closing, lines[i].fenced = mark, true
		case closing != "" && strings.HasPrefix(mark, closing) && rest == "":
			closing = ""
		}
	}
}

// readAsks finds where a plan of GSD asks for a person: it is not autonomous, or a task of
// it is a checkpoint.
func (r *reader) readAsks(front, body []line) {
	for _, one := range front {
		if name, value, ok := cutKey(one.text); ok && name == "autonomous" && lower(value) == "false" {
			r.asks = append(r.asks, Evidence{one.number, "autonomous: false"})
		}
	}
	for _, one := range body {
		if _, tag, ok := strings.Cut(one.text, "<task "); ok && !one.fenced {
			about, _, _ := strings.Cut(tag, ">")
			if at := strings.Index(about, "checkpoint:"); at >= 0 {
				kind, _, _ := strings.Cut(about[at:], `"`)
				r.asks = append(r.asks, Evidence{one.number, kind})
			}
		}
	}
}

// class is what the file declares, else what its form says.
func (r *reader) class() Class {
	class := r.form.class()
	switch {
	case r.declared != nil:
		class = *r.declared
	case len(r.asks) > 0:
		class = Class{Type: Mixed, Scope: Bounded, Loop: Discouraged, Source: Declared}
	}
	if len(r.asks) > 0 {
		class.SecondLook, class.Evidence = ByPerson, append(class.Evidence, r.asks...)
	}
	class.Evidence = excerpts(class.Evidence)
	return class
}

// excerpts are the first pieces of evidence, each cut to its greatest length.
func excerpts(list []Evidence) []Evidence {
	list = append([]Evidence(nil), list[:min(len(list), maxEvidence)]...)
	for i := range list {
		if text := list[i].Text; len(text) > maxExcerpt {
			cut := maxExcerpt
			for !utf8.RuneStart(text[cut]) {
				cut--
			}
			list[i].Text = text[:cut]
		}
	}
	return list
}

// lower is a text in small letters, of ASCII alone.
func lower(text string) string {
	for i := range len(text) {
		if text[i] >= 'A' && text[i] <= 'Z' {
			small := []byte(text)
			for j, c := range small {
				if c >= 'A' && c <= 'Z' {
					small[j] = c + 'a' - 'A'
				}
			}
			return string(small)
		}
	}
	return text
}
