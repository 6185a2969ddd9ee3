package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A thrifty model does what its prompt asks for in as few turns as there can be. Its
// reviewers judge by what the prompt shows, and look at nothing else.
type thrifty struct{ *player }

func (m thrifty) Next(c standin.Conversation) standin.Turn {
	s, turns := m.scene(c)
	steps := []step{declare, (*scene).builds, submit, conclude}
	switch role := s.find(`(?m)^# Your role: (\S+)`); {
	case len(c.Tools) == 0 || role == "":
		return standin.Turn{Text: "tally"}
	case role == "code-reviewer":
		steps = []step{(*scene).reads, conclude}
	}
	return steps[min(turns, len(steps)-1)](s)
}

// builds does the first attempt in one turn.
func (s *scene) builds() standin.Turn {
	first := &s.work().Attempts[0]
	return s.says("I build it and commit.", "(set -e\n"+s.commits(first, s.pours(first.Write))+")")
}

// reads approves what the prompt shows to be what was asked for: the section of the spec,
// every line of the files, the message of the commit.
func (s *scene) reads() standin.Turn {
	want := []string{"as integration has it"}
	for _, f := range s.work().Attempts[0].Write {
		want = append(want, "| +++ b/"+string(f.Path))
		for line := range strings.Lines(f.Content) {
			want = append(want, strings.TrimRight("| +"+line, " \t\n"))
		}
	}
	for line := range strings.Lines(s.work().Attempts[0].Message) {
		want = append(want, strings.TrimSpace(line))
	}
	for _, text := range want {
		if !strings.Contains(s.prompt, text) {
			return standin.Turn{Text: "I cannot judge, the prompt lacks " + text}
		}
	}
	return s.says("It holds.", "git liza approve "+string(s.work().Task)+" --commit "+s.find(`(?m)^commit: (\S+)$`)+" --message 'as it was asked for'")
}

// Two tasks, the second one after the first, cost eight calls of a model: a coder says what it
// does, does it and submits it, and a reviewer judges what its prompt shows. No call follows the
// move that ends a session, and what all used is known to the token. opencode and qwen tell too
// late what they used, so their sessions end by themselves.
func TestTheBaseRunCostsEightCalls(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string]int{"claude": 8, "codex": 8, "gemini": 8, "copilot": 8, "pi": 8, "opencode": 12, "qwen": 12} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			w := newWorkshop(t, thrifty{p}, name)
			plan := []board.TaskInput{p.book.Plan[0], p.book.Plan[1]}
			plan[1].DependsOn = []board.TaskID{plan[0].ID}
			text, err := document.Encode(&plan)
			require.NoError(t, err)
			o := w.asks(string(text), shared.path("bin", "git-liza"), "task", "add", "--from", "-")
			require.Zero(t, o.code, o.text())
			o = <-w.rush("--planners=0", "--coders=1", "--reviewers=1", "--until-idle", "--provider="+name)
			require.Equal(t, map[string]string{"task-1": "MERGED", "task-2": "MERGED"}, w.statuses(), o.text())
			asked := 0
			for _, r := range w.model.Conversations() {
				if len(r.Asked.Tools) > 0 {
					asked++
					const rule = "**I1 No unapproved change of state.**"
					require.Equal(t, 1, strings.Count(r.Asked.System+r.Asked.Prompt(), rule))
					require.Equal(t, slices.Contains([]string{"claude", "codex", "pi", "qwen"}, name), strings.Contains(r.Asked.System, rule), r.Asked.System)
				}
			}
			require.Equal(t, calls, asked)
			require.Equal(t, w.answered(), w.used())
			var answer struct {
				Data struct {
					Sessions []struct{ Outcome, Error string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(w.must("git-liza", "session", "--json")), &answer))
			require.Len(t, answer.Data.Sessions, 4)
			for _, one := range answer.Data.Sessions {
				require.Contains(t, []string{"submitted", "approved"}, one.Outcome)
				require.Empty(t, one.Error)
			}
		})
	}
}
