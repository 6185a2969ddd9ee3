package acp

import (
	"slices"

	sdk "github.com/coder/acp-go-sdk"
)

// A call is what is known of one use of a tool.
type call struct {
	id    sdk.ToolCallId
	kind  sdk.ToolKind
	title string
	paths []string // the paths that it reads or changes
}

// A mention is one message about a call; a field that it leaves out is unchanged.
type mention struct {
	id      sdk.ToolCallId
	kind    *sdk.ToolKind
	title   *string
	at      []sdk.ToolCallLocation
	content []sdk.ToolCallContent
	input   any
}

// updateCall adds a message to what is known of its call. Only the latest calls are
// remembered.
func (r *record) updateCall(m mention) call {
	i := slices.IndexFunc(r.calls, func(c call) bool { return c.id == m.id })
	if i < 0 {
		if len(r.calls) == maxCalls {
			r.calls = slices.Delete(r.calls, 0, 1)
		}
		r.calls, i = append(r.calls, call{id: m.id}), len(r.calls)
	}
	c := &r.calls[i]
	if m.kind != nil && *m.kind != "" {
		c.kind = *m.kind
	}
	if m.title != nil && *m.title != "" {
		c.title = clip(*m.title, maxWords)
	}
	for _, path := range m.paths() {
		if !slices.Contains(c.paths, path) && len(c.paths) < maxPaths {
			c.paths = append(c.paths, path)
		}
	}
	known := *c
	known.paths = slices.Clone(c.paths)
	return known
}

// pathKeys are the arguments of tools that hold paths.
var pathKeys = []string{"path", "file_path", "filePath", "filepath", "notebook_path", "abs_path", "source", "destination"}

// paths returns the paths that a message names: where the tool works and what it
// changes or, without those, what it was given.
func (m mention) paths() (paths []string) {
	for _, location := range m.at {
		paths = append(paths, location.Path)
	}
	for _, content := range m.content {
		if content.Diff != nil {
			paths = append(paths, content.Diff.Path)
		}
	}
	input, _ := m.input.(map[string]any)
	if len(paths) > 0 || !slices.Contains(writing, deref(m.kind)) {
		return paths
	}
	for _, key := range pathKeys {
		if path, ok := input[key].(string); ok && path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// deref returns what p points to, the zero value for nil.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
