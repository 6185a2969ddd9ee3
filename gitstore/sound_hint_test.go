package gitstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// The hint of what no submission may bring makes the work sound, keeps what was
// sound of it, and leaves no file behind that would be added again.
func TestHintsOfUnsoundWork(t *testing.T) {
	t.Parallel()
	for name, brings := range map[string]func(q *quarry) (rows []string){
		"a name for Windows":      func(q *quarry) []string { return []string{q.file("a?*")} },
		"a name like an option":   func(q *quarry) []string { return []string{q.file("-aux:x")} },
		"a name with magic":       func(q *quarry) []string { return []string{q.file(":(top)ab")} },
		"a folder":                func(q *quarry) []string { return []string{q.folder("con", q.file("f"))} },
		"a name that git refuses": func(q *quarry) []string { return []string{q.file("git~1")} },
		"a name that is too long": func(q *quarry) []string { return []string{q.file(strings.Repeat("A", 256))} },
		"a file of git's": func(q *quarry) []string {
			return []string{q.row("100644", ".gitmodules", q.object("blob", "[submodule \"../x\"]\n"))}
		},
		"a link through a link":      func(q *quarry) []string { return []string{q.link("d", "e/.."), q.link("e", ".git")} },
		"a folder out of order":      func(q *quarry) []string { return []string{q.folder("d", q.file("b"), q.file("a"))} },
		"a name that is there again": func(q *quarry) []string { return []string{q.folder("d", q.file("a"), q.file("a"))} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuarry(t)
			sound := []string{q.file("ab"), q.file("zz")}
			bad := q.commit(q.base, inOrder(append(brings(q), sound...))...)
			tip := q.commit(bad, inOrder(append(brings(q), append(sound, q.file("zzz"))...))...)
			for _, submitted := range []git.ID{bad, tip, q.commit(tip, sound...)} {
				q.checkOut(submitted)
				f := q.facts()
				for range 3 { // a link can lead to another that is no better
					if f == nil {
						break
					}
					q.sh(strings.ReplaceAll(f.Hint, "MESSAGE", "message"))
					f = q.facts()
				}
				require.Nil(t, f)
				require.Empty(t, gittest.Git(t, q.dir, "status", "--porcelain"), "nothing that git add would add again")
				require.FileExists(t, filepath.Join(q.dir, "ab"))
				require.FileExists(t, filepath.Join(q.dir, "zz"))
			}
		})
	}
}

// inOrder sorts the rows of a tree as git does.
func inOrder(rows []string) []string {
	name := func(row string) string {
		mode, rest, _ := strings.Cut(row, " ")
		name, _, _ := strings.Cut(rest, "\x00")
		if mode == "40000" {
			name += "/"
		}
		return name
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return rows
}

// facts are what is wrong with what HEAD brings beside main.
func (q *quarry) facts() *flow.Refusal {
	q.t.Helper()
	f, err := q.store.Commits.Facts(context.Background(), flow.Query{Submission: git.ID(gittest.Git(q.t, q.dir, "rev-parse", "HEAD")), Tip: q.base})
	var refused *flow.Refusal
	if err != nil {
		require.ErrorAs(q.t, err, &refused)
		return refused
	}
	return f.Flaw
}

// checkOut goes to a branch at the commit, with what git takes of it in index and
// work tree: who commits what git does not take writes trees of their own.
func (q *quarry) checkOut(commit git.ID) {
	q.t.Helper()
	gittest.Git(q.t, q.dir, "checkout", "-q", "-f", "-B", "work", string(q.base))
	gittest.Git(q.t, q.dir, "clean", "-qffdx")
	gittest.Git(q.t, q.dir, "update-ref", "refs/heads/work", string(commit))
	cmd := exec.Command("git", "reset", "-q", "--hard")
	cmd.Dir = q.dir
	if cmd.Run() == nil {
		return
	}
	for _, name := range []string{"ab", "zz"} {
		require.NoError(q.t, os.WriteFile(filepath.Join(q.dir, name), []byte(name), 0o644))
	}
	gittest.Git(q.t, q.dir, "read-tree", "--empty")
	gittest.Git(q.t, q.dir, "add", "-A")
}

func (q *quarry) sh(command string) {
	q.t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = q.dir
	out, err := cmd.CombinedOutput()
	require.NoError(q.t, err, "%s\n%s", command, out)
}
