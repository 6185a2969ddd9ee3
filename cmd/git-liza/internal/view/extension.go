package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// ExtensionText says of an extension what it is and brings.
func ExtensionText(e extension.Installed, width int) string {
	brings := e.Brings()
	parts := lists.Of(slices.Sorted(maps.Keys(brings)), func(folder string) string { return fmt.Sprintf("%d in %s", brings[folder], folder) })
	text := Cut(strings.TrimSpace(plaintext.Line(fmt.Sprintf("%s %s  %s", e.Name, e.Version, e.About))), width) + "\n"
	if len(parts) > 0 {
		text += wrapText(strings.Join(parts, ", "), width, " ") + "\n"
	}
	if len(e.Wrong) > 0 {
		text += "   nothing of it is used: git liza check\n"
	}
	return text
}

// A Layered is something that extensions bring, with the layers that have it.
type Layered struct {
	Kind   string         `json:"kind"`
	Name   string         `json:"name"`
	Layers []ContentLayer `json:"layers"` // the lowest first
}

// A ContentLayer is what one layer has for something.
type ContentLayer struct {
	Name  string     `json:"layer"` // built-in, extension NAME VERSION, project or user
	ID    string     `json:"id"`    // of the blob that the file is
	Path  string     `json:"path"`  // "" if it is built in
	Adds  bool       `json:"adds"`  // to the layers below; else it takes their place
	State LayerState `json:"state"`
}

// A LayerState is what becomes of a layer.
type LayerState string

// The states of layers.
const (
	LayerUsed      LayerState = "used"
	LayerCovered   LayerState = "covered"        // a higher one takes its place
	LayerUnused    LayerState = "not on board"   // a person puts it there
	LayerDistant   LayerState = "not integrated" // as this file is, and integration's counts
	LayerUntrusted LayerState = "not trusted"    // on this machine
	LayerWrong     LayerState = "wrong"          // something is, so that nothing of its extension is used
)

// LayersText lists things with their layers, the lowest first.
func LayersText(list []Layered, width int) string {
	var text strings.Builder
	for _, one := range list {
		fmt.Fprintf(&text, "%s %s\n", one.Kind, plaintext.Line(one.Name))
		for _, layer := range one.Layers {
			mark := " "
			if layer.Adds {
				mark = "+"
			}
			short := layer.ID[:min(len(layer.ID), 10)]
			line := fmt.Sprintf(" %s %-14s  %-10s  %s", mark, layer.State, short, layer.Name)
			if layer.Path != "" && !strings.HasPrefix(layer.Name, "extension ") {
				line += "  " + layer.Path
			}
			fmt.Fprintln(&text, Cut(strings.TrimRight(plaintext.Line(line), " "), width))
		}
	}
	return text.String()
}
