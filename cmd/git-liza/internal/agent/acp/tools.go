package acp

import (
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// A call is what is known of one use of a tool.
type call struct {
	id    sdk.ToolCallId
	kind  sdk.ToolKind
	title string
	paths []string // the paths that it reads or changes
	more  bool     // than are looked at
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
	for _, path := range m.paths(c.kind) {
		if known := slices.Contains(c.paths, path); !known && len(c.paths) < maxPaths {
			c.paths = append(c.paths, path)
		} else {
			c.more = c.more || !known
		}
	}
	known := *c
	known.paths = slices.Clone(c.paths)
	return known
}

// pathKeys are the arguments of tools that hold paths.
var pathKeys = []string{"path", "file_path", "filePath", "filepath", "notebook_path", "abs_path", "source", "destination", "target"}

// textKeys are those that hold contents.
var textKeys = []string{"content", "contents", "text", "old_string", "new_string", "old_str", "new_str", "oldText", "newText", "oldString", "newString", "new_source", "file_text", "insert_text", "diff"}

// paths returns the paths that a message about a call of a kind names: where the tool works, what it
// changes and, if it may change files, all that it was given and may be a path.
func (m mention) paths(kind sdk.ToolKind) (paths []string) {
	for _, location := range m.at {
		paths = append(paths, location.Path)
	}
	for _, content := range m.content {
		if content.Diff != nil {
			paths = append(paths, content.Diff.Path)
		}
	}
	if !slices.Contains(reading, kind) {
		paths = append(paths, pathsIn(m.input, false)...)
	}
	return paths
}

// pathsIn returns the values of an argument that may be paths; named says that its name says so.
func pathsIn(value any, named bool) (paths []string) {
	switch v := value.(type) {
	case string:
		v = strings.TrimPrefix(v, "file://")
		if v != "" && (named || !strings.Contains(v, "\n") && (strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || slices.Contains(strings.Split(v, "/"), ".."))) {
			paths = []string{v}
		}
	case []any:
		for _, one := range v {
			paths = append(paths, pathsIn(one, named)...)
		}
	case map[string]any:
		for name, one := range v {
			if !slices.Contains(textKeys, name) {
				paths = append(paths, pathsIn(one, slices.Contains(pathKeys, name))...)
			}
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
