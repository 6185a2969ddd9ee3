package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/templates"
)

type templateCommand struct {
	Name string `arg:"" optional:"" help:"vision, adr, spec-changelog, repository or workflow; none lists them."`
}

func (c *templateCommand) Run(s *session) error {
	starters := templates.Starters()
	if c.Name == "" {
		return s.starters(starters)
	}
	i := slices.IndexFunc(starters, func(one templates.Starter) bool { return one.Name == c.Name })
	if i < 0 {
		return usagef("git liza template", "there is no template %s", c.Name)
	}
	text := starters[i].Text()
	return s.answer("", map[string]any{"name": c.Name, "text": text}, text)
}

// starters lists the templates.
func (s *session) starters(list []templates.Starter) error {
	type row struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}
	rows := make([]row, len(list))
	var text strings.Builder
	for i, one := range list {
		rows[i] = row{one.Name, one.About}
		fmt.Fprintf(&text, "%-16s %s\n", one.Name, one.About)
	}
	return s.answer("", map[string]any{"templates": rows}, text.String())
}
