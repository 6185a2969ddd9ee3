package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A failing model answers coders with turns of its own until it is mended, or
// is told of a session that failed, and else as its player.
type failing struct {
	*player
	turns  standin.Script
	mended atomic.Bool
}

func (f *failing) Next(c standin.Conversation) standin.Turn {
	prompt := c.Prompt()
	if f.mended.Load() || !strings.Contains(prompt, "# Your role: coder") || strings.Contains(prompt, failedBefore) {
		return f.player.Next(c)
	}
	switch {
	case f.turns != nil:
		return f.turns.Next(c)
	case c.Turns() == 0:
		return (&scene{player: f.player, asked: c}).says("I look at what there is.", "pwd")
	}
	return standin.Turn{Hang: true}
}

// until polls.
func (w *workshop) until(what string, holds func() bool) {
	w.t.Helper()
	require.Eventually(w.t, holds, 5*time.Minute, 500*time.Millisecond, what)
}

// pause is why a provider is paused, "" if it is not.
func (w *workshop) pause(name string) (kind, reason string) {
	w.t.Helper()
	var answer struct {
		Data struct {
			Providers []struct {
				Name  string
				Pause *struct{ Kind, Reason string }
			}
		}
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.must("git-liza", "providers", "list", "--json")), &answer))
	for _, p := range answer.Data.Providers {
		if p.Name == name && p.Pause != nil {
			return p.Pause.Kind, p.Pause.Reason
		}
	}
	return "", ""
}

// A service that does not serve pauses the command line that needs it, and
// counts against no task: once it is resumed the work continues as if nothing had
// been.
func TestTroublePausesTheProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kind, says string
		idle             string
		turns            standin.Script
	}{
		{"claude", "login", "Invalid API key", "", standin.Script{{Status: 401, Text: "invalid x-api-key"}}},
		{"claude", "quota", "rate limit", "", standin.Script{{Status: 429, Text: "This request would exceed your account's rate limit. Please try again in 2h", RetryAfter: 2 * time.Hour}}},
		{"codex", "login", "401", "", standin.Script{{Status: 401, Text: "Incorrect API key provided"}}},
		{"codex", "outage", "stream disconnected", "", standin.Script{{Text: "half of an answer", Cut: true}}},
		// It sleeps for as long as the service says, and does not say so.
		{"codex", "quota", "429", "60s", standin.Script{{Status: 429, Text: "You exceeded your current quota", RetryAfter: 2 * time.Hour}}},
	} {
		t.Run(c.name+" "+c.kind, func(t *testing.T) {
			t.Parallel()
			m := &failing{player: newPlayer(t), turns: c.turns}
			w := newWorkshop(t, m, "codex", "claude")
			w.plans(m.player, "task-1")
			if c.idle != "" {
				w.must("git", "config", "liza.idle", c.idle)
			}
			ended := w.rush("--planners=0", "--coders=1", "--reviewers=1", "--provider="+c.name)
			w.until("a pause", func() bool {
				_, err := os.Stat(filepath.Join(w.dir, ".git", "liza", "paused", c.name))
				return err == nil
			})
			kind, reason := w.pause(c.name)
			require.Equal(t, c.kind, kind, reason)
			require.Contains(t, reason, c.says)
			m.mended.Store(true)
			w.must("git-liza", "providers", "resume", c.name)
			w.until("the merge", func() bool { return w.statuses()["task-1"] == "MERGED" })
			w.must("git-liza", "stop", "--reason", "done")
			o := <-ended
			require.Zero(t, o.code, o.text())
			for _, r := range w.model.Conversations() {
				require.NotContains(t, r.Asked.Prompt(), failedBefore, "no task is to blame for it")
			}
		})
	}
}

