package e2e

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// An intruder is a model that does, through the command line's own shell tool,
// what no agent may, and then asks a human.
type intruder struct {
	*player
	mu    sync.Mutex
	heard []string // what the tools answered
}

const trespass = "git switch -q integration; git commit -q --allow-empty -m intruding; git switch -q liza/task-2; " +
	"env -u LIZA_AGENT_ID -u LIZA_GENERATION -u LIZA_ROLE git liza note intruding --as human:eve"

// Next plays the coder; what else is asked gets a word.
func (i *intruder) Next(c standin.Conversation) standin.Turn {
	s, turns := i.scene(c)
	if len(c.Tools) == 0 || s.prompt == "" {
		return standin.Turn{Text: "tally"}
	}
	i.mu.Lock()
	i.heard = append(i.heard, s.last())
	i.mu.Unlock()
	switch turns {
	case 0:
		return s.says("I try.", trespass)
	case 1:
		return s.says("I ask.", "git liza block task-2 --reason stuck --question how")
	}
	return standin.Turn{Text: "Blocked."}
}

// No command line lets its agent's commands commit on integration, or be
// somebody else, whatever it does to their environment.
func TestNoCommandLineLetsItsAgentIntrude(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "codex", "gemini", "copilot", "opencode", "qwen", "pi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := &intruder{player: newPlayer(t)}
			w := newWorkshop(t, i, name)
			w.plans(i.player, "task-2")
			<-w.rush("--planners=0", "--coders=1", "--reviewers=0", "--until-idle", "--provider="+name)
			heard := strings.Join(i.heard, "\n")
			require.Contains(t, heard, "rule: identity", w.transcript())
			if name != "gemini" { // whose commands run no hooks: what they commit stays in the checkout
				require.Contains(t, heard, "rule: task_branch", w.transcript())
			}
			require.NotContains(t, w.must("git", "log", "--format=%s", "--all"), "intruding")
			require.NotContains(t, w.must("git-liza", "log"), "eve")
		})
	}
}
