package flow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// phaseGames is how many games the phases are played in.
const phaseGames = 12

// TestRandomPhases plays goals with two workflows: whatever comes, no task is claimed and
// none is merged outside of its phase, and no phase ends without what its exit asks for.
func TestRandomPhases(t *testing.T) {
	t.Parallel()
	var seen phasesSeen
	for game := range phaseGames {
		playPhases(t, uint64(game), &seen)
	}
	require.NotZero(t, seen.claimed, "claims")
	require.NotZero(t, seen.kept, "claims refused by the phase")
	require.NotZero(t, seen.unmerged, "merges refused by the phase")
	require.NotZero(t, seen.left, "phases that ended")
	require.NotZero(t, seen.lacking, "phases that did not end")
	require.NotZero(t, seen.back, "ways back")
	require.NotZero(t, seen.reloaded, "other workflows")
}

type phasesSeen struct{ claimed, kept, unmerged, left, lacking, back, reloaded int }

const (
	firstWorkflow  = "workflow=w:A[roles=spec-writer][kinds=spec][art=prd@docs/{goal}/prd.md@1][task=prd@spec-writer@spec];B[art=adr@docs/{goal}/adr-*.md@0];C[human]"
	secondWorkflow = "workflow=v:A[art=prd@docs/{goal}/prd.md@1];C[art=adr@docs/{goal}/adr-*.md@0];D"
)

// playPhases plays a game.
func playPhases(t *testing.T, seed uint64, seen *phasesSeen) {
	r := rand.New(rand.NewPCG(seed, 5))
	s := staged(t, "human:ann config attempts=40 rate=-50 | human:ann goal goal-2 "+firstWorkflow)
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for n := range 160 {
		task := fmt.Sprintf("task-%d", 1+r.IntN(8))
		doc := pick("docs/goal-2/prd.md", "docs/goal-2/adr-1.md")
		step := pick(
			fmt.Sprintf("planner-1 add phase=%s kind=%s role=%s n%d", pick("A", "B", "C", "any"), pick("code", "spec"), pick("coder", "spec-writer"), n),
			fmt.Sprintf("human:ann add phase=%s kind=%s role=%s n%d", pick("A", "B", "C", "any"), pick("code", "spec"), pick("coder", "spec-writer"), n),
			"coder-1 claim "+task, "coder-2 claim "+task, "spec-writer-1 claim "+task, "human:ann claim "+task,
			"HOLDER submit", "HOLDER submit", "HOLDER submit", "JUDGE", "JUDGE", "JUDGE", "MERGE", "MERGE",
			"coder-1 phase", "human:ann phase", "human:ann phase "+pick("A", "B")+" reason=again",
			"human:ann reload "+secondWorkflow+" map=B:C inphase="+pick("", "", "C"), "human:ann reload "+firstWorkflow+" map=D:C",
			"human:ann accept "+doc, "human:ann adopt h"+fmt.Sprint(n)+" found="+doc+"@v"+fmt.Sprint(n),
			"human:ann abandon "+task, "human:ann edit "+task+" phase="+pick("A", "C", "any"), "planner-1 supersede "+task+" r"+fmt.Sprint(n))
		s.randomPhaseStep(step, r, seen)
	}
}

