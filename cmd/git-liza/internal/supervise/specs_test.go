package supervise_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

const retrySpec = "# A small product\n\n## Retry\n\nFive tries.\n\n## Limits\n\nNone.\n"

// begun is a world in which coder-1 has claimed task-1, whose spec is a section of a file
// of its own.
func begun(t *testing.T) *world {
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "specs", "retry.md"), retrySpec)
	w.adopt()
	w.liza("task", "add", "--title", "T", "--done-when", "D", "--spec", "specs/retry.md#retry", "--scope", "S", "--kind", "docs")
	w.liza("claim", "task-1", "--as", "coder-1")
	return w
}

// adopt brings what stands in the main work tree to integration. It returns the tip.
func (w *world) adopt() string {
	w.Helper()
	w.git("add", "-A", "specs")
	w.git("commit", "-q", "-m", "specs")
	w.liza("adopt", "HEAD", "--reason", "the spec")
	return strings.TrimSpace(w.git("rev-parse", "HEAD"))
}

func (w *world) prompt(role board.Role) string {
	w.Helper()
	p, err := supervise.Prompt(context.Background(), w.clone.Repo, w.board(), supervise.PromptInput{Role: role, Task: "task-1"})
	require.NoError(w, err)
	return p.Text()
}

// renew has both sides of a checkout be alike, as before a session.
func (w *world) renew(name string) {
	w.Helper()
	require.NoError(w, w.clone.Checkouts.Trees.Take(w.Context(), name))
	require.NoError(w, w.clone.Checkouts.Trees.Renew(w.Context(), name))
}

// section returns the part of a prompt below a heading.
func section(prompt, heading string) string {
	_, text, _ := strings.Cut(prompt, "\n"+heading+"\n")
	text, _, _ = strings.Cut(text, "\n#")
	return strings.TrimSpace(text)
}

// A prompt says what became of the spec of its task since the base of the work.
func TestPromptOfAChangedSpec(t *testing.T) {
	t.Parallel()
	const work = "\n\nWork to the text of integration, and change what the branch has from an older one. If the task does not fit it, block the task and quote the sentence."
	const compare = "\n\n```sh\ngit diff BASE TIP -- specs/retry.md\n```"
	link := func(file string) error {
		return os.Symlink("vision.md", file)
	}
	folder := func(file string) error {
		if err := os.Mkdir(file, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(file, "x"), []byte("x"), 0o644)
	}
	text := func(from, to string) func(string) error {
		return func(file string) error {
			return os.WriteFile(file, []byte(strings.Replace(retrySpec, from, to, 1)), 0o644)
		}
	}
	lost := func(why string) string {
		return "Integration has no such file at TIP_: " + why + ". The base has it:\n\n```sh\ngit show BASE:specs/retry.md\n```" + work
	}
	for name, test := range map[string]struct {
		change func(file string) error
		want   string
	}{
		"changed": {text("Five", "Three"), "The text at TIP_ differs from that of the base BASE_:\n\n" +
			"| --- a/specs/retry.md\n| +++ b/specs/retry.md\n| @@ -3,4 +3,4 @@\n|  ## Retry\n|\n| -Five tries.\n| +Three tries." + work},
		"changed elsewhere": {text("None", "Many"), "The section '#retry' is as in the base BASE_. Other parts of the file differ:" + compare},
		"without its section": {text("Retry", "Again"), "No heading has the anchor '#retry' at TIP_.\nThe text at TIP_ differs from that of the base BASE_:\n\n" +
			"| --- a/specs/retry.md\n| +++ b/specs/retry.md\n| @@ -1,6 +1,6 @@\n|  # A small product\n|\n| -## Retry\n| +## Again\n|\n|  Five tries." + work},
		"no text":         {text("Five", "\x00"), "The text at TIP_ differs from that of the base BASE_:" + compare + work},
		"too large":       {text("Five", strings.Repeat("Many ", 60_000)), "The text at TIP_ differs from that of the base BASE_:" + compare + work},
		"removed":         {func(string) error { return nil }, lost("it was removed")},
		"a symbolic link": {link, lost("it is a symbolic link")},
		"a folder":        {folder, lost("it is a folder")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t)
			base := string(w.task("task-1").Attempt.Base)
			require.Empty(t, section(w.prompt(board.Coder), "## The spec specs/retry.md"))
			file := filepath.Join(w.dir, "specs", "retry.md")
			require.NoError(t, os.Remove(file))
			require.NoError(t, test.change(file))
			tip := w.adopt()
			prompt := w.prompt(board.Coder)
			want := strings.NewReplacer("BASE_", base[:10], "TIP_", tip[:10], "BASE", base, "TIP", tip).Replace(test.want)
			require.Equal(t, want, section(prompt, "## The spec specs/retry.md"))
			show := "\ngit show " + tip + ":specs/retry.md\n"
			if strings.Contains(test.want, "no such file") {
				require.NotContains(t, prompt, show)
			} else {
				require.Contains(t, prompt, show)
			}
			require.Contains(t, prompt, "\ngit show "+tip+":specs/vision.md\n")
		})
	}
}

