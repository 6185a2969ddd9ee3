package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

type templateCommand struct {
	Name string `arg:"" optional:"" help:"vision, adr, spec-changelog, repository, guardrails, continuity or workflow; none lists them."`
}

func (c *templateCommand) Run(inv *invocation) error {
	if c.Name == "" {
		return c.list(inv, templates.Starters())
	}
	one, ok := starter(c.Name)
	if !ok {
		return usagef("git liza template", "there is no template %s", c.Name)
	}
	text := one.Text()
	return inv.answer("", map[string]any{"name": c.Name, "text": text}, text)
}

// starter finds a template by its name.
func starter(name string) (one templates.Starter, ok bool) {
	list := templates.Starters()
	i := slices.IndexFunc(list, func(one templates.Starter) bool { return one.Name == name })
	if i < 0 {
		return one, false
	}
	return list[i], true
}

// unwritten returns a warning if the spec of the current goal still has lines
// of the template, because planners would plan them. It is "" if there is
// none.
func unwritten(inv *invocation, repo *git.Repo, b *flow.Board) (string, error) {
	spec, _, _ := strings.Cut(b.Goal(b.Settings().Goal).Spec, "#")
	id, err := repo.BlobAt(inv.ctx, b.Settings().Integration.Tip, spec)
	if err != nil || id == "" {
		return "", err
	}
	o, err := repo.Objects(inv.ctx)
	if err != nil {
		return "", err
	}
	_, text, err := o.Read(id)
	if err != nil {
		return "", err
	}
	vision, _ := starter("vision")
	line := vision.Left(string(text))
	if line == "" {
		return "", nil
	}
	return fmt.Sprintf("%s still says %q, as the template does, and agents take it for the goal; write what you want there, commit it, and then: "+
		"git liza adopt HEAD --reason 'the goal'; its name on the board: git liza edit goal", spec, view.Cut(line, 60)), nil
}

// list lists the templates.
func (c *templateCommand) list(inv *invocation, list []templates.Starter) error {
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
	return inv.answer("", map[string]any{"templates": rows}, text.String())
}
