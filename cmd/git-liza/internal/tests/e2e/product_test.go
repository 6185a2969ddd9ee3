package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// builds lets command lines build the demo's product from the spec to the last
// merge, and checks that it came about as in the demo: planned, rejected once
// and done again, every task merged, the product's own tests passed.
func (w *workshop) builds(flags ...string) {
	w.t.Helper()
	begun := time.Now()
	o := <-w.rush(append([]string{"--planners=1", "--coders=2", "--reviewers=1", "--until-idle"}, flags...)...)
	if o.code != 0 {
		w.t.Log(w.try("git-liza", "log").text())
		w.t.Log(w.transcript())
	}
	require.Zero(w.t, o.code, o.text())
	statuses := w.statuses()
	require.Len(w.t, statuses, 5)
	for id, status := range statuses {
		require.Equal(w.t, "MERGED", status, id)
	}
	acts := w.acts()
	require.Positive(w.t, acts["reject"], acts)
	require.GreaterOrEqual(w.t, acts["approve"], 5)
	tree := filepath.Join(w.t.TempDir(), "product")
	w.must("git", "worktree", "add", "-q", "--detach", tree, "integration")
	w.must("sh", filepath.Join(tree, "scripts", "integration-test.sh"))
	w.must("git-liza", "fsck", "--full")
	require.Empty(w.t, w.model.Strays(), "nobody else was asked for anything")
	w.t.Logf("figures: %s: 5 tasks in %.0f s, %d requests, %d rejections, %d merges that failed", w.t.Name(), time.Since(begun).Seconds(),
		len(w.model.Conversations()), acts["reject"], acts["integration_fail"])
}

// rush begins a rush, which ends with the test at the latest.
func (w *workshop) rush(flags ...string) <-chan outcome {
	ended, gone := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(gone)
		ended <- w.run(w.t.Context(), 8*time.Minute, nil, nil, append([]string{"git-liza", "rush"}, flags...)...)
	}()
	w.t.Cleanup(func() { <-gone })
	return ended
}

// acts counts the moves by their act.
func (w *workshop) acts() map[string]int {
	w.t.Helper()
	count := map[string]int{}
	for line := range strings.Lines(w.must("git-liza", "log", "--jsonl")) {
		var move struct{ Act string }
		require.NoError(w.t, json.Unmarshal([]byte(line), &move))
		count[move.Act]++
	}
	return count
}

// transcript is what the models were asked last and what they answered, for the
// reader of a failed test.
func (w *workshop) transcript() string {
	var b strings.Builder
	for _, r := range w.model.Conversations() {
		said := ""
		if n := len(r.Asked.Messages); n > 0 {
			said = r.Asked.Messages[n-1].Text
		}
		fmt.Fprintf(&b, "--- %s %s, after %d turns: %.2000s\n=== %s %v\n", r.API, r.Asked.Model, r.Asked.Turns(), said, r.Answer.Text, r.Answer.Tools)
	}
	return b.String()
}

// Each is a coder once, and the other one plans and reviews.
func TestCodexAndClaudeBuildTheProduct(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, newPlayer(t), "codex", "claude")
	w.builds("--provider=claude", "--provider=coder=codex")
}

func TestClaudeAndCodexBuildTheProduct(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, newPlayer(t), "codex", "claude")
	w.builds("--provider=codex", "--provider=coder=claude")
}

func TestGeminiOverACPBuildsTheProduct(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, newPlayer(t), "gemini", "claude")
	for _, name := range []string{"GEMINI_*", "GOOGLE_GEMINI_BASE_URL"} {
		w.must("git", "config", "--add", "liza.provider.acp.env", name)
	}
	w.builds("--provider=claude", "--provider=coder=acp:gemini --acp")
}

// plans puts one task of the plan on the board, as a human.
func (w *workshop) plans(p *player, id board.TaskID) {
	w.t.Helper()
	for _, task := range p.book.Plan {
		if task.ID == id {
			text, err := document.Encode(&[]board.TaskInput{task})
			require.NoError(w.t, err)
			o := w.asks(string(text), filepath.Join(shared.path("bin"), "git-liza"), "task", "add", "--from", "-")
			require.Zero(w.t, o.code, o.text())
		}
	}
}

