package extension

import (
	"path"
	"slices"
	"strings"
)

// A Kind is that of something that an extension brings.
type Kind string

// The kinds of content.
const (
	RoleKind     Kind = "role"
	PromptKind   Kind = "prompt" // ROLE/SECTION
	TypeKind     Kind = "type"
	TemplateKind Kind = "template" // of a type
	WorkflowKind Kind = "workflow"
	CauseKind    Kind = "cause"
	SkillKind    Kind = "skill"
	GateKind     Kind = "gate"
	ProviderKind Kind = "provider"
	LauncherKind Kind = "launcher"
	AfterKind    Kind = "after" // the program of an act
)

// A Content is one thing that an extension brings.
type Content struct {
	Kind Kind
	Name string
	File string // below the extension's folder
	Adds bool   // to what lies below it; else it takes its place
}

// Contents are all things that it brings, by kind and name.
func (e *Extension) Contents() (list []Content) {
	for _, file := range e.Files {
		folder, rest, below := strings.Cut(file, "/")
		name := strings.TrimSuffix(rest, path.Ext(rest))
		switch folder {
		case rolesFolder:
			list = append(list, Content{RoleKind, name, file, false})
		case promptsFolder:
			section, adds := strings.CutSuffix(name, ".append")
			list = append(list, Content{PromptKind, section, file, adds})
		case typesFolder:
			kind := TypeKind
			if path.Ext(rest) == ".md" {
				kind = TemplateKind
			}
			list = append(list, Content{kind, name, file, false})
		case workflowsFolder:
			list = append(list, Content{WorkflowKind, name, file, false})
		case patternsFolder:
			list = append(list, Content{CauseKind, name, file, false})
		case skillsFolder:
			list = append(list, Content{SkillKind, path.Dir(rest), file, false})
		case HooksFolder:
			list = append(list, Content{AfterKind, rest, file, true})
		}
		if !below {
			list = append(list, e.rowsOf(file)...)
		}
	}
	slices.SortStableFunc(list, Content.Compare)
	return list
}

// rowsOf are the rows of a file that is a list.
func (e *Extension) rowsOf(file string) (list []Content) {
	add := func(kind Kind, names []string) {
		for _, name := range names {
			list = append(list, Content{kind, name, file, false})
		}
	}
	switch file {
	case GatesFile:
		for _, g := range e.Gates {
			add(GateKind, []string{g.Name})
		}
	case ProvidersFile:
		add(ProviderKind, e.providers)
	case LaunchersFile:
		add(LauncherKind, e.launchers)
	}
	return list
}

// kinds are all kinds in the order in which they are shown.
func kinds() []Kind {
	return []Kind{RoleKind, PromptKind, TypeKind, TemplateKind, WorkflowKind, CauseKind, SkillKind, GateKind, ProviderKind, LauncherKind, AfterKind}
}

// Compare orders contents by kind and name.
func (c Content) Compare(other Content) int {
	if c.Kind != other.Kind {
		return slices.Index(kinds(), c.Kind) - slices.Index(kinds(), other.Kind)
	}
	return strings.Compare(c.Name, other.Name)
}