// randomPhaseStep makes a move, if it can be made, and holds it to what phases promise.
func (s *scene) randomPhaseStep(step string, r *rand.Rand, seen *phasesSeen) {
	step = s.fillPhaseStep(step, r)
	if step == "" {
		return
	}
	fields := strings.Fields(step)
	if id := fields[len(fields)-1]; strings.HasPrefix(id, "task-") { // the tasks of a game in place of numbers
		if list := s.board.Summaries(); len(list) > 0 {
			fields[len(fields)-1] = string(list[r.IntN(len(list))].ID)
		}
	}
	if strings.HasPrefix(fields[len(fields)-1], "phase=") || len(fields) > 2 && strings.HasPrefix(fields[2], "task-") {
		list := s.board.Summaries()
		fields[2] = string(list[r.IntN(len(list))].ID)
	}
	if fields[1] != "add" && fields[1] != "supersede" && takesTaskName(fields[1]) && s.board.Task(board.TaskID(fields[2])) == nil {
		return
	}
	m, facts := s.moveOf(fields)
	before := s.board
	if Already(before, m) {
		return
	}
	lacks := ExitLacks(before, "goal-2")
	refusal := s.judge(m, facts)
	g := before.Goal("goal-2")
	switch {
	case m.Act == board.ActClaim && refusal == nil:
		task := s.board.Task(m.Task)
		if task.Goal == "goal-2" {
			require.True(s.t, task.Phase == board.AnyPhase || task.Phase == g.Phase, "%s claimed in %s", task.Phase, g.Phase)
			seen.claimed++
		}
	case m.Act == board.ActClaim && refusal.Rule == RulePhase:
		seen.kept++
	case m.Act == board.ActMerge && refusal == nil:
		task := s.board.Task(m.Task)
		require.True(s.t, task.Goal != "goal-2" || task.Phase == board.AnyPhase || task.Phase == g.Phase, "%s merged in %s", task.Phase, g.Phase)
	case m.Act == board.ActMerge && refusal.Rule == RulePhase:
		seen.unmerged++
	case m.Act == board.ActPhase && refusal != nil && len(lacks) > 0:
		seen.lacking++
	case m.Act == board.ActPhase && refusal == nil && m.Detail.(*PhaseMove).Reason != "":
		seen.back++
	case m.Act == board.ActPhase && refusal == nil:
		seen.left++
		for _, lack := range lacks {
			require.True(s.t, m.By.IsHuman() && (lack.Rule == RuleRole || lack.Rule == RuleDue), "left %s although %s", g.Phase, lack.Reason)
		}
	case m.Act == board.ActReload && refusal == nil:
		seen.reloaded++
	}
	now := s.board.Goal("goal-2")
	for _, task := range s.board.Summaries() {
		if task.Goal == now.ID && !task.Status.Final() && task.Phase != board.AnyPhase {
			require.NotNil(s.t, board.FindWorkflow(s.board, now.ID).Phase(task.Phase), "%s stands in %s", task.ID, task.Phase)
		}
	}
}

func takesTaskName(act string) bool {
	var a board.Act
	return a.UnmarshalText([]byte(act)) == nil && takesTask(a)
}

// fillPhaseStep names the actors and tasks of a step, "" if there are none.
func (s *scene) fillPhaseStep(step string, r *rand.Rand) string {
	in := func(of ...board.Status) *board.Task {
		var list []*board.Task
		for _, short := range s.board.Summaries() {
			if slices.Contains(of, short.Status) {
				list = append(list, s.board.Task(short.ID))
			}
		}
		if len(list) == 0 {
			return nil
		}
		return list[r.IntN(len(list))]
	}
	switch step {
	case "HOLDER submit":
		t := in(board.Claimed)
		if t == nil {
			return ""
		}
		if t.Intent == nil {
			return string(t.Claim.By) + " intent " + string(t.ID)
		}
		paths := "src/a.go,src/a_test.go"
		if t.Kind == board.Spec {
			paths = "docs/goal-2/prd.md"
		}
		return fmt.Sprintf("%s submit %s c%d paths=%s +gates passed=artifacts", t.Claim.By, t.ID, r.IntN(1000), paths)
	case "JUDGE":
		t := in(board.ReadyForReview)
		if t == nil {
			return ""
		}
		if t.Review() == nil {
			return "code-reviewer-1 review " + string(t.ID)
		}
		if r.IntN(4) == 0 {
			return string(t.Review().By) + " reject " + string(t.ID)
		}
		return string(t.Review().By) + " approve " + string(t.ID)
	case "MERGE":
		t := in(board.Approved)
		if t == nil {
			return ""
		}
		found := ""
		if t.Kind == board.Spec && board.FindWorkflow(s.board, t.Goal) != nil {
			found = fmt.Sprintf(" found=docs/goal-2/prd.md@p%d", r.IntN(1000))
		}
		return fmt.Sprintf("coder-1 merge %s commit=m%d passed=artifacts%s", t.ID, r.IntN(100000), found)
	}
	return step
}
