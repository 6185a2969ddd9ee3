// Package contracts holds the behavioural contracts of agents: Markdown that a
// person can read and a prompt can carry. It says what the documents are and
// which part of them an agent of a role is given, and writes them into a
// project and takes them out again, see [Install]; it does not know prompts,
// tasks or the blackboard, and nothing here enforces anything.
package contracts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed *.md roles/*.md skills/*/SKILL.md
var documents embed.FS

// Names are the documents' paths, sorted: those for everybody, such as CORE.md,
// one per role, such as roles/coder.md, and one per skill, such as
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

// Document is the text of one of [Names]; false if there is none of that name.
func Document(name string) (string, bool) {
	text, err := documents.ReadFile(name)
	if name == canaryDocument {
		return strings.Replace(string(text), canaryPlace, Canary(), 1), err == nil
	}
	return string(text), err == nil
}

// Find is the document with a name that may lack its folder or ending, such as CORE,
// coder or testing; false if there is none.
func Find(word string) (name string, ok bool) {
	for _, name := range Names() {
		if word == name || word == Title(name) {
			return name, true
		}
	}
	return "", false
}

// Title is the short name of a document: CORE, coder, testing.
func Title(name string) string {
	if isSkill(name) {
		return path.Base(path.Dir(name))
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// About says in one line what a document is for: a skill's description, else
// its heading.
func About(name string) string {
	text, _ := Document(name)
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

// How the headings of CORE's parts that every agent gets begin.
const (
	invariants = "## Tier 0"
	stops      = "## Stop triggers"
)

// ForRole is the kernel that a spawned agent of the role is given: CORE's
// invariants and stop triggers, MULTI_AGENT_MODE and the role's own contract,
// about 8 KB. It is an error if there is no contract for the role.
func ForRole(role string) (string, error) {
	own, ok := Document("roles/" + role + ".md")
	if !ok {
		return "", fmt.Errorf("no contract for role %q", role)
	}
	core, _ := Document("CORE.md")
	mode, _ := Document("MULTI_AGENT_MODE.md")
	return section(core, invariants) + "\n" + section(core, stops) + "\n" + mode + "\n" + own, nil
}

// section is the part of a document from the line that begins with heading to
// the next heading of level 2.
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
