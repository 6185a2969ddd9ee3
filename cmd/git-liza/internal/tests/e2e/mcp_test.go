package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// A toolCall is what a coder's model asks of git liza, and what it reads in
// the answer.
type toolCall struct {
	tool  string
	input map[string]any
	reads string
}

// everyTool calls all tools that a coder has, some of them when they are not
// legal.
var everyTool = []toolCall{
	{"show", map[string]any{"id": "one"}, `"status":"CLAIMED"`},
	{"list", map[string]any{"mine": true}, `"id":"one"`},
	{"submit", map[string]any{"id": "one"}, "one has no intent"},
	{"intent", map[string]any{"id": "one", "summary": "S", "validation": "V"}, "CLAIMED"},
	{"note", map[string]any{"text": "mind the gap"}, "sprint-1/"},
	{"record", map[string]any{"kind": "anomaly", "type": "workaround", "task": "one", "detail": map[string]any{"cause": "C"}}, "sprint-1/"},
	{"record", map[string]any{"kind": "discovery", "text": "a gap", "severity": "low", "during": "one"}, "sprint-1/"},
	{"handoff", map[string]any{"id": "one", "summary": "half", "next_action": "the rest"}, "CLAIMED"},
	{"commit", map[string]any{"id": "one", "message": "M"}, `"commit"`},
	{"submit", map[string]any{"id": "one"}, "READY_FOR_REVIEW"},
	{"await", map[string]any{"id": "one", "timeout": "1s"}, "one is still READY_FOR_REVIEW after 1s"},
	{"block", map[string]any{"id": "one", "reason": "R", "question": []string{"Q?"}}, "block does not apply to one, which is READY_FOR_REVIEW"},
}

// Each command line starts git liza's server by a configuration of its own,
// lists its tools and calls every one of them.
func TestCommandLinesUseTheTools(t *testing.T) {
	t.Parallel()
	server := []string{"mcp", "--as", "coder-1"}
	args, err := json.Marshal(server)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		prefix string // of a tool's name, as the model gives it
		listed func(o outcome, asked standin.Conversation) string
		args   []string
	}{
		"codex": {"mcp__liza/", func(_ outcome, asked standin.Conversation) string { return strings.Join(asked.Tools, " ") },
			[]string{"exec", "--json", "-c", `mcp_servers.liza.command="git-liza"`, "-c", "mcp_servers.liza.args=" + string(args), "-"}},
		"claude": {"mcp__liza__", func(o outcome, _ standin.Conversation) string { return o.stdout },
			[]string{"-p", "--output-format", "stream-json", "--verbose", "--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__liza"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := commandLine(t, name)
			var script standin.Script
			for _, call := range everyTool {
				script = append(script, standin.Turn{Tools: []standin.Call{{Name: c.prefix + call.tool, Input: call.input}}})
			}
			w := newWorkshop(t, append(script, standin.Turn{Text: "It is under review."}), name)
			w.readyToCommit("one")
			config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"liza": map[string]any{"command": "git-liza", "args": server}}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(w.dir, "mcp.json"), config, 0o644))

			o := w.asks("Submit task one.", append([]string{path}, c.args...)...)
			require.Zero(t, o.code, o.text())
			all := w.model.Conversations()
			last := all[len(all)-1].Asked
			results := last.Results()
			require.Len(t, results, len(everyTool), o.text())
			for i, call := range everyTool {
				require.Contains(t, c.listed(o, last), c.prefix+call.tool)
				require.Contains(t, results[i], call.reads, call.tool)
			}
			for _, legal := range []string{"intent", "block", "handoff"} {
				require.Contains(t, results[2], legal, "the refusal says what is legal")
			}
			require.Contains(t, w.must("git-liza", "show", "one"), "READY_FOR_REVIEW")
			w.must("git-liza", "fsck", "--full")
		})
	}
}

// A session of a rush that reports by a tool ends at that move, as one that types the command: no
// call of its model follows.
func TestToolsEndTheirSession(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, standin.Script{
		{Tools: []standin.Call{{Name: "Bash", Input: map[string]any{"command": "git liza intent one --summary S --validation V && echo '# one' >one.md && git add one.md && git commit -q -m one"}}}},
		{Tools: []standin.Call{{Name: "mcp__liza__submit", Input: map[string]any{"id": "one"}}}},
		{Text: "Is there more to do?"}}, "claude")
	config := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"mcpServers":{"liza":{"command":"git-liza","args":["mcp"]}}}`), 0o644))
	for _, word := range []string{"--permission-mode", "acceptEdits", "--tools", "{tools}", "--allowedTools", "{tools-},mcp__liza", "--strict-mcp-config", "--mcp-config", config} {
		w.must("git", "config", "--add", "liza.provider.claude.coder", word)
	}
	w.must("git-liza", "task", "add", "one", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	o := <-w.rush("--planners=0", "--coders=1", "--reviewers=0", "--until-idle", "--provider=claude")
	require.Equal(t, map[string]string{"one": "READY_FOR_REVIEW"}, w.statuses(), o.text())
	asked := 0
	for _, r := range w.model.Conversations() {
		if len(r.Asked.Tools) > 0 {
			asked++
		}
	}
	require.Equal(t, 2, asked, o.text())
}

// readyToCommit gives coder-1 a task with a new file in its checkout, which it returns.
func (w *workshop) readyToCommit(id string) string {
	w.t.Helper()
	w.must("git-liza", "task", "add", id, "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	w.must("git-liza", "claim", id, "--as", "coder-1")
	tree := filepath.Join(w.dir, ".worktrees", id)
	require.NoError(w.t, os.WriteFile(filepath.Join(tree, id+".md"), []byte("# "+id+"\n"), 0o644))
	return tree
}
