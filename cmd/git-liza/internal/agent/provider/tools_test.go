package provider_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow/board"
)

// commandOf returns the words with which a provider is run for a role.
func commandOf(t *testing.T, known provider.Catalogue, name string, row *board.RoleRow) string {
	t.Helper()
	p, err := known.Find(name, "")
	require.NoError(t, err)
	_, args := p.Command(provider.Spawn{Row: row, Common: "/r/.git"})
	return strings.Join(append(args, p.Set(provider.Spawn{Row: row, Common: "/r/.git"})...), " ")
}

// The capacity of a role decides which words of the user hold for it: those for the
// role that a board begins with hold for every role of the kind.
func TestWordsForOtherRoles(t *testing.T) {
	t.Parallel()
	known, err := provider.Load(settings("claude.code-reviewer=--careful", "claude.coder-env=CODES=1"))
	require.NoError(t, err)
	judge := &board.RoleRow{Name: "security-reviewer", Capacity: board.Judges, Tools: []board.Tool{board.ToolRead, board.ToolRun}}
	writer := &board.RoleRow{Name: "doc-writer", Capacity: board.Does, Tools: []board.Tool{board.ToolRead, board.ToolWrite, board.ToolRun}}
	reader := &board.RoleRow{Name: "researcher", Capacity: board.Does, Tools: []board.Tool{board.ToolRead, board.ToolRun}}
	require.Contains(t, commandOf(t, known, "claude", judge), "--careful")
	require.Contains(t, commandOf(t, known, "claude", writer), "CODES=1")
	require.Contains(t, commandOf(t, known, "claude", writer), "--tools Bash,Edit,Write,NotebookEdit,Agent,TodoWrite,Read,Grep,Glob,Skill --")
	require.Contains(t, commandOf(t, known, "claude", writer), "--permission-mode acceptEdits --tools", "it keeps what it writes to its worktree")
	require.Contains(t, commandOf(t, known, "claude", writer), "--allowedTools Bash,Read,Grep,Glob,Skill,Agent,TodoWrite ")
	require.NotContains(t, commandOf(t, known, "claude", reader), "CODES=1")
	require.Contains(t, commandOf(t, known, "claude", reader), "--tools Bash,Read,Grep,Glob,Skill --")
	require.NotContains(t, commandOf(t, known, "claude", nil), "Bash")
}

func TestWordsForTheWeb(t *testing.T) {
	t.Parallel()
	known := provider.Builtin()
	for name, words := range map[string]string{"claude": "WebFetch,WebSearch", "codex": `web_search="live"`, "gemini": "/web.toml",
		"copilot": "--allow-all-urls", "opencode": `"webfetch":"allow"`, "qwen": "--allowed-tools web_fetch", "vibe": "|web_search|web_fetch)$"} {
		for _, row := range roles {
			require.NotContains(t, commandOf(t, known, name, row), words, name)
			withWeb := *row
			withWeb.Tools = append([]board.Tool{board.ToolWeb}, row.Tools...)
			require.Contains(t, commandOf(t, known, name, &withWeb), words, name)
			require.Empty(t, known.FindRow(name).UnfitReason(&withWeb))
		}
	}
}

func TestUnfitReason(t *testing.T) {
	t.Parallel()
	reader := &board.RoleRow{Name: "reader", Capacity: board.Judges, Tools: []board.Tool{board.ToolRead}}
	for _, name := range []string{"claude", "opencode", "pi", "vibe"} {
		row := provider.Builtin().FindRow(name)
		require.Empty(t, row.UnfitReason(reader), name)
		require.NotRegexp(t, `(?i)\bbash\b`, commandOf(t, provider.Builtin(), name, reader))
		require.Equal(t, provider.BySupervisor, provider.Provider{Row: *row}.For(reader).Commit, "it has no command to report by")
		require.Equal(t, provider.ByAgent, provider.Provider{Row: *row}.For(roles[2]).Commit)
	}
	for _, name := range []string{"codex", "gemini", "copilot", "qwen", "exec", "acp", "script", "gates"} {
		require.Equal(t, name+" cannot be kept from running commands, which reader may not", provider.Builtin().FindRow(name).UnfitReason(reader))
	}
	own, err := provider.Load(settings("claude.code-reviewer=--dangerously"))
	require.NoError(t, err)
	require.NotEmpty(t, own.FindRow("claude").UnfitReason(reader), "the user's words do not list the tools")
	reader.Tools = []board.Tool{board.ToolRead, board.ToolRun, board.ToolWeb}
	require.Equal(t, "pi cannot read the web, which reader does", provider.Builtin().FindRow("pi").UnfitReason(reader))
	for _, row := range provider.Builtin() {
		for _, first := range roles {
			require.Empty(t, row.UnfitReason(first), "%s: %s", row.Name, first.Name)
		}
	}
}
