// Package automation says how far the work of a plan or spec may be automated: by the
// block that the file declares, else by what its text and the files that it names let
// infer. The same bytes have the same class on every machine: the package reads the few
// keys that it needs by itself, since a library for YAML may change its mind, it knows
// ASCII only, and its lists of words belong to the version of the rules.
package automation

import (
	"bytes"
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
	Rule       Basis      `yaml:"rule" json:"rule"`
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

// An Error says why a file has no class.
type Error struct {
	Name   string
	Line   int // from 1
	Reason string
}

// Error is the name, the line and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason) }

// inferred are the classes of the rules, without evidence.
var inferred = map[Basis]Class{
	Checks:   {Type: Conceptual, Scope: Bounded, Loop: Forbidden, SecondLook: Optional},
	Design:   {Type: Conceptual, Scope: Unbounded, Loop: Forbidden, SecondLook: Optional},
	OpenEnd:  {Type: Mixed, Scope: Unbounded, Loop: Forbidden, SecondLook: Optional},
	Paths:    {Type: Mechanical, Scope: Bounded, Loop: Allowed, SecondLook: Unnecessary},
	Ordinary: {Type: Mixed, Scope: Bounded, Loop: Discouraged, SecondLook: Optional},
}

// Classify returns the class of a file. The name tells YAML and JSON, which are a
// mapping throughout, from Markdown, which may have front matter; folders in it do not
// matter. Stories, of a prd.json or of a list in Markdown, are work on code.
// The error is an [*Error].
func Classify(name string, data []byte) (Class, error) {
	r := reader{name: name}
	if err := r.checkBytes(data); err != nil {
		return Class{}, err
	}
	if err := r.read(string(bytes.TrimPrefix(data, []byte("\ufeff")))); err != nil {
		return Class{}, err
	}
	if r.declared != nil {
		return *r.declared, nil
	}
	return r.infer(), nil
}

// A reader takes from a file what its class depends on.
type reader struct {
	name     string
	declared *Class
	files    []Evidence // that the work changes, as the file declares them
	stories  []Evidence // of a list, or the key of those of a prd.json
	allowed  []Evidence // paths that the work is bound to
	excluded []Evidence
	front    []line // the values of front matter, which may ask for changes
	prose    []line // what stands after it; fences are marked
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

// read parts the file into front matter and prose, and reads what both declare.
func (r *reader) read(text string) error {
	if isJSON(r.name) {
		return r.readJSON(text)
	}
	lines := linesOf(text)
	front, body := frontMatter(lines)
	if isYAML(r.name) {
		front, body = lines, nil
	}
	if err := r.readFront(front); err != nil {
		return err
	}
	if r.front = valuesOf(front); isYAML(r.name) {
		r.front, r.prose = nil, r.front
		return nil
	}
	markFences(body)
	var err error
	if r.prose, err = r.readBlocks(body); err != nil {
		return err
	}
	r.readTags()
	r.readLabels()
	r.readStories()
	return nil
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
		if mark == "" {
			mark = text[:len(text)-len(strings.TrimLeft(text, "~"))]
		}
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

// infer is the class by the first rule that fits.
func (r *reader) infer() Class {
	found := survey(r.prose)
	code := r.stories
	for _, file := range r.files {
		if !isMarkdown(file.Text) {
			code = append(code, file)
		}
	}
	touches := len(code) > 0
	switch {
	case !touches && len(found.checks) > 0 && len(found.changes) == 0 && len(found.designs) == 0 && len(survey(r.front).changes) == 0:
		return r.because(Checks, found.checks)
	case !touches && len(found.designs) > 0 && !found.hasPath && len(r.files)+len(r.allowed)+len(r.excluded) == 0:
		return r.because(Design, found.designs)
	case len(found.openEnds) > 0:
		return r.because(OpenEnd, found.openEnds)
	case len(r.allowed) > 0 && len(r.excluded) > 0:
		return r.because(Paths, []Evidence{r.allowed[0], r.excluded[0]})
	}
	class := r.because(Ordinary, code[:min(len(code), maxEvidence/2)])
	if guarded := r.guarded(); len(guarded) > 0 {
		class.SecondLook = Suggested
		class.Evidence = append(class.Evidence, excerpts(guarded, maxEvidence-len(class.Evidence))...)
	}
	return class
}

// because is the class of a rule with its evidence.
func (r *reader) because(rule Basis, evidence []Evidence) Class {
	class := inferred[rule]
	class.Source, class.Rule = Inferred, rule
	class.Evidence = excerpts(evidence, maxEvidence)
	return class
}

// excerpts are the first pieces of evidence, each cut to its greatest length.
func excerpts(list []Evidence, most int) []Evidence {
	list = append([]Evidence{}, list[:min(len(list), most)]...)
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

// isMarkdown reports paths of Markdown documents.
func isMarkdown(path string) bool {
	path = lower(path)
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".markdown")
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
