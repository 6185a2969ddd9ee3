package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
)

// A role that is accepted names one document, and its agents are told from
// everything else that has an id.
func TestRoleNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_.-]{0,35}`), rapid.StringMatching(`[a-z-]{1,32}`)).Draw(rt, "role")
		var role board.Role
		if role.UnmarshalText([]byte(text)) != nil {
			require.Empty(rt, role)
			require.Empty(rt, board.AgentID(text+"-7").Role())
			return
		}
		require.Equal(rt, text, role.String())
		require.Empty(rt, strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-"))
		if !slices.Contains(board.ReservedRoles, role) {
			require.Equal(rt, role, board.AgentID(text+"-7").Role())
		}
		require.Empty(rt, board.AgentID(text).Role(), "a role is an agent")
	})
	for _, reserved := range []string{"all", "task", "goal", "sprint", "question"} {
		require.Error(t, new(board.Role).UnmarshalText([]byte(reserved)))
		require.Error(t, new(board.AgentID).UnmarshalText([]byte(reserved+"-1")), "an id that a task can have")
	}
	require.Error(t, new(board.AgentID).UnmarshalText([]byte("human-1")))
}

// Sentences name an agent by its role.
func TestOneOfARole(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a coder", "an architect", "an estimator"}, []string{board.Coder.One(), board.Role("architect").One(), board.Role("estimator").One()})
}

// The rows of a new board could be entered as they are.
func TestBuiltinRows(t *testing.T) {
	t.Parallel()
	for _, row := range board.BuiltinRoles() {
		require.Nil(t, checkRoleRow(row, "git liza role"), row.Name)
		require.NotEmpty(t, row.About, row.Name)
	}
	require.Equal(t, board.FirstRoles(), []board.Role{board.BuiltinRoles()[0].Name, board.BuiltinRoles()[1].Name, board.BuiltinRoles()[2].Name})
}

// The paths that a role writes, those it is denied and those no agent changes bind
// agents alone: a person is bound by the task.
func TestWritableByRole(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann role writer does writes=docs/**,*.md denies=docs/old/** | human:ann add a owns= | human:ann add b kind=spec owns=")
	task, spec := s.board.Task("a"), s.board.Task("b")
	try := func(t *board.Task, role board.Role, path string) string {
		r := Writable(s.board, t, role, []string{path}, func(path string) string { return "git restore -- " + path })
		if r == nil {
			return ""
		}
		return r.Reason
	}
	require.Empty(t, try(task, "writer", "docs/a.md"))
	require.Equal(t, "a writer may change only docs/**, *.md, not src/a.go", try(task, "writer", "src/a.go"))
	require.Equal(t, "a writer may not change docs/old/a.md (docs/old/**) in a task of kind code", try(task, "writer", "docs/old/a.md"))
	require.Contains(t, try(task, "writer", "docs/.env.local"), "no agent may change docs/.env.local (**/.env*)")
	require.Contains(t, try(task, board.Coder, ".env"), "no agent may change .env")
	require.Empty(t, try(task, board.Coder, "src/a.go"))
	require.Contains(t, try(task, board.Coder, vision), "a coder may not change specs/vision.md (specs/**)")
	require.Empty(t, try(spec, board.Coder, vision))
	require.Empty(t, try(task, "", ".env"), "a person")
	require.Equal(t, []string{"docs/old/**", "**/.env*", "**/*.pem", "**/id_rsa*", "**/id_ecdsa*", "**/id_ed25519*", ".git/**"}, s.board.Denied("writer", board.Code))
	require.Empty(t, s.board.Denied(board.CodeReviewer, board.Code), "who cannot write is told nothing of paths")
}
