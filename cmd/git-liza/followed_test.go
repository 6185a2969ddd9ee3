package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/gitstore"
)

// A glimpse is what one who follows a board is shown.
type glimpse struct {
	status  string
	newest  string // the text of the newest move
	parts   []view.Part
	err     error
	nothing bool // no board could be read yet
}

// follow follows the board of a repository until the test ends.
func follow(t *testing.T, repo string) <-chan glimpse {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	inv := &invocation{output: output{stdout: io.Discard, stderr: io.Discard}, ctx: ctx, environ: os.Environ(), now: time.Now, dir: repo}
	clone, err := inv.reader()
	require.NoError(t, err)
	shown, ended := make(chan glimpse, 1000), make(chan error, 1)
	go func() {
		ended <- followPicture(inv, clone, func(p *view.Picture, changes []view.Change, err error) {
			g := glimpse{err: err, nothing: p == nil}
			for _, one := range changes {
				g.parts = append(g.parts, one.Part)
			}
			if p != nil {
				text, jsonErr := shownBy(p)
				g.status, g.err = text, errors.Join(err, jsonErr)
				if log := p.Log(1); len(log) > 0 {
					g.newest = view.LogText(log, 0)
				}
			}
			shown <- g
		})
	}()
	t.Cleanup(func() {
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.NoError(t, clone.Repo.Close())
	})
	return shown
}

// shownBy is what the views show of a picture.
func shownBy(p *view.Picture) (string, error) {
	text, err := json.Marshal([]any{p.Status(), p.Flow(), p.Inbox().All(), p.Agents(), p.Alarms(), p.Waiting(), view.LogText(p.Log(20), 0)})
	return string(text), err
}

// seenAnew is what one who begins to look is shown.
func seenAnew(t *testing.T, repo string) (text string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	inv := &invocation{output: output{stdout: io.Discard, stderr: io.Discard}, ctx: ctx, environ: os.Environ(), now: time.Now, dir: repo}
	clone, err := inv.reader()
	require.NoError(t, err)
	defer clone.Repo.Close()
	require.ErrorIs(t, followPicture(inv, clone, func(p *view.Picture, _ []view.Change, err error) {
		if p != nil && err == nil && text == "" {
			text, err = shownBy(p)
			r := p.Reading()
			about, aboutErr := aboutGoal(inv, clone, r.Board, "")
			require.NoError(t, aboutErr)
			require.Equal(t, about, cmp.Or(r.About, r.Board.Settings().Goal))
		}
		require.NoError(t, err)
		stop()
	}), context.Canceled)
	return text
}

// Every view that stays open through a day shows what one shows that is opened then.
func TestFollowADay(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git", "config", "user.name", "Ann")
	shown := follow(t, p.repo)
	task := "--done-when d --spec specs/vision.md --scope s --kind docs"
	for _, line := range []string{
		"git liza task add one --title 'Say it' --owns 'one*' " + task,
		"git liza task add two --title 'Say more' --depends-on one " + task,
		"git liza claim one --as coder-1",
		"git liza note 'Mind the gap'",
		"git liza block one --as coder-1 --question 'Which way?' --reason why",
		"git liza answer one 'The left one'",
		"git liza claim one --as coder-1 && git liza intent one --as coder-1 --summary s --validation v --files one.md",
		"cd .worktrees/one && echo 1 >one.md && git add . && git commit -q -m one && git liza submit one --as coder-1",
		"git liza review one --as code-reviewer-1 </dev/null; git liza approve one --as code-reviewer-1 --commit $(git rev-parse liza/one)",
		"git liza merge one",
		"git liza undo one || git liza task edit two --title 'Say no more'",
		"git liza pause --reason lunch",
		"git liza resume --reason fed",
		"git liza config limits.iterations 4",
		"git liza board archive",
		"git liza goal set 'A second one' --spec specs/vision.md",
		"git liza goal focus goal-1",
		"git liza goal done goal-1 --force keep",
		"git liza goal focus --clear",
		"git liza goal done goal-2",
	} {
		p.must("sh", "-ec", line)
		want, last, limit := seenAnew(t, p.repo), "", time.After(30*time.Second)
		for last != want {
			select {
			case g := <-shown:
				last = g.status
			case <-limit:
				require.Equal(t, strings.ReplaceAll(want, ",", ",\n"), strings.ReplaceAll(last, ",", ",\n"), line)
			}
		}
	}
}

