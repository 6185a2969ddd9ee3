package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
)

type artifactDefineCommand struct {
	Name     string `arg:"" optional:"" help:"A type, such as prd, or a workflow; none lists them."`
	Workflow bool   `help:"The workflow, where a type has the same name."`
}

// A definition is a row of the list.
type definition struct {
	Kind  string `json:"kind"` // type or workflow
	Name  string `json:"name"`
	Path  string `json:"path"` // "" if it is built in
	About string `json:"about"`
	text  []byte
}

func (c *artifactDefineCommand) Run(inv *invocation, on reader) error {
	list, err := definitionList(inv.ctx, on.clone)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, one := range list {
		if one.Name == c.Name && (!c.Workflow || one.Kind == kindWorkflow) {
			return inv.answer("", map[string]any{"kind": one.Kind, "name": one.Name, "path": one.Path, "text": string(one.text)}, string(one.text))
		}
		fmt.Fprintf(&text, "%-9s %-16s %s\n", one.Kind, one.Name, one.About)
	}
	if c.Name != "" {
		return usagef("git liza artifact define", "there is no type and no workflow %s", c.Name)
	}
	return inv.answer("", map[string]any{"definitions": list}, text.String())
}

// definitionList lists the types and workflows; what is wrong with one is its own check's.
func definitionList(ctx context.Context, clone *work.Clone) (list []definition, err error) {
	l, err := openLibrary(ctx, clone)
	if err != nil {
		return nil, err
	}
	for _, d := range l.Types() {
		t, _ := library.ReadType(d.Name, d.Text)
		list = append(list, definition{kindType, d.Name, d.Path, t.About, d.Text})
	}
	for _, d := range l.Workflows() {
		w, _ := l.ReadWorkflow(d.Name, d.Text, nil)
		list = append(list, definition{kindWorkflow, d.Name, d.Path, w.About, d.Text})
	}
	return list, nil
}
