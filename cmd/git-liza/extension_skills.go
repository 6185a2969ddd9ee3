package main

import (
	"maps"
	"slices"
)

// A skill is one of an extension.
type skill struct{ name, path, text string }

// extensionSkills are the skills of the extensions of the main work tree, by their order
// and name. Outside of a repository there are none, and none of an extension with which
// something is wrong.
func extensionSkills(inv *invocation) (skills []skill) {
	list, _, err := readExtensions(inv)
	if err != nil {
		return nil
	}
	for _, e := range list {
		if len(e.Wrong) > 0 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.Skills)) {
			one := skill{name, e.Path + "/skills/" + name + "/SKILL.md", e.Skills[name]}
			skills = slices.DeleteFunc(skills, func(s skill) bool { return s.name == name })
			skills = append(skills, one)
		}
	}
	return skills
}

// skillTexts are the texts of [extensionSkills] by name.
func skillTexts(inv *invocation) map[string]string {
	texts := map[string]string{}
	for _, s := range extensionSkills(inv) {
		texts[s.name] = s.text
	}
	return texts
}
