package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// Of more plans than a goal can remember none is imported twice, and none is forgotten so
// that it would be due again.
func TestMorePlansThanAGoalRemembers(t *testing.T) {
	t.Parallel()
	var plans []string
	for n := range board.MaxList + 1 {
		plans = append(plans, fmt.Sprintf("docs/goal-1/plan-%02d.md", n))
	}
	s := staged(t, "human:ann reload workflow=w:A[art=plan@docs/{goal}/plan*.md@1];B;C found="+strings.Join(plans, ",")+
		"| human:ann accept "+strings.Join(plans[:board.MaxList], " ")+"| human:ann accept "+plans[board.MaxList]+"| coder-1 phase")
	for _, plan := range plans[:board.MaxList] {
		require.Empty(t, s.step("coder-1 import plan="+plan, new(record)))
	}
	require.Empty(t, s.step("coder-1 import plan="+plans[board.MaxList]+" -> refused limit", new(record)))
	require.Empty(t, s.step("board has dueplans-1="+plans[board.MaxList], new(record)))
	require.Empty(t, s.step("human:ann adopt h1 git:text="+plans[0]+":", new(record)))
	for _, step := range []string{"coder-1 import plan=" + plans[board.MaxList], "board has dueplans-1=", "coder-1 phase"} {
		require.Empty(t, s.step(step, new(record)))
	}
}

// The copy of a workflow on the board is bounded, with all its texts.
func TestLargeWorkflow(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a1")
	w := &board.Workflow{Goal: "goal-1", Name: "w", Phases: []board.WorkflowPhase{{Name: "A"}}}
	for n := range 17 {
		w.Types = append(w.Types, board.ArtifactType{Name: fmt.Sprintf("type-%c", 'a'+n), Schema: board.LongText(strings.Repeat("x", 4000))})
	}
	reload := func() *Refusal {
		return s.judge(s.by("human:ann", board.ActReload, "", &ReloadMove{Workflow: w, Phase: "A", Map: []board.PhaseMap{{To: "A"}}}), nil)
	}
	refusal := reload()
	require.Equal(t, RuleWorkflow, refusal.Rule)
	require.Contains(t, refusal.Reason, "at most 65536 are allowed")
	w.Types = w.Types[:14]
	require.Nil(t, reload())
}
