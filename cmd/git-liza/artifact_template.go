package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

type artifactTemplateCommand struct {
	Name string `arg:"" optional:"" help:"A document, such as vision, or a type of artifacts, such as prd; none lists them."`
}

func (c *artifactTemplateCommand) Run(inv *invocation) error {
	list, err := templateList(inv)
	if err != nil {
		return err
	}
	if c.Name == "" {
		return listTemplates(inv, list)
	}
	i := slices.IndexFunc(list, func(one templateRow) bool { return one.Name == c.Name })
	if i < 0 {
		return usagef("git liza artifact template", "there is no template %s", c.Name)
	}
	return inv.answer("", map[string]any{"name": c.Name, "text": list[i].text}, list[i].text)
}

// A templateRow is a document to start from.
type templateRow struct {
	Name  string `json:"name"`
	About string `json:"about"`
	text  string
}

// templateList lists the documents to start from, and those of types of artifacts.
func templateList(inv *invocation) ([]templateRow, error) {
	list := lists.Of(templates.Starters(), func(one templates.Starter) templateRow { return templateRow{one.Name, one.About, one.Text()} })
	l, err := library.Open(nil)
	if clone, failed := inv.reader(); failed == nil {
		l, err = openLibrary(inv.ctx, clone)
	}
	if err != nil {
		return nil, err
	}
	for _, d := range l.Types() {
		isStarter := slices.ContainsFunc(list, func(one templateRow) bool { return one.Name == d.Name })
		if d.Template != "" && !isStarter {
			t, _ := library.ReadType(d.Name, d.Text)
			list = append(list, templateRow{d.Name, t.About, d.Template})
		}
	}
	return list, nil
}

// artifactTemplate is what an artifact of a type begins as.
func artifactTemplate(l *library.Library, kind string) string {
	if text := l.Template(kind); text != "" {
		return text
	}
	if one := starter(kind); one != nil {
		return one.Text()
	}
	return ""
}

// starter finds a document to start from by its name, nil if there is none.
func starter(name string) *templates.Starter {
	return lists.Find(templates.Starters(), func(one templates.Starter) bool { return one.Name == name })
}

// unwritten returns a warning if the spec of the current goal still has lines
// of the template, because planners would plan them. It is "" if there is
// none.
func unwritten(inv *invocation, repo *git.Repo, b *board.Board) (string, error) {
	spec, _, _ := strings.Cut(b.Goal(b.Settings().Goal).Spec, "#")
	id, err := repo.BlobAt(inv.ctx, b.Settings().Integration.Tip, spec)
	if err != nil || id == "" {
		return "", err
	}
	_, text, err := repo.Objects(inv.ctx).Read(id)
	if err != nil {
		return "", err
	}
	line := starter("vision").Left(string(text))
	if line == "" {
		return "", nil
	}
	return fmt.Sprintf("%s still says %q, as the template does, and agents take it for the goal; write what you want there, commit it, and then: "+
		"git liza adopt HEAD --reason 'the goal'; its name on the board: git liza board edit goal", spec, view.Cut(line, 60)), nil
}

// listTemplates prints the names of templates.
func listTemplates(inv *invocation, list []templateRow) error {
	var text strings.Builder
	for _, one := range list {
		fmt.Fprintf(&text, "%-16s %s\n", one.Name, one.About)
	}
	return inv.answer("", map[string]any{"templates": list}, text.String())
}
