package contracts

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Target says what to install and where. Empty fields are taken from the
// last installation, or from defaultTarget.
type Target struct {
	Dir   string   // folder of the documents, from the root of the project
	Tools []string // the tools that get skills, names of toolFolders

	Skills map[string]string // texts of skills beside the built-in ones, by name
}

// toolFolders says where each tool looks for skills in a project.
var toolFolders = map[string]string{
	"claude":   ".claude/skills",
	"codex":    ".agents/skills",
	"gemini":   ".agents/skills",
	"opencode": ".agents/skills",
}

// defaultTarget returns the target of a first installation without options.
func defaultTarget() Target {
	return Target{Dir: ".liza/contracts", Tools: []string{"claude", "codex", "gemini"}}
}

// over fills the empty fields from another target.
func (t Target) over(other Target) Target {
	t.Dir = cmp.Or(t.Dir, other.Dir)
	if t.Tools == nil {
		t.Tools = other.Tools
	}
	if t.Skills == nil {
		t.Skills = other.Skills
	}
	return t
}

// Check refuses folders that git or the manifest cannot hold, and unknown
// tools.
func (t Target) Check() error {
	first, _, _ := strings.Cut(t.Dir, "/")
	odd := strings.ContainsFunc(t.Dir, func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == '`' })
	if t.Dir != "" && !fs.ValidPath(t.Dir) || t.Dir == "." || strings.EqualFold(first, ".git") || odd {
		return fmt.Errorf("%q is no folder inside the project", t.Dir)
	}
	for _, tool := range t.Tools {
		if toolFolders[tool] == "" {
			return fmt.Errorf("%q is no tool that skills are known for; these are: %s", tool,
				strings.Join(slices.Sorted(maps.Keys(toolFolders)), ", "))
		}
	}
	return nil
}

// wanted returns the files of a target, without entry files.
func (t Target) wanted() []*item {
	var items []*item
	folders := lists.Add(nil, lists.Of(t.Tools, func(tool string) string { return toolFolders[tool] })...)
	for _, name := range append(Names(), t.skillNames()...) {
		text, ok := Document(name)
		if !ok {
			text = t.Skills[Title(name)]
		}
		if !isSkill(name) {
			items = append(items, &item{path: path.Join(t.Dir, name), text: []byte(text)})
			continue
		}
		items = append(items, lists.Of(folders, func(folder string) *item {
			return &item{path: path.Join(folder, strings.TrimPrefix(name, "skills/")), text: []byte(text)}
		})...)
	}
	return items
}

// skillNames are the names of the skills that are not built in, as [Names] has those that
// are. A built-in one is not replaced.
func (t Target) skillNames() (names []string) {
	for name := range t.Skills {
		name = "skills/" + name + "/SKILL.md"
		if _, builtin := Document(name); !builtin {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
