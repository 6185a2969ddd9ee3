package supervise_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A hook that a session wrote into the clone is in the inbox until a person has looked.
func TestPlantedHookIsInTheInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	path := w.scriptOf(`case $LIZA_ROLE in
coder) hook="$LIZA_CLONE/.git/hooks/post-merge"; echo '#!/bin/sh' >"$hook"; chmod +x "$hook"; submit;;
*) approve;;
esac`)
	require.NoError(t, w.external("rush", "--planners", "0", "--until-idle", "--provider", shell(path)).Wait())
	inbox := w.liza("inbox")
	require.Contains(t, inbox, "/.git/hooks/post-merge came or changed while a session ran")
	_, command, _ := strings.Cut(inbox, "git liza record dismiss ")
	id, _, _ := strings.Cut(command, " ")
	w.liza("record", "dismiss", id, "--reason", "Mine")
	require.NotContains(t, w.liza("inbox"), "hook")
}

// What changes in the clone while a session runs is named, also where the person did it, and so
// is work of the session that no remote gets before somebody saw it.
func TestChangesAroundASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := filepath.Join(w.dir, "mine.txt")
	w.write(mine, "mine\n")
	w.git("add", "mine.txt")
	w.git("commit", "-q", "-m", "Mine")
	w.git("branch", "wip")
	w.git("branch", "follows")
	w.liza("task", "add", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs", "--owns", "docs/**")
	w.share()
	w.write(mine, "precious\n")
	was := w.git("rev-parse", "main")[:10]
	r := w.begin(untilIdle, coder(w.agent(`: >"$notes/begun"; waitfor go
cd "$LIZA_CLONE"; git stash -q; git branch -q -D wip; git branch -q -f follows integration; git tag v2; git config user.name Else; git config commit.gpgsign false; git config branch.main.gk-last-accessed now; git checkout -q -b theirs; echo "* -text" >.git/info/attributes; echo >stray.txt
cd "$LIZA_WORKTREE"; mkdir docs; echo >docs/a; echo secret >other; git add -A; git commit -q -n -m Work
git liza block $LIZA_TASK --reason R --question Q`)))
	w.await("the session", func() bool { return w.has("begun") })
	w.git("commit", "-q", "--allow-empty", "-m", "More")
	w.liza("adopt", "main", "--reason", "more")
	w.git("commit", "-q", "--allow-empty", "-m", "Not adopted")
	w.write(filepath.Join(w.notes, "go"), "")
	require.Error(t, r.wait())
	require.Equal(t, board.Blocked, w.task("task-1").Status, r.said())
	const meanwhile = "while a session ran, by it or by you: "
	attributes := filepath.Join(w.dir, ".git", "info", "attributes")
	in := "git -C " + w.dir
	require.Contains(t, r.said(), "coder-1: files of the main work tree were changed "+meanwhile+"mine.txt, stray.txt; "+in+" status\n")
	require.Contains(t, r.said(), "coder-1: refs of the clone came, moved or went "+meanwhile+
		"HEAD (was refs/heads/main), refs/heads/main (was "+was+"), refs/heads/theirs, refs/heads/wip (was "+was+"), refs/stash and 1 more; "+in+" stash list\n")
	require.Contains(t, r.said(), "coder-1: work on task-1 is kept in this clone alone: "+in+" show --stat refs/liza/rescue/task-1/")
	require.Contains(t, r.said(), "coder-1: settings were changed "+meanwhile+"user.name, commit.gpgsign, "+attributes+"; "+in+" config --show-origin --list\n")
	require.Equal(t, 3, strings.Count(r.said(), meanwhile))
	w.git("config", "--unset", "user.name")
	w.git("checkout", "-q", "main")
	require.Contains(t, w.liza("inbox"), "  the clone changed: files of the main work tree mine.txt, stray.txt; refs of the clone HEAD (was refs/heads/main), refs/heads/main (was "+was+
		"), refs/heads/theirs, refs/heads/wip (was "+was+"), refs/stash and 1 more; settings user.name, commit.gpgsign, "+attributes+" while a session ran\n      git liza record dismiss sprint-1/2 --reason R\n")
	w.liza("record", "dismiss", "sprint-1/2", "--reason", "Mine")
	require.NotContains(t, w.liza("inbox"), "the clone changed")
	w.git("stash", "pop")
	require.Contains(t, w.git("diff", "mine.txt"), "+precious")
}

// Sessions on one task that change something each have one item in the inbox, until a person has
// looked.
func TestChangesOfRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.attempts(2)
	r := w.begin(untilIdle, coder(w.agent(`git -C "$LIZA_CLONE" tag $LIZA_TASK-$n; exit 1`)))
	require.Error(t, r.wait())
	require.Equal(t, 3, strings.Count(r.said(), "refs of the clone came, moved or went while"), r.said())
	inbox := w.liza("inbox")
	for _, task := range []string{"task-1", "task-2"} {
		require.Equal(t, 1, strings.Count(inbox, "the clone changed: refs of the clone refs/tags/"+task), inbox)
	}
	require.Equal(t, 2, strings.Count(inbox, "the clone changed"))
	require.NotContains(t, w.note("prompt-coder-1-2"), "changed: refs", "that is for a person alone")
}
