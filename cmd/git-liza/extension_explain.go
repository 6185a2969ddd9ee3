package main

import (
	"cmp"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// An explanation finds the layers of what extensions bring.
type explanation struct {
	inv     *invocation
	clone   *work.Clone
	list    []extension.Installed
	board   *board.Board // nil if there is none
	library *library.Library
	top     string // the main work tree
	merged  fs.FS  // what integration has, nothing without a board
	trusted []work.RunningExtension
}

// explainExtensions are all things that extensions bring, each with its layers.
func explainExtensions(inv *invocation, list []extension.Installed, top string) ([]view.Layered, error) {
	x, err := newExplanation(inv, list, top)
	if err != nil {
		return nil, err
	}
	var contents []extension.Content
	for _, e := range list {
		for _, c := range e.Contents() {
			if !slices.ContainsFunc(contents, func(o extension.Content) bool { return o.Compare(c) == 0 }) {
				contents = append(contents, c)
			}
		}
	}
	slices.SortStableFunc(contents, extension.Content.Compare)
	var all []view.Layered
	for _, c := range contents {
		one := view.Layered{Kind: string(c.Kind), Name: c.Name, Layers: x.layers(c)}
		x.settle(c, one.Layers)
		all = append(all, one)
	}
	return all, nil
}

func newExplanation(inv *invocation, list []extension.Installed, top string) (*explanation, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	x := &explanation{inv: inv, clone: clone, list: list, top: top, merged: embed.FS{}}
	if x.library, err = library.Open(nil); err != nil {
		return nil, err
	}
	l, err := inv.look()
	if err != nil {
		return x, nil // without a board nothing of them runs
	}
	x.board = l.reading.Board
	if x.trusted, err = clone.Trust.TrustedExtensions(inv.ctx, l.reading.Board); err != nil {
		return nil, err
	}
	x.merged, err = git.FilesAt(inv.ctx, clone.Repo, l.reading.Board.Settings().Integration.Tip, extension.MaxFile)
	return x, err
}

// layers are what each layer has for something, the lowest first.
func (x *explanation) layers(c extension.Content) (layers []view.ContentLayer) {
	if text, ok := x.builtIn(c); ok {
		layers = append(layers, view.ContentLayer{Name: "built-in", ID: x.id([]byte(text))})
	}
	for _, e := range x.list {
		for _, has := range e.Contents() {
			if has.Compare(c) != 0 {
				continue
			}
			layer := view.ContentLayer{Name: "extension " + e.Name + " " + e.Version, Path: e.Path + "/" + has.File, Adds: has.Adds}
			if text, err := os.ReadFile(filepath.Join(x.top, filepath.FromSlash(layer.Path))); err == nil {
				layer.ID = x.id(text)
			}
			if layer.State = x.state(e, has, layer); len(e.Wrong) > 0 {
				layer.State = view.LayerWrong
			}
			layers = append(layers, layer)
		}
	}
	layers = append(layers, x.overlays(c.Kind, "project", ".liza", os.DirFS(filepath.Join(x.top, ".liza")), projectFiles(c))...)
	if dir := supervise.UserPrompts(x.inv.environ); dir != "" && c.Kind == extension.PromptKind {
		layers = append(layers, x.overlays(c.Kind, "user", dir, os.DirFS(dir), []string{c.Name + ".md", c.Name + appended})...)
	}
	if own, err := x.clone.Repo.Config.ConfigUnder(x.inv.ctx, provider.Prefix+c.Name+"."); c.Kind == extension.ProviderKind && err == nil && len(own) > 0 {
		layers = append(layers, view.ContentLayer{Name: "user", Path: "git config " + provider.Prefix + c.Name, Adds: true})
	}
	return layers
}

// integrated are the kinds of what counts as integration has it.
var integrated = []extension.Kind{extension.RoleKind, extension.PromptKind, extension.SkillKind, extension.ProviderKind, extension.LauncherKind, extension.AfterKind}

// isDistant reports whether a layer counts as integration has it, and differs from that.
func (x *explanation) isDistant(kind extension.Kind, layer view.ContentLayer) bool {
	text, err := fs.ReadFile(x.merged, layer.Path)
	return slices.Contains(integrated, kind) && (err != nil || x.id(text) != layer.ID)
}

// appended ends the names of prompts that add to a section.
const appended = ".append.md"

// overlays are the files of a folder that are there.
func (x *explanation) overlays(kind extension.Kind, name, folder string, from fs.FS, files []string) (layers []view.ContentLayer) {
	for _, file := range files {
		if text, err := fs.ReadFile(from, file); err == nil {
			layer := view.ContentLayer{Name: name, ID: x.id(text), Path: folder + "/" + file, Adds: strings.HasSuffix(file, appended)}
			if name == "project" && x.isDistant(kind, layer) {
				layer.State = view.LayerDistant
			}
			layers = append(layers, layer)
		}
	}
	return layers
}

// projectFiles are the files below .liza that a project may lay over something.
func projectFiles(c extension.Content) []string {
	switch c.Kind {
	case extension.RoleKind:
		return []string{"roles/" + c.Name + ".md"}
	case extension.PromptKind:
		return []string{"prompts/" + c.Name + ".md", "prompts/" + c.Name + appended}
	case extension.TypeKind:
		return []string{"artifacts/" + c.Name + ".yaml"}
	case extension.TemplateKind:
		return []string{"artifacts/" + c.Name + ".md"}
	case extension.WorkflowKind:
		return []string{"workflows/" + c.Name + ".yaml"}
	}
	return nil
}

func (x *explanation) id(text []byte) string { return string(x.clone.Repo.Hash("blob", text)) }

// builtIn is the text of what is built in below something.
func (x *explanation) builtIn(c extension.Content) (string, bool) {
	definition := func(list []library.Definition, text func(library.Definition) string) (string, bool) {
		i := slices.IndexFunc(list, func(d library.Definition) bool { return d.Name == c.Name })
		if i < 0 || text(list[i]) == "" {
			return "", false
		}
		return text(list[i]), true
	}
	whole := func(d library.Definition) string { return string(d.Text) }
	switch c.Kind {
	case extension.RoleKind:
		return contracts.Document("roles/" + c.Name + ".md")
	case extension.PromptKind:
		return templates.BuiltIn(c.Name)
	case extension.TypeKind:
		return definition(x.library.Types(), whole)
	case extension.TemplateKind:
		return definition(x.library.Types(), func(d library.Definition) string { return d.Template })
	case extension.WorkflowKind:
		return definition(x.library.Workflows(), whole)
	}
	return "", false
}

// settle says of each layer what becomes of it, where nothing is wrong with it: the highest
// one that takes the place of others is used, with all that adds to it.
func (x *explanation) settle(c extension.Content, layers []view.ContentLayer) {
	covered := false
	for i := len(layers) - 1; i >= 0; i-- {
		layer := &layers[i]
		switch {
		case layer.State == view.LayerWrong, layer.State == view.LayerDistant:
		case covered:
			layer.State = view.LayerCovered
		default:
			covered = !layer.Adds
			layer.State = cmp.Or(layer.State, view.LayerUsed)
		}
	}
	if row := x.role(c); c.Kind == extension.RoleKind && x.board != nil {
		for i := range layers {
			layer := &layers[i]
			switch isTold := row != nil && row.Persona == layer.Path; {
			case layer.State == view.LayerWrong, isTold && layer.State == view.LayerDistant:
			case isTold:
				layer.State = view.LayerUsed
			default:
				layer.State = view.LayerUnused
			}
		}
	}
}

// role is the row that the board has of a role, nil if there is none.
func (x *explanation) role(c extension.Content) *board.RoleRow {
	if x.board == nil || c.Kind != extension.RoleKind {
		return nil
	}
	return x.board.Role(board.Role(c.Name))
}

// state is what keeps something of an extension from use although nothing is wrong with
// it, "" if nothing does.
func (x *explanation) state(e extension.Installed, c extension.Content, layer view.ContentLayer) view.LayerState {
	switch {
	case c.Kind == extension.GateKind:
		i := slices.IndexFunc(e.Gates, func(g board.Gate) bool { return g.Name == c.Name })
		if x.board != nil {
			if has, ok := x.board.Settings().Config.Gate(c.Name); ok && equalGates(has, e.Gates[i]) {
				return ""
			}
		}
		return view.LayerUnused
	case x.isDistant(c.Kind, layer):
		return view.LayerDistant
	case extension.Runs(c.File) && !slices.ContainsFunc(x.trusted, func(r work.RunningExtension) bool { return r.Name == e.Name }):
		return view.LayerUntrusted
	}
	return ""
}