// A long difference is cut at the end of a line, and the command for the rest works.
func TestPromptOfALongDifference(t *testing.T) {
	t.Parallel()
	w := begun(t)
	var lines strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&lines, "Line %d.\n", i)
	}
	w.write(filepath.Join(w.dir, "specs", "retry.md"), strings.Replace(retrySpec, "Five tries.\n", lines.String(), 1))
	w.adopt()
	part := section(w.prompt(board.Coder), "## The spec specs/retry.md")
	require.Contains(t, part, "| +Line 0.\n")
	require.NotContains(t, part, "| +Line 4999.\n")
	require.Regexp(t, `\n\| \+Line \d+\.\n\n[1-9]\d+ bytes of the difference are left out here:\n`, part)
	require.Less(t, len(part), 40<<10)
	_, command, _ := strings.Cut(part, "```sh\n")
	command, _, _ = strings.Cut(command, "\n")
	require.Contains(t, w.git(strings.Fields(command)[1:]...), "+Line 4999.\n")
}

// A task is based on more texts than its spec: each is named and compared as the spec
// is. The second review of a role is shown what has changed since the first.
func TestPromptOfASecondReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := filepath.Join(w.dir, "specs", "base.md")
	w.write(base, retrySpec)
	w.adopt()
	w.liza("task", "add", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--based-on", "specs/base.md#retry", "--based-on", "specs/base.md#limits",
		"--scope", "S", "--kind", "docs", "--review-by", "security-reviewer")
	w.liza("claim", "task-1", "--as", "coder-1")
	w.liza("intent", "task-1", "--as", "coder-1", "--summary", "S", "--validation", "V")
	dir := filepath.Join(w.dir, ".worktrees", "task-1")
	w.write(filepath.Join(dir, "work.txt"), "work\n")
	w.git("-C", dir, "add", "-A")
	w.git("-C", dir, "commit", "-q", "-m", "work")
	w.liza("submit", "task-1", "--as", "coder-1")
	prompt := func(role board.Role) string {
		b := w.board()
		reviewed, err := supervise.LastReview(context.Background(), w.clone.Store, b.Task("task-1"), role)
		require.NoError(t, err)
		p, err := supervise.Prompt(context.Background(), w.clone.Repo, b, supervise.PromptInput{Role: role, Task: "task-1", Reviewed: reviewed})
		require.NoError(t, err)
		return p.Text()
	}
	const retry, limits = "## What the task is based on: specs/base.md '#retry'", "## What the task is based on: specs/base.md '#limits'"
	first := w.board().Settings().Integration.Tip
	w.write(base, strings.Replace(retrySpec, "Five", "Four", 1))
	second := w.adopt()
	w.liza("review", "task-1", "--as", "code-reviewer-1")
	for _, role := range []board.Role{"code-reviewer", "security-reviewer"} {
		text := prompt(role)
		require.Contains(t, section(text, retry), "differs from that of the base "+first.Short()+":\n")
		require.Contains(t, section(text, retry), "\n| -Five tries.\n| +Four tries.\n")
		require.Contains(t, section(text, limits), "The section '#limits' is as in the base ")
		require.Equal(t, 1, strings.Count(text, "\ngit show "+second+":specs/base.md\n"))
	}
	w.write(base, strings.Replace(retrySpec, "Five", "Three", 1))
	w.adopt()
	w.liza("review", "task-1", "--as", "code-reviewer-1")
	again := section(prompt("code-reviewer"), retry)
	require.Contains(t, again, "differs from that of the last review, at "+second[:10]+":\n")
	require.Contains(t, again, "\n| -Four tries.\n| +Three tries.\n")
	require.Contains(t, section(prompt("security-reviewer"), retry), "\n| -Five tries.\n| +Three tries.\n")
}

