package web

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// showNow lets the pages of a server show a state.
func showNow(t *testing.T, s *Server, c *work.Clone, tip board.ObjectID) {
	t.Helper()
	b, err := c.Store.BoardAt(tip)
	require.NoError(t, err)
	s.Feed.Show(view.NewPicture(view.Reading{Board: b, Tip: tip, At: c.Store.Now(), Person: flow.Caller{By: "human:ann"}}), nil, nil)
}

// historyOn returns the states in the history on the page of a task.
func historyOn(t *testing.T, s *Server, at string) []string {
	t.Helper()
	code, text := get(t, s, at)
	require.Equal(t, 200, code, text)
	var page struct {
		Data struct{ History []struct{ State string } }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &page))
	var list []string
	for _, e := range page.Data.History {
		list = append(list, e.State)
	}
	return list
}

// The history of a task has all moves that changed its document and no others, also those
// that name it among others or not at all; now, as it was, and while the board goes on.
func TestTaskHistory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"decisions", "rush", "workflows"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := goldenClone(t, name)
			tip, err := c.Store.Tip(t.Context())
			require.NoError(t, err)
			changed := map[string][]string{} // by task
			var chain []string
			seen := map[board.Key]board.ObjectID{}
			require.NoError(t, c.Store.Log(tip, func(e gitstore.Event) (bool, error) {
				chain = append(chain, string(e.Commit))
				return true, nil
			}))
			slices.Reverse(chain)
			for _, commit := range chain {
				b, err := c.Store.BoardAt(board.ObjectID(commit))
				require.NoError(t, err)
				for _, folder := range []board.Folder{board.Tasks, board.Archive} {
					for _, id := range b.IDs(folder) {
						key := board.Key{Folder: folder, ID: id}
						blob, err := c.Repo.BlobAt(t.Context(), board.ObjectID(commit), gitstore.DocumentPath(key))
						require.NoError(t, err)
						if seen[key] != blob {
							seen[key] = blob
							changed[id] = append(changed[id], commit)
						}
					}
				}
			}
			require.NotEmpty(t, changed)

			s := serverOf(t, c)
			half := len(chain) / 2
			for _, at := range []int{len(chain) - 1, half} {
				for id, want := range changed {
					want = slices.DeleteFunc(slices.Clone(want), func(commit string) bool { return slices.Index(chain, commit) > at })
					if len(want) > 0 {
						require.Equal(t, want, historyOn(t, s, "task/"+id+"?json&at="+chain[at]), id)
					}
				}
			}
			for _, at := range []int{half, len(chain) - 1, half, len(chain) - 1} {
				gittest.Git(t, c.Repo.CommonDir(), "update-ref", "refs/liza/state", chain[at])
				showNow(t, s, c, board.ObjectID(chain[at]))
				for id, want := range changed {
					want = slices.DeleteFunc(slices.Clone(want), func(commit string) bool { return slices.Index(chain, commit) > at })
					if len(want) > 0 {
						require.Equal(t, want, historyOn(t, s, "task/"+id+"?json"), id)
					}
				}
			}
		})
	}
}

// Of a long history the page of a task shows the end, and says so. Its submissions have the
// numbers that they have everywhere.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	s := newSite(t, submits+`
git liza review task-1 --as code-reviewer-1; git liza reject task-1 --as code-reviewer-1 --commit $(git rev-parse HEAD) --message 'tests/a_test.txt:1: it tests nothing'`)
	repo, err := git.Open(t.Context(), s.dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	now, err := time.Parse(time.RFC3339, noon)
	require.NoError(t, err)
	c, err := work.Open(t.Context(), repo, func() time.Time { return now }, os.Environ())
	require.NoError(t, err)
	require.NoError(t, c.Identify(t.Context(), "human:ann-example", ""))
	b, _, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	for n := range glanceHistory {
		input := b.Task("task-1").Input()
		input.Budget = &board.Budget{Tokens: int64(1_000_000 + n)}
		_, err := c.Make(t.Context(), board.ActEdit, "task-1", &flow.EditMove{Input: input})
		require.NoError(t, err)
	}
	s.run(`git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1; seq 1 12 > src/a.txt; git commit -qam again
git liza submit task-1 --as coder-1`)
	s.serve()
	s.open()
	var first, second string
	_, err = fmt.Sscan(s.run("git liza show task-1 --json | tr -d ' \n' | sed 's/.*\"submissions\":\\[{\"number\":1,\"commit\":\"\\([0-9a-f]*\\)\".*{\"number\":2,\"commit\":\"\\([0-9a-f]*\\)\".*/\\1 \\2/'"), &first, &second)
	require.NoError(t, err)
	page := s.page("task/task-1")
	require.Contains(t, page, "<td>1</td><td><code>"+first[:9])
	require.Contains(t, page, "<td>2</td><td><code>"+second[:9])
	require.Contains(t, page, "moves before: <code class=\"command\">git liza log task-1</code>")
	require.Contains(t, page, "Changes of submission 2")
	for n, commit := range []string{first, second} {
		diff := s.page(fmt.Sprintf("task/task-1/diff?n=%d", n+1))
		require.Contains(t, diff, fmt.Sprintf("submission %d</h1>", n+1))
		require.Contains(t, diff, ".."+commit[:9])
	}
	require.Contains(t, s.page("task/task-1/diff?n=1"), "it tests nothing")
}
