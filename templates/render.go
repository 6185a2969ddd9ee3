package templates

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// order is the order of sections in every prompt.
var order = []string{"contract", "role", "goal", "assignment", "handoff", "failure", "lessons", "notes", "anomalies", "commands", "end", "reminder"}

// maxSection bounds the output of one file, in bytes: prompts cost money, and
// a template may loop.
const maxSection = 256 << 10

// Render makes the prompt for an input. Layers are given from the weakest to
// the strongest; the built-in one is below all of them. Errors name the
// layer, the file and, for a bad template, the line.
func Render(in Input, layers ...Layer) (Prompt, error) {
	if err := in.check(); err != nil {
		return Prompt{}, err
	}
	in.Limits = in.limits()
	stack := append([]Layer{{Name: "built-in", FS: prompts()}}, layers...)
	known := lists.Add(slices.Clip(in.Roles), board.FirstRoles()...) // with the folders of whole capacities
	for _, layer := range stack[1:] {
		if err := layer.check(known); err != nil {
			return Prompt{}, err
		}
	}
	var p Prompt
	for _, name := range order {
		files, err := find(stack, in.folders(), name)
		if err != nil {
			return Prompt{}, err
		}
		for _, f := range files {
			text, err := f.render(in)
			if err != nil {
				return Prompt{}, err
			}
			if text != "" {
				p.Sections = append(p.Sections, Section{Name: name, Layer: f.layer, Text: text})
			}
		}
	}
	return p, nil
}

// find returns the files of a section: the strongest replacement, then the
// additions of the layers above it, weakest first.
func find(stack []Layer, folders []string, section string) ([]file, error) {
	var base *file
	var added []file
	for _, layer := range slices.Backward(stack) {
		more, err := layer.read(folders, section+appended)
		if err != nil {
			return nil, err
		}
		added = slices.Insert(added, 0, more...)
		whole, err := layer.read(folders, section)
		if err != nil {
			return nil, err
		}
		if len(whole) > 0 {
			base = &whole[len(whole)-1]
			break
		}
	}
	if base == nil {
		return added, nil
	}
	return append([]file{*base}, added...), nil
}

// render executes the template. The text has no blank lines at its ends.
func (f file) render(in Input) (string, error) {
	t, err := newTemplateSet()
	if err == nil {
		t, err = t.New(f.name).Parse(f.text)
	}
	if err != nil {
		return "", f.wrap(err)
	}
	var out bounded
	if err := t.Execute(&out, in); err != nil {
		return "", f.wrap(err)
	}
	return strings.Trim(blankLines().ReplaceAllString(out.text.String(), "\n\n"), "\n \t"), nil
}

// wrap adds the layer to an error. The template's own error has name and
// line.
func (f file) wrap(err error) error {
	return fmt.Errorf("prompt layer %s: %s", f.layer, strings.TrimPrefix(err.Error(), "template: "))
}

// gaps matches the blank lines that conditions leave behind. Quoted texts
// have none, because each of their lines begins with a bar.
var blankLines = pattern.Late(`\n{3,}`)

// newTemplateSet returns a template set with the functions and the built-in pieces
// that several sections share.
func newTemplateSet() (*template.Template, error) {
	return template.New("parts").Funcs(functions).ParseFS(builtIn, "prompts/parts/*.md")
}

// A bounded writer refuses to grow beyond maxSection.
type bounded struct{ text strings.Builder }

var errTooLong = errors.New("the section grows beyond 256 KiB")

// Write appends, or fails with errTooLong.
func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxSection {
		return 0, errTooLong
	}
	return b.text.Write(p)
}