// await returns the first glimpse that fits.
func await(t *testing.T, shown <-chan glimpse, what string, fits func(glimpse) bool) glimpse {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		select {
		case g := <-shown:
			if fits(g) {
				return g
			}
		case <-limit:
			require.FailNow(t, "not in two minutes: "+what)
		}
	}
}

// Who follows the board sees what other processes do to it, and to this machine.
func TestFollow(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git", "config", "user.name", "Ann")
	shown := follow(t, p.repo)
	first := await(t, shown, "the board", func(g glimpse) bool { return !g.nothing })
	require.NoError(t, first.err)
	require.Contains(t, first.newest, "init")
	require.Contains(t, first.parts, view.TaskPart)

	p.must("git-liza", "task", "add", "one", "--title", "Say it", "--done-when", "d", "--spec", "specs/vision.md", "--scope", "s", "--kind", "docs")
	added := await(t, shown, "a task", func(g glimpse) bool { return g.status != first.status })
	require.Contains(t, added.newest, "add")
	require.Contains(t, added.status, `"title":"Say it"`)
	require.Contains(t, added.parts, view.FlowPart)

	p.must("git-liza", "claim", "one", "--as", "coder-1")
	await(t, shown, "the claim", func(g glimpse) bool { return slices.Contains(g.parts, view.AgentsPart) && g.newest != added.newest })
	p.must("git", "commit", "-q", "--allow-empty", "-m", "beside the board")
	await(t, shown, "a branch that is ahead", func(g glimpse) bool { return strings.Contains(g.status, `"kind":"ahead"`) })
	p.must("git", "-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/integration", "main")
	await(t, shown, "a displaced integration", func(g glimpse) bool { return strings.Contains(g.status, `"kind":"displaced"`) })
}

// What goes wrong is told while the last picture stays, and also that it is over.
func TestFollowBroken(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git", "config", "user.name", "Ann")
	p.must("git-liza", "task", "add", "one", "--title", "Say it", "--done-when", "d", "--spec", "specs/vision.md", "--scope", "s", "--kind", "docs")
	shown := follow(t, p.repo)
	whole := await(t, shown, "the board", func(g glimpse) bool { return !g.nothing })
	tip := p.must("git", "rev-parse", "refs/liza/state")

	for what, breakIt := range map[string]string{
		"a document that is none": `export GIT_INDEX_FILE="$PWD/.git/forged"
git read-tree refs/liza/state
blob=$(printf 'title: [\n' | git hash-object -w --stdin)
git update-index --cacheinfo "100644,$blob,$(git ls-files 'tasks/*' | head -n 1)"
git -c core.hooksPath=/dev/null update-ref refs/liza/state "$(git cat-file commit refs/liza/state | sed -n '/^$/,$p' | sed 1d | git commit-tree "$(git write-tree)" -p refs/liza/state)"`,
		"no state":                `git -c core.hooksPath=/dev/null update-ref -d refs/liza/state`,
		"a state that is no move": `git -c core.hooksPath=/dev/null update-ref refs/liza/state main`,
	} {
		p.must("sh", "-ec", "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x\n"+breakIt)
		broken := await(t, shown, what, func(g glimpse) bool { return g.err != nil })
		require.Equal(t, whole.status, broken.status, what)
		p.must("git", "-c", "core.hooksPath=/dev/null", "update-ref", "refs/liza/state", tip)
		await(t, shown, "the end of "+what, func(g glimpse) bool { return g.err == nil && g.status == whole.status })
	}
}

// A remote that goes away is told, and also that it is back.
func TestFollowRemoteGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	s.sh(t, "b", "git config user.name Ann")
	shown := follow(t, filepath.Join(s.root, "b"))
	await(t, shown, "the board", func(g glimpse) bool { return !g.nothing && g.err == nil })
	away := filepath.Join(s.root, "away.git")
	require.NoError(t, os.Rename(filepath.Join(s.root, "s.git"), away))
	gone := await(t, shown, "that the remote is gone", func(g glimpse) bool { return g.err != nil })
	require.ErrorIs(t, gone.err, gitstore.ErrOffline)
	require.NotEmpty(t, gone.status)
	require.NoError(t, os.Rename(away, filepath.Join(s.root, "s.git")))
	s.sh(t, "b", "git-liza note 'It is back'")
	await(t, shown, "a move on the remote", func(g glimpse) bool { return g.err == nil && g.newest != gone.newest })
}