// Too much asked at once is over in seconds. codex asks five times more and then
// passes the 429 on, but not for how long it holds: it pauses for ten seconds.
func TestAShortLimitCostsSeconds(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	m := &limited{player: p}
	m.left.Store(7) // the next session of codex meets it too, and gets over it by itself
	w := newWorkshop(t, m, "codex")
	w.plans(p, "task-1")
	ended := w.rush("--planners=0", "--coders=1", "--reviewers=1", "--until-idle", "--provider=codex")
	var pause provider.Pause
	w.until("a pause", func() bool {
		path := filepath.Join(w.dir, ".git", "liza", "paused", "codex")
		data, err := os.ReadFile(path)
		return err == nil && document.Decode(path, data, &pause) == nil
	})
	require.Equal(t, 1, pause.Times)
	require.Equal(t, provider.Quota, pause.Kind)
	require.Contains(t, pause.Reason, "429")
	require.LessOrEqual(t, pause.Until.Sub(pause.Since), 12*time.Second) // in whole seconds each
	o := <-ended
	require.Zero(t, o.code, o.text())
	require.Equal(t, "MERGED", w.statuses()["task-1"])
	require.Zero(t, w.acts()["release"], "its coder waits for it")
}

// A limited model answers the first calls by which a coder works with 429.
type limited struct {
	*player
	left atomic.Int64
}

func (l *limited) Next(c standin.Conversation) standin.Turn {
	if strings.Contains(c.Prompt(), "# Your role: coder") && len(c.Tools) > 0 && l.left.Add(-1) >= 0 {
		return standin.Turn{Status: 429, Text: "Rate limit reached. Please try again in 1s.", RetryAfter: time.Second}
	}
	return l.player.Next(c)
}

// A session that does not end by itself is ended by a limit. Its use is counted to
// the last call that was answered.
func TestEndedSessionsAreCounted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"codex", "gemini", "copilot", "claude", "pi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			w := newWorkshop(t, endless{p}, name)
			w.plans(p, "task-1")
			w.must("git", "config", "liza.wall", "30s") // time for three calls beside other work
			ended := w.rush("--planners=0", "--coders=1", "--reviewers=0", "--provider="+name)
			w.until("the end of a session", func() bool { return w.acts()["session"] > 0 })
			w.must("git-liza", "stop", "--reason", "done")
			<-ended
			answered, used := w.answered(), w.used()
			calls := len(w.model.Conversations())
			require.Greater(t, calls, 2)
			most := w.model.Conversations()[calls-1].Answer.Usage
			require.GreaterOrEqual(t, used.Input, answered.Input-2*most.Input, "%d calls", calls)
			require.LessOrEqual(t, used.Input, answered.Input)
			require.Positive(t, used.Output)
		})
	}
}

// An endless model has a coder run one command after the other.
type endless struct{ *player }

func (e endless) Next(c standin.Conversation) standin.Turn {
	if len(c.Tools) == 0 {
		return standin.Turn{Text: "a title"}
	}
	s := &scene{player: e.player, asked: c}
	return s.says(fmt.Sprintf("I look once more, after %d turns.", c.Turns()), fmt.Sprintf("echo %d; sleep 1", c.Turns()))
}

// failedBefore heads what the next prompt says of a session that failed.
const failedBefore = "# How the previous session failed"

// The prompt of the next session describes the failure of the last one.
func TestTheNextPromptSaysWhatWentWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says string
		turns      standin.Script
	}{
		{"codex", "without output", nil}, // after an answer: before one it would be an outage
		{"gemini", "Error executing tool web_fetch", standin.Script{
			{Tools: []standin.Call{{Name: "web_fetch", Input: map[string]any{"prompt": "look at https://example.org"}}}}, {Text: "I may not."}}},
	} {
		t.Run(c.name+" "+c.says, func(t *testing.T) {
			t.Parallel()
			m := &failing{player: newPlayer(t), turns: c.turns}
			w := newWorkshop(t, m, c.name)
			w.plans(m.player, "task-1")
			w.must("git", "config", "liza.idle", "60s")
			o := <-w.rush("--planners=0", "--coders=1", "--reviewers=1", "--until-idle", "--provider="+c.name)
			require.Zero(t, o.code, o.text())
			require.Equal(t, "MERGED", w.statuses()["task-1"])
			told := ""
			for _, r := range w.model.Conversations() {
				if _, after, ok := strings.Cut(r.Asked.Prompt(), failedBefore); ok {
					told = after
				}
			}
			require.Contains(t, told, c.says)
		})
	}
}