// does lets command lines do one task: a submission, its rejection, another.
func (w *workshop) does(p *player, flags ...string) {
	w.t.Helper()
	w.plans(p, "task-2")
	o := <-w.rush(append([]string{"--planners=0", "--coders=1", "--reviewers=1", "--until-idle"}, flags...)...)
	if o.code != 0 {
		w.t.Log(w.transcript())
	}
	require.Zero(w.t, o.code, o.text())
	require.Equal(w.t, map[string]string{"task-2": "MERGED"}, w.statuses())
	require.Equal(w.t, 1, w.acts()["reject"])
	last := ""
	for _, r := range w.model.Conversations() {
		if _, news, resumed := strings.Cut(r.Asked.Prompt(), "# What is new"); resumed {
			last = news
		}
	}
	require.Contains(w.t, last, "## Rejected by code-reviewer-1")
	require.NotContains(w.t, last, "# Commands", "the session has them")
	require.Equal(w.t, "coder-1\ncoder-1", w.must("git", "log", "--no-merges", "--format=%an", "main..integration"))
}

// The others code and review a task each.
func TestTheOthersDoATask(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gemini", "opencode", "copilot", "qwen", "pi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			w := newWorkshop(t, p, name)
			w.does(p, "--provider="+name)
			require.Equal(t, w.answered(), w.used())
		})
	}
}

// Each works where the kernel confines its sessions, as without that.
func TestConfinedCommandLinesDoATask(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen", "pi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			w := newWorkshop(t, p, name)
			w.must("git", "config", "liza.confine", "required")
			w.does(p, "--provider="+name)
			require.Equal(t, w.answered(), w.used())
		})
	}
}

// A coder keeps the log of a build in the temporary folder.
func TestCopilotsCodersWriteTemporaryFiles(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	w := newWorkshop(t, logging{p}, "copilot")
	temp := t.TempDir()
	w.env = append(w.env, "TMPDIR="+temp)
	w.does(p, "--provider=copilot")
	require.FileExists(t, filepath.Join(temp, "log"))
}

// A logging model is a player whose coders begin with a log.
type logging struct{ *player }

func (l logging) Next(c standin.Conversation) standin.Turn {
	turn := l.player.Next(c)
	if turn.Text == "I look at where things stand." && strings.Contains(c.Prompt(), "# Your role: coder") {
		s := &scene{player: l.player, asked: c}
		return s.says("I build it first.", `echo x > "$TMPDIR/log"`)
	}
	return turn
}

// used is what the board says that all sessions have used.
func (w *workshop) used() (u standin.Usage) {
	w.t.Helper()
	var answer struct{ Data struct{ Usage standin.Usage } }
	require.NoError(w.t, json.Unmarshal([]byte(w.must("git-liza", "metrics", "--json")), &answer))
	return answer.Data.Usage
}

// answered is what the model counted: of what it answered with tools at hand,
// since titles are no work.
func (w *workshop) answered() (u standin.Usage) {
	for _, r := range w.model.Conversations() {
		if r.Answer.Status == 0 && !r.Answer.Hang && len(r.Asked.Tools) > 0 {
			u.Input, u.Cached, u.Output = u.Input+r.Answer.Usage.Input, u.Cached+r.Answer.Usage.Cached, u.Output+r.Answer.Usage.Output
		}
	}
	return u
}

// In a sandbox that keeps git's own files read-only an agent cannot commit; its
// supervisor does, and reports what the last message says.
func TestASupervisorCommitsForCodex(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	w := newWorkshop(t, p, "codex", "claude")
	for _, word := range []string{"exec", "--json", "-c", "allow_login_shell=false", "--sandbox", "workspace-write"} {
		w.must("git", "config", "--add", "liza.provider.codex.args", word)
	}
	w.must("git", "config", "liza.provider.codex.coder", "")
	w.must("git", "config", "liza.provider.codex.commit", "supervisor")
	w.does(p, "--provider=coder=codex", "--provider=code-reviewer=claude")
}
