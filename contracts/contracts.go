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

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

//go:embed *.md roles/*.md skills/*/SKILL.md
var documents embed.FS

// Names returns the sorted paths of the documents: those for all agents, such
// as CORE.md, one per role, such as roles/coder.md, and one per skill, such as
// skills/liza-testing/SKILL.md.
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
// coder, liza-testing. ok is false if there is none.
func Find(word string) (name string, ok bool) {
	if found := lists.Find(Names(), func(name string) bool { return word == name || word == Title(name) }); found != nil {
		return *found, true
	}
	return "", false
}

// Title returns the short name of a document: CORE, coder, liza-testing.
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

// reason matches what a rule says of the failure that it prevents.
var reason = pattern.Late(` \*Prevents: [^*\n]+\*`)

// ForRole returns the kernel for a spawned agent of a role, whose persona is
// given: what of KERNEL always holds, MULTI_AGENT_MODE without its states, and
// the persona. The rules stand there without the failures that they prevent,
// which are for readers of the documents: every session pays for every byte.
func ForRole(persona string) string {
	kernel, _ := Document("KERNEL.md")
	mode, _ := Document("MULTI_AGENT_MODE.md")
	mode, _, _ = strings.Cut(mode, "\n## States\n")
	_, always, _ := strings.Cut(kernel, "\n## What always holds\n")
	return reason().ReplaceAllString("## What always holds\n"+always+"\n"+mode+"\n"+persona, "")
}
