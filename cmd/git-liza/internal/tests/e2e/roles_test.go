package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// ownRoles are the files of two roles of a user's own: one may read the web.
var ownRoles = map[string]string{
	"hermit": "---\ncapacity: judges\ntools: [read, run]\n---\n# Role: hermit\n\nYou judge what you read here.\n",
	"surfer": "---\ncapacity: judges\ntools: [read, run, web]\n---\n# Role: surfer\n\nYou judge by what the web says.\n",
}

// A reader is a model that asks for a page of the web, if there is a call for that, and
// then approves.
type reader struct {
	*player
	fetch []standin.Call
	mu    sync.Mutex
	heard map[string]string   // what the first call was answered with, by role
	tools map[string][]string // what was offered, by role
}

// Next plays the roles of the user's own; what else is asked gets a word.
func (r *reader) Next(c standin.Conversation) standin.Turn {
	s, turns := r.scene(c)
	role := s.find(`(?m)^# Your role: (\S+)`)
	if len(c.Tools) == 0 || role == "" {
		return standin.Turn{Text: "tally"}
	}
	r.mu.Lock()
	r.tools[role] = c.Tools
	if turns == 1 {
		r.heard[role] = s.last()
	}
	r.mu.Unlock()
	switch {
	case turns == 0 && r.fetch != nil:
		return standin.Turn{Text: "I look it up.", Tools: r.fetch}
	case turns < 2:
		return s.says("It is right.", "git liza approve one --commit "+s.find(`(?m)^commit: (\S+)$`))
	}
	return standin.Turn{Text: "Approved."}
}

const page = "http://docs.example.org/page"

// readings are how each command line reads the web, and what it says where it may not.
// codex and gemini have their service search, so that what they offer shows it.
var readings = map[string]struct {
	tool            string
	input           map[string]any
	withheld, tried string   // patterns of the answers
	offered         []string // only to those that may
}{
	"claude": {"WebFetch", map[string]any{"url": page, "prompt": "What is there?"},
		"No such tool available: WebFetch", "Unable to verify if domain docs.example.org is safe", []string{"WebFetch", "WebSearch"}},
	"codex": {offered: []string{"web_search"}},
	"gemini": {"web_fetch", map[string]any{"prompt": "What is at " + page + " ?"},
		`Tool "web_fetch" not found`, "All requested URLs were skipped", []string{"web_fetch", "google_web_search"}},
	"copilot": {"web_fetch", map[string]any{"url": page}, "Permission denied", "Failed to fetch " + page, nil},
	"opencode": {"webfetch", map[string]any{"url": page, "format": "text"},
		"unavailable tool", "GET " + page, []string{"webfetch"}},
	"qwen": {"web_fetch", map[string]any{"url": page, "prompt": "What is there?"},
		"permission was declined", "Error during fetch for " + page, nil},
}

// Two roles of a user's own judge a submission, and each command line serves both: it
// reads the web where the role's file says so, and nowhere else.
func TestRolesThatReadTheWeb(t *testing.T) {
	t.Parallel()
	for name, c := range readings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &reader{player: newPlayer(t), heard: map[string]string{}, tools: map[string][]string{}}
			if c.tool != "" {
				r.fetch = []standin.Call{{Name: c.tool, Input: c.input}}
			}
			w := newWorkshop(t, r, name)
			w.env = slices.DeleteFunc(w.env, func(v string) bool { return v == "COPILOT_OFFLINE=true" }) // it has no such tool then
			w.hires("hermit", "surfer")
			w.must("git-liza", "role", "require", "hermit", "--in-place-of", "code-reviewer")
			w.must("git-liza", "role", "require", "surfer")
			tree := w.readyToCommit("one")
			w.must("git-liza", "intent", "one", "--as", "coder-1", "--summary", "S", "--validation", "V")
			w.must("git", "-C", tree, "add", "-A")
			w.must("git", "-C", tree, "commit", "-q", "-m", "one")
			w.must("git-liza", "submit", "one", "--as", "coder-1")

			o := <-w.rush("--agents=hermit=1,surfer=1", "--until-idle", "--provider="+name)
			require.Zero(t, o.code, o.text()+w.transcript())
			require.Equal(t, map[string]string{"one": "MERGED"}, w.statuses())
			require.Equal(t, 2, w.acts()["approve"])
			require.Regexp(t, c.withheld, r.heard["hermit"])
			require.Regexp(t, c.tried, r.heard["surfer"])
			for _, tool := range c.offered {
				require.NotContains(t, r.tools["hermit"], tool)
				require.Contains(t, r.tools["surfer"], tool)
			}
		})
	}
}

// hires enters roles of the user's own by their files.
func (w *workshop) hires(names ...string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Join(w.dir, ".liza", "roles"), 0o755))
	for _, name := range names {
		require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, ".liza", "roles", name+".md"), []byte(ownRoles[name]), 0o644))
		w.must("git-liza", "role", "add", ".liza/roles/"+name+".md")
	}
	w.must("git", "add", ".liza")
	w.must("git", "commit", "-q", "-m", "Roles")
	w.must("git-liza", "adopt", "HEAD", "--reason", "they were read")
}

// A role from a file judges beside the reviewer of the code, each by another command
// line: the work is rejected, done again, and merged with the verdicts of both.
func TestARoleFromAFileJudges(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	w := newWorkshop(t, p, "claude", "codex")
	w.hires("hermit")
	w.must("git-liza", "role", "require", "hermit")
	w.plans(p, "task-2")
	o := <-w.rush("--agents=coder=1,code-reviewer=1,hermit=1", "--until-idle", "--provider=claude", "--provider=code-reviewer=codex")
	require.Zero(t, o.code, o.text()+w.transcript())
	require.Equal(t, map[string]string{"task-2": "MERGED"}, w.statuses())
	require.Equal(t, 1, w.acts()["reject"], "the first rejection ends the round")
	shown := w.must("git-liza", "show", "task-2")
	require.Regexp(t, `verdict\.by +code-reviewer-1`, shown)
	require.Regexp(t, `verdict\.by +hermit-1`, shown)
	w.must("git-liza", "fsck", "--full")
}
