// Package contracts holds the behavioural contracts of agents: Markdown that a
// person can read and a prompt can carry. It lists the documents, selects the
// part for an agent of a role, and installs them in a project and removes
// them, see [Install]. It does not know prompts, tasks or the blackboard, and
// it enforces nothing.
package contracts

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed *.md roles/*.md skills/*/SKILL.md
var documents embed.FS

// Names returns the sorted paths of the documents: those for all agents, such
// as CORE.md, one per role, such as roles/coder.md, and one per skill, such as
// skills/testing/SKILL.md.
func Names() []string {
	var names []string
	for _, pattern := range []string{"*.md", "roles/*.md", "skills/*/SKILL.md"} {
		found, err := fs.Glob(documents, pattern)
		if err != nil {
			panic(err) // the patterns are constants
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names
}

// Document returns the text of one of [Names], and whether it exists.
func Document(name string) (string, bool) {
	text, err := documents.ReadFile(name)
	if name == canaryDocument {
		return strings.Replace(string(text), canaryPlace, Canary(), 1), err == nil
	}
	return string(text), err == nil
}

// Find returns the document for a name without folder or extension: CORE,
// coder, testing. ok is false if there is none.
func Find(word string) (name string, ok bool) {
	for _, name := range Names() {
		if word == name || word == Title(name) {
			return name, true
		}
	}
	return "", false
}

// Title returns the short name of a document: CORE, coder, testing.
func Title(name string) string {
	if isSkill(name) {
		return path.Base(path.Dir(name))
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// About describes a document in one line: a skill's description, else its
// heading.
func About(name string) string {
	text, _ := Document(name)
	return AboutText(text)
}

// AboutText is [About] for the text of a document.
func AboutText(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if about, ok := strings.CutPrefix(line, "description: "); ok {
			return about
		}
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return heading
		}
	}
	return ""
}

func isSkill(name string) bool { return strings.HasPrefix(name, "skills/") }

// The beginnings of the headings of CORE's parts that every agent gets.
const (
	invariants = "## Tier 0"
	stops      = "## Stop triggers"
)

// ForRole returns the kernel for a spawned agent of a role, whose persona is
// given: CORE's invariants and stop triggers, MULTI_AGENT_MODE and the persona,
// about 8 KB with one of the built-in ones.
func ForRole(persona string) string {
	core, _ := Document("CORE.md")
	mode, _ := Document("MULTI_AGENT_MODE.md")
	return section(core, invariants) + "\n" + section(core, stops) + "\n" + mode + "\n" + persona
}

// section returns the part of a document from the line that begins with
// heading to the next heading of level 2.
func section(document, heading string) string {
	var lines []string
	inside := false
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, "## ") {
			inside = strings.HasPrefix(line, heading)
		}
		if inside {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
}
