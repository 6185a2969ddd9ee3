package supervise

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/templates"
)

// A session that goes on was told a section before if it was told the whole of it, and not if
// another one only began alike. What it was told is kept without secrets.
func TestSectionsToldBefore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo, err := git.Open(ctx, gittest.Seeded(t))
	require.NoError(t, err)
	clone, err := work.Open(ctx, repo, time.Now, nil)
	require.NoError(t, err)
	prompt := func(texts ...string) (p templates.Prompt) {
		for _, text := range texts {
			p.Sections = append(p.Sections, templates.Section{Name: "task", Text: text})
		}
		return p
	}
	w := &worker{registration: &registration{rush: &Rush{mask: secret.New([]string{"SOME_TOKEN=swordfish-1234"})}, clone: clone}}
	const goal, key, end = "# Goal\n\nShip it.", "# Key\n\nswordfish-1234", "# End"
	told := w.rush.mask.String(prompt(goal, "# Done when\n\n- it builds\n- it runs", key, end).Text())
	require.NotContains(t, told, "swordfish")
	w.priors = map[board.TaskID]priorSession{"task-1": {id: "s", dir: "there", told: told}}
	r := w.newSession(ctx, &assignment{dir: "there", task: &board.Task{ID: "task-1"}}, prompt(goal, "# Done when\n\n- it builds", key, "# New", end))
	require.Equal(t, "# What is new\n\nYou go on with your session. What its first prompt says holds, but for these sections.\n\n"+
		"# Done when\n\n- it builds\n\n# New\n", r.prompt)
}
