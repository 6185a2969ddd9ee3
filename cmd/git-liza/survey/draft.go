package survey

import (
	"fmt"
	"slices"
	"strings"
)

// Draft returns the page for somebody new, made of the template: its tables of
// commands and folders are filled in, the rest is for people to write. name is that
// of the repository.
func (s Survey) Draft(template, name string) string {
	if !isPlain(name) {
		name = "this repository"
	}
	var out strings.Builder
	section := ""
	for line := range strings.Lines(template) {
		if strings.HasPrefix(line, "#") {
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
		first, _, _ := strings.Cut(strings.Trim(line, "| "), " |")
		switch {
		case strings.HasPrefix(line, "# "):
			fmt.Fprintf(&out, "# %s\n", name)
		case strings.HasPrefix(line, "<!--"):
			out.WriteString("<!-- A draft; nothing was run to make it. Run each command from a fresh clone, and delete what does not apply. -->\n")
		case strings.HasPrefix(line, "What this is"):
			out.WriteString(line + s.summary())
		case section == "Commands" && slices.Contains(purposes, first):
			out.WriteString(s.commandRows(first, line))
		case section == "Commands" && strings.HasPrefix(line, "What needs"):
			out.WriteString(s.ciList() + line)
		case section == "Layout" && strings.HasPrefix(line, "| `src/"):
			out.WriteString(s.folderRows(line))
		case section == "Layout" && strings.HasPrefix(line, "| `tests/") && len(s.Folders) > 0:
		case section == "Layout" && strings.HasPrefix(line, "| `specs/") && s.has("specs"):
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

var purposes = []string{SetUp, Build, One, Test, Check, Start}

func (s Survey) has(folder string) bool {
	return slices.ContainsFunc(s.Folders, func(c Count) bool { return c.Name == folder })
}

// summary is a sentence each about the languages and the entry points.
func (s Survey) summary() (text string) {
	var names []string
	for _, c := range s.Languages {
		names = append(names, fmt.Sprintf("%s (%d)", c.Name, c.Files))
	}
	if len(names) > 0 {
		text += "\nLanguages, by files: " + strings.Join(names, ", ") + ".\n"
	}
	if len(s.Entries) > 0 {
		text += "\nPrograms begin in `" + strings.Join(s.Entries, "`, `") + "`.\n"
	}
	return text
}

// commandRows are the rows of one purpose, or that of the template if there is none.
func (s Survey) commandRows(purpose, line string) (text string) {
	for _, c := range s.Commands {
		if c.Purpose == purpose {
			text += fmt.Sprintf("| %s | `%s` | | |\n", purpose, c.Text)
		}
	}
	if text == "" {
		return line
	}
	return text
}

func (s Survey) ciList() (text string) {
	if len(s.CI) == 0 {
		return ""
	}
	for _, line := range s.CI {
		text += "- `" + line + "`\n"
	}
	return "CI runs:\n\n" + text + "\n"
}

// folderRows are the rows of the folders at the root, or that of the template if
// there is none.
func (s Survey) folderRows(line string) (text string) {
	for _, c := range s.Folders {
		text += fmt.Sprintf("| `%s/` | | |\n", c.Name)
	}
	if text == "" {
		return line
	}
	return text
}
