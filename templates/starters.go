package templates

import "strings"

// A Starter is a document that a project can start from.
type Starter struct {
	Name  string
	About string
	file  string
}

// Starters returns all starters.
func Starters() []Starter {
	return []Starter{
		{"vision", "a goal's spec: why, for whom, what is in, what is out, when it is done", "vision.md"},
		{"spec-changelog", "what changed in the specs, and why", "spec-changelog.md"},
		{"repository", "what somebody new must know: commands, layout, conventions, traps", "repository.md"},
		{"guardrails", "a project's own rules for people and agents, by the contract's tiers", "guardrails.md"},
		{"continuity", "what a person and their agent remember of working together", "continuity.md"},
		{"stories", "the stories of a loop, with the paths that it may change and what has to succeed: prd.json", "stories.json"},
		{"workflow", "a workflow for GitHub, which runs no hooks: it judges the board after each push", "workflow.yml"},
	}
}

// Text returns the text of the document.
func (s Starter) Text() string {
	text, err := builtIn.ReadFile("starters/" + s.file)
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

// Left returns the first line of the template that text still has and that its
// author should have replaced, "" if there is none. Headings of parts, and the
// dots of lists, may stay.
func (s Starter) Left(text string) string {
	there := map[string]bool{}
	for line := range strings.Lines(text) {
		there[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(s.Text()) {
		line = strings.TrimSpace(line)
		if line != "" && line != "- …" && !strings.HasPrefix(line, "##") && there[line] {
			return line
		}
	}
	return ""
}
