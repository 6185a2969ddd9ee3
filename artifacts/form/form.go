// Package form holds an artifact against its type: its front matter against the schema,
// its headings, what stands below them, and what is left of the template. It is the only
// user of the Markdown library beside the pages in a browser.
package form

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/library"
)

// A Form is what the artifacts of a type must have, ready to be compared.
type Form struct {
	kind        *artifacts.Type
	schema      *library.Schema
	placeholder map[string]bool // lines of the template that an author replaces
	// Finished refuses the statuses of texts that are not finished, as a phase does that
	// needs them.
	Finished bool
}

// Of returns the form of a type, which has been checked, and of its template; "" if
// there is none.
func Of(kind *artifacts.Type, template string) (*Form, error) {
	schema, wrong := library.CompileSchema(kind.Schema)
	if len(wrong) > 0 {
		return nil, &library.Error{Path: kind.Name, Faults: wrong}
	}
	return &Form{kind: kind, schema: schema, placeholder: placeholders(template)}, nil
}

// Check returns all that is wrong with an artifact in Markdown, by line.
func (f *Form) Check(path string, text []byte) []artifacts.Fault {
	if wrong := Readable(text); len(wrong) > 0 {
		return wrong
	}
	parted, wrong := artifacts.Part(path, text)
	unread := len(wrong) > 0
	if !unread {
		wrong = append(wrong, f.front(&parted)...)
	}
	list, placed := outlineOf(parted.Body, parted.Line)
	wrong = append(wrong, placed...)
	if len(placed) == 0 {
		wrong = append(wrong, f.headings(list)...)
	}
	wrong = append(wrong, f.left(string(text), parted.Line, list.fenced)...)
	return artifacts.Sorted(wrong)
}

// Readable returns why a file cannot be an artifact whatever its type; nil if it can.
func Readable(text []byte) []artifacts.Fault {
	switch {
	case len(text) > artifacts.MaxText:
		return []artifacts.Fault{{Code: artifacts.CodeSize, Line: 1, Text: fmt.Sprintf("the file is larger than %d KiB", artifacts.MaxText>>10)}}
	case bytes.Count(text, []byte("\n")) > artifacts.MaxLines:
		return []artifacts.Fault{{Code: artifacts.CodeSize, Line: 1, Text: fmt.Sprintf("the file has more than %d lines", artifacts.MaxLines)}}
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return []artifacts.Fault{{Code: artifacts.CodeText, Line: 1, Text: "the file begins with a byte order mark; save it without"}}
	}
	for line, rest := 1, text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			return []artifacts.Fault{{Code: artifacts.CodeText, Line: line, Text: "the text is not UTF-8"}}
		}
		if r == 0 {
			return []artifacts.Fault{{Code: artifacts.CodeText, Line: line, Text: "the text has a character U+0000"}}
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return nil
}

// front holds the front matter against the schema.
func (f *Form) front(t *artifacts.Text) []artifacts.Fault {
	if t.Front.Line() == 0 {
		if required := f.schema.Required(); len(required) > 0 {
			return []artifacts.Fault{{Code: artifacts.CodeFrontMatter, Line: 1,
				Text: "the text has no front matter: keys with values between two lines ---, of which it needs " + strings.Join(required, ", ")}}
		}
		return nil
	}
	wrong := f.schema.Check(t.Front)
	if status := t.Status(); f.Finished && artifacts.IsUnfinished(status) {
		wrong = append(wrong, artifacts.Fault{Code: artifacts.CodeStatus, Line: t.Front.Key("status").Line(), Field: "status",
			Text: fmt.Sprintf("the phase needs the text finished, and its status is %s; it says what the text is once it is approved", status)})
	}
	return wrong
}

// headings looks for the headings that the type asks for.
func (f *Form) headings(o outline) (wrong []artifacts.Fault) {
	for _, want := range f.kind.Headings {
		title := artifacts.Title(want.Title)
		line, most := 0, -1
		for i, h := range o.headings {
			if artifacts.Title(h.title) != title {
				continue
			}
			if n := o.words(i); n > most {
				line, most = h.line, n
			}
		}
		switch {
		case most < 0:
			wrong = append(wrong, artifacts.Fault{Code: artifacts.CodeHeading, Line: o.last, Field: want.Title, Text: fmt.Sprintf("there is no heading %q", want.Title)})
		case most < want.Min:
			wrong = append(wrong, artifacts.Fault{Code: artifacts.CodeContent, Line: line, Field: want.Title,
				Text: fmt.Sprintf("below %q there are %s, at least %d are asked for", want.Title, count(most), want.Min)})
		}
	}
	return wrong
}

func count(n int) string {
	switch n {
	case 0:
		return "no words"
	case 1:
		return "1 word"
	}
	return fmt.Sprintf("%d words", n)
}

// blank stands in templates for what the author writes.
const blank = "…"

// placeholders are the lines of a template that its author replaces: those with the blank,
// and all others but headings, rows of tables, front matter and fences.
func placeholders(template string) map[string]bool {
	lines := map[string]bool{}
	front := strings.HasPrefix(template, "---")
	for i, line := range strings.Split(template, "\n") {
		line = strings.TrimSpace(line)
		structure := front || line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if i > 0 && line == "---" {
			front = false
		}
		if !structure || strings.Contains(line, blank) {
			lines[line] = true
		}
	}
	return lines
}

// left looks for what the template says. fenced are the lines of code.
func (f *Form) left(text string, body int, fenced map[int]bool) (wrong []artifacts.Fault) {
	if len(f.placeholder) == 0 {
		return nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if f.placeholder[line] && !(number >= body && fenced[number]) {
			wrong = append(wrong, artifacts.Fault{Code: artifacts.CodePlaceholder, Line: number, Text: fmt.Sprintf("%q is what the template says", cut(line))})
		}
	}
	return wrong
}

func cut(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// countWords counts what holds a letter or a digit.
func countWords(text string) (n int) {
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
