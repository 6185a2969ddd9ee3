// Package templates makes the prompt of an agent from the facts of its work,
// and holds the documents that a project can start from.
//
// A prompt is a list of sections, the same ones in the same order for every
// role: contract, role, goal, assignment, handoff, failure, notes, anomalies,
// commands, end, reminder. A section with nothing to say is left out. Each comes from
// the file ROLE/SECTION.md, or all/SECTION.md where roles do not differ, of
// the strongest layer that has one. A session that answers a question has those of the
// folder question in place of its role's. The weakest layer is built in.
//
// A layer replaces a section with a file of that name and adds to it with
// ROLE/SECTION.append.md or all/SECTION.append.md. The contract can only be
// added to. The files are text/template over [Input]; nothing in them is run.
//
// Texts of people and agents are data in a prompt: they are never parsed as
// templates, and quoted so that they cannot be taken for a heading or a fence.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

//go:embed prompts starters
var builtIn embed.FS

// BuiltIn is the built-in template of a section, which is named ROLE/SECTION or all/SECTION.
func BuiltIn(name string) (string, bool) {
	text, err := fs.ReadFile(prompts(), name+".md")
	return string(text), err == nil
}

// A Section is a part of a prompt and the layer that it came from. An
// addition of a layer is a Section of its own with the same name.
type Section struct {
	Name  string
	Layer string
	Text  string
}

// A Prompt is the text that an agent is started with.
type Prompt struct{ Sections []Section }

// Text returns the prompt for the agent: Markdown with a line feed at its end.
func (p Prompt) Text() string {
	texts := lists.Of(p.Sections, func(s Section) string { return s.Text })
	return strings.Join(texts, "\n\n") + "\n"
}

// Split returns the contract, and the rest of the prompt.
func (p Prompt) Split() (contract, rest Prompt) {
	at := slices.IndexFunc(p.Sections, func(s Section) bool { return s.Name != "contract" })
	return Prompt{p.Sections[:at]}, Prompt{p.Sections[at:]}
}

// Since returns the sections that an earlier prompt does not have, below a line that says so.
func (p Prompt) Since(earlier Prompt) Prompt {
	news := lists.Where(p.Sections, func(s Section) bool { return !slices.Contains(earlier.Sections, s) })
	return Prompt{append([]Section{{Text: "# What is new\n\nYou go on with your session. What its first prompt says holds, but for these sections."}}, news...)}
}

// Explain lists the sections in order, a line each, with name, size in bytes,
// layer.
func (p Prompt) Explain() string {
	var b strings.Builder
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "%-10s %6d  %s\n", s.Name, len(s.Text), s.Layer)
	}
	return b.String()
}