// A spec that is adopted after the claim stands in the coder's prompt, and one that is
// adopted after the submission in the reviewer's. The supervisor that merges such work says
// how far integration went on.
func TestSessionsKnowTheCurrentSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Somebody else changes the spec while the worktree is set up.
	ready, over := filepath.Join(t.TempDir(), "ready"), filepath.Join(t.TempDir(), "over")
	await := func(path string) string { return "until test -e '" + path + "'; do sleep 0.02; done; " }
	person := exec.Command("sh", "-ec", await(ready)+"echo 'Three tries.' >>specs/vision.md; git commit -q -a -m spec; '"+self+"' adopt HEAD --reason spec; touch '"+over+"'")
	person.Dir = w.dir
	require.NoError(t, person.Start())
	command := `test -n "$LIZA_REVIEW_COMMIT" || { touch '` + ready + "'; " + await(over) + "}"
	w.config(func(c *board.Config) { c.PostWorktree, c.DriftAlarm = command, 2 })
	w.liza("trust", "--all")
	w.tasks(1)
	base := w.board().Settings().Integration.Tip
	r, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "there is no code-reviewer here", r.said())
	require.NoError(t, person.Wait())
	prompt := w.note("prompt-coder-1-1")
	require.Contains(t, prompt, "\n| +Three tries.\n")
	require.Contains(t, prompt, "differs from that of the base "+base.Short()+":\n")

	w.write(filepath.Join(w.dir, "specs", "vision.md"), "# A small product\nNo tries.\n")
	tip := w.adopt()
	r, err = w.rush(reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, r.said(), "warning: integration went on by 2 commits while task-1 was worked on (drift_alarm is 2)")
	prompt = w.note("prompt-code-reviewer-1-1")
	require.Contains(t, prompt, "\ngit show "+tip+":specs/vision.md\n")
	require.Contains(t, prompt, "\n| +No tries.\n")
	require.Contains(t, prompt, "\nJudge by the text of integration.")
}

// Who has merged integration into its branch is not told again what changed there.
func TestPromptAfterAMergeOfIntegration(t *testing.T) {
	t.Parallel()
	w := begun(t)
	file := filepath.Join(w.dir, "specs", "retry.md")
	w.write(file, strings.Replace(retrySpec, "Five", "Three", 1))
	w.adopt()
	require.Contains(t, w.prompt(board.Coder), "Three tries")
	tree := filepath.Join(w.dir, ".worktrees", "task-1")
	w.git("-C", tree, "commit", "-q", "--allow-empty", "-m", "work")
	require.Contains(t, w.prompt(board.Coder), "Three tries")
	w.renew("task-1")
	w.git("-C", tree, "merge", "-q", "-m", "integration", "integration")
	w.renew("task-1")
	require.Empty(t, section(w.prompt(board.Coder), "## The spec specs/retry.md"))
	w.write(file, strings.Replace(retrySpec, "Five", "Two", 1))
	w.adopt()
	require.Contains(t, w.prompt(board.Coder), "| -Three tries.\n| +Two tries.")
	w.git("-C", tree, "reset", "-q", "--hard", w.git("rev-list", "--max-parents=0", "integration")[:40])
	w.renew("task-1")
	require.Contains(t, w.prompt(board.Coder), "| -Five tries.\n| +Two tries.", "from the base of the attempt")
}

// A context that names a section is the text of that section on integration, and stands
// as it is if there is none.
func TestPromptOfAContext(t *testing.T) {
	t.Parallel()
	w := begun(t)
	for said, text := range map[string]string{
		"specs/retry.md#limits": "| ## Limits\n|\n| None.",
		"specs/retry.md#none":   "| specs/retry.md#none",
		"three tries, see #7":   "| three tries, see #7",
	} {
		w.liza("task", "add", "--title", "T", "--done-when", "D", "--spec", "specs/retry.md#retry", "--scope", "S", "--context", said)
		list := w.board().Tasks()
		id := list[len(list)-1].ID
		p, err := supervise.Prompt(t.Context(), w.clone.Repo, w.board(), supervise.PromptInput{Role: board.Coder, Task: id})
		require.NoError(t, err)
		require.Contains(t, p.Text(), "## Context\n\nIt stands in place of the spec's section.\n\n"+text+"\n")
	}
}
